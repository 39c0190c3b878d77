/** Works on a workflow: begins what can begin, writes down what comes of it, and stops when nothing is left to do but wait for a person. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { ProcessMark } from '@tenon/state-files';
import { kindOf, type NodeDefinition } from './definition.ts';
import type { Journal } from './journal.ts';
import { type Release, takeKey } from './keys.ts';
import { endLeftovers } from './leftovers.ts';
import { StepFailure } from './nodes/node-call.ts';
import { textOf, work, type WorkParts } from './nodes/work.ts';
import { endOf, type Next, nextOf, valuesFor } from './plan.ts';
import type { StepState, WorkflowState } from './state.ts';
import { takeWishes } from './wishes.ts';

const CONCURRENCY = 4;
const LOOK_MS = 250;

/** What the driver works with. */
export interface DriverParts extends WorkParts {
  /** The folder of the workflow. */
  readonly folder: string;
  readonly log: Logger;
  /** Told what happens, for people. */
  tell(line: string): void;
}

/** Why it stopped. */
export type Stop = 'done' | 'failed' | 'cancelled' | 'waiting' | 'interrupted';

type Begin = Extract<Next, { type: 'step' }>;

/** Drives one workflow. */
export class Driver {
  readonly #journal: Journal;
  readonly #parts: DriverParts;
  readonly #signal: AbortSignal;
  /** Ends the steps of this process; the runs of a workflow that is merely interrupted go on. */
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, { readonly node: NodeDefinition; readonly ended: Promise<void> }>();
  /** Steps that wait for a person. */
  readonly #idle = new Set<string>();
  #fault: unknown;

  constructor(journal: Journal, parts: DriverParts, signal: AbortSignal) {
    this.#journal = journal;
    this.#parts = parts;
    this.#signal = AbortSignal.any([signal, this.#stopping.signal]);
  }

