/** The kernels of all sessions: started on first use, limited in number, ended when nobody has used them for long. */
import { messageOf, TenonError } from '@tenon/kernel';
import type { CellLanguage } from '../api.ts';
import { errors } from '../errors.ts';
import { KernelProcess, type KernelStart } from './kernel-process.ts';

/** Whose kernel it is. */
export interface KernelOwner {
  readonly session: string;
  readonly cwd: string;
  readonly language: CellLanguage;
}

/** How many kernels there may be and for how long. */
export interface PoolOptions {
  readonly maxKernels: number;
  readonly idleMs: number;
  /** Why a kernel must not run another cell, if there is a reason. */
  obstacle(owner: KernelOwner, kernel: KernelProcess): Promise<string | undefined>;
  /** What a kernel is started with. */
  prepare(owner: KernelOwner): Promise<KernelStart>;
}

/** A kernel that a call may use until it gives it back. */
export interface KernelLease {
  readonly kernel: KernelProcess;
  /** Why what earlier cells left is gone, when it is. */
  readonly lost: string | undefined;
}

interface Entry {
  readonly kernel: KernelProcess;
  usedAt: number;
  isBusy: boolean;
}

const SWEEP_MS = 15_000;

/** Keeps kernels. */
export class KernelPool {
  readonly #options: PoolOptions;
  readonly #entries = new Map<string, Entry>();
  /** Why a session's last kernel is gone, until somebody is told. */
  readonly #lost = new Map<string, string>();
  readonly #queues = new Map<string, Promise<unknown>>();
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Uses the owner's kernel, after those who came before. With `reset` it is a new one. */
  async use<T>(owner: KernelOwner, reset: boolean, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    const key = keyOf(owner);
    const before = this.#queues.get(key) ?? Promise.resolve();
    const turn = before.then(() => this.#work(key, owner, reset, work));
    const settled = turn.catch(() => undefined); // told to whoever asked for the work
    this.#queues.set(key, settled);
    void settled.then(() => this.#queues.get(key) === settled && this.#queues.delete(key));
    return turn;
  }

  /** How many kernels there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** Ends the kernels of a session that is over. */
  async endSession(session: string): Promise<void> {
    const keys = [...this.#entries.keys()].filter((key) => (JSON.parse(key) as string[])[0] === session);
    await Promise.all(keys.map((key) => this.#end(key, undefined)));
  }

  /** Ends all kernels and everything that they started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    await Promise.all([...this.#entries.keys()].map((key) => this.#end(key, undefined)));
  }

  /** Ends kernels that nobody has used for long. */
  async sweep(now: number = Date.now()): Promise<void> {
    const idle = [...this.#entries].filter(([, entry]) => !entry.isBusy && now - entry.usedAt >= this.#options.idleMs);
    const minutes = Math.round(this.#options.idleMs / 60_000);
    await Promise.all(idle.map(([key]) => this.#end(key, `it was not used for ${minutes} minutes`)));
    if (this.#entries.size === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
    }
  }

  async #work<T>(
    key: string,
    owner: KernelOwner,
    reset: boolean,
    work: (lease: KernelLease) => Promise<T>,
  ): Promise<T> {
    if (reset) {
      await this.#end(key, undefined);
      this.#lost.delete(key);
    }
    const known = this.#entries.get(key);
    if (known) {
      const gone = known.kernel.isAlive ? await this.#options.obstacle(owner, known.kernel) : await known.kernel.ended;
      if (gone !== undefined) await this.#end(key, gone);
    }
    const entry = this.#entries.get(key) ?? (await this.#start(key, owner));
    const lost = this.#lost.get(key);
    this.#lost.delete(key);
    entry.isBusy = true;
    try {
      return await work({ kernel: entry.kernel, lost });
    } finally {
      entry.isBusy = false;
      entry.usedAt = Date.now();
      // The newest goes to the end: the first one is the one to end when there are too many.
      if (this.#entries.delete(key)) this.#entries.set(key, entry);
    }
  }

  async #start(key: string, owner: KernelOwner): Promise<Entry> {
    if (this.#isClosed) throw errors.create('EVAL_CLOSED', { reason: 'the plugin is being unloaded' });
    await this.#makeRoom();
    const start = await this.#options.prepare(owner);
    try {
      const kernel = await KernelProcess.start(start);
      const entry = { kernel, usedAt: Date.now(), isBusy: true };
      this.#entries.set(key, entry);
      if (this.#isClosed) {
        await this.#end(key, undefined);
        throw errors.create('EVAL_CLOSED', { reason: 'the plugin is being unloaded' });
      }
      this.#sweeper ??= setInterval(() => void this.sweep(), SWEEP_MS).unref();
      return entry;
    } catch (fault) {
      await start.confinement.dispose();
      if (fault instanceof TenonError) throw fault;
      throw errors.create('EVAL_KERNEL_FAILED', { language: owner.language, reason: messageOf(fault) }, fault);
    }
  }

  async #makeRoom(): Promise<void> {
    for (const [key, { isBusy }] of this.#entries) {
      if (this.#entries.size < this.#options.maxKernels) return;
      if (!isBusy) await this.#end(key, 'another one was needed, and only a limited number is kept');
    }
  }

  async #end(key: string, lost: string | undefined): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    if (lost !== undefined) this.#lost.set(key, lost);
    await entry.kernel.close('it is not needed any more');
  }
}

function keyOf({ session, cwd, language }: KernelOwner): string {
  return JSON.stringify([session, cwd, language]);
}
