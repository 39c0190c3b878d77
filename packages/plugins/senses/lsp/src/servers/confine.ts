/** The sandbox of servers and checkers: they read the workspace and write caches; files are changed by Tenon, with approval. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { type Confinement, type Sandboxes, UNCONFINED } from '@tenon/sandbox/api';
import type { FittingServer } from './fit.ts';

/** What a sandbox is made of. */
export interface ConfineHost {
  readonly folders: Folders;
  readonly env: NodeJS.ProcessEnv;
  sandboxes(): Promise<Sandboxes | undefined>;
}

/** The confinement of a server's program and its environment. */
export async function confine(
  host: ConfineHost,
  { name, data, root }: FittingServer,
  reads: readonly string[],
): Promise<{ confinement: Confinement; env: NodeJS.ProcessEnv }> {
  const cache = join(host.folders.cache, 'lsp', name.replace(/[^\w.-]/g, '_'));
  const sandboxes = await host.sandboxes();
  const isConfined = sandboxes !== undefined && (await sandboxes.profileFor({ cwd: root })) !== 'full';
  if (!isConfined)
    return {
      confinement: (await sandboxes?.wrap({ cwd: root, profile: 'full' })) ?? UNCONFINED,
      env: { ...host.env, ...data.env },
    };
  await mkdir(cache, { recursive: true, mode: 0o700 });
  // Every sandbox has a folder for temporary files of its own; a script that lies in the real one must be seen all the same.
  const scripts = (data.args ?? []).filter((word) => isAbsolute(word) && existsSync(word)).map((word) => dirname(word));
  const extraRead = [...reads, ...scripts];
  const confinement = await sandboxes.wrap({ cwd: root, profile: 'read-only', extraRead, extraWrite: [cache] });
  const caches = { XDG_CACHE_HOME: cache, CARGO_TARGET_DIR: join(cache, 'target'), GOCACHE: join(cache, 'go-build') };
  return { confinement, env: { ...host.env, ...caches, ...data.env } };
}
