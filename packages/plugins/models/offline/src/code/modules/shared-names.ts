/** Go, Java and C: files that know each other's names because they belong together. */
import type { FileFacts } from '../facts.ts';
import { folderOf, joinPath, stemOf } from './paths.ts';
import type { ModuleMap } from './module-map.ts';

/** Packages of Go are folders; `modules` are the project's `go.mod` files. */
export function goModules(modules: readonly { readonly name: string; readonly folder: string }[]): ModuleMap {
  return {
    sharesNames: true,
    idOf: ({ path, module }) => `${folderOf(path)}${module.packageName?.endsWith('_test') ? '#test' : ''}`,
    resolve(from) {
      const own = modules.filter(({ name }) => from === name || from.startsWith(`${name}/`));
      if (own.length > 0) return own.map(({ name, folder }) => joinPath(folder, from.slice(name.length)));
      return modules.length === 0 ? 'unknown' : [];
    },
  };
}

/** Packages of Java say their own names. */
export function javaModules(): ModuleMap {
  return {
    sharesNames: true,
    idOf: ({ path, module }) => (module.packageName ? module.packageName : `folder ${folderOf(path)}`),
    resolve: (from) => [from],
  };
}

/** In C a header that declares the name joins the files that include it. */
export function cModules(home: string, files: readonly FileFacts[]): ModuleMap {
  const joined = new Set([home]);
  const includes = (file: FileFacts, other: FileFacts) =>
    (file.module.includes ?? []).some(
      (path) =>
        joinPath(folderOf(file.path), path) === other.path ||
        (stemOf(path) === stemOf(other.path) && other.path.endsWith(`/${path}`)),
    );
  for (let size = 0; size !== joined.size;) {
    size = joined.size;
    for (const file of files) {
      const isNear = files.some(
        (other) => joined.has(other.path) && (includes(file, other) || (includes(other, file) && declaresIt(file))),
      );
      if (isNear) joined.add(file.path);
    }
  }
  return {
    sharesNames: true,
    idOf: ({ path }) => (joined.has(path) ? 'joined' : path),
    resolve: () => [],
  };
}

function declaresIt({ bindings }: FileFacts): boolean {
  return bindings.some(({ level }) => level === 'module');
}
