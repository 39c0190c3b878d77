/** One host of a fleet: takes runs from the queue, lets the keeper do them, and looks after hosts that died. */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInside } from '@tenon/host';
import { type Logger, messageOf } from '@tenon/kernel';
import { ENDED_STATES, type OpenRunQueue, type Run, type RunKeeping } from '@tenon/runs/api';
import type { Worktrees } from '@tenon/worktrees/api';
import { Database } from '../database/database.ts';
import { Listener } from '../database/listener.ts';
import { ACTIVE, PostgresStore } from '../database/postgres-store.ts';
import { checkSchema, SCHEMA } from '../database/schema.ts';
import { admit, BEAT_MS, LEASE_MS } from '../queue/admission.ts';
import { claim, type HostId } from '../queue/claim.ts';
import { Engine } from '../queue/engine.ts';
import { classOf } from '../queue/keys.ts';
import { giveUp, rescue } from '../queue/watchdog.ts';
import { isRunId } from '../run-id.ts';
import type { RemotePolicy } from '../work/remotes.ts';
import { keepWork } from '../work/travel.ts';
import { Held } from './held.ts';
import { refusalOf } from './refusal.ts';
import { beat, enter, type HostFacts, leave, startDrain } from './presence.ts';
import { Workspaces } from './workspaces.ts';

/** While the server is away, everything waits for it. */
const PATIENCE_MS = 600_000;
const CONNECTIONS = 8;
/** Somebody else was deciding: what came in between is looked at once more. */
const AGAIN_MS = 20;
/** How often what got lost is looked for. */
const STRAYS_MS = 5_000;
/** A run of this host that nothing here works on for so many beats is taken up again. */
const IDLE_BEATS = 5;

/** What a host is made of. */
export interface HostOptions extends HostFacts {
  readonly url: string;
  /** A folder of its own. */
  readonly state: string;
  readonly keeping: RunKeeping;
  worktrees(): Promise<Worktrees | undefined>;
  secrets(database: Database): ReturnType<OpenRunQueue['secrets']>;
  readonly log: Logger;
  readonly maxBundleBytes: number;
  /** Which remotes that a run names it fetches from, as whoever this host is; none when undefined. */
  readonly remotes: RemotePolicy | undefined;
  /** Whether runs without a sandbox are done here. */
  readonly allowsUnsandboxed: boolean;
}

