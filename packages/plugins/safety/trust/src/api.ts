/** What other plugins may use: whether the user trusts the folder that Tenon works in. */
import { service } from '@tenon/kernel';
import type { TrustedContent } from './content/content-pins.ts';

export { errors } from './errors.ts';

/** `unknown` means that nobody was asked yet. */
export type TrustState = 'trusted' | 'untrusted' | 'unknown';

/** What the user decided about a folder and everything below it. */
export interface TrustRecord {
  /** The real path, without symbolic links. */
  readonly folder: string;
  readonly state: Exclude<TrustState, 'unknown'>;
  /** When it was decided, ISO 8601. */
  readonly since: string;
  /**
   * What was there then of the files that make Tenon run something (`.mcp.json`, `sub/.claude`, …), as paths from the folder.
   * Others that appear, in it or below, ask again.
   */
  readonly saw?: readonly string[];
  /** The bytes of what may run there; absent in records of older versions. */
  readonly content?: TrustedContent;
}

/** Something of a project that Tenon starts or obeys: a hook, a server, an extension, a policy. */
export interface ProjectProgram {
  /** What it is, for people: `the hook PreToolUse`, `the MCP server "db"`. Says which one it is within its file. */
  readonly name: string;
  /** The file that defines it. */
  readonly file: string;
  /** All that decides what runs: command, arguments, variables, address. Files of the project that it names belong to it. */
  readonly definition?: unknown;
  /** Where it starts, if that is not the folder of the project. */
  readonly cwd?: string | undefined;
  /** Files that it consists of beside those that the definition names. */
  readonly files?: readonly string[];
}

/**
 * Whether a folder is trusted. In one that is not, nothing that the project supplies may run: no command, hook, MCP server,
 * extension or program that fills in a variable.
 */
export interface WorkspaceTrust {
  /**
   * What was decided about the folder, or about the nearest folder above it; unknown when new things to run have appeared since,
   * or when one of `programs` is not what it was.
   */
  stateOf(folder: string, programs?: readonly ProjectProgram[]): Promise<TrustState>;
  /**
   * True when the folder is trusted. Where that is unknown and somebody can answer, asks once and remembers the answer;
   * where nobody can, the answer is no. `what` completes "This folder wants to …". With `programs`, right before they start:
   * trust holds for the bytes that were there, and a changed command or file is a new question.
   */
  ensure(folder: string, what: string, programs?: readonly ProjectProgram[]): Promise<boolean>;
  /**
   * Asks nobody about a folder and what is below it, until the returned function is called: for a copy that a subagent works in.
   * What the project supplies does not run there, because the subagent may have changed it.
   */
  neverAsk(folder: string): () => void;
  /** Remembers programs of a trusted folder as they are now, because the user has just agreed to them. */
  accept(folder: string, programs: readonly ProjectProgram[]): Promise<void>;
  /** What about programs of a trusted folder is not as it was, in words, each with the program; for messages. */
  changesIn(folder: string, programs: readonly ProjectProgram[]): Promise<readonly string[]>;
  /** Trusts a folder and everything below it. The home folder and the root need `force`. */
  grant(folder: string, options?: { readonly force?: boolean }): Promise<TrustRecord>;
  /** Takes trust back, also where a folder above is trusted. */
  revoke(folder: string): Promise<TrustRecord>;
  /** Everything that was decided. */
  list(): Promise<readonly TrustRecord[]>;
}

/** Whether the user trusts a folder. */
export const workspaceTrust = service<WorkspaceTrust>('workspace-trust');
