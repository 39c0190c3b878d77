/** One process of a run while it is watched: what it writes becomes events. */
import { type FSWatcher, watch } from 'node:fs';
import { isAlive } from '@tenon/state-files';
import type {
  WorkerAdapter,
  WorkerEvent,
  WorkerExit,
  WorkerFault,
  WorkerOutcome,
  WorkerParser,
  WorkerTotals,
} from '@tenon/workers/api';
import { EventMask } from '../masking/event-mask.ts';
import { NO_MASK, type SecretMask } from '../masking/mask.ts';
import type { Run, RunSession } from '../run.ts';
import { isSessionId } from '../session-id.ts';
import type { Intake, Offsets, RunStore } from '../store/run-store.ts';
import { type LaunchState, launchState } from './launcher.ts';
import type { SessionProcesses } from './process-table.ts';
import { Tail } from './tail.ts';

/** A launcher that has claimed its session and then says nothing for this long was probably killed in between. */
const SILENT_LAUNCHER_MS = 10_000;
/** How long a CLI may be silent after it has said that it needs a login. */
const LOGIN_WAIT_MS = 5_000;
/** A CLI that its vendor has refused so often without any progress will not be served soon. */
const REFUSALS_BEFORE_SWITCH = 2;
const REPLAY_PAGE = 500;
const OF_ACCOUNT: ReadonlySet<WorkerFault> = new Set(['rate-limit', 'quota']);
const PROGRESS: ReadonlySet<WorkerEvent['type']> = new Set(['text', 'thinking', 'tool-start', 'tool-end', 'usage']);
/** What its process writes to, until the session is over. */
export const OUTPUT_FILES: ReadonlySet<string> = new Set(['stdout', 'stderr']);

/** What bounds a session. */
export interface SessionLimits {
  /** Milliseconds; 0 for none. */
  readonly timeout: number;
  readonly idle: number;
  readonly outputBytes: number;
}

/** What a session is watched with. */
export interface LiveParts {
  readonly run: Run;
  readonly session: RunSession & { readonly offsets: Offsets };
  readonly adapter: WorkerAdapter;
  readonly folder: string;
  readonly limits: SessionLimits;
  /** What earlier processes of the same CLI session have used. */
  readonly before?: WorkerTotals | undefined;
  /** Its secrets, which are not stored. */
  readonly mask?: SecretMask;
}

/** A process that is watched. */
export class LiveSession {
  readonly run: string;
  readonly number: number;
  readonly adapter: WorkerAdapter;
  readonly folder: string;
  readonly started: number;
  readonly watchedSince = Date.now();
  /** The CLI's own session, as soon as it has told it. */
  cliSession: string | undefined;
  /** Why Tenon ends it. */
  stoppedFor: WorkerExit['stoppedFor'];
  /** Somebody wants to take over, as soon as no tool is running. */
  isWanted = false;
  /** It may have written or ended since it was last looked at. */
  isDirty = true;
  /** It was recorded that its process runs. */
  isAnnounced = false;
  /** Its process is worth a look. */
  mayHaveEnded = true;
  /** What the system says about its process, since the last look. */
  state: LaunchState = { isClaimed: false };
  /** Keeps its secrets out of what is stored. */
  readonly mask: SecretMask;
  readonly #events: EventMask;
  readonly #limits: SessionLimits;
  readonly #parser: WorkerParser;
  readonly #tail: Tail;
  /** It has said that nobody is logged in. */
  #needsLogin = false;
  /** How often it has tried again because of a limit, since it last got anywhere. */
  #refusals = 0;
  readonly #openTools = new Set<string>();
  readonly #limitEvents: Extract<WorkerEvent, { type: 'limit' }>[] = [];
  #watcher: FSWatcher | undefined;

  constructor({ run, session, adapter, folder, limits, before, mask = NO_MASK }: LiveParts) {
    this.run = run.id;
    this.number = session.number;
    this.adapter = adapter;
    this.folder = folder;
    this.started = Date.parse(session.started);
    this.stoppedFor = session.stoppedFor;
    this.#limits = limits;
    this.mask = mask;
    this.#events = new EventMask(mask);
    this.#tail = new Tail(folder, session.offsets, limits.outputBytes, mask);
    const { schema } = run.request;
    this.#parser = adapter.parser({ ...(before && { before }), ...(schema && { schema }) });
  }

  /** The mark of everything that it has started. */
  get processes(): SessionProcesses {
    const { mark } = this.state;
    return { run: `${this.run}:${this.number}`, ...(mark && { root: mark }) };
  }

  /** Whether it waits for a tool of its own. */
  get isInTool(): boolean {
    return this.#openTools.size > 0;
  }

  /** Whether it has written all that it may. */
  get isFull(): boolean {
    return this.#tail.isFull;
  }

  /** Whether its vendor keeps refusing the account: it waits and tries again, and gets nowhere. */
  get isRefused(): boolean {
    return this.#refusals >= REFUSALS_BEFORE_SWITCH && !this.isInTool;
  }

