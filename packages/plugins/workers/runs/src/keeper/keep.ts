/** One keeper per user: how it is found, started, and how it ends. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Folders, ownProgram } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { isAlive, type ProcessMark, replaceFile, thisProcess, withLock } from '@tenon/state-files';
import type { OpenStore } from '../api.ts';
import type { RunsParts } from '../parts.ts';
import type { RunStore } from '../store/run-store.ts';
import { Keeper } from './keeper.ts';
import { RUN_VARIABLE } from './launcher.ts';
import { folderVariables } from './folder-variables.ts';
import { KeeperLost } from './session-watch.ts';
import { runsFolder } from './places.ts';

/** How long a new keeper waits for one that is about to end. */
const TAKE_OVER_MS = 15_000;
/** A keeper that was started and has not said so yet. */
const STARTING_MS = 10_000;

const MAX_FAILURES = 10;
const FAILURE_REST_MS = 500;
/** It lives long and makes much that is soon forgotten: without this V8 would let that grow by tens of megabytes. */
const NODE_FLAGS = ['--max-semi-space-size=4'];

const markFile = (state: string) => join(runsFolder(state), 'keeper.json');
const lockFile = (state: string) => join(runsFolder(state), 'keeper');

/** Whether a keeper is at work. */
export async function hasKeeper(state: string): Promise<boolean> {
  try {
    return isAlive(JSON.parse(await readFile(markFile(state), 'utf8')) as ProcessMark);
  } catch {
    return false; // There is none, or it was killed while it wrote; a second one ends by itself.
  }
}

/**
 * Keeps runs until none is active. The mark is removed before the last look at the store: whoever records a run after that look
 * finds no mark and starts a keeper.
 */
export async function keep(parts: RunsParts, signal: AbortSignal): Promise<void> {
  const { state } = parts.folders;
  const store = await parts.store();
  try {
    await withLock(
      lockFile(state),
      async (lock) => {
        do {
          await replaceFile(markFile(state), JSON.stringify(thisProcess()), { flush: false });
          await keepOn(parts, store, signal, () => lock.isHeld());
          await rm(markFile(state), { force: true });
        } while (!signal.aborted && (await Keeper.hasWork(store)));
      },
      { waitMs: TAKE_OVER_MS, signal },
    );
  } catch (fault) {
    if (fault instanceof KeeperLost || (fault as { code?: unknown }).code === 'STATE_FILE_LOCKED') return; // Another one is at work.
    throw fault;
  }
}

/** A keeper that has failed (the disk was full, the store was locked for long) begins anew: all that it knew is in the store. */
async function keepOn(
  parts: RunsParts,
  store: RunStore,
  signal: AbortSignal,
  isStillOurs: () => Promise<boolean>,
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await new Keeper(parts, store, signal).run(isStillOurs);
    } catch (fault) {
      if (fault instanceof KeeperLost || signal.aborted || failures === MAX_FAILURES) throw fault;
      parts.log.error(`the keeper of runs begins anew: ${messageOf(fault)}`);
      await sleep(failures * FAILURE_REST_MS, undefined, { signal });
    }
  }
}

/** Makes sure that a keeper is at work, by starting a process when there is none. */
export class KeeperStarter {
  readonly #folders: Folders;
  readonly #env: NodeJS.ProcessEnv;
  readonly #store: OpenStore;
  readonly #program: readonly [string, ...string[]];
  #startedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Somebody wanted one while one was starting. */
  #isWanted = false;

  /** `program` begins the command line `… runs keep`. */
  constructor(folders: Folders, env: NodeJS.ProcessEnv, store: OpenStore, program = ownProgram(NODE_FLAGS)) {
    this.#folders = folders;
    this.#env = env;
    this.#store = store;
    this.#program = program;
  }

  /** Many may ask at once, as those who follow a hundred runs: one process at most is started for them all. */
  ensure(): Promise<void> {
    if (performance.now() - this.#startedAt < STARTING_MS) {
      this.#isWanted = true;
      return Promise.resolve();
    }
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => (this.#looking = undefined));
      return this.#looking;
    }
    // What is being looked at may be older than what this one is wanted for: all who ask meanwhile share the next look.
    this.#next ??= this.#looking
      // That failure belongs to whoever began it.
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.ensure();
      });
    return this.#next;
  }

  async #look(): Promise<void> {
    const { state } = this.#folders;
    if (await hasKeeper(state)) return;
    this.#isWanted = false;
    this.#startedAt = performance.now();
    const [program, ...words] = this.#program;
    mkdirSync(runsFolder(state), { recursive: true, mode: 0o700 });
    const log = openSync(join(runsFolder(state), 'keeper.log'), 'a', 0o600);
    try {
      // The mark of a run would make the keeper a process of that run.
      const { [RUN_VARIABLE]: _, ...env } = this.#env;
      const child = spawn(program, [...words, 'runs', 'keep'], {
        cwd: '/',
        env: { ...env, ...folderVariables(this.#folders) },
        detached: true,
        stdio: ['ignore', log, log],
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      // One that has ended is not starting any more: whoever asks next looks again.
      child.once('exit', () => {
        this.#startedAt = Number.NEGATIVE_INFINITY;
        // It may have had its last look before that was recorded for which it was wanted.
        if (this.#isWanted) this.#again().catch(() => undefined); // Whoever looks next tries again, and is told.
      });
      child.unref();
    } finally {
      closeSync(log);
    }
  }

  async #again(): Promise<void> {
    if (await Keeper.hasWork(await this.#store())) await this.ensure();
  }
}
