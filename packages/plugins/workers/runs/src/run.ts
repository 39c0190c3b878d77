/** A run and its parts, as they are stored and shown. Times are ISO 8601. */
import type { JsonSchema } from '@tenon/kernel';
import type { ValidationResult } from '@tenon/validation/api';
import type {
  DiagnosticReport,
  WorkerEvent,
  WorkerExit,
  WorkerFault,
  WorkerTotals,
  WorkerUsage,
} from '@tenon/workers/api';

/** What the worker is asked for; each has its prompt. */
export type RunMode = 'execute' | 'discuss' | 'plan' | 'detail' | 'refine';

/** What to run. */
export interface RunRequest {
  readonly task: string;
  readonly cwd: string;
  /** A worker's name; the preferred one when absent. */
  readonly worker?: string;
  readonly mode?: RunMode;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** Options of the worker's CLI alone. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly extraArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly worktree?: 'auto' | boolean;
  /** Builds and tests afterwards; true when absent. */
  readonly validate?: boolean;
  readonly sandbox?: 'auto' | 'off';
  readonly schema?: JsonSchema;
  /** Files that the worker finds in its input folder: contents by name. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Files and folders that it finds, read-only, in its context folder. */
  readonly context?: readonly string[];
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** An account's id; the next one when absent. */
  readonly account?: string;
  /** Skips the CLI's own permission questions; true when absent. Else what it would ask about is refused, because nobody is there. */
  readonly yolo?: boolean;
  /** Offers Tenon's own tools over MCP; `raw`: all of them, under their own names. */
  readonly offerTools?: boolean | 'raw';
  /** True when it stays open for messages after it is done. */
  readonly interactive?: boolean;
  /** Where it waits for a worker: `local`, or the name of another queue. The setting `runs.queue` when absent. */
  readonly queue?: string;
  /** Labels that the host must have, in a queue with several hosts. */
  readonly labels?: readonly string[];
  /** Higher ones begin before others that wait in the same queue; 0 when absent. */
  readonly priority?: number;
  /** What another host works on: set by the queue. */
  readonly workspace?: RunWorkspace;
  /** Its id, chosen by the caller. Begun twice, it is one run: for those who may be killed between asking for a run and writing down that they did. */
  readonly key?: string;
}

/** A state of a repository that travels to another host. */
export interface RunWorkspace {
  /** The commit that holds it, also what was not committed. */
  readonly base: string;
  /** The folder in the repository where the run begins; empty for its top. */
  readonly below: string;
  /** A name for the repository that is the same for all who use it. */
  readonly repository: string;
  /** Where hosts fetch most of it from; absent when all of it travels. */
  readonly remote?: string;
}

/** Where a run stands. */
export type RunState =
  | 'queued'
  | 'starting'
  | 'running'
  | 'waiting'
  | 'validating'
  | 'hijacked'
  | 'done'
  | 'failed'
  | 'cancelled';

/** States from which a run moves only when somebody asks for it. */
export const ENDED_STATES: readonly RunState[] = ['done', 'failed', 'cancelled'];

/** A run. */
export interface Run {
  readonly id: string;
  /** Adjective and animal: `brisk-otter`. */
  readonly alias: string;
  readonly request: RunRequest;
  readonly worker: string;
  readonly state: RunState;
  /** The folder that it works in: the worktree, or the request's folder. */
  readonly folder: string;
  readonly worktree?: RunWorktree;
  /** The host that works on it, or did last, in a queue with several. */
  readonly host?: string;
  /** The commit with its work, which a queue keeps until somebody takes it over. */
  readonly work?: string;
  /** The number of its newest session; 0 before the first. */
  readonly session: number;
  /** How often it was tried; a resumed session is no new attempt. */
  readonly attempt: number;
  /** What its next session is for; there while the run is queued or starting. */
  readonly next?: RunNext;
  /** The CLI's own session id, once it is known. */
  readonly cliSession?: string;
  readonly account?: string;
  /** Accounts that have failed in this attempt. */
  readonly failedAccounts?: readonly string[];
  readonly created: string;
  readonly started?: string;
  readonly ended?: string;
  /** The final answer, and its data when a schema was asked for. */
  readonly result?: { readonly text: string; readonly structured?: unknown };
  readonly error?: { readonly fault: WorkerFault; readonly message: string };
  /** What the probe found, when the run failed. */
  readonly diagnostics?: DiagnosticReport;
  readonly validation?: ValidationResult;
  /** All sessions together. */
  readonly usage: WorkerUsage;
  readonly cost?: number;
  /** What the sandbox was, or that it was switched off, and by whom. */
  readonly sandbox: string;
}

