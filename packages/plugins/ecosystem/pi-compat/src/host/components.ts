/** What one extension shows on the screen, and what it hears of it. */
import type { ComponentPlace, ComponentScreen, OverlayPlacement, ShownComponent, ShownEditor } from '@tenon/host';
import type { ScreenState, SessionScope } from '../protocol.ts';
import { completionsOf } from './completions.ts';
import { InputListener } from './input-listener.ts';
import { RemoteRows } from './remote-rows.ts';

/** What the components of an extension need of it. */
export interface ComponentOwner {
  readonly name: string;
  readonly isTrusted: boolean;
  readonly screen: ComponentScreen | undefined;
  /** Asks the runtime that runs now; nothing is started for it. */
  sendNow(method: string, args: readonly unknown[]): Promise<unknown>;
  whileAsking<T>(work: () => Promise<T>): Promise<T>;
  tellAll(name: string, event: Readonly<Record<string, unknown>>, place: SessionScope): void;
  fault(where: string, message: string): void;
  notify(message: string): Promise<void>;
  confirm(title: string, message: string): Promise<boolean>;
}

interface Open {
  readonly rows: RemoteRows;
  readonly place: ComponentPlace | 'editor';
  shown: ShownComponent | undefined;
  /** Ends the request that it was opened with. */
  ended(): void;
}

const MAX_OPEN = 64;
const TELL_MS = 30;
const MAX_TEXT = 1024 * 1024;
/** What the editor runs instead of sending it to the model. */
const RUNS = /^\s*[!$/]/;

/** The components of one extension. */
export class ExtensionComponents {
  readonly #owner: ComponentOwner;
  readonly #open = new Map<number, Open>();
  readonly #undo = new Set<() => void>();
  readonly #listener: InputListener;
  #stopListening: (() => void) | undefined;
  #stopCompleting: (() => void) | undefined;
  #isWatching = false;
  #told = '';
  #telling: NodeJS.Timeout | undefined;

