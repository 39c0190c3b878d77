/** The prompt editor: keys in, rows out, the submitted text to the host. It knows nothing of agents. */
import { type Component, type Key, readKey } from '@tenon/screen';

import type { Theme, ThemeColor } from '../theme/theme.ts';
import type { EditorText } from './columns.ts';
import type { CompletionSource } from './completion.ts';
import { Draft, type DraftState } from './draft.ts';
import { actionOf, type EditorAction, type KeyMeaning, usualKeys } from './editor-keys.ts';
import { EditorPopup } from './editor-popup.ts';
import { EditorView } from './editor-view.ts';
import { HistorySearch } from './history-search.ts';
import { pastedText } from './pasted-text.ts';
import type { Position } from './positions.ts';
import { PromptHistory } from './prompt-history.ts';
import type { Unit } from './units.ts';
import { ViKeys, type ViMode } from './vi/vi-keys.ts';

/** What the host gives the editor. */
export interface EditorOptions {
  readonly text: EditorText;
  readonly theme: () => Theme;
  /** The most rows of text that are shown; 10 unless given. */
  readonly maxRows?: () => number;
  /** How many rows the editor and its list of completions may have together; as many as they need unless given. */
  readonly maxAllRows?: () => number;
  /** Stands before the first row; nothing unless given. */
  readonly marker?: string;
  readonly placeholder?: string;
  readonly borderColor?: () => ThemeColor;
  /** False leaves the lines above and below out, for screen readers. */
  readonly hasBorders?: boolean;
  /** Which key means which action; `usualKeys` unless given. */
  readonly keys?: KeyMeaning;
  readonly sources?: readonly CompletionSource[];
  /** True when completions come only where the user asks for them: a list that comes by itself would be read aloud for each letter. */
  readonly completesOnlyAsked?: boolean;
  /** The prompts with these words, the best first; those of `addHistory` are searched unless given. */
  readonly searchHistory?: (words: string) => Promise<readonly string[]>;
  /** Gets the text with everything that units stand for. The draft is kept if the answer is false. */
  readonly onSubmit?: (text: string, units: readonly Unit[]) => unknown;
  /** The text changed; read it from the editor if needed, because joining a long one for each key takes time. */
  readonly onChange?: (editor: Editor) => void;
  /** Rows changed by themselves: an answer arrived. */
  readonly requestFrame?: () => void;
  /** A source or a search failed. */
  readonly onError?: (error: unknown) => void;
}

/** How keys are understood. */
export type EditorMode = 'plain' | 'vi';

