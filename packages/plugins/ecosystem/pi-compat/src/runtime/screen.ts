/**
 * The extension's side of the screen: its components live here, Tenon asks for their rows and sends them keys. A component that
 * wants to be drawn says so once, until it was drawn.
 */
import type { Bridge, ScreenState, SessionScope } from '../protocol.ts';
import { cutRows } from '../screen-limits.ts';
import type { Callback } from './registrations.ts';
import { isKeyRelease } from './shims/keys.ts';
import { createTheme, type PiTheme } from './shims/theme.ts';
import type { Drawable } from './shims/tui-basics.ts';
import { createTui, type Tui } from './tui-stand-in.ts';

/** Where a component is shown: as in `ComponentPlace` of @tenon/host, or in place of the editor. */
export type Place =
  | 'dialog'
  | 'overlay'
  | 'header'
  | 'footer'
  | 'editor'
  | { readonly widget: string; readonly above: boolean };

/** What a screen is made from. */
export interface ScreenParts {
  readonly bridge: Bridge;
  fault(where: string, fault: unknown): void;
  refuse(what: string, instead: string): void;
  within<T>(place: SessionScope, work: () => T): T;
}

/** A component that is shown, or soon will be. */
export interface Shown {
  readonly id: number;
  readonly scope: SessionScope;
  /** The same, with the event whose handler opened it. */
  readonly opener: SessionScope;
  readonly tui: Tui;
  component: Drawable | undefined;
  /** Where keys go; the component itself unless it said otherwise. */
  target: Drawable | undefined;
  isFocused: boolean;
  /** Tenon was told that it looks different, and has not asked for its rows since. */
  isTold: boolean;
  isClosed: boolean;
  isVisible(): boolean;
  closed(): void;
}

/** How long "there is no screen" is believed. */
const ABSENT_MS = 1_000;

/** The components of one extension. */
export class RuntimeScreen {
  readonly theme: PiTheme = createTheme(() => this.state()?.theme);
  readonly parts: ScreenParts;
  readonly #shown = new Map<number, Shown>();
  readonly #listeners = new Set<Callback>();
  #completes: Callback | undefined;
  #state: ScreenState | undefined;
  #askedAt = -ABSENT_MS;
  #next = 1;

  constructor(parts: ScreenParts) {
    this.parts = parts;
  }

