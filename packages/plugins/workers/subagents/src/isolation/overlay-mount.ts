/** Mounts a folder over another one: reads come from below, writes go to a folder of their own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findInPath, isInside } from '@tenon/host';

/**
 * `kernel` needs the right to mount, which only root has: a mount in a user namespace is not seen by this process. `fuse` works for everybody
 * where fuse-overlayfs and /dev/fuse are there.
 */
export type OverlayKind = 'kernel' | 'fuse';

/** The folders of an overlay. */
export interface OverlayFolders {
  readonly lower: string;
  readonly upper: string;
  readonly work: string;
  readonly merged: string;
}

/** Those of a workspace. */
export function overlayFolders(open: string, lower: string): OverlayFolders {
  return { lower, upper: join(open, 'upper'), work: join(open, 'work'), merged: join(open, 'tree') };
}

const UNMOUNT_TRIES = 20;

/** Mounts it in the first way that works. Gives the way, or why none does. */
export async function mountOverlay(
  folders: OverlayFolders,
  kinds: readonly OverlayKind[] = ['kernel', 'fuse'],
): Promise<{ readonly kind: OverlayKind } | { readonly reason: string }> {
  if (process.platform !== 'linux') return { reason: 'overlays are a feature of Linux' };
  const { lower, upper, work, merged } = folders;
  if ([lower, upper].some((path) => /[,:\\"\n]/.test(path)))
    return { reason: 'a folder with a comma, colon, quote or backslash in its name cannot be mounted' };
  if (isInside(upper, lower)) return { reason: `Tenon's own folders are inside of ${lower}` };
  for (const path of [upper, work, merged]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  const reasons: string[] = [];
  for (const kind of kinds) {
    const reason = kind === 'kernel' ? await mountByKernel(layers, merged) : await mountByFuse(layers, merged);
    if (reason === undefined && (await isMounted(merged))) return { kind };
    reasons.push(reason ?? 'the mount did not appear');
  }
  return { reason: reasons.join('; ') };
}

async function mountByKernel(layers: string, merged: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root may mount overlays of the kernel';
  // Renamed folders must lie in the upper folder with everything in them.
  const options = `${layers},redirect_dir=off,metacopy=off,index=off`;
  return run('mount', ['-t', 'overlay', 'tenon', '-o', options, merged]);
}

async function mountByFuse(layers: string, merged: string): Promise<string | undefined> {
  const program = findInPath('fuse-overlayfs', process.env);
  if (program === undefined) return 'fuse-overlayfs is not installed';
  if (!existsSync('/dev/fuse')) return 'there is no /dev/fuse';
  return run(program, ['-o', layers, merged]);
}

/** Unmounts a folder; true when nothing is mounted there any more. */
export async function unmountOverlay(merged: string): Promise<boolean> {
  for (let attempt = 0; attempt < UNMOUNT_TRIES && (await isMounted(merged)); attempt++) {
    if (attempt > 0) await sleep(25 * attempt);
    // A program that still has it open keeps the mount for itself alone then.
    const lazy = attempt > 5;
    const isFailed =
      process.getuid?.() === 0
        ? await run('umount', [...(lazy ? ['-l'] : []), merged])
        : await run('fusermount3', ['-u', ...(lazy ? ['-z'] : []), merged]);
    if (isFailed === undefined) continue;
  }
  return !(await isMounted(merged));
}

/** Every mount at or below a folder, the innermost first. */
export function mountsIn(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const points = lines.map((line) =>
    (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    ),
  );
  const decoded = points.map((point) => Buffer.from(point, 'latin1').toString());
  return decoded.filter((point) => point !== '' && isInside(point, folder)).sort((a, b) => b.length - a.length);
}

async function isMounted(folder: string): Promise<boolean> {
  return mountsIn(folder).includes(folder);
}

/** Nothing when it worked, else what it said. */
function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 15_000 }, (fault, _out, err) =>
      resolve(fault ? err.trim().split('\n').at(-1) || fault.message : undefined),
    );
  });
}