  constructor(owner: ComponentOwner) {
    this.#owner = owner;
    this.#listener = new InputListener(
      owner,
      (data) => this.#send('key', data),
      () => this.#listen(false),
    );
  }

  /** What the runtime may know of the screen; from now on it is told when that changes. */
  state(): ScreenState | null {
    const { screen } = this.#owner;
    if (!screen) return null;
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#undo.add(screen.onChange(() => this.#tellSoon(screen)));
    }
    const state = stateOf(screen);
    this.#told = JSON.stringify(state);
    return state;
  }

  /** Does what the extension asks of the screen. */
  answer(place: SessionScope, what: string, args: readonly unknown[]): unknown {
    const { screen } = this.#owner;
    if (!screen) throw new Error('there is no screen');
    if (what === 'open') return this.#show(screen, place, args);
    if (what === 'listen') return this.#listen(args[0] === true);
    if (what === 'complete') return this.#complete(args[0] === true);
    if (what === 'paste') return screen.pasteText(text(args[0]));
    if (what === 'working')
      return screen.setWorking(args[0] === undefined || args[0] === null ? undefined : text(args[0]));
    if (what === 'expand') return screen.setToolsExpanded(args[0] === true);
    const open = this.#open.get(args[0] as number);
    // It was closed meanwhile.
    return open ? this.#about(open, args[0] as number, what, args[1]) : undefined;
  }

  /** The process ended, or the extension is stopped: all of its components go. */
  end(isCrash: boolean): void {
    const hadQuestion = [...this.#open.values()].some(({ place }) => place === 'dialog' || place === 'overlay');
    for (const id of [...this.#open.keys()]) this.#close(id);
    for (const undo of this.#undo) undo();
    this.#undo.clear();
    this.#listen(false);
    this.#complete(false);
    this.#isWatching = false;
    if (isCrash && hadQuestion)
      void this.#owner.notify(`The extension "${this.#owner.name}" ended; what it showed was closed.`);
  }

  #about(open: Open, id: number, what: string, value: unknown): unknown {
    const { rows, shown } = open;
    const editor = open.place === 'editor' ? (shown as ShownEditor | undefined) : undefined;
    if (what === 'changed') rows.refresh();
    else if (what === 'close') this.#close(id);
    else if (what === 'hidden') shown?.setHidden(value === true);
    else if (what === 'focus') shown?.setFocus(value === true);
    else if (what === 'edited') {
      rows.noteText(text(value));
      editor?.edited(text(value));
    } else if (what === 'pass') {
      // Only what the user pressed: an extension does not press keys of Tenon.
      if (rows.takeDelivered(text(value))) editor?.pass(text(value));
    } else if (what === 'submit' && editor) return this.#submit(rows, editor, text(value));
    return undefined;
  }

  /** What an editor sends must follow a key of the user; what would run is shown first, unless the extension is trusted. */
  async #submit(rows: RemoteRows, editor: ShownEditor, words: string): Promise<void> {
    if (!rows.takeActivity()) return this.#owner.fault('the editor', 'it sent a text that the user did not send');
    const isAsked = RUNS.test(words) && !this.#owner.isTrusted;
    if (
      isAsked &&
      !(await this.#owner.confirm(`The editor of the extension "${this.#owner.name}" sends a command`, words))
    )
      return;
    editor.submit(words);
  }

  async #show(screen: ComponentScreen, scope: SessionScope, args: readonly unknown[]): Promise<void> {
    const [id, where, given] = args as [number, unknown, Readonly<Record<string, unknown>> | undefined];
    const place = placeOf(where, this.#owner.name);
    if (typeof id !== 'number' || place === undefined) throw new TypeError('there is no such place on the screen');
    if (this.#open.size >= MAX_OPEN) throw new Error(`an extension shows at most ${MAX_OPEN} components`);
    const takesKeys =
      place === 'dialog' || place === 'editor' || (place === 'overlay' && given?.['takesKeys'] !== false);
    const show = () =>
      new Promise<void>((resolve) => {
        const rows = new RemoteRows(screen.size().columns, {
          send: (what, value) => this.#send(what, id, value),
          changed: () => open.shown?.changed(),
          abandoned: () => {
            void this.#owner.notify(`The extension "${this.#owner.name}" does not answer; what it showed was closed.`);
            this.#close(id);
          },
        });
        const open: Open = { rows, place, shown: undefined, ended: resolve };
        this.#open.set(id, open);
        const options = {
          owner: this.#owner.name,
          takesKeys,
          overlay: (given?.['overlay'] ?? {}) as OverlayPlacement,
          onClosed: () => this.#close(id),
        };
        open.shown = place === 'editor' ? screen.showEditor(rows, options) : screen.show(rows, place, options);
      });
    if (place === 'editor' || !takesKeys) return show();
    const { turn: _turn, ...session } = scope;
    const about = { reason: 'ui_prompt', kind: 'custom', title: '' };
    this.#owner.tellAll('ui_prompt_start', about, session);
    try {
      await this.#owner.whileAsking(show);
    } finally {
      this.#owner.tellAll('ui_prompt_end', about, session);
    }
  }

  #close(id: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.rows.close();
    open.shown?.close();
    open.ended();
  }

  #listen(isWanted: boolean): void {
    this.#stopListening?.();
    this.#stopListening = isWanted ? this.#owner.screen?.onInput((data) => this.#listener.hear(data)) : undefined;
  }

  #complete(isWanted: boolean): void {
    this.#stopCompleting?.();
    this.#stopCompleting = isWanted
      ? this.#owner.screen?.addCompletions(async ({ lines, line, column }) =>
          completionsOf(await this.#send('suggest', lines, line, column, { force: false })),
        )
      : undefined;
  }

  /** A screen changes with every key that is typed, and most of it is nothing that a runtime knows. */
  #tellSoon(screen: ComponentScreen): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      if (this.#isWatching) this.#tellState(screen);
    }, TELL_MS);
    this.#telling.unref();
  }

  #tellState(screen: ComponentScreen): void {
    const state = stateOf(screen);
    const told = JSON.stringify(state);
    if (told === this.#told) return;
    this.#told = told;
    // The process is gone: the next one asks by itself.
    this.#send('state', state).catch(() => undefined);
  }

  #send(what: string, ...args: unknown[]): Promise<unknown> {
    return this.#owner.sendNow('screen', [what, ...args]);
  }
}

function stateOf(screen: ComponentScreen): ScreenState {
  return { ...screen.size(), theme: screen.theme(), themes: screen.themes(), ownKeys: screen.ownKeys() };
}

function placeOf(where: unknown, owner: string): ComponentPlace | 'editor' | undefined {
  if (where === 'dialog' || where === 'overlay' || where === 'header' || where === 'footer' || where === 'editor')
    return where;
  if (typeof where !== 'object' || where === null || !('widget' in where)) return undefined;
  // Keys of different extensions must not meet.
  return { widget: `${owner}:${text(where.widget)}`, above: 'above' in where && where.above !== false };
}

function text(value: unknown): string {
  return (typeof value === 'string' ? value : String(value ?? '')).slice(0, MAX_TEXT);
}
