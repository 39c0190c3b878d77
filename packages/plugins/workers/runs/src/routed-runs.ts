/** Runs of this machine and of other queues, as one: a run names the queue that it is in. */
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { AppliedRun, HijackTarget, RunDetails, RunDiff, RunFilter, Runs } from './api.ts';
import { errors } from './errors.ts';
import type { FollowOptions } from './follow.ts';
import type { Run, RunNews, RunRequest } from './run.ts';

/** The name of the queue of this machine. */
export const LOCAL = 'local';

/** What runs are spread over. */
export interface RoutedParts {
  readonly local: Runs;
  /** The queue of requests that name none. */
  readonly usual: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Queues that were set up, by name. */
  names(): readonly string[];
  /** The runs of one of them. */
  open(name: string): Promise<Runs>;
}

/** Asks the service whose run it is. */
export class RoutedRuns implements Runs {
  readonly #parts: RoutedParts;

  constructor(parts: RoutedParts) {
    this.#parts = parts;
  }

  async start(request: RunRequest): Promise<Run> {
    const queue = request.queue ?? this.#parts.usual;
    if (queue === LOCAL) return this.#parts.local.start(request);
    const names = this.#parts.names();
    if (!names.includes(queue))
      throw errors.create('RUNS_QUEUE', { name: queue, hint: didYouMean(queue, [LOCAL, ...names]) });
    return (await this.#parts.open(queue)).start({ ...request, queue });
  }

  async find(name: string): Promise<Run> {
    try {
      return await this.#parts.local.find(name);
    } catch (fault) {
      const queues = this.#parts.names();
      if (!(fault instanceof TenonError) || fault.code !== 'RUNS_UNKNOWN' || queues.length === 0) throw fault;
      let last: unknown = fault;
      for (const queue of queues) {
        try {
          return await (await this.#parts.open(queue)).find(name);
        } catch (other) {
          last = other;
        }
      }
      throw last;
    }
  }

  async list(filter: RunFilter = {}): Promise<readonly Run[]> {
    const found = [...(await this.#parts.local.list(filter))];
    for (const queue of this.#parts.names()) {
      try {
        found.push(...(await (await this.#parts.open(queue)).list(filter)));
      } catch (fault) {
        // Those of this machine are worth showing also while the others cannot be reached.
        this.#parts.log.warn(`the runs of the queue ${queue} are not shown: ${messageOf(fault)}`);
      }
    }
    const sorted = found.toSorted((a, b) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0));
    return filter.limit === undefined ? sorted : sorted.slice(0, filter.limit);
  }

  async *follow(run: Run, options: FollowOptions): AsyncGenerator<RunNews> {
    yield* (await this.#of(run)).follow(run, options);
  }

  async details(run: Run): Promise<RunDetails> {
    return (await this.#of(run)).details(run);
  }

  async answer(run: Run, answers: Readonly<Record<string, string>>): Promise<Run> {
    return (await this.#of(run)).answer(run, answers);
  }

  async send(run: Run, text: string): Promise<Run> {
    return (await this.#of(run)).send(run, text);
  }

  async retry(run: Run): Promise<Run> {
    return (await this.#of(run)).retry(run);
  }

  async cancel(run: Run): Promise<Run> {
    return (await this.#of(run)).cancel(run);
  }

  async remove(run: Run, options?: { readonly force?: boolean }): Promise<{ readonly kept: readonly string[] }> {
    return (await this.#of(run)).remove(run, options);
  }

  /** Only this machine's: other hosts clean up after themselves. */
  collect(options: { readonly dryRun: boolean }) {
    return this.#parts.local.collect(options);
  }

  async apply(run: Run): Promise<AppliedRun> {
    return (await this.#of(run)).apply(run);
  }

  async diff(run: Run): Promise<RunDiff | undefined> {
    return (await this.#of(run)).diff(run);
  }

  async hijack(run: Run, options: { readonly signal: AbortSignal }): Promise<HijackTarget> {
    return (await this.#of(run)).hijack(run, options);
  }

  async candidate(run: Run): Promise<HijackTarget> {
    return (await this.#of(run)).candidate(run);
  }

  async release(run: Run, exitCode: number): Promise<Run> {
    return (await this.#of(run)).release(run, exitCode);
  }

  async #of({ request: { queue = LOCAL } }: Run): Promise<Runs> {
    return queue === LOCAL ? this.#parts.local : this.#parts.open(queue);
  }
}
