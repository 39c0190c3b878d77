/** What stands around the editor: the working row, widgets of extensions, the status line, the terminal's title. */
import type { AgentSession } from '@tenon/agent/api';
import type { Theme } from '@tenon/components';
import type { Logger, Registry } from '@tenon/kernel';
import type { Component } from '@tenon/screen';
import type { App } from './app.ts';
import type { LatestStatus, StatusItem } from '@tenon/screen-slots/api';
import { elapsedText } from './cards/index.ts';
import { AskedItems } from './status/asked-items.ts';
import { type PlacedItem, statusRow } from './status/status-line.ts';

/** What the surface needs. */
export interface SurfaceParts {
  readonly app: App;
  readonly items: Registry<StatusItem | LatestStatus>;
  readonly log: Logger;
  /** Names of parts in their order; all parts in the order of their data when it is empty. */
  readonly shownItems: readonly string[];
  agent(): AgentSession | undefined;
}

/** Eight frames a second are enough to see that it moves. */
const SPINNER_MS = 125;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'];
const HINT_MS = 2_000;
/** While an answer streams there are many frames a second, and the facts of this row are dear. */
const STATUS_MS = 250;
/** How often it is made anew while the agent works and nobody says that it has changed. */
const STATUS_AGAIN_MS = 1_000;

/** Rows that extensions set, and those of Tenon. */
export class Surface {
  readonly #parts: SurfaceParts;
  readonly #statuses = new Map<string, string>();
  readonly #widgets = new Map<string, readonly string[]>();
  readonly #asked: AskedItems;
  #statusRow: { readonly key: string; readonly at: number; readonly rows: string[] } | undefined;
  #working: string | undefined;
  #label: string | undefined;
  #began = 0;
  #timer: NodeJS.Timeout | undefined;
  #hint: string | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  /** Takes the place of the status line or of the header, while an extension shows its own. */
  footer: Component | undefined;

  constructor(parts: SurfaceParts) {
    this.#parts = parts;
    this.#asked = new AskedItems(parts.log, () => this.refreshStatus());
  }

  setStatus(key: string, text: string | undefined): void {
    setOrDelete(this.#statuses, key, text);
    this.refreshStatus();
  }

  setWidget(key: string, lines: readonly string[] | undefined): void {
    setOrDelete(this.#widgets, key, lines);
    this.#parts.app.requestFrame();
  }

  /** Says what goes on; nothing when the agent rests. */
  setWorking(working: { readonly label: string } | undefined): void {
    const isNew = (working === undefined) !== (this.#working === undefined);
    if (working && isNew) this.#began = this.#now();
    this.#working = working?.label;
    if (working && isNew) this.#timer = setInterval(() => this.#tick(), SPINNER_MS).unref();
    if (!working) clearInterval(this.#timer);
    this.#parts.app.requestFrame();
  }

  /** Other words than Tenon's own while the agent works; an extension may set them. */
  setWorkingLabel(label: string | undefined): void {
    this.#label = label;
    this.#parts.app.requestFrame();
  }

  /** How long the agent has worked, in milliseconds. */
  get workedMs(): number {
    return this.#working === undefined ? 0 : this.#now() - this.#began;
  }

  /** A short remark that goes by itself. */
  hint(text: string): void {
    this.#hint = text;
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => {
      this.#hint = undefined;
      this.#parts.app.requestFrame();
    }, HINT_MS).unref();
    this.#parts.app.requestFrame();
  }

  /** Stops what moves. */
  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#hintTimer);
  }

  #now(): number {
    return performance.now();
  }

  /** Nothing moves while a question is open: the user reads. */
  #tick(): void {
    const { app } = this.#parts;
    if (app.dialog !== undefined) return;
    if (this.#now() - (this.#statusRow?.at ?? 0) > STATUS_AGAIN_MS) app.move(this.status);
    app.move(this.working);
  }

  /** The row that says what goes on. */
  readonly working: Component = {
    render: (width) => {
      const { app } = this.#parts;
      if (app.dialog !== undefined) return [];
      if (this.#working === undefined) return [''];
      const label = this.#label ?? this.#working;
      const frame = SPINNER[Math.floor(this.workedMs / SPINNER_MS) % SPINNER.length] ?? '';
      const keys = (app.keysOf('app.interrupt')[0] ?? 'ctrl+c').replace('escape', 'esc');
      const note = app.theme.fg('dim', ` (${elapsedText(this.workedMs)}, ${keys} stops)`);
      return [
        '',
        app.text.truncate(
          // What moves stands last: a frame of it then costs one cell and not the row.
          `${app.theme.fg('muted', app.text.sanitize(label))}${note} ${app.theme.fg('accent', frame)}`,
          width,
        ),
      ];
    },
  };

  /** Rows that extensions show above the editor. */
  readonly widgets: Component = {
    render: (width) => {
      const { text } = this.#parts.app;
      const rows = [...this.#widgets.values()].flat();
      return rows.map((row) => text.truncate(text.sanitize(row, { keepStyle: true }), width));
    },
  };

  /** The row at the foot. */
  readonly status: Component = {
    render: (width) => {
      if (this.footer) return this.footer.render(width);
      const { app, agent } = this.#parts;
      if (this.#hint !== undefined) return [app.text.truncate(app.theme.fg('warning', this.#hint), width)];
      const key = `${width} ${app.theme.name} ${agent()?.session.id ?? ''}`;
      const before = this.#statusRow;
      if (before?.key === key && this.#now() - before.at < STATUS_MS) return before.rows;
      const row = statusRow(
        {
          agent,
          theme: (): Theme => app.theme,
          items: () => this.#items(),
          texts: () => [...this.#statuses.values()].map((text) => app.text.sanitize(text, { keepStyle: true })),
          text: app.text,
        },
        width,
      );
      const rows = row === '' ? [] : [row];
      this.#statusRow = { key, at: this.#now(), rows };
      return rows;
    },
  };

  /** Something that the status line says has changed: the next frame makes it anew. */
  refreshStatus(): void {
    this.#statusRow = undefined;
    this.#parts.app.requestFrame();
  }

  /** Asks the parts of the status line that others say between frames; those that are not shown are not asked. */
  askItems(): void {
    const { items, shownItems } = this.#parts;
    for (const { key, value, source } of items.list()) {
      if (!isAsked(source, value) || (shownItems.length > 0 && !shownItems.includes(key))) continue;
      this.#asked.ask(key, async () => {
        const part = await items.resolve(key);
        return 'latest' in part ? part : undefined;
      });
    }
  }

  #items(): readonly PlacedItem[] {
    const { items, shownItems } = this.#parts;
    const entries = items.list().flatMap(({ key, value, data, source }) => {
      const item = isAsked(source, value) ? this.#asked.item(key) : value;
      return item && 'text' in item ? [{ key, item, data }] : [];
    });
    const order = (key: string, data: Readonly<Record<string, unknown>>) =>
      shownItems.length > 0 ? shownItems.indexOf(key) : Number(data['order'] ?? 100);
    return entries
      .filter(({ key }) => shownItems.length === 0 || shownItems.includes(key))
      .sort((a, b) => order(a.key, a.data) - order(b.key, b.data))
      .map(({ key, item, data }) => ({ name: key, item, side: data['side'] === 'right' ? 'right' : 'left' }));
  }
}

/** Whether a part is asked between frames; one of an isolated pack always is, and its process is started for that. */
function isAsked(source: { readonly foreign?: boolean }, value: StatusItem | LatestStatus | undefined): boolean {
  return source.foreign === true || (value !== undefined && 'latest' in value);
}

function setOrDelete<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