/** Why a worker is started, and with what. */
export interface RunNext {
  readonly reason: RunSession['reason'];
  /** The number of the message that is sent. */
  readonly message?: number;
  /** The worker's own session is not gone on with: it gets the whole task again. */
  readonly isFresh?: boolean;
}

/** The worktree of a run. */
export interface RunWorktree {
  readonly name: string;
  readonly folder: string;
  readonly base: string;
  readonly branch?: string;
}

/** One process of a run: the first, and one for each time it was gone on with. */
export interface RunSession {
  readonly run: string;
  /** 1, 2, … */
  readonly number: number;
  readonly attempt: number;
  readonly reason: 'start' | 'answer' | 'message' | 'retry' | 'missing-signal' | 'account' | 'release';
  readonly pid?: number;
  /** When the process was started, by the system's clock: tells it from another with the same id. */
  readonly mark?: string;
  readonly started: string;
  readonly ended?: string;
  readonly exitCode?: number;
  readonly exitSignal?: string;
  readonly stoppedFor?: NonNullable<WorkerExit['stoppedFor']>;
  readonly account?: string;
  /** The CLI's own session that it goes on with. */
  readonly resumes?: string;
  /** The CLI's own session, once it is known. */
  readonly cliSession?: string;
  /** What the CLI says that its session has used so far, this process included. */
  readonly totals?: WorkerTotals;
  readonly usage?: WorkerUsage;
  readonly cost?: number;
}

/** A piece of what a run wrote. */
export interface RunOutput {
  /** Its place in the log of all runs, which it shares with the events. */
  readonly place: number;
  readonly run: string;
  readonly session: number;
  /** 1, 2, … in its session, over all streams. */
  readonly sequence: number;
  readonly at: string;
  readonly stream: 'stdout' | 'stderr' | 'validation';
  readonly text: string;
}

/** Something that became of a run, with its place in the log of all runs. */
export interface RunEvent {
  /** Grows with every event and every piece of output of every run. */
  readonly place: number;
  readonly run: string;
  readonly session: number;
  readonly at: string;
  readonly what: RunEventBody;
}

/** What somebody who follows a run sees, in order: output, and what became of the run. */
export type RunNews =
  | { readonly type: 'output'; readonly output: RunOutput }
  | { readonly type: 'event'; readonly event: RunEvent };

/** What an event says. */
export type RunEventBody =
  | { readonly type: 'state'; readonly state: RunState; readonly message?: string }
  | { readonly type: 'worker'; readonly event: WorkerEvent }
  | { readonly type: 'questions'; readonly questions: readonly Omit<RunQuestion, 'run' | 'session'>[] }
  | { readonly type: 'account-switched'; readonly from?: string; readonly to: string; readonly reason: string }
  | { readonly type: 'validation'; readonly state: string }
  | { readonly type: 'notice'; readonly message: string };

/** A question of a worker. */
export interface RunQuestion {
  readonly run: string;
  readonly session: number;
  readonly id: string;
  readonly text: string;
  readonly options?: readonly string[];
  readonly answer?: string;
}

/** A message for a run's thread. */
export interface RunMessage {
  readonly run: string;
  readonly number: number;
  readonly text: string;
  readonly state: 'queued' | 'sent' | 'dropped';
}
