/** Shows components that live in other processes: the screen's side of what `@tenon/host` promises to extensions. */
import type {
  ComponentOptions,
  ComponentPlace,
  ComponentScreen,
  CompletionSource,
  RemoteComponent,
  RemoteEditor,
  ScreenTheme,
  ShownComponent,
  ShownEditor,
} from '@tenon/host';
import type { Component, OverlayOptions } from '@tenon/screen';
import type { App } from './app.ts';
import type { Dialog } from './seat.ts';

/** What the screen has to offer. */
export interface ComponentScreenParts {
  readonly app: App;
  openOverlay(component: Component, options: OverlayOptions): () => void;
  setFooter(component: Component | undefined): void;
  /** Puts another editor in place of the screen's own; nothing brings that back. */
  setEditor(editor: (Component & Pick<RemoteEditor, 'setText'>) | undefined): void;
  draft(): string;
  insert(text: string): void;
  submit(text: string): void;
  /** A key that an editor elsewhere leaves to the screen. */
  press(data: string): void;
  theme(): ScreenTheme;
  themeNames(): readonly string[];
  setTheme(name: string): boolean;
  setWorking(message: string | undefined): void;
  ownKeys(): readonly string[];
}

/** A part of the screen that a component can be in; the result of `put` takes it out again. */
type Put = (component: Dialog) => () => void;

/** The screen as extensions see it. */
export class ExtensionScreen implements ComponentScreen {
  readonly #parts: ComponentScreenParts;
  readonly #watchers = new Set<() => void>();
  readonly #inputs = new Set<(data: string) => Promise<string | undefined>>();
  readonly #completions = new Set<CompletionSource>();
  readonly #single = new Map<string, () => void>();
  readonly #open = new Set<() => void>();
  readonly #overlays = new Map<Dialog, { readonly open: () => () => void; close: (() => void) | undefined }>();
  #editor: RemoteEditor | undefined;

  constructor(parts: ComponentScreenParts) {
    this.#parts = parts;
  }

  show(component: RemoteComponent, place: ComponentPlace, options: ComponentOptions): ShownComponent {
    return this.#shown(component, this.#putAt(place, options), keyOf(place), options);
  }

  showEditor(editor: RemoteEditor, options: ComponentOptions): ShownEditor {
    editor.setText(this.#parts.draft());
    const put: Put = (component) => {
      this.#editor = editor;
      this.#parts.setEditor({ ...component, setText: (text) => editor.setText(text) });
      return () => {
        if (this.#editor !== editor) return;
        this.#editor = undefined;
        this.#parts.setEditor(undefined);
        this.#parts.insert(editor.text());
      };
    };
    const shown = this.#shown(editor, put, 'editor', options);
    return {
      ...shown,
      submit: (text) => {
        editor.addHistory(text);
        this.#parts.submit(text);
      },
      edited: () => this.tellChange(),
      pass: (data) => this.#parts.press(data),
    };
  }

  size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#parts.app.columns, rows: this.#parts.app.rows };
  }

  theme = (): ScreenTheme => this.#parts.theme();
  themes = (): readonly string[] => this.#parts.themeNames();
  setTheme = (name: string): boolean => this.#parts.setTheme(name);
  setWorking = (message: string | undefined): void => this.#parts.setWorking(message);
  ownKeys = (): readonly string[] => this.#parts.ownKeys();
  editorText = (): string => this.#editor?.text() ?? this.#parts.draft();
  toolsExpanded = (): boolean => this.#parts.app.isExpanded;

  pasteText(text: string): void {
    if (this.#editor) this.#editor.insert(text);
    else this.#parts.insert(text);
  }

  setToolsExpanded(isExpanded: boolean): void {
    this.#parts.app.isExpanded = isExpanded;
    this.tellChange();
  }

  onChange(handler: () => void): () => void {
    this.#watchers.add(handler);
    return () => void this.#watchers.delete(handler);
  }

  onInput(handler: (data: string) => Promise<string | undefined>): () => void {
    this.#inputs.add(handler);
    return () => void this.#inputs.delete(handler);
  }

  addCompletions(source: CompletionSource): () => void {
    this.#completions.add(source);
    return () => void this.#completions.delete(source);
  }

  /** Size, theme, text or folding changed. */
  tellChange(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Whether somebody wants to see input before the screen does. */
  get seesInput(): boolean {
    return this.#inputs.size > 0;
  }

  /** The input as those who see it first leave it; nothing when one of them keeps it. */
  async filterInput(data: string): Promise<string | undefined> {
    let current: string | undefined = data;
    for (const handler of this.#inputs) {
      if (current === undefined) return undefined;
      current = await handler(current);
    }
    return current;
  }

  /** What extensions complete. */
  get completions(): readonly CompletionSource[] {
    return [...this.#completions];
  }

  /** The mode ends: everything is taken away. */
  close(): void {
    for (const close of this.#open) close();
  }

  #putAt(place: ComponentPlace, options: ComponentOptions): Put {
    const { app, openOverlay, setFooter } = this.#parts;
    if (place === 'dialog') return (component) => this.#asDialog(component);
    if (place === 'overlay') {
      if (options.takesKeys === false) return (component) => this.#within(app.above, component);
      return (component) =>
        this.#asOverlay(component, () => openOverlay(component, overlayOptions(options, app.columns)));
    }
    if (place === 'footer') {
      return (component) => {
        setFooter(component);
        return () => setFooter(undefined);
      };
    }
    if (place === 'header') return (component) => this.#within(app.above, component, true);
    return (component) => this.#within(place.above ? app.above : app.below, component);
  }

  /** An overlay has the keys; while Tenon asks something it is away, so that it can neither cover the question nor answer it. */
  #asOverlay(component: Dialog, open: () => () => void): () => void {
    const overlay = { open, close: this.#parts.app.isAsking ? undefined : open() };
    this.#overlays.set(component, overlay);
    return () => {
      overlay.close?.();
      this.#overlays.delete(component);
    };
  }

  /** Tenon begins to ask something, or all is answered. */
  setAsking(isAsking: boolean): void {
    for (const overlay of this.#overlays.values()) {
      if (isAsking) overlay.close?.();
      overlay.close = isAsking ? undefined : overlay.open();
    }
  }

  #within(list: Component[], component: Component, atFront = false): () => void {
    if (atFront) list.unshift(component);
    else list.push(component);
    return () => {
      const at = list.indexOf(component);
      if (at >= 0) list.splice(at, 1);
    };
  }

  #asDialog(component: Dialog): () => void {
    let close: (() => void) | undefined;
    void this.#parts.app.askForExtension<void>((done) => {
      close = () => done(undefined);
      return { ...component, ownsEscape: true };
    });
    return () => close?.();
  }

