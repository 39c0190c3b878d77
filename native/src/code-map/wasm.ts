/**
 * The WASM twin of the addon's maps of code. It answers the same, keeps its index in memory only (reading it from disk would take
 * JavaScript about as long as it saves), and walks for every question.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { STAT_BYTES } from '../scan/contract.ts';
import { createJs as createScan } from '../scan/js.ts';
import { Grammars } from '../syntax/grammars.ts';
import { detectLanguage, type LanguageInfo } from '../syntax/language-table.ts';
import { GrammarBroke, ParserGaveUp } from '../syntax/parsing.ts';
import { WasmEngine } from '../syntax/wasm-engine.ts';
import { linkLimits } from '../task.ts';
import { CODE_MAP_DEFAULTS, type CodeMap, type CodeMapAnswer, type CodeMapOptions, type CodeMaps } from './contract.ts';
import { type Extract, extractParsed, extractWords, family, isCode } from './js-extract.ts';
import { rank, type RankedFile } from './js-rank.ts';
import { select } from './js-select.ts';
import { wholeNumber } from './request.ts';

/** Makes the WASM implementation. */
export function createWasm(): CodeMaps {
  const grammars = new Grammars();
  return { open: (options) => new WasmCodeMap(options, new WasmEngine(grammars), grammars) };
}

interface Indexed extends RankedFile {
  readonly stamp: string;
}

interface Found {
  readonly path: string;
  readonly info: LanguageInfo;
  readonly stamp: string;
}

class WasmCodeMap implements CodeMap {
  readonly #root: string;
  readonly #maxFileBytes: number;
  readonly #maxFiles: number;
  readonly #engine: WasmEngine;
  readonly #grammars: Grammars;
  readonly #files = new Map<string, Indexed>();
  readonly #broken = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CodeMapOptions, engine: WasmEngine, grammars: Grammars) {
    this.#root = options.root;
    this.#maxFileBytes = wholeNumber(options.maxFileBytes, CODE_MAP_DEFAULTS.maxFileBytes);
    this.#maxFiles = wholeNumber(options.maxFiles, CODE_MAP_DEFAULTS.maxFiles);
    this.#engine = engine;
    this.#grammars = grammars;
  }

  map(request: Parameters<CodeMap['map']>[0] = {}): Promise<CodeMapAnswer> {
    // One after the other: they share the index.
    const answer = this.#last.then(() => this.#map(request));
    this.#last = answer.catch(() => undefined); // Whoever asked has the error.
    return answer;
  }

  async close(): Promise<void> {}

  async #map({ budget, scope = '', focus = [], ...limits }: NonNullable<Parameters<CodeMap['map']>[0]>) {
    const linked = linkLimits(limits);
    try {
      const { read, removed, leftOut } = await this.#update(linked.signal);
      const files = [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
      const { numbers, unknown } = focusOf(files, focus);
      const ranks = rank(files, numbers);
      const selection = {
        root: this.#root,
        scope: trimSlashes(scope),
        focus: numbers,
        budget: wholeNumber(budget, CODE_MAP_DEFAULTS.budget),
        signal: linked.signal,
      };
      const names = new Set(
        files.flatMap(({ mark, uses, definitions }) => [
          ...[...uses.keys()].map((name) => mark + name),
          ...definitions.map(({ name }) => mark + name),
        ]),
      );
      return {
        ...(await select(files, ranks, selection)),
        totals: {
          files: files.length,
          definitions: files.reduce((sum, { definitions }) => sum + definitions.length, 0),
          names: names.size,
          connections: ranks.connections,
          memory: 0,
          leftOut,
        },
        update: { by: 'walk' as const, loaded: false, read, removed },
        unknownFocus: unknown,
        brokenLanguages: [...this.#broken].sort(),
      };
    } finally {
      linked.dispose();
    }
  }

  async #update(signal: AbortSignal): Promise<{ read: number; removed: number; leftOut: number }> {
    const { found, leftOut } = await this.#walk(signal);
    const seen = new Set(found.map(({ path }) => path));
    let removed = 0;
    for (const path of this.#files.keys()) {
      if (!seen.has(path) && this.#files.delete(path)) removed += 1;
    }
    let read = 0;
    for (const { path, info, stamp } of found) {
      if (stamp !== '' && this.#files.get(path)?.stamp === stamp) continue;
      await setImmediate();
      signal.throwIfAborted();
      const extract = await this.#extract(path, info, signal);
      read += 1;
      if (extract === undefined) this.#files.delete(path);
      else this.#files.set(path, { ...extract, path, language: info.id, mark: family(info), stamp });
    }
    return { read, removed, leftOut };
  }

  async #walk(signal: AbortSignal): Promise<{ found: Found[]; leftOut: number }> {
    const tree = await createScan().statTree({ path: this.#root, without: ['.git', 'node_modules'], signal });
    const paths = tree.paths.toString('utf8').split('\0');
    const found: Found[] = [];
    let leftOut = 0;
    for (let at = 0; at < tree.count; at += 1) {
      const path = paths[at] ?? '';
      const stat = tree.stats.subarray(at * STAT_BYTES, (at + 1) * STAT_BYTES);
      const isFile = (stat.readUInt32LE(32) & 0o170_000) === 0o100_000;
      const isIgnored = (stat.readUInt32LE(36) & 1) !== 0;
      if (!isFile || isIgnored || path.includes('\uFFFD') || path.startsWith('.') || path.includes('/.')) continue;
      const info = detectLanguage(path);
      if (info === undefined || !isCode(info)) continue;
      const size = stat.readBigUInt64LE(0);
      if (size > this.#maxFileBytes || found.length >= this.#maxFiles) {
        leftOut += 1;
        continue;
      }
      const modified = stat.readBigInt64LE(8);
      // A very fresh file could be written again within the same tick of its clock.
      const isFresh = BigInt(Date.now()) * 1_000_000n - modified < 50_000_000n;
      found.push({ path, info, stamp: isFresh ? '' : `${size} ${modified}` });
    }
    return { found, leftOut };
  }

  /** What a file contributes; nothing when it cannot be read or is no text. */
  async #extract(path: string, info: LanguageInfo, signal: AbortSignal): Promise<Extract | undefined> {
    const text = await readText(join(this.#root, path), this.#maxFileBytes);
    if (text === undefined) return undefined;
    // Languages that the addon has no grammar for are read word by word in both.
    if (!info.native || this.#broken.has(info.id) || !this.#grammars.find(info).ok) return extractWords(text);
    try {
      return await this.#engine.onText(text, info, { signal }, extractParsed);
    } catch (error) {
      if (error instanceof GrammarBroke) this.#broken.add(info.id);
      else if (!(error instanceof ParserGaveUp)) throw error;
      return extractWords(text);
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function readText(path: string, most: number): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= most ? utf8.decode(await file.readFile()) : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    // Gone, unreadable or no UTF-8: it has no part in the map. Anything else is a defect.
    if (error instanceof TypeError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

/** The files of interest, and the paths that have none. */
function focusOf(files: readonly RankedFile[], paths: readonly string[]) {
  const numbers = new Set<number>();
  const unknown: string[] = [];
  for (const path of paths) {
    const wanted = trimSlashes(path);
    const found = files.flatMap((file, at) => (file.path === wanted || file.path.startsWith(`${wanted}/`) ? [at] : []));
    if (found.length === 0) unknown.push(path);
    for (const at of found) numbers.add(at);
  }
  return { numbers: [...numbers], unknown };
}

function trimSlashes(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, '');
}
