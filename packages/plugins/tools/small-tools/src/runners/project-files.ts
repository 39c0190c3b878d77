/** Small things that runners need to read a project. */
import { access, constants, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** A file's text; undefined when there is none. Other failures are the caller's to hear about. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw fault;
  }
}

/** The first of several files that is there. */
export async function firstText(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const text = await readText(join(folder, name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The names in a folder, sorted; none when there is no such folder. */
export async function namesIn(folder: string): Promise<{ readonly name: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fault;
  }
}

/** Whether a program is on the PATH. */
export async function isOnPath(program: string, path: string = process.env['PATH'] ?? ''): Promise<boolean> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    try {
      await access(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder; the next one is looked into.
    }
  }
  return false;
}

/** One word for a shell, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The folders below `folder` that fit globs such as `packages/*`, without those that fit one with `!` before it. */
export async function foldersMatching(folder: string, globs: readonly string[]): Promise<string[]> {
  const folders = new Set<string>();
  for (const glob of globs) {
    const isExcluded = glob.startsWith('!');
    const steps = glob
      .replace(/^!/, '')
      .split('/')
      .filter((step) => step !== '' && step !== '.');
    for (const path of await walk(folder, '', steps)) {
      if (isExcluded) folders.delete(path);
      else folders.add(path);
    }
  }
  return [...folders].sort();
}

const MAX_DEPTH = 6;

async function walk(root: string, path: string, steps: readonly string[], depth = 0): Promise<string[]> {
  const [step, ...rest] = steps;
  if (step === undefined) return [path];
  if (!/[*?[{]/.test(step)) return walk(root, join(path, step), rest, depth);
  const isDeep = step === '**';
  const pattern = isDeep ? /^/ : globStep(step);
  const below = (await namesIn(join(root, path))).filter(
    ({ name, isFolder }) => isFolder && name !== 'node_modules' && !name.startsWith('.'),
  );
  const out = isDeep ? await walk(root, path, rest, depth) : [];
  for (const { name } of below.filter((entry) => pattern.test(entry.name))) {
    if (!isDeep) out.push(...(await walk(root, join(path, name), rest, depth)));
    else if (depth < MAX_DEPTH) out.push(...(await walk(root, join(path, name), steps, depth + 1)));
  }
  return out;
}

function globStep(step: string): RegExp {
  const source = step
    .replaceAll(/[.+^$()|\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.split(',').join('|')})`);
  return new RegExp(`^${source}$`);
}
