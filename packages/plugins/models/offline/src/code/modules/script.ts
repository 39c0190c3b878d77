/** Which file an import of JavaScript or TypeScript means. */
import { folderOf, joinPath, stemOf } from './paths.ts';
import type { ModuleMap } from './module-map.ts';

const EXTENSIONS = ['ts', 'tsx', 'mts', 'cts', 'd.ts', 'js', 'jsx', 'mjs', 'cjs'];
/** What a written extension can stand for, because TypeScript is imported by the name of what it becomes. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  js: ['js', 'ts', 'tsx', 'd.ts', 'jsx'],
  mjs: ['mjs', 'mts'],
  cjs: ['cjs', 'cts'],
  jsx: ['jsx', 'tsx'],
};

/** What has to be known of the project. */
export interface ScriptProject {
  /** Files beside the declaring one whose imports could look the same. */
  readonly doubles: readonly string[];
  /** The project's own packages, by their folders. */
  readonly packages: readonly { readonly name: string; readonly folder: string }[];
  /** Files that offer the name, which imports through aliases may mean. */
  readonly offering: readonly string[];
}

/** Imports of JavaScript and TypeScript. */
export function scriptModules({ doubles, packages, offering }: ScriptProject): ModuleMap {
  return {
    sharesNames: false,
    idOf: ({ path }) => path,
    resolve(from, { path }) {
      if (!/^\.{1,2}(?:\/|$)/.test(from)) {
        return offering.some((file) => resembles(from, file, packages)) ? 'unknown' : [];
      }
      const files = filesFor(joinPath(folderOf(path), from), from);
      return files.some((file) => doubles.includes(file)) ? 'unknown' : files;
    },
  };
}

function filesFor(base: string, from: string): string[] {
  const written = /\.([cm]?[jt]sx?)$/.exec(base)?.[1];
  const bare = written === undefined ? base : base.slice(0, -written.length - 1);
  const named = written === undefined ? [] : (WRITTEN[written] ?? [written]).map((extension) => `${bare}.${extension}`);
  const isFolder = /(?:^|\/)\.{0,2}\/?$/.test(from);
  const added = isFolder ? [] : EXTENSIONS.map((extension) => `${base}.${extension}`);
  const index = EXTENSIONS.map((extension) => (base === '' ? `index.${extension}` : `${base}/index.${extension}`));
  return [...named, ...added, ...index];
}

/** Files that `./name` could mean instead of a file. */
export function doublesOf(path: string): string[] {
  const stem = path.replace(/(?:\.d)?\.[^./]+$/, '');
  const isIndex = stemOf(path).replace(/\.d$/, '') === 'index';
  return [`${stem}.*`, isIndex ? `${folderOf(path)}.*` : `${stem}/index.*`].filter((glob) => !glob.startsWith('.'));
}

/** True for a specifier that an alias or a package of the project may lead to a file. */
function resembles(from: string, file: string, packages: ScriptProject['packages']): boolean {
  const isOfPackage = packages.some(
    ({ name, folder }) =>
      (from === name || from.startsWith(`${name}/`)) && (folder === '' || file.startsWith(`${folder}/`)),
  );
  if (isOfPackage) return true;
  const last = (from.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '').replace(/^[@~#$]+/, '');
  const stem = stemOf(file).replace(/\.d$/, '');
  const names = stem === 'index' ? [stem, stemOf(folderOf(file))] : [stem];
  // One bare word is a package of somebody else's, unless a mark says that it is not.
  const isAlias = /^[@~#$/]/.test(from) || from.includes('/');
  return isAlias && last !== '' && names.includes(last);
}

/** The package of a specifier; undefined for a path. */
export function packageOf(from: string): string | undefined {
  return /^(?:@[^/]+\/)?[^./][^/]*/.exec(from)?.[0];
}
