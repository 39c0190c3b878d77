/** Whether what an extension registered last time still holds: by the content of its files, and by what it can see when it is loaded. */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Permissions } from '@tenon/kernel';
import { codeFolders, type FoundModule } from './modules.ts';

/** What is known of an extension without running it. */
export interface Freshness {
  /** Changes with its files. */
  readonly code: string;
  /** Changes with everything that may change what it registers, apart from the values of its flags. */
  readonly key: string;
  /** Its code mentions what acts by itself: such an extension is started early. */
  readonly isActive: boolean;
  /** Its code mentions calls of tools, which it may want to judge. */
  readonly mayGuard: boolean;
}

const MAX_FILES = 500;
const MAX_BYTES = 8 * 1024 * 1024;
const CODE = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx', '.json']);
const ACTS = /\b(?:setInterval|setTimeout|setImmediate|watch|watchFile|createServer|listen|WebSocket|Worker)\b/;
const NEIGHBOURS = /(?:from|import|require)\s*\(?\s*['"]\.\.?\//;

/** What an extension can see when it is loaded. */
export interface Circumstances {
  readonly cwd: string;
  readonly home: string;
  readonly permissions: Permissions;
  readonly trust: string;
}

/** Nothing when that cannot be said for certain: then the extension is loaded. */
export function freshnessOf(module: Pick<FoundModule, 'kind' | 'file'>, seen: Circumstances): Freshness | undefined {
  const { cwd, home, permissions, trust } = seen;
  const granted = (permissions.env ?? []).map((name) => [name, process.env[name] ?? null]);
  try {
    const code = readCode(module.file, { cwd, home });
    const settings = readSettings(cwd);
    if (!code || !settings) return undefined;
    const about = [2, process.version, module.kind, module.file, cwd, trust, permissions, granted];
    const hash = createHash('sha256').update(JSON.stringify(about));
    const key = hash.update(code.hash).update(settings.hash).digest('hex');
    return { code: code.hash, key, isActive: code.isActive, mayGuard: code.mayGuard };
  } catch {
    return undefined; // What cannot be read cannot be compared.
  }
}

/** Changes with the files of a module; nothing when they cannot be read, or are too many. */
export function codeOf(file: string, place: { readonly cwd: string; readonly home: string }): string | undefined {
  try {
    return readCode(file, place)?.hash;
  } catch {
    return undefined; // as above
  }
}

interface Reading {
  readonly hash: string;
  readonly isActive: boolean;
  readonly mayGuard: boolean;
}

function readCode(file: string, place: { readonly cwd: string; readonly home: string }): Reading | undefined {
  const state = newState();
  const [root = file] = codeFolders(file, place);
  const isFolder = statSync(root).isDirectory();
  // A file in a folder that holds more than code: what it imports from there is not followed.
  if (!isFolder && NEIGHBOURS.test(readFileSync(file, 'utf8'))) return undefined;
  const isWhole = addTree(state, root) && addDependencies(state, isFolder ? root : dirname(root));
  return isWhole ? { ...state, hash: state.hash.digest('hex') } : undefined;
}

/** Extensions keep their settings in the folder, and may register by them. */
function readSettings(cwd: string): Reading | undefined {
  const state = newState();
  for (const folder of ['.pi', '.omp'].map((name) => join(cwd, name)))
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : [])
      if (extname(name) === '.json' && !addFile(state, join(folder, name))) return undefined;
  return { ...state, hash: state.hash.digest('hex') };
}

function newState(): State {
  return { hash: createHash('sha256'), files: 0, bytes: 0, isActive: false, mayGuard: false };
}

interface State {
  readonly hash: Hash;
  files: number;
  bytes: number;
  isActive: boolean;
  mayGuard: boolean;
}

function addTree(state: State, path: string): boolean {
  if (!statSync(path).isDirectory()) return addFile(state, path);
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    if (entry.name === 'node_modules' || entry.name === '.git') continue;
    // A link may lead anywhere.
    if (entry.isSymbolicLink() && !addFile(state, inside)) return false;
    if (entry.isDirectory() && !addTree(state, inside)) return false;
    if (entry.isFile() && CODE.has(extname(entry.name)) && !addFile(state, inside)) return false;
  }
  return true;
}

function addFile(state: State, file: string): boolean {
  const { size } = statSync(file);
  state.files++;
  state.bytes += size;
  if (state.files > MAX_FILES || state.bytes > MAX_BYTES) return false;
  const content = readFileSync(file, 'utf8');
  state.hash.update(`\0${file}\0`).update(content);
  if (basename(file) === 'package.json' || extname(file) === '.json') return true;
  state.isActive ||= ACTS.test(content);
  state.mayGuard ||= content.includes('tool_call');
  return true;
}

/** Installed packages are not read: npm writes down what it installed. */
function addDependencies(state: State, root: string): boolean {
  const folder = join(root, 'node_modules');
  if (!existsSync(folder)) return true;
  const lock = join(folder, '.package-lock.json');
  return existsSync(lock) && addFile(state, lock);
}
