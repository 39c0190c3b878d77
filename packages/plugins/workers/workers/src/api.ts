/** What others may use of workers: what an adapter is, the events that every CLI's output becomes, and the registry of adapters. */
import { type JsonSchema, service, slot } from '@tenon/kernel';
import type { WorkerSpec } from './spec.ts';

export type * from './spec.ts';
export type * from './events.ts';
export { errors } from './errors.ts';
export { fitOptions } from './command/options.ts';
export { COMMON_DROP } from './command/environment.ts';
export type { AgentContract, ContractOptions, OfferedTool, ToolSurface } from './contract/contract.ts';
import type { AgentContract, ContractOptions } from './contract/contract.ts';
import type { WorkerEvent, WorkerExit, WorkerOutcome, WorkerTotals, WorkerUsage } from './events.ts';

/** What a worker is to do, whichever CLI it is. */
export interface WorkerTask {
  readonly prompt: string;
  /** The folder that it works in. */
  readonly cwd: string;
  readonly model?: string;
  /** Instructions: given as the CLI's own system prompt where it takes one, else put before the prompt. */
  readonly systemPrompt?: string;
  /** Skips the CLI's permission questions; true when absent, because nobody can answer them. */
  readonly yolo?: boolean;
  /** More folders that the worker may read and write: the run's exchange folder, for example. */
  readonly folders?: readonly string[];
  /** The final answer must match this schema. */
  readonly schema?: JsonSchema;
  /** More words for its command line. */
  readonly extraArgs?: readonly string[];
  /** Options of this CLI alone, checked against `spec.options`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** MCP servers to offer: Tenon's own tools, for example. */
  readonly mcp?: Readonly<Record<string, McpLaunch>>;
  /** The CLI's own session: `resume` goes on with it, `preset` gives a new one this id where the CLI can. */
  readonly session?: { readonly id: string; readonly how: 'resume' | 'preset' };
  /** A folder for files that the command line names; it exists, is the worker's alone, and is removed afterwards. */
  readonly scratch: string;
}

/** How an MCP server is started. */
export interface McpLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A file that must be there before the worker starts. */
export interface WorkerFile {
  readonly path: string;
  readonly text: string;
}

/** A program to start. Its standard input is /dev/null: several CLIs wait for ever on an open pipe. */
export interface WorkerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables to set, or to remove where undefined. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files to write first, all of them in the task's scratch folder. */
  readonly files?: readonly WorkerFile[];
}

/** Understands the output of one process of a CLI. The same chunks give the same events, however they are cut. */
export interface WorkerParser {
  /** Set when something must be loaded before `end` is called: the check of the schema. */
  readonly ready?: Promise<void>;
  /** Takes the next piece of output; it may end anywhere, also inside of a line. */
  push(piece: string, stream: 'stdout' | 'stderr'): readonly WorkerEvent[];
  /** The process has ended and all its output was pushed. */
  end(exit: WorkerExit): WorkerOutcome;
}

/** What a parser must know of the run before it. */
export interface ParserContext {
  /** What earlier processes of the same CLI session have used: some CLIs report the sum. */
  readonly before?: WorkerTotals;
  /** Set when the answer must match a schema. */
  readonly schema?: JsonSchema;
  /** The clock, for sentences such as "try again in 5m"; the system's when absent. */
  now?(): Date;
}

/** Where and for what an adapter prepares a process. */
export interface PreparePlace {
  readonly scratch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of the run's own for what the next process of the run needs; it may not be there yet. */
  readonly kept?: string;
  /** What a person has answered to the questions of the last process. */
  readonly answers?: readonly { readonly id: string; readonly answer: string }[];
}

/** What was prepared. */
export interface Prepared {
  /** Variables to set. */
  readonly env: Readonly<Record<string, string>>;
  /** More folders that the worker writes to. */
  readonly folders?: readonly string[];
  clean(): Promise<void>;
}

/** Drives one coding CLI. */
export interface WorkerAdapter {
  readonly spec: WorkerSpec;
  /** The words that start it, for one that is not searched in PATH: Tenon itself. */
  start?(): readonly [string, ...string[]];
  /** The command line of a run, or of a resumed one when the task names a session to resume. */
  command(task: WorkerTask): WorkerCommand;
  /** The CLI's own screen on one of its sessions, for a person who takes over. Absent where the CLI cannot. */
  interactive?(session: string, task: Pick<WorkerTask, 'cwd' | 'model' | 'scratch'>): WorkerCommand;
  parser(context: ParserContext): WorkerParser;
  /** Makes folders of its own before the start (kimi's home), after the command's files were written. `clean` runs after the process, however it ended. */
  prepare?(place: PreparePlace): Promise<Prepared>;
  /** Finds the session of a process that was stopped before it told it. */
  findSession?(place: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly since: Date;
  }): Promise<string | undefined>;
  /** Counts what a process used, where the CLI says it only in files of its own (`usage: 'file'`). */
  findUsage?(place: {
    readonly session: string;
    readonly env: NodeJS.ProcessEnv;
    readonly since: Date;
  }): Promise<WorkerUsage | undefined>;
}

/** An adapter whose code is loaded when it is first used. */
export interface LazyWorker {
  load(): Promise<WorkerAdapter>;
}

/** Adapters by name. The data of an entry is the short form of its {@link WorkerSpec}: name, program, vendor. */
export const workers = slot<WorkerAdapter | LazyWorker>('workers');

/** Finds adapters: built-in ones, those of packs, and those that settings describe. */
export interface WorkerRegistry {
  list(): Promise<readonly WorkerAdapter[]>;
  /** Throws `WORKERS_UNKNOWN` with a suggestion. */
  find(name: string): Promise<WorkerAdapter>;
  /** Where its program is, searched in PATH as a shell would; undefined when it is not installed. */
  locate(adapter: WorkerAdapter): Promise<string | undefined>;
  /** The first installed one in the order of `workers.prefer`; Tenon itself when no other is there. */
  preferred(): Promise<WorkerAdapter>;
  /** Starts a probe beside a run: is the CLI there, is its key valid, how much of the rate limit is left. Never throws. */
  diagnose(adapter: WorkerAdapter, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<DiagnosticReport>;
  /** Tenon's own tools as they are offered to workers over MCP, with how the server is started. */
  contract(options?: ContractOptions): Promise<AgentContract>;
}

/** What a probe has found. */
export interface DiagnosticReport {
  readonly worker: string;
  /** ISO 8601. */
  readonly at: string;
  readonly checks: readonly DiagnosticCheck[];
}

/** One finding. */
export interface DiagnosticCheck {
  readonly id: 'cli-installed' | 'key-valid' | 'rate-limit';
  readonly status: 'pass' | 'fail' | 'skip';
  /** One sentence for people, with what to do next when it failed. */
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Adapters, and where their programs are. */
export const workerRegistry = service<WorkerRegistry>('worker-registry');
