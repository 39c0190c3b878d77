/** What the parts of the screen work with: one session, one screen, and ways to show something. */
import type { AgentSession } from '@tenon/agent/api';
import type { Theme } from '@tenon/components';
import type { PluginContext } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import type { Accelerators } from '@tenon/native';
import type { Component } from '@tenon/screen';

/** A component that takes the place of the editor until it is done. */
export interface Dialog extends Component {
  /** True when Esc and Ctrl-C are the dialog's own; otherwise both close it without an answer. */
  readonly ownsEscape?: boolean;
}

/** What dialogs, pickers and panels may do with the screen. */
export interface Seat {
  /** Finds services and reads slots. */
  readonly ctx: Pick<PluginContext, 'find' | 'findOptional' | 'read' | 'log' | 'run'>;
  readonly call: ModeCall;
  /** The agent; its `session` changes when the user goes elsewhere. */
  readonly agent: AgentSession;
  /** The theme of the moment: read it for every frame. */
  readonly theme: Theme;
  readonly text: Accelerators['text'];
  /** Columns and rows of the terminal. */
  readonly columns: number;
  readonly rows: number;
  /** True where the screen only grows, for screen readers: nothing has to fit it, and what is shown beside something else is left out. */
  readonly onlyGrows?: boolean;
  /** Shows a dialog in place of the editor and gives its answer; undefined when the user closed it or the signal aborted. */
  ask<T>(make: (done: (answer: T | undefined) => void) => Dialog, signal?: AbortSignal): Promise<T | undefined>;
  /** Shows a component on the whole screen, for pagers and terminals; undefined likewise. */
  askFullscreen<T>(make: (done: (answer: T | undefined) => void) => Dialog): Promise<T | undefined>;
  /** A line for the user in the transcript; not for the model. */
  notify(text: string, kind?: 'info' | 'warning' | 'error'): void;
  /** Rows for the transcript, finished. */
  print(rows: readonly string[]): void;
  /** Something looks different. */
  requestFrame(): void;
  /** Puts text into the editor. */
  setDraft(text: string): void;
  /** Keys of an action, as they are shown: `ctrl+o`. */
  keysOf(action: string): readonly string[];
  /** Whether the key is one of the action. */
  isKey(data: string, action: string): boolean;
  /** Shows the transcript of the session anew, after it changed. */
  showSession(): void;
}
