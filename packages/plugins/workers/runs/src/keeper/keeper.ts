/** Starts, watches and ends the workers of recorded runs. One process per user does this; the store is its only channel. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@tenon/kernel';
import type { RunsParts } from '../parts.ts';
import { ENDED_STATES, type Run, type RunState } from '../run.ts';
import type { RunChange, RunStore, RunWish } from '../store/run-store.ts';
import { chooseAccount } from './accounts.ts';
import { fail, finishSession, over } from './finish-session.ts';
import { claimSession } from './launcher.ts';
import { releaseWorktree } from './leftovers.ts';
import type { LiveSession } from './live-session.ts';
import { sessionFolder } from './places.ts';
import { endProcesses, processTable } from './process-table.ts';
import { KeeperLost, SessionWatch } from './session-watch.ts';
import { StartFault } from './start-fault.ts';
import { validateRun } from './validate-run.ts';

/** States in which the keeper has something to do. */
const ACTIVE: readonly RunState[] = ['queued', 'starting', 'running', 'validating'];
/** Between two looks at what the workers have written. */
const TICK_MS = 30;
/** Between two looks at the list of runs. */
const LIST_MS = 100;
/** Between two looks at everything, for what nobody has told of. */
const SWEEP_MS = 1_000;
/** Between two looks at all processes while workers run. */
const SAMPLE_MS = 5_000;
/** How long it stays when there is nothing to do. */
const LINGER_MS = 2_000;
/** How many sessions are started at the same time. */
const STARTS_AT_ONCE = 2;

/** What is under way for a run, which is left alone meanwhile. */
interface Task {
  readonly control: AbortController;
  readonly isStart: boolean;
  readonly ended: Promise<void>;
}

/** Keeps runs until none is active. */
export class Keeper {
  readonly #parts: RunsParts;
  readonly #store: RunStore;
  readonly #signal: AbortSignal;
  readonly #watch: SessionWatch;
  readonly #tasks = new Map<string, Task>();
  #version = -1;
  #listedAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #sampledAt = Number.NEGATIVE_INFINITY;
  #mustList = true;
  #isActive = true;
  #isEnding = false;
  #fault: unknown;
  #wake: () => void = () => undefined;
  #isWoken = false;

