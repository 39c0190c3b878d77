/** The scripts of a program, by where they were written. */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Facts } from './cdp.ts';
import { type Position, SourceMap } from './source-map.ts';

const MAX_SCRIPTS = 50_000;
const MAX_MAP_BYTES = 32 * 1024 * 1024;

/** One script. */
export interface Script {
  readonly id: string;
  readonly url: string;
  /** Undefined for Node's own and for code without a file. */
  readonly path: string | undefined;
  readonly map: SourceMap | undefined;
}

/** A place in code that somebody wrote. Lines and columns count from 1. */
export interface SourcePlace {
  readonly path: string | undefined;
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** All scripts that a program has loaded. */
export class Scripts {
  readonly #byId = new Map<string, Script>();
  #fresh: Script[] = [];

  /** Notes a script that was parsed. */
  add({ scriptId, url, sourceMapURL }: Facts): Script {
    const address = String(url ?? '');
    const path = pathIn(address);
    const map =
      path !== undefined && typeof sourceMapURL === 'string' && sourceMapURL !== ''
        ? readMap(sourceMapURL, path)
        : undefined;
    const script = { id: String(scriptId), url: address, path, map };
    // Code without an address, as `eval` makes it, comes without end and is never asked for.
    if (address === '' || this.#byId.size >= MAX_SCRIPTS) return script;
    this.#byId.set(script.id, script);
    if (map !== undefined) this.#fresh.push(script);
    return script;
  }

  /** Scripts with maps that have come since this was asked last. */
  takeFresh(): Script[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  get(id: unknown): Script | undefined {
    return this.#byId.get(String(id));
  }

  /** Scripts of the program itself, without those of Node and of packages. */
  get own(): Script[] {
    return [...this.#byId.values()].filter(({ path }) => path !== undefined && !path.includes('/node_modules/'));
  }

  /** Files that people would know: sources of maps instead of what was made from them. */
  get files(): string[] {
    const paths = [...this.#byId.values()].flatMap(
      ({ path, map }) => map?.sources ?? (path === undefined ? [] : [path]),
    );
    return [...new Set(paths)].sort();
  }

  /** Scripts that were made from a file, with the place of a line (from 1) in them. */
  madeFrom(path: string, line: number): { readonly script: Script; readonly at: Position }[] {
    return [...this.#byId.values()].flatMap((script) => {
      const source = script.map?.sources.find((candidate) => isSameFile(candidate, path));
      const at = source === undefined ? undefined : script.map?.toGenerated(source, line - 1);
      return at === undefined ? [] : [{ script, at }];
    });
  }

  /** Where a location of the protocol was written. */
  placeOf({ scriptId, lineNumber, columnNumber }: Facts): SourcePlace {
    const script = this.get(scriptId);
    const position = { line: Number(lineNumber ?? 0), column: Number(columnNumber ?? 0) };
    const original = script?.map?.toOriginal(position);
    const { line, column } = original?.position ?? position;
    return { path: original?.path ?? script?.path, url: script?.url ?? '', line: line + 1, column: column + 1 };
  }
}

/** A pattern for the addresses of a file: its own path, and the one that links lead to. */
export function urlPattern(path: string): string {
  const addresses = [...new Set([path, realPath(path)])].map((file) => escaped(pathToFileURL(file).href));
  return `^(?:${addresses.join('|')})(?:\\?.*)?$`;
}

/** Whether two paths mean the same file. */
export function isSameFile(left: string, right: string): boolean {
  return left === right || realPath(left) === realPath(right);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // In the sandbox alone, or gone.
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function pathIn(url: string): string | undefined {
  try {
    return url.startsWith('file://') ? fileURLToPath(url) : url.startsWith('/') ? url : undefined;
  } catch {
    return undefined; // Not the address of a file here.
  }
}

/** The program names the file, so only what is called a map is read. */
function readMap(address: string, scriptPath: string): SourceMap | undefined {
  const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address);
  if (inline) {
    const [, isBase64, data = ''] = inline;
    const text = isBase64 === undefined ? unescaped(data) : Buffer.from(data, 'base64').toString('utf8');
    return text === undefined ? undefined : SourceMap.read(text, scriptPath);
  }
  const file = address.startsWith('file://') ? pathIn(address) : resolve(dirname(scriptPath), address);
  if (file === undefined || !file.endsWith('.map')) return undefined;
  const text = readPlain(file);
  return text === undefined ? undefined : SourceMap.read(text, file);
}

/** Never waits: the program may have put a pipe there. */
function readPlain(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(descriptor);
    return info.isFile() && info.size <= MAX_MAP_BYTES ? readFileSync(descriptor, 'utf8') : undefined;
  } catch {
    return undefined; // No map there: the script is shown as it runs.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
