/** What packs and other plugins may bring to the screen: themes, cards of tools, keys, parts of the status line. */
import type { AgentSession } from '@tenon/agent/api';
import type { Theme } from '@tenon/components';
import { slot } from '@tenon/kernel';
import type { ToolResult } from '@tenon/tools/api';

/** A call of a tool as far as it has come. */
export interface ToolView {
  readonly name: string;
  /** What the model gave; grows while it still writes, so that any field may be missing. */
  readonly input: Readonly<Record<string, unknown>>;
  /** `writing`: the model still writes the call. `waiting`: it waits for an answer of the user. */
  readonly state: 'writing' | 'waiting' | 'running' | 'done' | 'failed';
  /** What it gave so far, or in the end. */
  readonly result?: ToolResult;
}

/** What a renderer draws with. */
export interface CardStyle {
  readonly theme: Theme;
  /** Columns for the rows of the body. */
  readonly width: number;
  /** True when the user wants to see everything. */
  readonly isExpanded: boolean;
  readonly cwd: string;
  /** Breaks text into rows of this width; control sequences but styles are taken out. */
  wrap(text: string, width?: number): string[];
  /** Text that must not change the screen: of files, programs and models. */
  plain(text: string): string;
}

/** Draws the calls of a tool. The card around them, its mark and its folding are the screen's. */
export interface ToolRenderer {
  /** One row: what the call does, for instance `read src/cart.ts:10-40`. What is too wide is cut. */
  title(view: ToolView, style: CardStyle): string;
  /** Rows below it; all of them, the card folds what is long. */
  body?(view: ToolView, style: CardStyle): readonly string[];
  /** Which rows a folded card shows: the first (the default) or the last ones. */
  readonly fold?: 'head' | 'tail';
  /** How many rows a folded card shows; 8 unless given. */
  readonly foldedRows?: number;
}

/** A call that ran and succeeded. */
export interface EndedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
  /** Columns for the lines; longer ones are broken. */
  readonly width: number;
}

/** Writes what a call gave, outside of a frame: asked once, when the call has ended. Until it answers, or when it takes longer than a second, the general card is shown. */
export interface CallLines {
  /** The lines below the title of the card; colours stay, other control sequences are taken out. */
  lines(call: EndedCall): readonly string[] | Promise<readonly string[]>;
}

/**
 * Cards by the name of the tool. `*` stands for every tool without its own. An isolated pack brings `CallLines`, for its own tools.
 */
export const renderers = slot<ToolRenderer | CallLines>('renderers', { access: 'packs' });

/** A theme as a file of pi has it: names for colours, and colours for roles. */
export interface ThemeFile {
  readonly name: string;
  readonly vars?: Readonly<Record<string, string | number>>;
  /** By role: `#rrggbb`, a number of the 256 colours, the name of a variable, or `''` for the terminal's own. */
  readonly colors: Readonly<Record<string, string | number>>;
}

/** Themes by name. Theme files of users and projects are found by discovery, in its slot `themes`, and need no entry here. */
export const screenThemes = slot<ThemeFile>('screen-themes', { access: 'packs' });

/** Something that a key does. The data of an entry has `summary` and `keys`: those that it has unless the user says otherwise. */
export interface KeyAction {
  run(call: { readonly agent?: AgentSession }): void | Promise<void>;
}

/** What keys do, by the name of the action: `notes.open`. An isolated pack is told that the key was pressed, and gets no agent. */
export const keybindings = slot<KeyAction>('keybindings', { access: 'packs' });

/** A part of the status line. The data of an entry has `side` (`left` or `right`) and `order`. */
export interface StatusItem {
  /** The text; nothing hides the part. Called for every frame in which the status line is drawn: it must be quick. */
  text(call: { readonly agent: AgentSession; readonly theme: Theme }): string | undefined;
}

/** A part of the status line that is asked between frames: when a turn has ended, when a key was pressed, when the session is another. */
export interface LatestStatus {
  /** The text, plain; nothing hides the part. */
  latest(): string | undefined | Promise<string | undefined>;
}

/**
 * Parts of the status line by name. The setting `interactive-mode.status` says which are shown. An isolated pack brings `LatestStatus`; what changes by itself it
 * tells with `setStatus` of the user interface.
 */
export const statusItems = slot<StatusItem | LatestStatus>('status-items', { access: 'packs' });
