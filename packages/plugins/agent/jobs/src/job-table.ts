import { messageOf } from '@tenon/kernel';
import type { CancelOutcome, JobOutcome, Jobs, JobSnapshot, JobStart, JobStatus } from './api.ts';
import { errors } from './errors.ts';

/** How long a job may take to stop before nobody waits for it any more. */
const STOP_GRACE_MS = 5_000;

/** How many jobs there may be, and for how long ended ones are known. */
export interface JobLimits {
  readonly maxRunning: number;
  readonly keepMs: number;
}

interface Job {
  readonly id: string;
  readonly session: string;
  readonly type: string;
  readonly label: string;
  readonly startedAt: number;
  readonly controller: AbortController;
  /** Resolves when the work has really stopped. */
  stopped: Promise<void>;
  status: JobStatus;
  endedAt?: number;
  resultText?: string;
  errorText?: string;
  /** Somebody waits for it at this moment. */
  watchers: number;
  /** The agent knows how it ended. */
  isTold: boolean;
}

/** All jobs of the process, by session. */
export class JobTable implements Jobs {
  readonly #limits: JobLimits;
  readonly #onEnd: (job: JobSnapshot) => void;
  readonly #sessions = new Map<string, Map<string, Job>>();
  readonly #counts = new Map<string, number>();
  #isClosed = false;

  /** `onEnd` is called once for every job that ends while nobody waits for it. */
  constructor(limits: JobLimits, onEnd: (job: JobSnapshot) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  start({ session, type, label, run }: JobStart): JobSnapshot {
    if (this.#isClosed) throw errors.create('JOBS_CLOSED', { reason: 'the plugin is being unloaded' });
    if (!this.hasRoom(session)) throw errors.create('JOBS_TOO_MANY', { count: this.#limits.maxRunning });
    const counter = `${session}\n${type}`;
    const number = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, number);
    const job: Job = {
      id: `${type}-${number}`,
      session,
      type,
      label,
      startedAt: Date.now(),
      controller: new AbortController(),
      stopped: Promise.resolve(),
      status: 'running',
      watchers: 0,
      isTold: false,
    };
    this.#sessions.set(session, this.#jobsOf(session).set(job.id, job));
    const progress = (text: string) => {
      if (job.endedAt === undefined) job.resultText = text;
    };
    // Not before this call has returned: whoever starts a job wants its id first.
    job.stopped = Promise.resolve()
      .then(() => run({ id: job.id, signal: job.controller.signal, progress }))
      .then(
        (outcome) => this.#end(job, outcome),
        (fault: unknown) => this.#end(job, { text: messageOf(fault), isError: true }),
      );
    return snapshotOf(job);
  }

  hasRoom(session: string): boolean {
    const running = [...this.#jobsOf(session).values()].filter(({ status }) => status === 'running');
    return running.length < this.#limits.maxRunning;
  }

  list(session: string): readonly JobSnapshot[] {
    this.#forgetOld(session);
    return [...this.#jobsOf(session).values()].map(snapshotOf);
  }

  get(session: string, id: string): JobSnapshot | undefined {
    this.#forgetOld(session);
    const job = this.#sessions.get(session)?.get(id);
    return job && snapshotOf(job);
  }

  async wait(
    session: string,
    ids: readonly string[],
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<readonly JobSnapshot[]> {
    const jobs = this.#pick(session, ids);
    const running = jobs.filter(({ status }) => status === 'running');
    const hasNews = jobs.some(({ status, isTold }) => status !== 'running' && !isTold);
    if (running.length > 0 && !hasNews) await this.#firstEnd(running, timeoutMs, signal);
    for (const job of jobs) if (job.status !== 'running') job.isTold = true;
    return jobs.map(snapshotOf);
  }

  acknowledge(session: string, ids: readonly string[]): void {
    for (const job of this.#pick(session, ids)) if (job.status !== 'running') job.isTold = true;
  }

  /** Whether the agent still has to hear how a job ended. */
  isUntold({ session, id }: Pick<JobSnapshot, 'session' | 'id'>): boolean {
    return this.#sessions.get(session)?.get(id)?.isTold === false;
  }

  cancel(session: string, id: string): CancelOutcome {
    const job = this.#sessions.get(session)?.get(id);
    if (!job) return 'not_found';
    if (job.status !== 'running') return 'already_completed';
    this.#abort(job, 'The job was cancelled.');
    return 'cancelled';
  }

  async endSession(session: string): Promise<void> {
    const jobs = [...(this.#sessions.get(session)?.values() ?? [])];
    this.#sessions.delete(session);
    for (const job of jobs) if (job.status === 'running') this.#abort(job, 'The session has ended.');
    await withinGrace(Promise.all(jobs.map(({ stopped }) => stopped)));
  }

  /** Cancels everything; no job can be started from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.keys()].map((session) => this.endSession(session)));
  }

  /** Who cancels a job knows about it: its end is no news. */
  #abort(job: Job, reason: string): void {
    job.status = 'cancelled';
    job.isTold = true;
    job.controller.abort(new DOMException(reason, 'AbortError'));
  }

  #end(job: Job, { text, isError }: JobOutcome): void {
    job.endedAt = Date.now();
    if (isError) {
      job.errorText = text;
      delete job.resultText;
    } else job.resultText = text;
    if (job.status === 'cancelled') return;
    job.status = isError ? 'failed' : 'completed';
    if (job.watchers === 0 && !job.isTold) this.#onEnd(snapshotOf(job));
  }

  async #firstEnd(running: readonly Job[], timeoutMs: number, signal: AbortSignal): Promise<void> {
    for (const job of running) job.watchers++;
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
      stop = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', resolve as () => void, { once: true });
    });
    try {
      await Promise.race([enough, ...running.map(({ stopped }) => stopped)]);
    } finally {
      clearTimeout(timer);
      if (stop) signal.removeEventListener('abort', stop);
      for (const job of running) job.watchers--;
    }
  }

  #pick(session: string, ids: readonly string[]): Job[] {
    this.#forgetOld(session);
    const jobs = this.#jobsOf(session);
    return [...new Set(ids)].flatMap((id) => jobs.get(id) ?? []);
  }

  #jobsOf(session: string): Map<string, Job> {
    return this.#sessions.get(session) ?? new Map<string, Job>();
  }

  #forgetOld(session: string): void {
    const oldest = Date.now() - this.#limits.keepMs;
    for (const [id, { endedAt }] of this.#jobsOf(session)) {
      if (endedAt !== undefined && endedAt < oldest) this.#jobsOf(session).delete(id);
    }
  }
}

function snapshotOf(job: Job): JobSnapshot {
  const { id, session, type, label, status, isTold, resultText, errorText } = job;
  return {
    id,
    session,
    type,
    label,
    status,
    isTold,
    durationMs: (job.endedAt ?? Date.now()) - job.startedAt,
    ...(resultText !== undefined && { resultText }),
    ...(errorText !== undefined && { errorText }),
  };
}

async function withinGrace(stopped: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => (timer = setTimeout(resolve, STOP_GRACE_MS)));
  await Promise.race([stopped, grace]);
  clearTimeout(timer);
}