/** A host at work. */
export class FleetHost {
  readonly #options: HostOptions;
  readonly #database: Database;
  readonly #held: Held;
  readonly #store: PostgresStore;
  readonly #workspaces: Workspaces;
  readonly #ending: AbortController;
  readonly #listener: Listener;
  readonly #idle = new Map<string, number>();
  /** What is under way for each run, one leg after the other. */
  readonly #legs = new Map<string, Promise<void>>();
  #id: HostId;
  #engine: Engine | undefined;
  #keeping: Promise<void> | undefined;
  #admitting: Promise<void> | undefined;
  #entering: Promise<void> | undefined;
  #isDraining = false;
  #mustAdmit = false;
  #isChecking = false;
  /** Since when it was in contact without a break, and when last. */
  #contactSince = Number.POSITIVE_INFINITY;
  #contactAt = Number.NEGATIVE_INFINITY;
  #straysAt = 0;
  #hasEnded: () => void = () => undefined;
  #hurry: () => void = () => undefined;
  /** Resolves when the host has left the fleet. */
  readonly ended = new Promise<void>((resolve) => (this.#hasEnded = resolve));

  private constructor(options: HostOptions, parts: Parts) {
    this.#options = options;
    this.#database = parts.database;
    this.#held = parts.held;
    this.#store = parts.store;
    this.#workspaces = parts.workspaces;
    this.#ending = parts.ending;
    this.#id = parts.id;
    this.#listener = new Listener(parts.database, (payload) => this.#hear(payload));
  }

  /** Enters the fleet and begins to take runs. */
  static async start(options: HostOptions): Promise<FleetHost> {
    const { url, name, state, worktrees } = options;
    const ending = new AbortController();
    // Everything that waits for the server listens to it.
    setMaxListeners(0, ending.signal);
    const database = new Database({
      url,
      patienceMs: PATIENCE_MS,
      connections: CONNECTIONS,
      signal: ending.signal,
    });
    await checkSchema(database);
    const held = new Held();
    const store = await PostgresStore.open(database, {
      host: name,
      token: (run) => held.token(run),
      capture: (run) => capture(database, options, run),
    });
    const { remotes } = options;
    const workspaces = new Workspaces({
      database,
      folder: join(state, 'work'),
      runs: store,
      own: worktrees,
      remotes,
    });
    try {
      const id = await enter(database, options);
      const host = new FleetHost(options, { database, held, store, workspaces, ending, id });
      await host.#start();
      return host;
    } catch (fault) {
      ending.abort();
      await store.close();
      await database.close();
      throw fault;
    }
  }

  /** How many runs it has. */
  get size(): number {
    return this.#held.size;
  }

  async #start(): Promise<void> {
    const { url, name, slots, labels, log } = this.#options;
    await this.#tidy();
    await this.#listener.open();
    const hostClass = classOf(slots, labels);
    const work = (run: string, leg: number) => this.#work(run, leg);
    this.#engine = await Engine.start({ url, host: name, hostClass, slots, log, work });
    void this.#again('a beat of this host', () => this.#beat());
    void this.#again('looking after the fleet', () => this.#look());
    this.#admit();
  }

  /** Ends what an earlier process of this host has left of runs that are others' by now. */
  async #tidy(): Promise<void> {
    const folder = join(this.#options.state, 'runs');
    const known = existsSync(folder) ? await readdir(folder) : [];
    const own = await this.#database.rows<{ id: string }>(
      `SELECT id FROM ${SCHEMA}.run WHERE owner = $1 OR (id = ANY($2) AND state = 'waiting')`,
      [this.#options.name, known],
    );
    const kept = new Set(own.map(({ id }) => id));
    const strange = new Set(known.filter((id) => !kept.has(id)));
    if (strange.size === 0) return;
    await this.#options.keeping.end((run, session) => strange.has(run) && this.#hasSession(run, session));
    for (const id of strange) await this.#forget(id);
  }

  /** Whether a session was this host's: another host on the same machine may run a later one. */
  #hasSession(run: string, session: number): boolean {
    return existsSync(join(this.#options.state, 'runs', run, `session-${session}`));
  }

  async #forget(run: string): Promise<void> {
    await this.#workspaces.forget(run);
    await rm(join(this.#options.state, 'runs', run), { recursive: true, force: true });
  }

  /** Does one leg of a run. DBOS calls it, again after a crash; the last to claim the run is the one who writes. */
  #work(run: string, leg: number): Promise<void> {
    // Brought here once more while it is under way: afterwards.
    const before = this.#legs.get(run) ?? Promise.resolve();
    const own = before
      .catch(() => undefined) // Told to whoever asked for that.
      .then(() => this.#doLeg(run, leg))
      .finally(() => {
        if (this.#legs.get(run) === own) this.#legs.delete(run);
      });
    this.#legs.set(run, own);
    return own;
  }

  async #doLeg(run: string, leg: number): Promise<void> {
    // It becomes the name of a folder, and the database may say anything.
    if (!isRunId(run)) throw new TypeError(`"${run}" is not the id of a run`);
    const { token } = await this.#claim(run, leg);
    if (token === undefined) return;
    const ended = this.#held.add(run, token);
    await this.#prepare(run).catch((fault: unknown) => this.#fail(run, messageOf(fault)));
    this.#keep();
    this.#hurry();
    if ((await ended) !== 'lost') return this.#clean(run);
    // Another host has it: what still runs of it here must not go on beside that.
    await this.#options.keeping.end((id, session) => id === run && this.#hasSession(id, session));
    return this.#forget(run);
  }

  async #claim(run: string, leg: number): Promise<{ readonly token?: string }> {
    for (;;) {
      const claimed = await claim(this.#database, this.#id, run, leg, this.#workspaces.folderOf(run));
      if (claimed === 'over') return {};
      if (claimed !== 'lost') return claimed;
      await this.#enterAgain();
    }
  }

  /** What must be there before the keeper looks at the run. */
  async #prepare(id: string): Promise<void> {
    const run = await this.#store.get(id);
    if (run === undefined) return;
    // In whatever state it comes: that, too, is only what the database says.
    const refusal = refusalOf(run.request, {
      host: this.#id.name,
      allowsUnsandboxed: this.#options.allowsUnsandboxed,
    });
    if (refusal !== undefined) return this.#fail(id, refusal);
    if (run.request.workspace === undefined) await this.#workspaces.makeEmpty(id);
    // A session makes its workspace itself; one that was done on another host is validated in a copy.
    else if (run.state === 'validating' && run.worktree === undefined) {
      const { worktree } = await this.#workspaces.create(run.request.cwd, run.alias, { holder: id });
      const { name, folder, base, branch } = worktree;
      const below = join(folder, run.request.workspace.below);
      const inside = isInside(below, folder) ? below : folder;
      await this.#store.change(id, {
        run: { worktree: { name, folder, base, ...(branch !== undefined && { branch }) }, folder: inside },
      });
    }
  }

