/** Looks up what has to be known of a project to follow its imports. */
import type { Binding, FileFacts } from '../code/facts.ts';
import { ecosystemOf } from '../code/languages.ts';
import type { Bridge, ModuleMap } from '../code/modules/module-map.ts';
import { folderOf } from '../code/modules/paths.ts';
import { namesakesOf, pythonModules } from '../code/modules/python.ts';
import { rustModules } from '../code/modules/rust.ts';
import { doublesOf, packageOf, scriptModules } from '../code/modules/script.ts';
import { cModules, goModules, javaModules } from '../code/modules/shared-names.ts';
import { call } from '../plan.ts';
import { type FoundLine, readPaths } from '../tool-output.ts';
import { searchAll, type Steps } from './reading.ts';

/** How the files of a project know each other. */
export interface Modules {
  readonly map: ModuleMap;
  readonly bridges: readonly Bridge[];
}

/** Looks up the modules around a declaration; `files` mention its name. */
export function* modulesFor(target: Binding, files: readonly FileFacts[]): Steps<Modules> {
  switch (ecosystemOf(target.path)) {
    case 'script':
      return yield* scripts(target, files);
    case 'python': {
      const namesakes = yield* find(namesakesOf(target.path));
      const opened = yield* linesOf(String.raw`^\s*from\s+\S+\s+import\s+\*`, '**/*.py');
      const bridges = fromLines(opened, /from\s+(\S+)\s+import/);
      return { map: pythonModules([...new Set([target.path, ...namesakes])]), bridges };
    }
    case 'rust':
      return yield* crates();
    case 'go': {
      const lines = yield* linesOf(String.raw`^module\s`, '**/go.mod');
      const modules = lines.map(({ path, text }) => ({ name: text.split(/\s+/)[1] ?? '', folder: folderOf(path) }));
      return { map: goModules(modules), bridges: [] };
    }
    case 'java':
      return { map: javaModules(), bridges: [] };
    default:
      return { map: cModules(target.path, files), bridges: [] };
  }
}

function* scripts(target: Binding, files: readonly FileFacts[]): Steps<Modules> {
  const origins = files.flatMap((file) => [...file.bindings, ...file.mentions].flatMap(({ origin }) => origin ?? []));
  const bare = new Set(origins.flatMap(({ from }) => packageOf(from) ?? []));
  const isSeen = target.exports.length > 0;
  const opened = isSeen
    ? yield* linesOf(String.raw`^\s*export\s*(?:type\s*)?\*`, '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}')
    : [];
  const bridges = fromLines(opened, /\*\s*from\s*['"]([^'"]+)['"]/);
  const doubles = isSeen ? (yield* find(doublesOf(target.path))).filter((path) => path !== target.path) : [];
  const named = isSeen && bare.size > 0 ? yield* linesOf(String.raw`^\s*\{?\s*"name"\s*:`, '**/package.json') : [];
  const packages = named.flatMap(({ path, text }) => {
    const name = /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    return name !== undefined && bare.has(name) ? [{ name, folder: folderOf(path) }] : [];
  });
  const passing = files.filter(
    ({ bindings, mentions }) =>
      mentions.some(({ as }) => as !== undefined) || bindings.some((own) => own.origin && own.exports.length > 0),
  );
  const offering = [target, ...passing, ...bridges].map(({ path }) => path);
  const isCode = (path: string) => ecosystemOf(path) === 'script';
  return { map: scriptModules({ doubles: doubles.filter(isCode), packages, offering }), bridges };
}

function* crates(): Steps<Modules> {
  const lines = yield* linesOf(String.raw`\bmod\s+\w+\s*[;{]`, '**/*.rs');
  const placed = yield* linesOf(String.raw`#\[path\s*=`, '**/*.rs');
  const mods = lines.flatMap(({ path, line, text }) => {
    const above = placed.find((other) => other.path === path && (other.line === line - 1 || other.line === line));
    const file = /#\[path\s*=\s*"([^"]+)"/.exec(above?.text ?? '')?.[1];
    return [...text.matchAll(/\bmod\s+(\w+)\s*([;{])/g)].map(([, name = '', end]) => ({
      path,
      name,
      hasFile: end === ';',
      ...(file !== undefined && { file }),
    }));
  });
  const named = yield* linesOf(String.raw`^\s*name\s*=`, '**/Cargo.toml');
  const packages = named.flatMap(({ path, text }) => {
    const name = /=\s*"([^"]+)"/.exec(text)?.[1];
    return name === undefined ? [] : [{ name: name.replaceAll('-', '_'), folder: folderOf(path) }];
  });
  const opened = yield* linesOf(String.raw`^pub\b.*\buse\b.*\*`, '**/*.rs');
  return { map: rustModules({ mods, packages }), bridges: fromLines(opened, /\buse\s+([\w:]+)::\*/) };
}

function fromLines(lines: readonly FoundLine[], pattern: RegExp): Bridge[] {
  return lines.flatMap(({ path, text }) => {
    const from = pattern.exec(text)?.[1];
    return from === undefined ? [] : [{ path, from }];
  });
}

function* linesOf(pattern: string, glob: string): Steps<readonly FoundLine[]> {
  // Where no file fits the glob there is nothing to learn.
  const { lines, isError } = yield* searchAll(pattern, [glob]);
  return isError ? [] : lines;
}

function* find(globs: readonly string[]): Steps<string[]> {
  const result = yield* call('find', { paths: globs }, { mayFail: true });
  return result.isError ? [] : readPaths(result.text);
}
