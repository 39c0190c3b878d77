/** One command on its way: its output goes into a sink, and whoever follows it sees the newest part. */
import { MAX_OUTPUT_BYTES, OutputSink, type SinkSummary, type SpillFile } from '@tenon/tools/api';
import { type Logger, messageOf } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { RunResult } from './open-shell.ts';
import { MAX_SPILL_BYTES } from './present.ts';

const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4 * 1024;

/** Runs the program: gives output away as it comes, and stops when the signal aborts. */
export type Program = (io: {
  readonly signal: AbortSignal;
  output(bytes: Uint8Array): Promise<void>;
  /** A whole text at once, which replaces nothing. */
  text(text: string): Promise<void>;
  /** What to show of a program that draws its own screen. */
  screen(text: string): void;
}) => Promise<RunResult>;

/** What a run needs. */
export interface RunHost<T> {
  readonly log: Logger;
  readonly sanitizer: ReturnType<Accelerators['text']['sanitizer']>;
  spill(): Promise<SpillFile>;
  /** Makes the result of what came out. */
  finish(result: RunResult, summary: SinkSummary): Promise<T>;
}

/** A command that has been started. */
export class CommandRun<T> {
  /** The result; rejects when the command could not be run. */
  readonly result: Promise<T>;
  readonly #controller = new AbortController();
  readonly #sink: OutputSink;
  readonly #log: Logger;
  #follower: ((text: string) => void | Promise<void>) | undefined;
  #shownAt = 0;
  #shown: Promise<void> = Promise.resolve();

  constructor(host: RunHost<T>, program: Program) {
    this.#log = host.log;
    this.#sink = new OutputSink({ maxBytes: MAX_OUTPUT_BYTES, maxSpillBytes: MAX_SPILL_BYTES, spill: host.spill });
    this.result = this.#run(host, program);
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** The newest output is given to this function from now on, and to no other. */
  follow(follower: (text: string) => void | Promise<void>): void {
    this.#follower = follower;
  }

  /** The newest output. */
  latest(): string {
    return this.#sink.latest(UPDATE_BYTES);
  }

  async #run({ sanitizer, finish }: RunHost<T>, program: Program): Promise<T> {
    let result: RunResult;
    try {
      result = await program({
        signal: this.#controller.signal,
        output: async (bytes) => {
          await this.#sink.push(sanitizer.push(bytes));
          this.#show(() => this.latest());
        },
        text: (text) => this.#sink.push(text),
        screen: (text) => this.#show(() => text),
      });
      await this.#sink.push(sanitizer.end());
    } catch (fault) {
      await this.#sink.end();
      throw fault;
    }
    const summary = await this.#sink.end();
    await this.#shown;
    return finish(result, summary);
  }

  /** Not awaited by the command: a slow screen must not slow it down. */
  #show(text: () => string): void {
    const now = Date.now();
    const follower = this.#follower;
    if (!follower || now - this.#shownAt < UPDATE_EVERY_MS) return;
    this.#shownAt = now;
    this.#shown = this.#shown
      .then(() => follower(text()))
      .catch((fault: unknown) => this.#log.warn(`progress of a command could not be shown: ${messageOf(fault)}`));
  }
}
