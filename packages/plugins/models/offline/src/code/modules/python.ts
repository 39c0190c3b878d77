/** Which file an import of Python means. */
import { folderOf, foldersUp, joinPath, stemOf } from './paths.ts';
import type { ModuleMap } from './module-map.ts';

/** Imports of Python; `namesakes` are all files that share the name of the declaring one. */
export function pythonModules(namesakes: readonly string[]): ModuleMap {
  return {
    sharesNames: false,
    laterHides: true,
    idOf: ({ path }) => path,
    resolve(from, { path }) {
      const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(from) ?? [];
      const inside = rest.replaceAll('.', '/');
      if (dots !== '') {
        const folder = joinPath(folderOf(path), '../'.repeat(dots.length - 1));
        return filesFor(folder, inside);
      }
      // A script finds what lies beside it, a package what lies beside the outermost package.
      const roots = foldersUp(folderOf(path)).flatMap((folder) => [folder, joinPath(folder, 'src')]);
      const candidates = [...new Set(roots.flatMap((root) => filesFor(root, inside)))];
      const matches = namesakes.filter((file) => candidates.includes(file));
      if (matches.length > 1) return 'unknown';
      const isElsewhere = matches.length === 0 && namesakes.some((file) => endsLike(file, inside));
      return isElsewhere ? 'unknown' : candidates;
    },
  };
}

function filesFor(folder: string, inside: string): string[] {
  if (inside === '') return [joinPath(folder, '__init__.py'), joinPath(folder, '__init__.pyi')];
  return ['.py', '.pyi', '/__init__.py', '/__init__.pyi'].map((end) => joinPath(folder, `${inside}${end}`));
}

function endsLike(file: string, inside: string): boolean {
  return [`${inside}.py`, `${inside}/__init__.py`].some((end) => file === end || file.endsWith(`/${end}`));
}

/** Globs for the files that share the module name of a file. */
export function namesakesOf(path: string): string[] {
  const module = stemOf(path) === '__init__' ? stemOf(folderOf(path)) : stemOf(path);
  return [`**/${module}.py`, `**/${module}/__init__.py`];
}
