/** Runs the cells of one call, whoever makes it. */
import type { SecretMasks } from '@tenon/secrets/api';
import type { Folders } from '@tenon/host';
import {
  MAX_OUTPUT_BYTES,
  OutputSink,
  type SinkSummary,
  textResult,
  type ToolCall,
  type ToolRunner,
  type ToolScope,
} from '@tenon/tools/api';
import type { Logger } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { CallRecord, type CellRecord } from './cell-record.ts';
import { rewriteImports } from './cells/imports.ts';
import type { ReadyCell } from './choose-language.ts';
import { htmlText } from './html-text.ts';
import type { CellEnd } from './kernels/kernel-process.ts';
import type { KernelPool } from './kernels/kernel-pool.ts';
import { failureText } from './present.ts';
import { spillTo } from './spill.ts';
import { createToolBridge } from './tool-bridge.ts';

const MAX_SPILL_BYTES = 256 * 1024 * 1024;
const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4 * 1024;

/** What cells need from the rest of Tenon. */
export interface CellHost {
  readonly folders: Pick<Folders, 'cwd' | 'state'>;
  readonly pool: KernelPool;
  readonly log: Logger;
  runner(): Promise<ToolRunner>;
  text(): Promise<Accelerators['text']>;
  /** Takes secrets out of long outputs; absent where nothing is masked. */
  masks?(): Promise<SecretMasks | undefined>;
  syntax(): Promise<Accelerators['syntax']>;
  /** Called after every call: cells may have changed any file. */
  filesMayHaveChanged(): Promise<void>;
}

/** What a call wants to be run. */
export interface CellCall {
  readonly call: ToolCall;
  readonly scope: ToolScope;
  readonly cells: readonly ReadyCell[];
  readonly notices: readonly string[];
  /** How long a cell may run; asked when its turn has come. */
  timeLimit(cell: ReadyCell, record: CallRecord): number;
}

/** What became of the cells. */
export interface CellOutcome {
  readonly record: CallRecord;
  readonly summary: SinkSummary;
  /** What to say about the cell that did not end well. */
  readonly failure: string | undefined;
}

/** Runs cells one after the other, up to the first that does not end well. */
export async function runCells(
  host: CellHost,
  { call, scope, cells, notices, timeLimit }: CellCall,
): Promise<CellOutcome> {
  const record = new CallRecord(cells.map(({ title, language, code }) => ({ title, language, code })));
  record.notices.push(...notices);
  const sink = new OutputSink({
    maxBytes: MAX_OUTPUT_BYTES,
    maxSpillBytes: MAX_SPILL_BYTES,
    spill: () => spillTo(scope, host.folders.state),
  });
  const work = new CallWork(host, call, scope, record, sink);
  let failure: string | undefined;
  try {
    for (const [index, cell] of cells.entries()) {
      failure = await work.runCell(cell, record.cells[index] as CellRecord, timeLimit(cell, record));
      if (failure !== undefined) break;
    }
  } finally {
    await work.settleUpdates();
    await host.filesMayHaveChanged();
  }
  const summary = await sink.end();
  if (summary.file) await (await host.masks?.())?.maskFile(summary.file.path);
  return { record, summary, failure };
}

/** One call under way. */
class CallWork {
  readonly #host: CellHost;
  readonly #call: ToolCall;
  readonly #scope: ToolScope;
  readonly #record: CallRecord;
  readonly #sink: OutputSink;
  #shownAt = 0;
  #shown: Promise<void> = Promise.resolve();

  constructor(host: CellHost, call: ToolCall, scope: ToolScope, record: CallRecord, sink: OutputSink) {
    this.#host = host;
    this.#call = call;
    this.#scope = scope;
    this.#record = record;
    this.#sink = sink;
  }

  /** Runs a cell; gives what to say when it did not end well. */
  async runCell(cell: ReadyCell, record: CellRecord, timeoutMs: number): Promise<string | undefined> {
    const { session, cwd } = this.#scope;
    const total = this.#record.cells.length;
    if (total > 1)
      await this.#write(
        record,
        `[${record.index + 1}/${total}]${cell.title === undefined ? '' : ` ${cell.title}`}\n`,
        false,
      );
    record.status = 'running';
    record.startedAt = Date.now();
    this.#update(true);
    let end: CellEnd;
    try {
      end = await this.#host.pool.use(
        { session, cwd, language: cell.language },
        cell.reset,
        async ({ kernel, lost }) => {
          this.#record.sandbox = kernel.confinement.describe();
          if (lost !== undefined)
            this.#record.notices.push(
              `[The ${cell.language} kernel is a new one: ${lost}. Earlier variables are gone.]`,
            );
          const between = kernel.takeBetween().trim();
          if (between !== '') await this.#write(record, `[Earlier cells wrote meanwhile:]\n${between}\n`, true);
          return this.#runIn(kernel, cell, record, timeoutMs);
        },
      );
    } finally {
      record.durationMs = Date.now() - record.startedAt;
    }
    record.status = end.status === 'ok' ? 'complete' : 'error';
    if (end.status === 'ok' || end.status === 'error') record.exitCode = end.status === 'ok' ? 0 : 1;
    this.#update(true);
    return end.status === 'ok' ? undefined : failureText(record, total, end, timeoutMs);
  }

  /** Waits for the screen. */
  async settleUpdates(): Promise<void> {
    await this.#shown;
  }

  async #runIn(
    kernel: Parameters<Parameters<KernelPool['use']>[2]>[0]['kernel'],
    cell: ReadyCell,
    record: CellRecord,
    timeoutMs: number,
  ): Promise<CellEnd> {
    const code =
      cell.language === 'javascript' ? await rewriteImports(cell.code, () => this.#host.syntax()) : cell.code;
    const sanitizer = (await this.#host.text()).sanitizer();
    let endsOpen = false;
    const write = async (text: string) => {
      if (text === '') return;
      endsOpen = !text.endsWith('\n');
      await this.#write(record, text, true);
      this.#update(false);
    };
    const end = await kernel.run({
      code,
      timeoutMs,
      signal: this.#call.signal,
      onText: async (bytes) => write(sanitizer.push(bytes)),
      onDisplay: (bundle) => {
        this.#record.addBundle(record, bundle);
        // A table that is only HTML would otherwise not be seen.
        const html = bundle['text/html'];
        if (typeof html === 'string' && bundle['text/markdown'] === undefined) this.#late.push(htmlText(html));
      },
      onStatus: (event) => this.#record.addStatus(record, event),
      callTool: createToolBridge(() => this.#host.runner(), this.#call),
    });
    await write(sanitizer.end());
    for (const text of this.#late.splice(0)) await write(`${text}\n`);
    if (endsOpen) await this.#write(record, '\n', false);
    return end;
  }

  readonly #late: string[] = [];

  async #write(record: CellRecord, text: string, isOutput: boolean): Promise<void> {
    if (isOutput) this.#record.addText(record, text);
    await this.#sink.push(text);
  }

  #update(isForced: boolean): void {
    const now = Date.now();
    if (!isForced && now - this.#shownAt < UPDATE_EVERY_MS) return;
    this.#shownAt = now;
    const partial = textResult(this.#sink.latest(UPDATE_BYTES), { ...this.#record.details() });
    // Not awaited here: a slow screen must not slow a cell down.
    this.#shown = this.#shown
      .then(() => this.#call.update(partial))
      .catch((error: unknown) => this.#host.log.warn('progress of a cell could not be shown', { error }));
  }
}
