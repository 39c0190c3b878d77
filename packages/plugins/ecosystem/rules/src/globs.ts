/** Which files a rule is about. */
import { relative } from 'node:path';
import { isBelow } from '@tenon/host';
import picomatch from 'picomatch';
import { timeBoxed } from './time-box.ts';

const MAX_GLOB = 300;
const MAX_STARS = 24;

/** Says whether a file fits one of some globs. */
export type FileMatcher = (path: string) => boolean;

/**
 * A matcher for absolute paths. Globs are relative to the folder; one without a slash fits names anywhere, a leading `!`
 * takes files out. A glob that is longer than anybody needs fits nothing.
 */
export function fileMatcher(globs: readonly string[], cwd: string): FileMatcher {
  const usable = globs
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '' && glob.length <= MAX_GLOB && (glob.match(/\*/g)?.length ?? 0) <= MAX_STARS);
  const included = patternsOf(usable.filter((glob) => !glob.startsWith('!')));
  const excluded = patternsOf(usable.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)));
  if (included.length === 0) return () => false;
  const options = { dot: true, noextglob: true };
  const includes = picomatch(included, options);
  const excludes = excluded.length > 0 ? picomatch(excluded, options) : () => false;
  return (path) => {
    const shown = (isBelow(path, cwd) ? relative(cwd, path) : path).replaceAll('\\', '/').replace(/^\/+/, '');
    return timeBoxed(() => includes(shown) && !excludes(shown))?.value === true;
  };
}

function patternsOf(globs: readonly string[]): string[] {
  return globs.map((glob) => {
    const plain = glob.replace(/^\.\//, '').replace(/^\/+/, '');
    if (plain.endsWith('/')) return `${plain}**`;
    return glob.includes('/') ? plain : `**/${plain}`;
  });
}
