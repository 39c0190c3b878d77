/** Which module a path of Rust means. */
import { folderOf, joinPath, stemOf } from './paths.ts';
import type { ModuleMap } from './module-map.ts';

/** A line that declares a module: `mod a;` has a file, `mod a {` has not. */
export interface ModLine {
  readonly path: string;
  readonly name: string;
  readonly hasFile: boolean;
  /** The file that `#[path = "…"]` names. */
  readonly file?: string;
}

/** What has to be known of the project. */
export interface RustProject {
  readonly mods: readonly ModLine[];
  /** Packages, by the names that other crates use, and their folders. */
  readonly packages: readonly { readonly name: string; readonly folder: string }[];
}

interface Module {
  readonly file: string;
  readonly inner: readonly string[];
}

const idOf = ({ file, inner }: Module) => [file, ...inner].join('::');
const OUTSIDE = /^(?:std|core|alloc|proc_macro|test)$/;

/** Paths of Rust. */
export function rustModules({ mods, packages }: RustProject): ModuleMap {
  const declared = mods.filter(({ hasFile }) => hasFile);
  const parentsOf = (file: string) => declared.filter((mod) => filesOf(mod, isRoot(mod.path)).includes(file));
  const isRoot = (file: string): boolean =>
    /^(?:main|lib|mod)$/.test(stemOf(file)) ||
    !declared.some((mod) => mod.path !== file && [true, false].some((isTop) => filesOf(mod, isTop).includes(file)));
  const rootsOf = (file: string, trail: readonly string[] = []): string[] => {
    const parents = trail.includes(file) ? [] : parentsOf(file);
    return parents.length === 0 ? [file] : [...new Set(parents.flatMap(({ path }) => rootsOf(path, [...trail, file])))];
  };
  const parentOf = ({ file, inner }: Module): Module[] =>
    inner.length > 0
      ? [{ file, inner: inner.slice(0, -1) }]
      : parentsOf(file).map(({ path }) => ({ file: path, inner: [] }));
  const childrenOf = ({ file, inner }: Module, name: string): Module[] | 'unknown' => {
    const here = mods.filter((mod) => mod.path === file && mod.name === name);
    if (here.length === 0) return /^\p{Lu}/u.test(name) ? [] : 'unknown';
    return here.flatMap((mod): Module[] =>
      mod.hasFile
        ? filesOf(mod, isRoot(file)).map((child) => ({ file: child, inner: [] }))
        : [{ file, inner: [...inner, name] }],
    );
  };
  const start = (word: string, at: Module): Module[] | 'unknown' => {
    if (word === 'crate') return rootsOf(at.file).map((file) => ({ file, inner: [] }));
    if (word === 'self') return [at];
    if (word === 'super') return parentOf(at);
    const child = childrenOf(at, word);
    if (child !== 'unknown' && child.length > 0) return child;
    const own = packages.filter(({ name }) => name === word);
    return own.map(({ folder }) => ({ file: joinPath(folder, 'src/lib.rs'), inner: [] }));
  };
  return {
    sharesNames: false,
    idOf: ({ path }, inner) => idOf({ file: path, inner }),
    resolve(from, { path }, inner) {
      const [first = '', ...rest] = from.split('::');
      if (OUTSIDE.test(first)) return [];
      let modules: Module[] | 'unknown' = start(first, { file: path, inner });
      for (const word of rest) {
        if (modules === 'unknown') return 'unknown';
        const next: (Module[] | 'unknown')[] = modules.map((module) =>
          word === 'super' ? parentOf(module) : childrenOf(module, word),
        );
        if (next.includes('unknown')) return 'unknown';
        modules = (next as Module[][]).flat();
      }
      return modules === 'unknown' ? 'unknown' : modules.map(idOf);
    },
  };
}

/** Where the file of a module can be. */
function filesOf({ path, name, file }: ModLine, isRoot: boolean): string[] {
  if (file !== undefined) return [joinPath(folderOf(path), file)];
  const folder = isRoot ? folderOf(path) : joinPath(folderOf(path), stemOf(path));
  return [joinPath(folder, `${name}.rs`), joinPath(folder, `${name}/mod.rs`)];
}
