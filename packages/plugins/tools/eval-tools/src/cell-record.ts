/** What a call's cells did: filled while they run, shown while they run and at the end. */
import type { CellDetails, CellImage, CellLanguage, EvalDetails, StatusEvent } from './api.ts';

const OUTPUT_CHARS = 4_000;
const MAX_EVENTS = 200;
const MAX_IMAGES = 8;
const MAX_JSON = 50;

/** One cell. */
export interface CellRecord {
  readonly index: number;
  readonly title: string | undefined;
  readonly language: CellLanguage;
  readonly code: string;
  status: CellDetails['status'];
  output: string;
  startedAt: number | undefined;
  durationMs: number | undefined;
  exitCode: number | undefined;
  hasMarkdown: boolean;
  readonly statusEvents: StatusEvent[];
}

/** One call. */
export class CallRecord {
  readonly cells: readonly CellRecord[];
  readonly images: CellImage[] = [];
  readonly jsonOutputs: unknown[] = [];
  /** For the reader, beside the output. */
  readonly notices: string[] = [];
  sandbox: string | undefined;
  #leftOut = 0;

  constructor(cells: readonly Pick<CellRecord, 'title' | 'language' | 'code'>[]) {
    this.cells = cells.map(({ title, language, code }, index) => ({
      index,
      title,
      language,
      code,
      status: 'pending',
      output: '',
      startedAt: undefined,
      durationMs: undefined,
      exitCode: undefined,
      hasMarkdown: false,
      statusEvents: [],
    }));
  }

  /** Adds to a cell's text; its end is kept. */
  addText(cell: CellRecord, text: string): void {
    cell.output = (cell.output + text).slice(-OUTPUT_CHARS);
  }

  /** Adds an event; a loop over many files must not fill memory. */
  addStatus(cell: CellRecord, event: StatusEvent): void {
    if (cell.statusEvents.length < MAX_EVENTS) cell.statusEvents.push(event);
  }

  /** Adds what a cell showed beside text. */
  addBundle(cell: CellRecord, bundle: Readonly<Record<string, unknown>>): void {
    if (typeof bundle['text/markdown'] === 'string') cell.hasMarkdown = true;
    if (bundle['application/json'] !== undefined && this.jsonOutputs.length < MAX_JSON)
      this.jsonOutputs.push(bundle['application/json']);
    for (const mimeType of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
      const data = bundle[mimeType];
      if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) continue;
      if (this.images.length < MAX_IMAGES) this.images.push({ data, mimeType });
      else this.#leftOut++;
    }
  }

  /** How many pictures were too many. */
  get picturesLeftOut(): number {
    return this.#leftOut;
  }

  /** The details as they are now. */
  details(): EvalDetails {
    const [first] = this.cells;
    return {
      cells: this.cells.map((cell) => ({
        index: cell.index,
        language: cell.language,
        code: cell.code,
        status: cell.status,
        output: cell.output,
        hasMarkdown: cell.hasMarkdown,
        statusEvents: [...cell.statusEvents],
        ...(cell.title !== undefined && { title: cell.title }),
        ...(cell.durationMs !== undefined && { durationMs: cell.durationMs }),
        ...(cell.exitCode !== undefined && { exitCode: cell.exitCode }),
      })),
      ...(first && { language: first.language }),
      languages: [...new Set(this.cells.map(({ language }) => language))],
      jsonOutputs: [...this.jsonOutputs],
      images: [...this.images],
      statusEvents: this.cells.flatMap(({ statusEvents }) => statusEvents),
      ...(this.notices.length > 0 && { notice: this.notices.join(' ') }),
      ...(this.sandbox !== undefined && { sandbox: this.sandbox }),
    };
  }
}