  get #state(): WorkflowState {
    return this.#journal.state;
  }

  /** Works until nothing is left to do. */
  async drive(): Promise<Stop> {
    try {
      for (const step of this.#state.steps.values()) if (step.state === 'running') this.#resume(step);
      for (;;) {
        if (this.#fault !== undefined) throw this.#fault;
        if (await this.#fulfil()) {
          this.#stopping.abort();
          await this.#settled();
          // Now no step begins a run any more.
          await cancelRuns(this.#journal, this.#parts);
          return 'cancelled';
        }
        if (this.#signal.aborted) return 'interrupted';
        const { state } = this.#state;
        if (state !== 'active') return state;
        if (await this.#advance()) continue;
        const end = this.#running.size === 0 ? endOf(this.#state) : undefined;
        if (end !== undefined) await this.#journal.add({ type: 'ended', state: end });
        else if (this.#running.size === 0 && nextOf(this.#state).length === 0) return 'waiting';
        else await this.#rest();
      }
    } finally {
      this.#stopping.abort();
      await this.#settled();
    }
  }

  async #settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  get #isFull(): boolean {
    return this.#running.size - this.#idle.size >= (this.#state.definition.concurrency ?? CONCURRENCY);
  }

  /** Does what takes no time and begins what can begin. True when something has changed. */
  async #advance(): Promise<boolean> {
    let hasChanged = false;
    for (const next of nextOf(this.#state)) {
      if (next.type === 'list') {
        await this.#journal.add(
          next.items.length > 0
            ? { type: 'listed', node: next.node, items: next.items }
            : { type: 'skipped', node: next.node, reason: 'its list is empty' },
        );
        return true;
      }
      if (next.type === 'skip') {
        this.#parts.tell(`– ${next.node}: skipped, ${next.reason}`);
        await this.#journal.add({ type: 'skipped', node: next.node, reason: next.reason });
        return true;
      }
      hasChanged = (await this.#begin(next)) || hasChanged;
    }
    return hasChanged;
  }

  async #begin(next: Begin): Promise<boolean> {
    const { step, node } = next;
    if (this.#running.has(step) || next.notBefore > Date.now()) return false;
    if (kindOf(node) === 'approve') return this.#ask(next);
    const { budget } = this.#state.definition;
    const isTaken = node.key !== undefined && [...this.#running.values()].some((other) => other.node.key === node.key);
    if (isTaken || this.#isFull) return false;
    if (budget?.usd !== undefined && this.#state.usd >= budget.usd) {
      const reason = `the budget of $${budget.usd} is spent ($${this.#state.usd.toFixed(2)})`;
      this.#parts.tell(`✗ ${step}: ${reason}`);
      await this.#journal.add({ type: 'failed', step, reason, isFinal: true });
      return true;
    }
    // Another workflow may have it.
    const release = node.key === undefined ? undefined : await takeKey(this.#parts.folder, node.key);
    if (node.key !== undefined && !release) return false;
    const known = this.#state.steps.get(step);
    const attempt = (known?.attempt ?? 0) + 1;
    await this.#journal.add({ type: 'started', step, attempt, ...(known?.run !== undefined && { run: known.run }) });
    this.#parts.tell(`▸ ${step}${attempt > 1 ? ` (attempt ${attempt})` : ''}`);
    this.#run(next, attempt, release);
    return true;
  }

  async #ask({ step, node, item }: Begin): Promise<boolean> {
    const question = textOf(node.approve, valuesFor(this.#state, node, item), { node });
    await this.#journal.add({ type: 'asked', step, question });
    this.#parts.tell(`? ${step}: ${question}`);
    return true;
  }

  /** A step that was under way when the process before this one ended. */
  #resume({ step, node: id, item, attempt, process }: StepState): void {
    const node = this.#state.definition.nodes.find((candidate) => candidate.id === id);
    if (!node) return;
    this.#parts.tell(`▸ ${step} (again: it was interrupted)`);
    const next: Begin = { type: 'step', step, node, ...(item !== undefined && { item }), notBefore: 0 };
    // Where no sandbox has ended it with its parent, the command of the first time may still be at work.
    const again = endLeftovers(process).then(async () => {
      const release = node.key === undefined ? undefined : await this.#keyOf(node.key);
      if (!this.#signal.aborted) await this.#attempt(next, attempt, true).finally(release);
      else release?.();
    });
    this.#follow(next, again);
  }

  #run(next: Begin, attempt: number, release: Release | undefined): void {
    this.#follow(next, this.#attempt(next, attempt, false).finally(release));
  }

  /** Waits for a key. */
  async #keyOf(key: string): Promise<Release | undefined> {
    while (!this.#signal.aborted) {
      const release = await takeKey(this.#parts.folder, key);
      if (release) return release;
      await sleep(LOOK_MS, undefined, { signal: this.#signal }).catch(() => undefined); // Stopped: the loop looks.
    }
    return undefined;
  }

  #follow({ step, node }: Begin, work: Promise<void>): void {
    const ended = work
      .catch((fault: unknown) => void (this.#fault ??= fault))
      .finally(() => {
        this.#running.delete(step);
        this.#idle.delete(step);
      });
    this.#running.set(step, { node, ended });
  }

  async #attempt({ step, node, item }: Begin, attempt: number, wasInterrupted: boolean): Promise<void> {
    const { id: workflow, cwd } = this.#state;
    const { run, reason, isAgain = false } = this.#state.steps.get(step) ?? {};
    /** What is new of the costs that a run tells. */
    const since = (usd: number) => ({ usd: Math.max(0, usd - (this.#state.steps.get(step)?.usd ?? 0)) });
    try {
      const { output, usd } = await work(this.#parts, this.#state, valuesFor(this.#state, node, item), {
        workflow,
        step,
        node,
        attempt,
        ...(run !== undefined && { run }),
        ...(reason !== undefined && { reason }),
        isAgain,
        cwd,
        wasInterrupted,
        signal: this.#signal,
        begun: (id) => this.#journal.add({ type: 'started', step, attempt, run: id }),
        spawned: (process: ProcessMark) => this.#journal.add({ type: 'spawned', step, process }),
        waits: (message) => {
          this.#idle.add(step);
          this.#parts.tell(`? ${step}: ${message}`);
        },
      });
      await this.#journal.add({ type: 'done', step, output, ...(usd !== undefined && since(usd)) });
      this.#parts.tell(`✓ ${step}`);
    } catch (fault) {
      // Stopped from outside: the step stays as it was, and the next process goes on with it.
      if (this.#signal.aborted) return;
      if (!(fault instanceof StepFailure || fault instanceof TenonError)) throw fault;
      const isFinal = attempt > (node.retries ?? 0);
      const usd = fault instanceof StepFailure && fault.usd !== undefined ? since(fault.usd) : {};
      await this.#journal.add({ type: 'failed', step, reason: messageOf(fault), isFinal, ...usd });
      this.#parts.tell(`✗ ${step}: ${messageOf(fault)}${isFinal ? '' : ' (will be tried again)'}`);
    }
  }

  /** Does what people have asked for meanwhile. True when the workflow was cancelled. */
  async #fulfil(): Promise<boolean> {
    let isCancelled = false;
    await takeWishes(this.#parts.folder, async (wish) => {
      if (isCancelled || this.#state.state !== 'active') return;
      if (wish.type === 'cancel') {
        await this.#journal.add({ type: 'cancelled' });
        isCancelled = true;
      } else if (this.#state.steps.get(wish.step)?.state === 'asking')
        await this.#journal.add({ type: 'answered', step: wish.step, answer: wish.answer });
    });
    return isCancelled;
  }

  async #rest(): Promise<void> {
    const rest = new AbortController();
    const all = [...this.#running.values()].map(({ ended }) => ended);
    await Promise.race([
      ...all,
      sleep(LOOK_MS, undefined, { signal: AbortSignal.any([this.#signal, rest.signal]) }).catch(() => undefined), // Woken.
    ]);
    rest.abort();
  }
}

/** Ends a workflow and its runs. */
export async function cancel(journal: Journal, parts: Pick<DriverParts, 'runs' | 'log'>): Promise<void> {
  await journal.add({ type: 'cancelled' });
  await cancelRuns(journal, parts);
}

async function cancelRuns(journal: Journal, parts: Pick<DriverParts, 'runs' | 'log'>): Promise<void> {
  const running = [...journal.state.steps.values()].filter(({ state }) => state === 'running');
  for (const { process } of running) await endLeftovers(process);
  const open = running.filter(({ run }) => run !== undefined);
  for (const { run = '' } of open) {
    const runs = await parts.runs();
    await runs
      .find(run)
      .then((found) => runs.cancel(found))
      // One that has ended by itself needs no stopping.
      .catch((fault: unknown) => parts.log.warn(`run ${run} could not be cancelled: ${messageOf(fault)}`));
  }
}
