/** Whether a path is one that was named, by itself, by its folder or by a glob. */
import type { Scope } from './scope.ts';

/** True for a path that a file, folder or glob covers. */
export function covers(pattern: string, path: string): boolean {
  if (pattern === '.' || pattern === '' || pattern === path) return true;
  if (!/[*?{[]/.test(pattern)) return path.startsWith(`${pattern}/`);
  return globPattern(pattern).test(path);
}

/** True for a path that a request wants left out. */
export function isExcluded(path: string, { without = [] }: Scope): boolean {
  return without.some((pattern) => covers(pattern, path));
}

/** True for a path that a request is about. */
export function isInScope(path: string, scope: Scope): boolean {
  const isNamed = scope.paths.length === 0 || scope.paths.some((pattern) => covers(pattern, path));
  return isNamed && !isExcluded(path, scope);
}

function globPattern(glob: string): RegExp {
  let depth = 0;
  const source = glob.replace(/\*\*\/?|\*|\?|\{|\}|,|[.+^$()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token === '{') return (depth++, '(?:');
    if (token === '}') return (depth--, ')');
    if (token === ',') return depth > 0 ? '|' : ',';
    return `\\${token}`;
  });
  // A bare `*.ts` means everywhere.
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${source}$`);
}