  async #fail(id: string, message: string): Promise<void> {
    await this.#store.change(id, {
      run: { state: 'failed', ended: new Date().toISOString(), next: undefined, error: { fault: 'other', message } },
      events: [{ type: 'state', state: 'failed', message }],
    });
    await this.#check();
  }

  async #clean(id: string): Promise<void> {
    const run = await this.#store.get(id);
    // One that waits may go on here; what it needs stays.
    if (run === undefined || ENDED_STATES.includes(run.state)) await this.#forget(id);
  }

  /** Lets the keeper work for as long as there are runs. */
  #keep(): void {
    this.#keeping ??= this.#keepOn().finally(() => {
      this.#keeping = undefined;
      if (this.#held.size > 0 && !this.#ending.signal.aborted) this.#keep();
    });
  }

  async #keepOn(): Promise<void> {
    const { keeping, state, slots, log, secrets } = this.#options;
    try {
      await keeping.keep({
        store: this.#store,
        worktrees: this.#workspaces,
        secrets: () => secrets(this.#database),
        state,
        // Runs that were handed over again and again may be a few more.
        slots: Math.max(slots, this.#held.size),
        signal: this.#ending.signal,
        isStillOurs: async () => true,
        begun: (hurry) => void (this.#hurry = hurry),
      });
    } catch (fault) {
      if (this.#ending.signal.aborted) return;
      log.warn(`the keeper of this host begins anew: ${messageOf(fault)}`);
      await sleep(BEAT_MS);
    }
    await this.#check();
  }

  /** Lets go of runs that are over, or somebody else's. */
  async #check(): Promise<void> {
    // What is claimed while the database answers is not in its answer.
    const before = this.#held.runs.map((run) => ({ run, token: this.#held.token(run) }));
    const rows = await this.#database.rows<CheckedRow>(
      `SELECT id, leg, token, owner = $1 AS "isOurs", state = ANY($3) AS "isActive" FROM ${SCHEMA}.run WHERE owner = $1 OR id = ANY($2)`,
      [this.#options.name, before.map(({ run }) => run), ACTIVE],
    );
    const known = new Map(rows.map((row) => [row.id, row]));
    for (const { run, token } of before) {
      const row = known.get(run);
      if (this.#held.token(run) !== token || (row?.isOurs === true && row.token === token)) continue;
      this.#held.end(run, row?.isActive === true ? 'lost' : 'over');
    }
    for (const { id, leg, isOurs } of rows) {
      const beats = isOurs === true && this.#held.token(id) === undefined ? (this.#idle.get(id) ?? 0) + 1 : 0;
      if (beats === 0) this.#idle.delete(id);
      else this.#idle.set(id, beats);
      if (beats < IDLE_BEATS) continue;
      this.#idle.delete(id);
      this.#work(id, leg).catch((fault: unknown) => this.#options.log.warn(`run ${id}: ${messageOf(fault)}`));
    }
  }

  /** Does something once a beat, as long as the host is there. */
  async #again(what: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await work();
      } catch (fault) {
        this.#options.log.warn(`${what} failed: ${messageOf(fault)}`);
      }
      await sleep(BEAT_MS, undefined, { signal }).catch(() => undefined); // It ends.
    }
  }

  async #beat(): Promise<void> {
    const now = performance.now();
    const seen = await beat(this.#database, this.#id);
    // After a break, the others get as long as a lease to come back: whoever was cut off cannot judge.
    if (now - this.#contactAt > LEASE_MS / 2) this.#contactSince = now;
    this.#contactAt = performance.now();
    if (seen === 'lost') await this.#enterAgain();
    if (seen === 'draining') this.drain();
  }

  /** Not in the way of beats: others may hold what it waits for. */
  async #look(): Promise<void> {
    await this.#check();
    this.#admit();
    const now = performance.now();
    const engine = this.#engine;
    if (engine === undefined || now - this.#contactSince < LEASE_MS || now - this.#contactAt > LEASE_MS / 2) return;
    for (const name of await giveUp(this.#database))
      this.#options.log.warn(`the host ${name} was lost; others go on with its runs`);
    const isWhole = now - this.#straysAt >= STRAYS_MS;
    if (isWhole) this.#straysAt = now;
    await rescue(this.#database, engine, isWhole);
  }

  /** It was given up, because it said nothing for too long. */
  async #enterAgain(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#entering ??= enter(this.#database, this.#options)
      .then((id) => void (this.#id = id))
      .finally(() => (this.#entering = undefined));
    await this.#entering;
    await this.#check();
  }

  #hear(payload: string | undefined): void {
    if (payload === undefined || payload === 'q') this.#admit();
    else if (payload === `h${this.#options.name}`)
      this.#beat().catch((fault: unknown) => this.#options.log.warn(`a beat of this host failed: ${messageOf(fault)}`));
    else if (payload.startsWith('r') && this.#held.token(payload.slice(1)) !== undefined) this.#checkSoon();
  }

  #checkSoon(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    sleep(AGAIN_MS)
      .then(() => {
        this.#isChecking = false;
        return this.#check();
      })
      .catch((fault: unknown) => this.#options.log.warn(`runs could not be looked at: ${messageOf(fault)}`));
  }

  /** Admits what can begin, once for all who ask meanwhile. */
  #admit(): void {
    this.#mustAdmit = true;
    this.#admitting ??= this.#admitAll()
      .catch((fault: unknown) => this.#options.log.warn(`no runs could be admitted: ${messageOf(fault)}`))
      .finally(() => {
        this.#admitting = undefined;
        if (this.#mustAdmit && !this.#ending.signal.aborted) this.#admit();
      });
  }

  async #admitAll(): Promise<void> {
    while (this.#mustAdmit && !this.#ending.signal.aborted) {
      this.#mustAdmit = false;
      const engine = this.#engine;
      if (engine === undefined) return;
      const count = await admit(this.#database, (sql, run, leg, hostClass) => engine.enqueue(sql, run, leg, hostClass));
      if (count !== undefined) continue;
      await sleep(AGAIN_MS * (1 + Math.random()));
      await admit(this.#database, (sql, run, leg, hostClass) => engine.enqueue(sql, run, leg, hostClass));
    }
  }

  /** Takes no more runs, lets those that it has come to their end, and leaves the fleet. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#drain().catch((fault: unknown) => {
      // Without its database it cannot say goodbye; the others will miss it.
      this.#options.log.warn(`this host could not be drained: ${messageOf(fault)}`);
      this.#hasEnded();
    });
  }

  async #drain(): Promise<void> {
    await startDrain(this.#database, this.#id.name);
    await this.#engine?.drain();
    await leave(this.#database, this.#id);
    this.#ending.abort();
    await this.#keeping;
    await this.#admitting;
    await this.#listener.close();
    await this.#store.close();
    await this.#engine?.close();
    await this.#database.close();
    this.#hasEnded();
  }
}

interface CheckedRow {
  readonly id: string;
  readonly leg: number;
  readonly token: string;
  /** Nothing where nobody owns it. */
  readonly isOurs: boolean | null;
  readonly isActive: boolean;
}

/** What a host works with. */
interface Parts {
  readonly database: Database;
  readonly held: Held;
  readonly store: PostgresStore;
  readonly workspaces: Workspaces;
  readonly ending: AbortController;
  readonly id: HostId;
}

/** Keeps what the run has changed, before its session counts as ended. */
async function capture(
  database: Database,
  { name, maxBundleBytes, log }: HostOptions,
  { worktree, request }: Run,
): Promise<{ readonly work?: string; readonly notice?: string }> {
  if (worktree === undefined || request.workspace === undefined) return {};
  try {
    const { base } = request.workspace;
    const work = await keepWork(database, { base, folder: worktree.folder, maxBytes: maxBundleBytes });
    return work === undefined ? {} : { work };
  } catch (fault) {
    const notice = `Its changes could not be kept, they are on ${name} in ${worktree.folder}: ${messageOf(fault)}`;
    log.warn(notice);
    return { notice };
  }
}