  /** What the vendor has said about limits, the last for each window. */
  get limitEvents(): readonly Extract<WorkerEvent, { type: 'limit' }>[] {
    return [...new Map(this.#limitEvents.map((event) => [event.window ?? '', event])).values()];
  }

  /** Brings the parser to where it was: what is stored was already told. */
  async replay(store: Pick<RunStore, 'outputs'>): Promise<void> {
    for (let sequence = 0; ;) {
      const outputs = await store.outputs(this.run, { session: this.number, sequence }, REPLAY_PAGE);
      for (const { session, stream, text } of outputs)
        if (session === this.number && stream !== 'validation') this.#understand(text, stream);
      const last = outputs.at(-1);
      if (last === undefined || last.session !== this.number || outputs.length < REPLAY_PAGE) return;
      sequence = last.sequence;
    }
  }

  /** Tells when something may have happened in its folder. */
  watch(wake: () => void): void {
    const stir = (_: string, name: string | null) => {
      if (name === null || OUTPUT_FILES.has(name)) this.isDirty = true;
      if (name === null || !OUTPUT_FILES.has(name)) this.mayHaveEnded = true;
      wake();
    };
    try {
      this.#watcher = watch(this.folder, { persistent: false }, stir);
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // The system has no watches left; it is then looked at once a second.
    }
  }

  /** Reads what was written since the last time. Whatever comes of it must be stored, and `stored` called, before the next call. */
  read(isFinal: boolean): { readonly intake: Intake | undefined; readonly hasMore: boolean } {
    const { pieces, from, offsets, hasMore } = this.#tail.read(isFinal);
    if (pieces.length === 0) return { intake: undefined, hasMore: false };
    const events = pieces.flatMap(({ text, stream }) =>
      stream === 'validation' ? [] : this.#understand(text, stream),
    );
    const intake: Intake = {
      run: this.run,
      session: this.number,
      outputs: pieces,
      events: events.map((event) => ({ type: 'worker', event })),
      from,
      offsets,
    };
    return { intake, hasMore };
  }

  /** An intake was stored. */
  stored({ offsets }: Intake): void {
    this.#tail.advance(offsets);
  }

  /** Looks at its process. True when it has ended, or has not been heard of for so long that it must be looked for. */
  hasEnded(now: number): boolean {
    this.state = launchState(this.folder);
    const { isClaimed, mark, exitCode, claimedAt = now } = this.state;
    if (exitCode !== undefined) return true;
    if (!isClaimed) return false;
    if (mark === undefined) return now - claimedAt > SILENT_LAUNCHER_MS;
    if (isAlive(mark)) return false;
    // It may have written its last file between the two looks.
    this.state = launchState(this.folder);
    return true;
  }

  /** Which limit it has passed. */
  overdue(now: number): WorkerExit['stoppedFor'] {
    const { timeout, idle } = this.#limits;
    if (this.#tail.isOverLimit) return 'output-limit';
    if (timeout > 0 && now - this.started > timeout) return 'timeout';
    const last = Math.max(this.started, this.#tail.lastWrite ?? 0);
    // It waits for a person who is not there.
    if (this.#needsLogin && now - last > LOGIN_WAIT_MS) return 'idle-timeout';
    return idle > 0 && now - last > idle ? 'idle-timeout' : undefined;
  }

  /** How its process ended. One that wrote too much may be gone before it is stopped: its last words were not read all the same. */
  get exit(): WorkerExit {
    const { exitCode } = this.state;
    const stoppedFor = this.stoppedFor ?? (this.#tail.isOverLimit ? 'output-limit' : undefined);
    return { ...(exitCode !== undefined && { code: exitCode }), ...(stoppedFor !== undefined && { stoppedFor }) };
  }

  /** What it came to; all its output was read. */
  async end(): Promise<WorkerOutcome> {
    await this.#parser.ready;
    const outcome = this.#parser.end(this.exit);
    const { session } = outcome;
    if (session !== undefined && isSessionId(session)) this.cliSession = session;
    const events = [...this.#events.push(outcome.events), ...this.#events.end()];
    return { ...this.mask.value(outcome), events };
  }

  close(): void {
    this.#watcher?.close();
    this.#tail.close();
  }

  #understand(text: string, stream: 'stdout' | 'stderr'): readonly WorkerEvent[] {
    const events = this.#parser.push(text, stream);
    for (const event of events) {
      if (event.type === 'session' && isSessionId(event.id)) this.cliSession = event.id;
      if (event.type === 'tool-start') this.#openTools.add(event.id);
      if (event.type === 'tool-end') this.#openTools.delete(event.id);
      if (event.type === 'error' && event.fault === 'login-needed') this.#needsLogin = true;
      if (event.type === 'limit') this.#limitEvents.push(event);
      if (event.type === 'retry') this.#refusals = OF_ACCOUNT.has(event.fault) ? this.#refusals + 1 : 0;
      else if (PROGRESS.has(event.type)) this.#refusals = 0;
    }
    return this.#events.push(events);
  }
}