  /** What is known of the screen; nothing when this mode has none. */
  state(): ScreenState | undefined {
    if (this.#state || Date.now() - this.#askedAt < ABSENT_MS) return this.#state;
    this.#askedAt = Date.now();
    const answer = this.parts.bridge.ask('screen') as ScreenState | null | undefined;
    if (typeof answer?.theme === 'object') this.#state = answer;
    return this.#state;
  }

  /** Tells Tenon something about the screen, without waiting. When Tenon is gone there is nobody to tell. */
  tell(scope: SessionScope, what: string, ...args: unknown[]): void {
    this.parts.bridge.call('screen', scope, what, ...args).catch(() => undefined);
  }

  /** A component to be; its factory gets the stand-in for pi's TUI. */
  begin(scope: SessionScope): Shown {
    const { turn: _turn, ...lasting } = scope;
    const id = this.#next++;
    const shown: Shown = {
      id,
      scope: lasting,
      opener: scope,
      tui: createTui(this, () => shown),
      component: undefined,
      target: undefined,
      isFocused: false,
      isTold: false,
      isClosed: false,
      isVisible: () => true,
      closed: () => undefined,
    };
    return shown;
  }

  /** Shows it; resolves when it was closed, by whomever. */
  async open(shown: Shown, component: Drawable, place: Place, options: Record<string, unknown> = {}): Promise<void> {
    if (shown.isClosed) return component.dispose?.();
    shown.component = component;
    shown.target ??= component;
    this.#shown.set(shown.id, shown);
    const isQuestion = place === 'dialog' || (place === 'overlay' && options['takesKeys'] !== false);
    if (isQuestion || place === 'editor') this.focus(shown, true);
    try {
      const scope = isQuestion ? shown.opener : shown.scope;
      await this.parts.bridge.call('screen', scope, 'open', shown.id, place, options);
    } finally {
      this.#ended(shown);
    }
  }

  /** Takes it away. */
  close(shown: Shown): void {
    if (shown.isClosed) return;
    if (this.#shown.has(shown.id)) this.tell(shown.scope, 'close', shown.id);
    this.#ended(shown);
  }

  /** It looks different. */
  changed(shown: Shown): void {
    if (shown.isTold || shown.isClosed || !this.#shown.has(shown.id)) return;
    shown.isTold = true;
    this.tell(shown.scope, 'changed', shown.id);
  }

  /** It has the keys, or no longer. */
  focus(shown: Shown, isFocused: boolean): void {
    shown.isFocused = isFocused;
    if (shown.target && 'focused' in shown.target) shown.target.focused = isFocused;
  }

  /** Hears all input first; the result ends it. */
  listen(scope: SessionScope, listener: Callback): () => void {
    if (this.#listeners.size === 0) this.tell(scope, 'listen', true);
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.tell(scope, 'listen', false);
    };
  }

  /** Completes what the user types, on top of what was there before. */
  complete(scope: SessionScope, wrap: Callback): void {
    if (!this.#completes) this.tell(scope, 'complete', true);
    const before = this.#completes ?? (() => null);
    const provider = wrap({ getSuggestions: before, applyCompletion: applyCompletion }) as
      | { getSuggestions?: Callback }
      | undefined;
    if (typeof provider?.getSuggestions !== 'function') return;
    this.#completes = async (...args) => (provider.getSuggestions as Callback)(...args);
  }

  /** Answers Tenon. */
  answer(what: string, args: readonly unknown[]): unknown {
    if (what === 'state') return this.#setState(args[0] as ScreenState);
    if (what === 'key') return this.#key(String(args[0]));
    if (what === 'suggest') return this.#completes?.(...args) ?? null;
    const shown = this.#shown.get(args[0] as number);
    if (!shown) return null;
    return this.parts.within(shown.scope, () => this.#about(shown, what, args[1]));
  }

  #about(shown: Shown, what: string, value: unknown): unknown {
    if (what === 'draw') return this.#draw(shown, value as number);
    if (what === 'input') for (const data of value as string[]) this.#input(shown, data);
    else if (what === 'focus') this.focus(shown, value === true);
    else if (what === 'invalidate') this.#guarded(shown, 'invalidate()', () => shown.component?.invalidate?.());
    else if (what === 'closed') this.#ended(shown);
    else this.#edit(shown, what, String(value));
    return null;
  }

  #draw(shown: Shown, width: number): string[] {
    shown.isTold = false;
    if (!shown.isVisible()) return [];
    try {
      const rows = shown.component?.render(width);
      return cutRows(Array.isArray(rows) ? rows.map(String) : []);
    } catch (fault) {
      this.parts.fault('render()', fault);
      return [`[failed to draw: ${fault instanceof Error ? fault.message : String(fault)}]`];
    }
  }

  #input(shown: Shown, data: string): void {
    const { target } = shown;
    if (shown.isClosed || !target?.handleInput || (isKeyRelease(data) && target.wantsKeyRelease !== true)) return;
    this.#guarded(shown, 'handleInput()', () => target.handleInput?.(data));
  }

  #edit(shown: Shown, what: string, text: string): void {
    const editor = shown.component as Record<string, unknown> | undefined;
    const names: Readonly<Record<string, string>> = {
      setText: 'setText',
      insert: 'insertTextAtCursor',
      addHistory: 'addToHistory',
    };
    const method = editor?.[names[what] ?? ''];
    this.#guarded(shown, `${what}()`, () => typeof method === 'function' && (method as Callback).call(editor, text));
    this.changed(shown);
  }

  #guarded(shown: Shown, where: string, work: () => unknown): void {
    // What a component does asynchronously is its own business; what it throws is told.
    void (async () => work())().catch((fault: unknown) => this.parts.fault(`${where} of a component`, fault));
    if (where === 'invalidate()') this.changed(shown);
  }

  #setState(state: ScreenState): null {
    const isRecolored = JSON.stringify(state.theme) !== JSON.stringify(this.#state?.theme);
    this.#state = state;
    for (const shown of this.#shown.values()) {
      if (isRecolored) this.#guarded(shown, 'invalidate()', () => shown.component?.invalidate?.());
      else this.changed(shown);
    }
    return null;
  }

  /** One after the other, as in pi: each sees what the one before left. */
  #key(data: string): { readonly data?: string } {
    let current = data;
    for (const listener of this.#listeners) {
      try {
        const answer = listener(current) as { consume?: boolean; data?: unknown } | undefined;
        if (answer?.consume === true) return {};
        if (typeof answer?.data === 'string') current = answer.data;
      } catch (fault) {
        this.parts.fault('a listener to terminal input', fault);
      }
    }
    return { data: current };
  }

  #ended(shown: Shown): void {
    if (shown.isClosed) return;
    shown.isClosed = true;
    this.#shown.delete(shown.id);
    this.focus(shown, false);
    this.#guarded(shown, 'dispose()', () => shown.component?.dispose?.());
    shown.closed();
  }
}

/** Puts an item where its prefix stood. */
function applyCompletion(...args: unknown[]): unknown {
  const [lines, line, col, item, prefix] = args as [string[], number, number, { value: string }, string];
  const text = lines[line] ?? '';
  const start = Math.max(0, col - prefix.length);
  const changed = [...lines];
  changed[line] = text.slice(0, start) + item.value + text.slice(col);
  return { lines: changed, cursorLine: line, cursorCol: start + item.value.length };
}
