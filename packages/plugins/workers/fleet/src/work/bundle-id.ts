/** The names of bundles in the database. */
import type { RunWorkspace } from '@tenon/runs/api';

/** Where most of a workspace is fetched from. */
export interface Remote {
  readonly url: string;
  /** What the remote has; the bundle holds the rest. */
  readonly commit: string;
}

/** The remote of a workspace. */
export function remoteOf({ remote }: RunWorkspace): Remote | undefined {
  return remote === undefined ? undefined : (JSON.parse(remote) as Remote);
}

/** The bundle of a workspace. Not the name of the commit alone: the same commit may be the work of another run, whose bundle holds less. */
export function bundleIdOf(workspace: RunWorkspace): string {
  const remote = remoteOf(workspace);
  return remote ? `base-${workspace.base}-${remote.commit}` : `base-${workspace.base}`;
}

/** The bundle of the work of a run: what its commit has beyond its workspace. */
export function workIdOf(base: string, commit: string): string {
  return `work-${base}-${commit}`;
}
