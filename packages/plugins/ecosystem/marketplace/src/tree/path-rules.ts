/** Which paths a plugin's files may have: only such as mean the same on every system and lie inside of the plugin. */
import { DEVICE_NAME } from '../catalogue/names.ts';

const MAX_PATH_BYTES = 1_024;
const MAX_PART_BYTES = 255;
const MAX_DEPTH = 32;

/** What is wrong with a path of a file in a plugin; nothing when it is fine. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'a path is empty';
  const show = (reason: string) => `the path ${JSON.stringify(path.slice(0, 200))} ${reason}`;
  if (path.startsWith('/')) return show('is absolute');
  if (!path.isWellFormed()) return show('is not valid Unicode');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return show('is too long');
  const parts = path.split('/');
  if (parts.length > MAX_DEPTH) return show('is too deep');
  for (const part of parts) {
    const problem = partProblem(part);
    if (problem !== undefined) return show(problem);
  }
  return undefined;
}

function partProblem(part: string): string | undefined {
  if (part === '' || part === '.') return 'has empty parts';
  if (part === '..') return 'climbs out with ".."';
  if (Buffer.byteLength(part) > MAX_PART_BYTES) return 'has a part that is too long';
  // Control characters and marks of reading direction would show another name than the file has.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(part)) return 'has invisible characters';
  if (/[\\:*?"<>|]/.test(part)) return 'has characters that not every system allows';
  if (/[. ]$/.test(part)) return 'has a part that ends with a dot or space';
  if (/^\.git$/i.test(part) || /^git~\d+$/i.test(part)) return 'leads into a repository';
  return DEVICE_NAME.test(part) ? 'has the name of a device' : undefined;
}

/** Two paths with the same key are the same file on some systems. */
export function collisionKey(path: string): string {
  return path.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