  #shown(component: RemoteComponent, put: Put, single: string | undefined, options: ComponentOptions): ShownComponent {
    const { app } = this.#parts;
    const view: Dialog = {
      render: (width) => component.render(width),
      handleInput: (data) => component.handleInput(data),
      invalidate: () => component.invalidate(),
    };
    let takeOut: (() => void) | undefined;
    const setHidden = (isHidden: boolean) => {
      if (isHidden === (takeOut === undefined)) return;
      if (isHidden) takeOut?.();
      takeOut = isHidden ? undefined : put(view);
      component.setFocused(!isHidden && options.takesKeys !== false);
      app.requestFrame();
    };
    let isClosed = false;
    const end = (byScreen: boolean) => {
      if (isClosed) return;
      isClosed = true;
      setHidden(true);
      this.#open.delete(closeByScreen);
      if (single !== undefined && this.#single.get(single) === closeByScreen) this.#single.delete(single);
      if (byScreen) options.onClosed?.();
    };
    const closeByScreen = () => end(true);
    if (single !== undefined) {
      this.#single.get(single)?.();
      this.#single.set(single, closeByScreen);
    }
    this.#open.add(closeByScreen);
    setHidden(false);
    return {
      changed: () => app.requestFrame(),
      setHidden: (isHidden) => !isClosed && setHidden(isHidden),
      setFocus: (hasKeys) => component.setFocused(hasKeys),
      close: () => end(false),
    };
  }
}

/** Of these there is one at a time. */
function keyOf(place: ComponentPlace): string | undefined {
  if (place === 'dialog' || place === 'overlay') return undefined;
  return typeof place === 'string' ? place : `widget:${place.widget}`;
}

/** Overlays lie on the live rows, so that only their width and side can be followed. */
function overlayOptions({ overlay }: ComponentOptions, columns: number): OverlayOptions {
  const { width, anchor = 'center' } = overlay ?? {};
  const wanted = typeof width === 'string' ? Math.floor((columns * Number.parseFloat(width)) / 100) : width;
  const align = anchor.includes('left') ? 'left' : anchor.includes('right') ? 'right' : 'center';
  return { align, ...(wanted !== undefined && { width: Math.max(1, wanted) }) };
}
