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

/** Cards by the name of the tool, drawn while a frame is made: not for isolated packs. `*` stands for every tool without its own. */
export const renderers = slot<ToolRenderer>('renderers');

/** A theme as a file of pi has it: names for colours, and colours for roles. */
export interface ThemeFile {
  readonly name: string;
  readonly vars?: Readonly<Record<string, string | number>>;
  /** By role: `#rrggbb`, a number of the 256 colours, the name of a variable, or `''` for the terminal's own. */
  readonly colors: Readonly<Record<string, string | number>>;
}

/** Themes by name. Theme files of users and projects are found by discovery, in its slot `themes`, and need no entry here. */
export const screenThemes = slot<ThemeFile>('screen-themes');

/** Something that a key does. The data of an entry has `summary` and `keys`: those that it has unless the user says otherwise. */
export interface KeyAction {
  run(call: { readonly agent: AgentSession }): void | Promise<void>;
}

/** What keys do, by the name of the action: `notes.open`. They get the agent: not for isolated packs. */
export const keybindings = slot<KeyAction>('keybindings');

/** A part of the status line. The data of an entry has `side` (`left` or `right`) and `order`. */
export interface StatusItem {
  /** The text; nothing hides the part. Called for every frame in which the status line is drawn: it must be quick. */
  text(call: { readonly agent: AgentSession; readonly theme: Theme }): string | undefined;
}

/** Parts of the status line by name, drawn with the frame: not for isolated packs. The setting `interactive-mode.status` says which are shown. */
export const statusItems = slot<StatusItem>('status-items');

export { errors } from './errors.ts';

/** Parts of the screen for other commands that show a conversation: transcript, dialogs, keys, themes. */
export type ScreenParts = typeof import('./screen-parts.ts');

/** Loads them, on first use. */
export const loadScreenParts = (): Promise<ScreenParts> => import('./screen-parts.ts');
