/** What other plugins may use: whether the user trusts the folder that Tenon works in. */
import { service } from '@tenon/kernel';

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
}

/**
 * Whether a folder is trusted. In one that is not, nothing that the project supplies may run: no command, hook, MCP server,
 * extension or program that fills in a variable.
 */
export interface WorkspaceTrust {
  /** What was decided about the folder, or about the nearest folder above it; unknown when new things to run have appeared since. */
  stateOf(folder: string): Promise<TrustState>;
  /**
   * True when the folder is trusted. Where that is unknown and somebody can answer, asks once and remembers the answer;
   * where nobody can, the answer is no. `what` completes "This folder wants to …".
   */
  ensure(folder: string, what: string): Promise<boolean>;
  /** Trusts a folder and everything below it. The home folder and the root need `force`. */
  grant(folder: string, options?: { readonly force?: boolean }): Promise<TrustRecord>;
  /** Takes trust back, also where a folder above is trusted. */
  revoke(folder: string): Promise<TrustRecord>;
  /** Everything that was decided. */
  list(): Promise<readonly TrustRecord[]>;
}

/** Whether the user trusts a folder. */
export const workspaceTrust = service<WorkspaceTrust>('workspace-trust');
