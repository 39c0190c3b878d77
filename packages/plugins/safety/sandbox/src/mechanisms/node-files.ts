/** The files that Node itself needs to run, and what programs need, for processes that see nothing more of the system. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow } from '@tenon/host';

/** Programs need libraries and data of their own; these are shown to processes that may start programs. */
const SYSTEM = [
  '/usr/lib',
  '/usr/lib64',
  '/usr/lib32',
  '/usr/libexec',
  '/usr/share',
  '/lib',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/alternatives',
];

const LOADERS = [
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-linux-aarch64.so.1',
  '/lib/ld-musl-x86_64.so.1',
  '/lib/ld-musl-aarch64.so.1',
];

/** Node's program and the libraries it has loaded, under every name by which they are looked up. */
export function nodeFiles(): string[] {
  const program = [process.execPath, realpathSync(process.execPath)];
  if (process.platform !== 'linux') return [...new Set(program)];
  const mapped = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .flatMap((line) => /\s(\/.*\.so(?:\.[\d.]+)?)$/.exec(line)?.[1] ?? [])
    .filter((path) => existsSync(path));
  const libraries = [...new Set(mapped)].flatMap((path) => [path, ...shorterNames(path)]);
  const loaders = LOADERS.filter((path) => existsSync(path)).map((path) =>
    join(realpathSync(dirname(path)), basename(path)),
  );
  return [...new Set([...program, ...libraries, ...loaders])];
}

/** Folders of libraries and data for programs. */
export function systemFolders(): string[] {
  return [...new Set(SYSTEM.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}

/** What of the system Node and these programs need, for a view of the machine that shows nothing else. */
export function visibleSystem(programs: readonly string[]): {
  readonly read: string[];
  readonly links: { path: string; target: string }[];
} {
  const links = programs.filter((path) => lstatSync(path).isSymbolicLink());
  const folders = programs.length > 0 ? systemFolders() : [];
  const files = [...nodeFiles(), ...programs.filter((path) => !links.includes(path))];
  return {
    // What lies in a folder that is shown anyway must not be put there once more: it may be a link there.
    read: [...folders, ...files.filter((file) => !folders.some((folder) => isBelow(file, folder)))],
    links: [...rootLinks(), ...links.map((path) => ({ path, target: realpathSync(path) }))],
  };
}

/** `/lib -> usr/lib` and its like, where the machine has them. */
function rootLinks(): { path: string; target: string }[] {
  return ['/bin', '/sbin', '/lib', '/lib32', '/lib64']
    .filter((path) => existsSync(path) && lstatSync(path).isSymbolicLink())
    .map((path) => ({ path, target: readlinkSync(path) }));
}

/** `libx.so.6.0.30` is looked up as `libx.so.6`. */
function shorterNames(path: string): string[] {
  const names: string[] = [];
  for (let name = path.replace(/\.\d+$/, ''); /\.so\./.test(name); name = name.replace(/\.\d+$/, '')) {
    if (existsSync(name) && realpathSync(name) === path) names.push(name);
  }
  return names;
}
