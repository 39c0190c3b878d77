/** What is known about a CLI as data: enough to list it, check it and describe it without running it. */
import type { JsonSchema } from '@tenon/kernel';

/** A CLI. */
export interface WorkerSpec {
  /** Its key in the slot: `claude`. */
  readonly id: string;
  /** For people: `Claude Code`. */
  readonly name: string;
  /** The program, searched in PATH. */
  readonly program: string;
  readonly homepage?: string;
  /** One command that installs it. */
  readonly install?: string;
  /** Arguments that print the version. */
  readonly versionArgs: readonly string[];
  /** Whose accounts it uses: `anthropic`, `openai`… Accounts are kept under this name. */
  readonly vendor: string;
  /** Hosts that it must reach, as the sandbox's list writes them (`*.anthropic.com`). */
  readonly hosts: readonly string[];
  /** Folders and files of its own that it reads and writes; `~/` is the home folder, `$NAME` a variable that moves it. */
  readonly state: readonly StatePlace[];
  /** Its own files in a project that it cannot bear to find as an empty folder; the sandbox does not hold their names while they are missing. */
  readonly projectFiles?: readonly string[];
  /** Variables with its keys: given to it, and to no other worker. */
  readonly keyVariables: readonly string[];
  /** Variables that are no secrets, although a sandbox takes them for such by their names: where its server is, for example. */
  readonly keepVariables?: readonly string[];
  /** Variables that are removed from its environment; added to those that every worker loses. */
  readonly dropVariables?: readonly string[];
  /** Variables that are always set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of this CLI alone: a JSON Schema of an object, each with a description and, as `x-flag`, today's flag. */
  readonly options: JsonSchema;
  readonly capabilities: WorkerCapabilities;
  /** How its key is checked, where that can be. */
  readonly probe?: KeyProbe;
  /** Tools of this CLI whose effects stay when a run is tried again: names, or prefixes ending in `*`. */
  readonly sideEffects: readonly string[];
  /** True when it was tried with the real program; the reference says so. */
  readonly verified?: string;
}

/** A folder or file of a CLI's own. */
export interface StatePlace {
  /** `~/` is the home folder; `$config` and `$data` are Tenon's own folders. */
  readonly path: string;
  /** Its programs must not change it: others run what it names. */
  readonly access?: 'read';
  /**
   * Names in it that a worker in a sandbox must not change, because the user's own use of the CLI runs or obeys them: settings, hooks,
   * plugins. With the text of a file that stands there while there is none; `null` for a folder; `false` where it cannot bear either, so that
   * only what is there is held. `*` stands for any part of a name that is there.
   */
  readonly closed?: Readonly<Record<string, string | null | false>>;
  /** The variable that moves it: `CODEX_HOME`. */
  readonly variable?: string;
}

/** How the validity of a key is found out without spending tokens. */
export interface KeyProbe {
  /** `format`: only its shape is looked at. */
  readonly kind: 'format' | 'http' | 'none';
  readonly pattern?: string;
  /** The variables that may hold the key, in the order in which the CLI reads them; all key variables when absent. */
  readonly variables?: readonly string[];
  readonly url?: string;
  /** The variable that names another server, and the path of the request there. */
  readonly base?: { readonly variable: string; readonly path: string };
  /** The header that carries the key; `{key}` stands for it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A command that shows another way of being logged in: `gcloud auth print-access-token`. */
  readonly fallback?: readonly string[];
}

/** What a CLI can do, in one form for all. */
export interface WorkerCapabilities {
  /** Bumped by hand when the meaning of a field changes. */
  readonly version: 1;
  /** How its output is read. */
  readonly output: 'events' | 'text';
  /** How a session is gone on with. */
  readonly resume: 'id' | 'latest' | 'none';
  /** Whether a new session can be given an id beforehand. */
  readonly presetSession: boolean;
  /** Whether its own screen can be opened on a session. */
  readonly interactive: boolean;
  readonly systemPrompt: 'flag' | 'prompt';
  readonly structuredOutput: 'native' | 'prompt' | 'none';
  readonly models: boolean;
  readonly images: boolean;
  readonly mcp: 'flag' | 'file' | 'none';
  readonly addFolders: boolean;
  readonly usage: 'run' | 'session-sum' | 'file' | 'none';
  readonly cost: boolean;
  /** Whether it has a sandbox of its own. */
  readonly ownSandbox: boolean;
  /** Skipping questions: by a flag, always, or never. */
  readonly yolo: 'flag' | 'always' | 'never';
  /** Its built-in tools. */
  readonly tools: readonly WorkerTool[];
}

/** A tool of a CLI. */
export interface WorkerTool {
  readonly name: string;
  readonly kind: 'read' | 'write' | 'exec' | 'net' | 'plan' | 'other';
  readonly description?: string;
}
