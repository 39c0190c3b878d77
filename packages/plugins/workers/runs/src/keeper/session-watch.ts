/** The sessions that this keeper watches: what they write is stored and told, and what they do is noticed. */
import { messageOf } from '@tenon/kernel';
import type { WorkerAdapter } from '@tenon/workers/api';
import { sessionMask } from '../masking/session-secrets.ts';
import type { RunsParts } from '../parts.ts';
import type { Run, RunSession } from '../run.ts';
import type { Intake, Offsets, RunChange, RunStore } from '../store/run-store.ts';
import { hasFreeAccount } from './accounts.ts';
import { confineAgain } from './confine.ts';
import { claimSession, launchState } from './launcher.ts';
import { LiveSession, type SessionLimits } from './live-session.ts';
import { sandboxFolder, sessionFolder } from './places.ts';
import { endProcesses, processesOf, processTable } from './process-table.ts';
import { type Belongings, startSession } from './start-session.ts';
import { StartFault } from './start-fault.ts';

/** A launcher that was started and has not even claimed its session after this time is looked for. */
const UNCLAIMED_MS = 30_000;

/** Somebody else keeps the runs now. */
export class KeeperLost extends Error {}

/** What the watch is made of. */
export interface WatchParts {
  readonly parts: RunsParts;
  readonly store: RunStore;
  /** Something may have happened. */
  stir(): void;
  /** The keeper cannot go on. */
  broken(fault: unknown): void;
}

/** What became of a session at a look. */
export type Look = { readonly type: 'ended' } | { readonly type: 'broken'; readonly fault: unknown } | undefined;

type Read = { readonly live: LiveSession; readonly intake: Intake };

/** Watches sessions by the id of their run. */
export class SessionWatch {
  readonly #parts: RunsParts;
  readonly #store: RunStore;
  readonly #stir: () => void;
  readonly #broken: (fault: unknown) => void;
  readonly #live = new Map<string, LiveSession>();
  readonly #belongings = new Map<string, Belongings>();

  constructor({ parts, store, stir, broken }: WatchParts) {
    this.#parts = parts;
    this.#store = store;
    this.#stir = stir;
    this.#broken = broken;
  }

  get size(): number {
    return this.#live.size;
  }

  get runs(): Iterable<string> {
    return this.#live.keys();
  }

  get(run: string): LiveSession | undefined {
    return this.#live.get(run);
  }

  belongings(run: string): Belongings | undefined {
    return this.#belongings.get(run);
  }

