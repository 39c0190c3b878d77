/**
 * What plugins outside of the screen may show on it: components that live in another process, for instance those of pi's
 * extensions. Only a mode with a screen offers it, as `UserInterface.screen`.
 */

/**
 * A component that lives elsewhere. It fits the contract of `@tenon/screen`: `render` answers at once with the rows that it has,
 * which may be older than what it was asked for; `ShownComponent.changed` is called when there are newer ones.
 */
export interface RemoteComponent {
  /** The last rows. Styles are theirs; everything else must be taken out, as of any component. */
  render(width: number): string[];
  /** One key, or one whole paste. Keys reach it in this order, and never hold the screen up. */
  handleInput(data: string): void;
  /** The colours changed. */
  invalidate(): void;
  /** It has the keys now, or no longer; one that has them shows the caret. */
  setFocused(isFocused: boolean): void;
}

/** An editor that lives elsewhere, in place of the screen's own. */
export interface RemoteEditor extends RemoteComponent {
  /** What stands in it, as far as it was told. */
  text(): string;
  setText(text: string): void;
  /** Puts text where the caret is, as a paste. */
  insert(text: string): void;
  /** A prompt that was sent, for its history. */
  addHistory(text: string): void;
}

/** Where a component is shown. There is one header, footer and editor at a time: a newer one takes the place of the older. */
export type ComponentPlace =
  /** In place of the editor, with the keys, until it is closed. */
  | 'dialog'
  /** On top of the live rows, with the keys unless `takesKeys` is false. */
  | 'overlay'
  | 'header'
  | 'footer'
  /** Above or below the editor; a newer one with the same key takes its place. */
  | { readonly widget: string; readonly above: boolean };

/** Columns or rows, or a part of the terminal's: `"50%"`. */
export type ScreenLength = number | `${number}%`;

/** Where an overlay is wanted; a screen follows it as far as it can. */
export interface OverlayPlacement {
  readonly width?: ScreenLength;
  readonly minWidth?: number;
  readonly maxHeight?: ScreenLength;
  readonly anchor?:
    | 'center'
    | 'top-left'
    | 'top-right'
    | 'bottom-left'
    | 'bottom-right'
    | 'top-center'
    | 'bottom-center'
    | 'left-center'
    | 'right-center';
  readonly offsetX?: number;
  readonly offsetY?: number;
  readonly row?: ScreenLength;
  readonly col?: ScreenLength;
  readonly margin?:
    | number
    | { readonly top?: number; readonly right?: number; readonly bottom?: number; readonly left?: number };
}

/** More about a component that is shown. */
export interface ComponentOptions {
  /** Whose it is, for messages: the name of the extension. */
  readonly owner: string;
  readonly overlay?: OverlayPlacement;
  /** False when an overlay leaves the keys where they are. */
  readonly takesKeys?: boolean;
  /** The screen took it away by itself: another took its place, or the mode ends. Not called after `close`. */
  onClosed?(): void;
}

/** A component that is on the screen. */
export interface ShownComponent {
  /** It has other rows now: draw a frame. */
  changed(): void;
  /** Hides it for a while, or shows it again. A hidden one has no keys. */
  setHidden(isHidden: boolean): void;
  /** Gives it the keys and brings it to the front, or gives them back. */
  setFocus(hasKeys: boolean): void;
  /** Takes it away; a second call does nothing. */
  close(): void;
}

/** An editor that is on the screen. */
export interface ShownEditor extends ShownComponent {
  /** The user sends this text, as from the screen's own editor. */
  submit(text: string): void;
  /** What stands in it changed. */
  edited(text: string): void;
  /** A key that the editor leaves to the screen, for instance Esc, Ctrl-C or a key of an action. */
  pass(data: string): void;
}

/** How text looks on the screen at the moment: for each role the sequence that turns its colour on, and nothing where there is none. */
export interface ScreenTheme {
  readonly name: string;
  readonly isDark: boolean;
  /** By role of pi's themes (`accent`, `muted`, `selectedBg`…): `"\x1b[38;5;42m"`. Roles that end in `Bg` are backgrounds. */
  readonly colors: Readonly<Record<string, string>>;
}

/** Something that fits what the user types. */
export interface Completion {
  /** What is put in. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** Completions for the place of the caret. */
export interface CompletionList {
  readonly items: readonly Completion[];
  /** The text before the caret that an item replaces. */
  readonly prefix: string;
}

/** What completes text in the editor beside the screen's own ways. Nothing when it has nothing to say. */
export type CompletionSource = (
  text: { readonly lines: readonly string[]; readonly line: number; readonly column: number },
  signal: AbortSignal,
) => Promise<CompletionList | undefined>;

/**
 * What a screen offers to components that live elsewhere. Questions of Tenon come before all of it: while one is open (an approval
 * above all), no component gets keys or lies on the question, and `onInput` is not asked. Otherwise code in a sandbox could
 * answer for the user.
 */
export interface ComponentScreen {
  /** Shows a component; the result takes it away. */
  show(component: RemoteComponent, place: ComponentPlace, options: ComponentOptions): ShownComponent;
  /** Shows an editor in place of the screen's own, with the text that stood there. */
  showEditor(editor: RemoteEditor, options: ComponentOptions): ShownEditor;
  size(): { readonly columns: number; readonly rows: number };
  theme(): ScreenTheme;
  /** Names of the themes that `setTheme` knows. */
  themes(): readonly string[];
  /** Changes the theme for this run; false when there is none of this name. */
  setTheme(name: string): boolean;
  /** Called when the size, the theme, the editor's text or whether tools are unfolded changed; the result ends it. */
  onChange(handler: () => void): () => void;
  /** What stands in the editor. */
  editorText(): string;
  /** Puts text where the caret is, as a paste. */
  pasteText(text: string): void;
  /** What is said while the agent works; nothing brings the screen's own words back. */
  setWorking(message: string | undefined): void;
  /** Whether the cards of tools are unfolded. */
  toolsExpanded(): boolean;
  setToolsExpanded(isExpanded: boolean): void;
  /** Keys of the screen's own actions (`ctrl+o`), not those of its editor: an editor that lives elsewhere passes them on. */
  ownKeys(): readonly string[];
  /**
   * Sees all input first. What it resolves with goes on in place of the input; nothing keeps the input from everybody else. It
   * resolves soon (at most 250 ms), and later input waits for it, so that the order is kept.
   */
  onInput(handler: (data: string) => Promise<string | undefined>): () => void;
  addCompletions(source: CompletionSource): () => void;
}