/** Many lines with undo, kill ring, history, completion, collapsed pastes and vi keys. */
export class Editor implements Component {
  readonly #options: EditorOptions;
  readonly #keys: KeyMeaning;
  readonly #draft: Draft;
  readonly #view: EditorView;
  readonly #history = new PromptHistory<DraftState>();
  readonly #popup: EditorPopup;
  readonly #vi: ViKeys;
  #search: HistorySearch | undefined;
  #mode: EditorMode = 'plain';

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#keys = options.keys ?? usualKeys;
    this.#draft = new Draft(options.text);
    this.#view = new EditorView(this.#draft, options.text);
    this.#popup = new EditorPopup(this.#draft, {
      sources: options.sources ?? [],
      onlyAsked: options.completesOnlyAsked === true,
      onChange: () => options.requestFrame?.(),
      onError: (error) => options.onError?.(error),
      onSubmit: () => this.#submit(),
    });
    this.#vi = new ViKeys(this.#draft.buffer, this.#draft.columns.measure);
    this.#draft.buffer.watch(() => options.onChange?.(this));
  }

  /** The text as it is shown, with labels for units. */
  get text(): string {
    return this.#draft.shown;
  }

  /** Exchanges the text; undo brings the old one back. */
  set text(text: string) {
    this.#quiet();
    this.#draft.exchange(text);
    this.#vi.afterAction(true);
  }

  /** The text with everything that units stand for. */
  get expandedText(): string {
    return this.#draft.expanded;
  }

  /** The units in the text, in order. */
  get units(): readonly Unit[] {
    return this.#draft.units.in(this.#draft.buffer.text);
  }

  /** Whether there is nothing in it. */
  get isEmpty(): boolean {
    return this.#draft.buffer.isEmpty;
  }

  /** Where typing goes. */
  get caret(): Position {
    return this.#draft.buffer.caret;
  }

  /** How many rows were broken so far; shows what a change costs. */
  get rowsBroken(): number {
    return this.#draft.rows.rowsBroken;
  }

  /** Whether a list or a search is open. */
  get isBusy(): boolean {
    return this.#search !== undefined || this.#popup.shown !== undefined;
  }

  /** Whether Escape means something here: the host does with it what it likes only if not. */
  get wantsEscape(): boolean {
    return this.isBusy || this.viMode === 'insert' || (this.viMode === 'normal' && this.#vi.pending !== '');
  }

  /** How keys are understood. */
  get mode(): EditorMode {
    return this.#mode;
  }

  set mode(mode: EditorMode) {
    this.#mode = mode;
    this.#vi.begin();
  }

  /** The mode of vi, for an indicator; nothing in plain mode. */
  get viMode(): ViMode | undefined {
    return this.#mode === 'vi' ? this.#vi.mode : undefined;
  }

  /** Begins anew with a draft; there is nothing to undo then. */
  setDraft(text: string): void {
    this.#quiet();
    this.#history.leave();
    this.#draft.reset(text, [this.#vi.register]);
    this.#vi.afterAction(true);
  }

  /** Inserts a text at the caret, as one step. */
  insert(text: string): void {
    this.#draft.insert(text);
  }

  /** Inserts something that behaves as one character: it shows the label and stands for the value. */
  insertUnit(label: string, value: string): boolean {
    return this.#draft.insertUnit({ label, value });
  }

  /** Adds earlier prompts, the newest last. */
  addHistory(prompts: readonly string[]): void {
    this.#history.add(prompts);
  }

  /** The rows for a width. */
  spoken(): string | undefined {
    return this.#popup.spoken();
  }

  render(width: number): string[] {
    const { theme, maxRows, maxAllRows, marker = '', placeholder = '', borderColor } = this.#options;
    return this.#view.render(width, {
      theme: theme(),
      border: borderColor?.() ?? 'border',
      hasBorders: this.#options.hasBorders ?? true,
      marker,
      placeholder,
      maxRows: maxRows?.() ?? 10,
      maxAllRows: maxAllRows?.() ?? Infinity,
      badge: this.viMode === 'normal' ? 'NORMAL' : '',
      popup: this.#popup.shown,
      search: this.#search,
    });
  }

  /** Forgets the rows: columns may have changed. */
  invalidate(): void {
    this.#draft.rows.clear();
  }

  /** Takes a key or a paste. */
  handleInput(data: string): void {
    const pasted = pastedText(data);
    if (pasted !== undefined) return this.#paste(pasted);
    const key = readKey(data);
    if (!key || key.event === 'release') return;
    if (this.#search) return this.#searchInput(this.#search, data, key.text);
    const isCommand = this.#mode === 'vi' && this.#vi.mode === 'normal';
    if (isCommand && this.#vi.takes(key)) return this.#viInput(key);
    if (key.text !== '' && !isCommand) return this.#type(key.text);
    const action = actionOf(data, this.#keys);
    if (action) this.#run(action);
  }

  #paste(text: string): void {
    if (this.#search) return this.#search.type(this.#draft.columns.oneLine(text, 1000));
    this.#popup.close();
    this.#draft.paste(text);
    this.#vi.afterAction(false);
  }

  #type(text: string): void {
    this.#draft.type(text);
    this.#popup.refresh();
  }

  #viInput(key: Key): void {
    this.#popup.close();
    const rest = this.#vi.feed(key);
    if (!rest || this.#history.prompts.length === 0) return;
    this.#walk(rest === 'older' ? -1 : 1);
    this.#vi.afterAction(true);
  }

  #run(action: EditorAction): void {
    if (this.#popup.run(action)) return;
    if (action === 'editor.cancel') return this.#cancel();
    if (action === 'editor.searchHistory') return this.#searchOrRedo();
    if (action === 'editor.submit') return this.#submitOrBreak();
    if (action === 'editor.complete') return this.#popup.ask();
    const { version } = this.#draft.buffer;
    const isWalk = this.#edit(action);
    const isMotion = this.#draft.buffer.version === version;
    this.#vi.afterAction(isMotion);
    // An earlier prompt opens no list, or the next arrow would move in it.
    if (isMotion || isWalk) this.#popup.close();
    else this.#popup.refresh();
  }

  /** Does an action on the text; says whether it led to an earlier prompt. */
  #edit(action: EditorAction): boolean {
    if (action === 'editor.up' && this.#draft.isOnFirstRow) return this.#walk(-1);
    if (action === 'editor.down' && this.#draft.isOnLastRow) return this.#walk(1);
    if (action === 'editor.pageUp') this.#draft.moveRows(-this.#page);
    else if (action === 'editor.pageDown') this.#draft.moveRows(this.#page);
    else this.#draft.run(action);
    return false;
  }

  get #page(): number {
    return Math.max(1, (this.#options.maxRows?.() ?? 10) - 1);
  }

  #cancel(): void {
    this.#popup.close();
    if (this.#mode === 'vi') this.#vi.escape();
  }

  #searchOrRedo(): void {
    if (this.viMode === 'normal') return this.#vi.redo();
    const { searchHistory, requestFrame, onError } = this.#options;
    this.#popup.close();
    this.#search = new HistorySearch({
      search: searchHistory ?? (async (words) => this.#history.search(words)),
      onChange: () => requestFrame?.(),
      onError: (error) => onError?.(error),
    });
  }

  #searchInput(search: HistorySearch, data: string, typed: string): void {
    if (typed !== '') return search.type(typed);
    const action = actionOf(data, this.#keys);
    if (action === 'editor.searchHistory' || action === 'editor.up') return search.step(1);
    if (action === 'editor.down') return search.step(-1);
    if (action === 'editor.deleteBack') return search.erase();
    if (action === 'editor.killToStart' || action === 'editor.killWordBack') return search.clear();
    if (action === 'editor.cancel') return this.#quiet();
    if (action !== 'editor.submit' && action !== 'editor.complete') return;
    const { match } = search;
    this.#quiet();
    if (match !== undefined) this.#draft.exchange(match);
  }

  /** Closes what is open above the text. */
  #quiet(): void {
    this.#search?.close();
    this.#search = undefined;
    this.#popup.close();
  }

  /** To the prompt before or the next one; without one, to the text's start or end. */
  #walk(by: 1 | -1): boolean {
    const state = () => this.#draft.state;
    const isChanged = (prompt: string) => this.#draft.buffer.text !== this.#draft.clean(prompt);
    const station = by < 0 ? this.#history.older(state, isChanged) : this.#history.newer(state, isChanged);
    if (!station) this.#draft.run(by < 0 ? 'editor.textStart' : 'editor.textEnd');
    else if ('draft' in station) this.#draft.restore(station.draft);
    else {
      if ('prompt' in station) this.#draft.exchange(station.prompt);
      else this.#draft.restore(station.changed);
      const { buffer, rows } = this.#draft;
      // The caret stays at the edge, so that the walk goes on with the next key.
      buffer.moveTo(by < 0 ? rows.lastOf({ line: 0, row: 0 }) : buffer.end);
    }
    return station !== undefined;
  }

  /** Enter; behind a backslash at a line's end it begins a line in its place. */
  #submitOrBreak(): void {
    const { buffer } = this.#draft;
    const { line, offset } = buffer.caret;
    const text = buffer.line(line);
    if (offset > 0 && offset === text.length && text.endsWith('\\')) {
      return buffer.replace({ line, offset: offset - 1 }, buffer.caret, '\n');
    }
    this.#submit();
  }

  #submit(): void {
    const { state, expanded } = this.#draft;
    const { units } = this;
    this.#quiet();
    this.#history.leave();
    // Emptied before the host hears of it, because the host may put a new draft there.
    this.#draft.reset('', [state.text, this.#vi.register]);
    this.#vi.begin();
    if (this.#options.onSubmit?.(expanded, units) === false && this.isEmpty) this.#draft.restore(state);
  }
}