  /** Everything is worth a look: for what nobody has told of. */
  suspectAll(): void {
    for (const live of this.#live.values()) live.isDirty = live.mayHaveEnded = true;
  }

  /** Watches the newest session of a run, after starting it when nobody has. */
  async attach(run: Run, signal: AbortSignal): Promise<void> {
    const adapter = await (await this.#parts.registry()).find(run.worker);
    const sessions = await this.#store.sessions(run.id);
    const session = sessions.find(({ number }) => number === run.session);
    if (session === undefined) throw new StartFault('other', 'The record of its session is missing.');
    const folder = sessionFolder(this.#parts.folders.state, run.id, session.number);
    const belongings = launchState(folder).isClaimed
      ? await this.#adopt(run, adapter, session.number)
      : await startSession(this.#parts, this.#store, adapter, run, session, signal);
    this.#belongings.set(run.id, belongings);
    const mask = await sessionMask(this.#parts, run, session, adapter);
    const live = new LiveSession({
      run,
      mask,
      session,
      adapter,
      folder,
      limits: limitsOf(this.#parts, run),
      before: session.resumes === undefined ? undefined : totalsBefore(sessions, session),
    });
    await live.replay(this.#store);
    live.watch(this.#stir);
    this.#live.set(run.id, live);
    if (live.stoppedFor !== undefined) this.#end(live);
  }

  /** What a session that another process has started needs of this one. */
  async #adopt(run: Run, { spec }: WorkerAdapter, session: number): Promise<Belongings> {
    const lasting = sandboxFolder(this.#parts.folders.state, run.id, session);
    const confinement = await confineAgain(this.#parts, run, spec, lasting);
    return { release: async () => confinement?.dispose() };
  }

  /** Stores what the sessions have written, in one transaction, and then tells it. Gives whether there is more, and which could not be read. */
  async collect(
    isBusy: (run: string) => boolean,
  ): Promise<{ readonly hasMore: boolean; readonly broken: ReadonlyMap<string, unknown> }> {
    const read: Read[] = [];
    const broken = new Map<string, unknown>();
    let hasMore = false;
    for (const live of this.#live.values()) {
      if (!live.isDirty || isBusy(live.run)) continue;
      live.isDirty = false;
      // Output comes after the news that the worker runs.
      if (!(await this.#announce(live))) continue;
      try {
        const news = live.read(false);
        if (news.intake) read.push({ live, intake: news.intake });
        if (news.hasMore) hasMore = live.isDirty = true;
      } catch (fault) {
        // An adapter that cannot read what its CLI writes breaks one run, not all.
        broken.set(live.run, fault);
      }
    }
    await this.#keep(read);
    return { hasMore, broken };
  }

  async #keep(read: readonly Read[]): Promise<void> {
    const taken = await this.#store.take(read.map(({ intake }) => intake));
    for (const [index, { live, intake }] of read.entries()) {
      const stored = taken[index];
      if (stored === undefined) throw new KeeperLost(`Somebody else reads the output of run ${live.run}.`);
      live.stored(intake);
      await this.#parts.tell(stored);
    }
  }

  /** Reads a session to its end. */
  async drain(live: LiveSession): Promise<void> {
    for (;;) {
      const { intake } = live.read(true);
      if (intake === undefined) return;
      await this.#keep([{ live, intake }]);
    }
  }

  /** Looks at the process of a session. `isSweep`: also at the clock. */
  async look(live: LiveSession, isSweep: boolean): Promise<Look> {
    if (!(live.mayHaveEnded || live.isWanted || live.isFull || isSweep)) return undefined;
    live.mayHaveEnded = false;
    const now = Date.now();
    // Looked at again: it may have written its last file meanwhile.
    const hasEnded = live.hasEnded(now) && !(await this.#isOnItsWay(live)) && live.hasEnded(now);
    await this.#announce(live);
    if (hasEnded) return { type: 'ended' };
    const isLate = !live.state.isClaimed && now - live.watchedSince > UNCLAIMED_MS;
    if (isLate && !(await this.#isOnItsWay(live)) && claimSession(live.folder))
      return { type: 'broken', fault: new StartFault('other', 'The worker could not be started.') };
    const isBetween = live.isWanted && !live.isInTool;
    const reason = isBetween ? 'hijack' : isSweep || live.isFull ? live.overdue(now) : undefined;
    if (reason !== undefined) await this.stop(live, reason);
    else if (live.isRefused && (await this.#canSwitch(live))) await this.stop(live, 'account-limit');
    return undefined;
  }

  /** On a very busy machine a launcher may take longer to say who it is than one takes that was killed: it is looked for. */
  async #isOnItsWay({ state, processes }: LiveSession): Promise<boolean> {
    if (state.mark !== undefined || state.exitCode !== undefined) return false;
    return processesOf(processes, await processTable()).length > 0;
  }

  /** CLIs try again for minutes; another account serves at once. */
  async #canSwitch(live: LiveSession): Promise<boolean> {
    const run = await this.#store.get(live.run);
    return run !== undefined && hasFreeAccount(this.#parts, run, live.adapter.spec);
  }

  /** Records that the worker runs, as soon as its process is known. False until then. */
  async #announce(live: LiveSession): Promise<boolean> {
    if (live.isAnnounced) return true;
    const { mark } = (live.state = launchState(live.folder));
    if (mark === undefined) return false;
    live.isAnnounced = true;
    await this.#change(live.run, {
      run: { state: 'running', next: undefined, started: new Date().toISOString() },
      session: { pid: mark.pid, mark: mark.started },
      events: [{ type: 'state', state: 'running' }],
      from: ['starting'],
    });
    return true;
  }

  /** Ends a session for a reason, which is written down first: if this process is killed now, the next one goes on with it. */
  async stop(live: LiveSession, reason: NonNullable<LiveSession['stoppedFor']>): Promise<void> {
    if (live.stoppedFor !== undefined) return;
    live.stoppedFor = reason;
    await this.#change(live.run, { run: {}, session: { stoppedFor: reason }, from: ['starting', 'running'] });
    this.#end(live);
  }

  #end(live: LiveSession): void {
    // One that floods its output would go on with it for as long as it is asked politely.
    const grace = live.stoppedFor === 'output-limit' ? 0 : this.#parts.settings.graceSeconds;
    endProcesses(live.processes, grace * 1_000)
      .then(() => {
        live.isDirty = live.mayHaveEnded = true;
        this.#stir();
      })
      .catch(this.#broken);
  }

  /** Lets go of a session. */
  async forget(run: string): Promise<void> {
    this.#live.get(run)?.close();
    this.#live.delete(run);
    const belongings = this.#belongings.get(run);
    this.#belongings.delete(run);
    await belongings?.release().catch((fault: unknown) =>
      // The session is over; what could not be given back is found by `tenon runs gc`.
      this.#parts.log.warn(`what run ${run} was lent could not be given back: ${messageOf(fault)}`),
    );
  }

  close(): void {
    for (const live of this.#live.values()) live.close();
  }

  async #change(id: string, change: RunChange): Promise<void> {
    const stored = await this.#store.change(id, change);
    if (stored) await this.#parts.tell({ outputs: [], events: stored.events });
  }
}

/** What the CLI has said about its session before this process. */
function totalsBefore(
  sessions: readonly RunSession[],
  { number, resumes }: RunSession & { readonly offsets: Offsets },
) {
  return sessions.findLast((earlier) => earlier.number < number && earlier.cliSession === resumes)?.totals;
}

function limitsOf({ settings }: RunsParts, { request }: Run): SessionLimits {
  return {
    timeout: request.timeoutMs ?? settings.timeoutMinutes * 60_000,
    idle: request.idleTimeoutMs ?? settings.idleTimeoutMinutes * 60_000,
    outputBytes: request.maxOutputBytes ?? settings.maxOutputMegabytes * 1024 * 1024,
  };
}
