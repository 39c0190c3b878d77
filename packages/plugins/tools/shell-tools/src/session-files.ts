/** The folders in which Tenon keeps files of a session, for its commands to read. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { spillFolder } from '@tenon/tools/api';
import type { UrlRouter } from '@tenon/urls/api';

/**
 * They are made where they can be: what is shown to a sandbox must be there when it starts, and files come later. They hold
 * nothing but outputs and notes of this session, and outputs of calls in the same folder.
 */
export async function sessionFolders(
  router: UrlRouter | undefined,
  scope: { readonly session: string; readonly cwd: string },
  stateFolder: string,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(5_000);
  const isKnown = router?.schemeOf('local://file') !== undefined;
  const local = isKnown ? await router?.locate('local://file', { signal, scope }) : undefined;
  // Artifacts lie beside the folder of `local://`.
  const folders = [...(local === undefined ? [] : [dirname(dirname(local))]), spillFolder(scope.cwd, stateFolder)];
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  return folders.filter((folder) => existsSync(folder));
}