  constructor(parts: RunsParts, store: RunStore, signal: AbortSignal) {
    this.#parts = parts;
    this.#store = store;
    this.#signal = signal;
    const broken = (fault: unknown) => void (this.#fault ??= fault);
    this.#watch = new SessionWatch({ parts, store, stir: () => this.#stir(), broken });
  }

  /** Whether a run waits for a keeper. */
  static async hasWork(store: RunStore): Promise<boolean> {
    return (await store.list({ states: ACTIVE, limit: 1 })).length > 0 || (await store.wishes()).length > 0;
  }

  /** Works until nothing is active for a while, or it is told to stop. Workers outlive it. */
  async run(isStillOurs: () => Promise<boolean>): Promise<void> {
    const stop = this.#store.watch(() => this.#stir());
    const onAbort = () => this.#stir();
    this.#signal.addEventListener('abort', onAbort);
    let idleSince: number | undefined;
    try {
      while (!this.#signal.aborted) {
        await this.#tick(isStillOurs);
        if (this.#fault !== undefined) throw this.#fault;
        if (this.#isActive) idleSince = undefined;
        else if (performance.now() - (idleSince ??= performance.now()) >= LINGER_MS) return;
        await this.#pause();
      }
    } finally {
      this.#isEnding = true;
      for (const { control } of this.#tasks.values()) control.abort();
      await Promise.all([...this.#tasks.values()].map(({ ended }) => ended));
      stop();
      this.#signal.removeEventListener('abort', onAbort);
      this.#watch.close();
    }
  }

  /** A run is new: the list is looked at without waiting for its turn. */
  hurry(): void {
    this.#mustList = true;
    this.#stir();
  }

  #stir(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #pause(): Promise<void> {
    await sleep(TICK_MS);
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SWEEP_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  async #tick(isStillOurs: () => Promise<boolean>): Promise<void> {
    this.#isWoken = false;
    // Not the time of day, which may be set back.
    const now = performance.now();
    const isSweep = now - this.#sweptAt >= SWEEP_MS;
    if (isSweep) {
      this.#sweptAt = now;
      this.#watch.suspectAll();
      if (!(await isStillOurs())) throw new KeeperLost('Another process keeps the runs now.');
    }
    await this.#listIfDue(now, isSweep);
    if (now - this.#sampledAt >= SAMPLE_MS && this.#watch.size > 0) {
      this.#sampledAt = now;
      // Remembers whose they are: one that leaves its tree later and has no mark is still known.
      processTable().catch((fault: unknown) => this.#parts.log.warn(`processes cannot be listed: ${messageOf(fault)}`));
    }
    const { hasMore, broken } = await this.#watch.collect((run) => this.#tasks.has(run));
    if (hasMore) this.#isWoken = true;
    for (const [run, fault] of broken) await this.#break(run, fault);
    for (const run of [...this.#watch.runs]) {
      const live = this.#tasks.has(run) ? undefined : this.#watch.get(run);
      const look = live && (await this.#watch.look(live, isSweep));
      if (live && look?.type === 'ended') await this.#finish(live);
      if (look?.type === 'broken') await this.#break(run, look.fault);
    }
  }

  async #listIfDue(now: number, isSweep: boolean): Promise<void> {
    const version = this.#store.version();
    const isChanged = version !== this.#version;
    if (isSweep || this.#mustList || (isChanged && now - this.#listedAt >= LIST_MS)) {
      this.#version = version;
      this.#listedAt = now;
      this.#mustList = false;
      await this.#list();
    } else if (isChanged) this.#isWoken = true;
  }

  /** Looks at the list of runs and at the wishes. */
  async #list(): Promise<void> {
    const active = await this.#store.list({ states: ACTIVE });
    const wishes = await this.#store.wishes();
    for (const { run, wish } of wishes) await this.#fulfil(run, wish);
    for (const run of active) {
      if (this.#watch.get(run.id) || this.#tasks.has(run.id)) continue;
      if (run.state === 'starting' || run.state === 'running')
        this.#do(run, (signal) => this.#watch.attach(run, signal));
      if (run.state === 'validating') this.#do(run, (signal) => validateRun(this.#parts, this.#store, run, signal));
    }
    const queued = active.filter(({ id, state }) => state === 'queued' && !this.#tasks.has(id)).toReversed();
    const taken = new Set([...this.#watch.runs, ...this.#tasks.keys()]).size;
    const starting = [...this.#tasks.values()].filter(({ isStart }) => isStart).length;
    // Few at a time, so that those which run are not kept waiting.
    const free = Math.max(0, Math.min(this.#parts.settings.slots - taken, STARTS_AT_ONCE - starting));
    for (const run of queued.slice(0, free)) this.#do(run, (signal) => this.#begin(run, signal), true);
    this.#isActive = active.length > 0 || wishes.length > 0 || this.#watch.size > 0 || this.#tasks.size > 0;
  }

  /** Works on a run in the background; a failure is a failure of the run. */
  #do(run: Run, work: (signal: AbortSignal) => Promise<void>, isStart = false): void {
    const control = new AbortController();
    const ended = work(AbortSignal.any([control.signal, this.#signal]))
      .catch((fault: unknown) => this.#failed(run, fault))
      .then(() => this.#tidy(run.id))
      .catch((fault: unknown) => void (this.#fault ??= fault))
      .finally(() => {
        this.#tasks.delete(run.id);
        this.#mustList = true;
        this.#stir();
      });
    this.#tasks.set(run.id, { control, isStart, ended });
  }

  async #failed({ id }: Run, fault: unknown): Promise<void> {
    // The run is as it was; whoever keeps it next goes on.
    if (fault instanceof KeeperLost || this.#isEnding || this.#signal.aborted) throw fault;
    const session = (await this.#store.get(id))?.session ?? 0;
    const change = await this.#endOf(id, fault);
    await this.#watch.forget(id);
    // A launcher may be on its way all the same.
    const { folders, settings } = this.#parts;
    if (session > 0 && !claimSession(sessionFolder(folders.state, id, session)))
      await endProcesses({ run: `${id}:${session}` }, settings.graceSeconds * 1_000);
    await this.#change(id, { ...change, from: ACTIVE });
  }

  /** What becomes of a run that could not be started, read or ended. */
  async #endOf(id: string, fault: unknown): Promise<RunChange> {
    const messages = (await this.#store.messages(id)).filter(({ state }) => state === 'queued');
    if ((await this.#store.wishes()).some(({ run, wish }) => run === id && wish === 'cancel'))
      return { ...over('cancelled', messages), fulfils: ['cancel', 'hijack'] };
    const message = messageOf(fault);
    this.#parts.log.warn(`run ${id} failed: ${message}`);
    return fail({ fault: fault instanceof StartFault ? fault.fault : 'other', message }, messages);
  }

  async #break(id: string, fault: unknown): Promise<void> {
    const run = await this.#store.get(id);
    if (run === undefined) return this.#watch.forget(id);
    this.#do(run, () => Promise.reject(fault));
  }

  async #change(id: string, change: RunChange): Promise<Run | undefined> {
    const stored = await this.#store.change(id, change);
    if (stored) await this.#parts.tell({ outputs: [], events: stored.events });
    return stored?.run;
  }

  /** After work on a run: what is over is tidied up. */
  async #tidy(id: string): Promise<void> {
    const run = await this.#store.get(id);
    if (run === undefined || !ENDED_STATES.includes(run.state)) return;
    await releaseWorktree(this.#parts, this.#store, run).catch((fault: unknown) =>
      // The run itself is over and well; `tenon runs gc` tries again.
      this.#parts.log.warn(`the worktree of run ${id} could not be released: ${messageOf(fault)}`),
    );
  }

  /** Records a new session of a queued run, then starts it. */
  async #begin(queued: Run, signal: AbortSignal): Promise<void> {
    const adapter = await (await this.#parts.registry()).find(queued.worker);
    const next = queued.next ?? { reason: 'start' as const };
    const number = queued.session + 1;
    const account = await chooseAccount(this.#parts, queued, adapter.spec).catch((fault: unknown) => {
      throw new StartFault('quota', messageOf(fault), fault);
    });
    const canResume = adapter.spec.capabilities.resume === 'id' && next.reason !== 'start' && next.isFresh !== true;
    const resumes = canResume ? queued.cliSession : undefined;
    const named = resumes === undefined && adapter.spec.capabilities.presetSession ? randomUUID() : undefined;
    const run = await this.#change(queued.id, {
      run: { state: 'starting', session: number, next, account, ended: undefined },
      begin: {
        run: queued.id,
        number,
        attempt: queued.attempt,
        reason: next.reason,
        started: new Date().toISOString(),
        ...(account !== undefined && { account }),
        ...(resumes !== undefined && { resumes }),
        ...(named !== undefined && { cliSession: named }),
      },
      events: [{ type: 'state', state: 'starting' }],
      from: ['queued'],
    });
    if (run) await this.#watch.attach(run, signal);
  }

  async #finish(live: LiveSession): Promise<void> {
    const run = await this.#store.get(live.run);
    if (run === undefined) return this.#watch.forget(live.run);
    this.#do(run, async () => {
      const belongings = this.#watch.belongings(run.id);
      const drain = (session: LiveSession) => this.#watch.drain(session);
      await finishSession({ parts: this.#parts, store: this.#store, live, belongings, drain });
      await this.#watch.forget(run.id);
    });
  }

  async #fulfil(id: string, wish: RunWish): Promise<void> {
    const live = this.#watch.get(id);
    const run = await this.#store.get(id);
    if (run === undefined || ENDED_STATES.includes(run.state)) return this.#store.forgetWish(id, wish);
    if (wish === 'hijack') {
      if (live) live.isWanted = true;
      else if (run.state === 'waiting' || run.state === 'hijacked') await this.#store.forgetWish(id, wish);
      return;
    }
    const task = this.#tasks.get(id);
    // What is under way ends; a worker that was started all the same is ended when it is seen.
    if (task) return task.control.abort();
    if (live) return this.#watch.stop(live, 'cancel');
    if (run.state === 'starting' || run.state === 'running') {
      const folder = sessionFolder(this.#parts.folders.state, id, run.session);
      if (!claimSession(folder)) return; // It runs; the next look attaches to it.
    }
    const messages = (await this.#store.messages(id)).filter(({ state }) => state === 'queued');
    await this.#change(id, { ...over('cancelled', messages), fulfils: ['cancel', 'hijack'], from: [run.state] });
  }
}
