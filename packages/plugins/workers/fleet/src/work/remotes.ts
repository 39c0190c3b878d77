/** Which remotes a machine fetches from. Their addresses come over the database: whoever may write there names them. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isInside } from '@tenon/host';

/** What its owner allows; undefined for no remotes at all. */
export interface RemotePolicy {
  /** Folders in which remotes with `file://` may lie: by default none, because every repository of the machine would be one. */
  readonly folders: readonly string[];
}

/** The policy that the settings of a machine give. */
export function remotePolicy(settings: {
  readonly workspaces: 'bundle' | 'remote';
  readonly remoteFolders: readonly string[];
}): RemotePolicy | undefined {
  return settings.workspaces === 'remote' ? { folders: settings.remoteFolders } : undefined;
}

/** Why a remote is not fetched from; undefined when it is. */
export function remoteProblem(url: string, policy: RemotePolicy | undefined): string | undefined {
  if (policy === undefined) return 'this host fetches from no remotes (its setting `fleet.workspaces`)';
  if (/^(?:https|ssh|git):\/\//.test(url) || /^git@[\w.-]+:/.test(url)) return undefined;
  // Git takes a path for the same.
  if (!url.startsWith('file://')) return 'its remote is not an address that Tenon fetches from';
  const place = realPlace(() => fileURLToPath(url));
  const isAllowed = policy.folders.some((folder) => {
    const real = realPlace(() => folder);
    return place !== undefined && real !== undefined && isInside(place, real);
  });
  return isAllowed ? undefined : `its remote lies in no folder of its setting \`fleet.remoteFolders\``;
}

/** Where a path leads, links followed; undefined when it leads nowhere. */
function realPlace(path: () => string): string | undefined {
  try {
    return realpathSync(path());
  } catch {
    return undefined; // What is not there is in no folder.
  }
}
