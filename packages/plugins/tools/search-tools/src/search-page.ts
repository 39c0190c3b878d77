/** One page of matches over several targets: pages follow each other without a gap, and no match is on two of them. */
import { dirname, join, relative } from 'node:path';
import { isInside } from '@tenon/host';
import type { Target } from '@tenon/file-tools/api';
import { messageOf } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { errors } from './errors.ts';
import { type SearchToolsHost, withinTime } from './host.ts';

const MAX_COLUMNS = 1024;
const TIMEOUT_MS = 30_000;

type GrepOptions = Parameters<Accelerators['search']['grep']>[0];
type GrepResult = Awaited<ReturnType<Accelerators['search']['grep']>>;

/** What is looked for. */
export type Query = Pick<GrepOptions, 'pattern' | 'ignoreCase' | 'gitignore' | 'signal'>;

/** The matches of one file that are on the page. */
export interface FileHit {
  /** Absolute. */
  readonly path: string;
  readonly matches: number;
  readonly lines: GrepResult['files'][number]['lines'];
}

/** The matches of one page. */
export interface Page {
  readonly hits: readonly FileHit[];
  readonly matches: number;
  readonly hasMore: boolean;
  readonly searched: number;
  readonly problems: readonly string[];
  readonly repaired: string | undefined;
}

/** The pages of one search. */
export class Pages {
  readonly #host: SearchToolsHost;
  readonly #targets: readonly Target[];
  readonly #query: Query;
  readonly #counts = new Map<number, Promise<ReadonlyMap<string, number>>>();

  constructor(host: SearchToolsHost, targets: readonly Target[], query: Query) {
    this.#host = host;
    this.#targets = targets;
    this.#query = query;
  }

  /** At most `limit` matches behind the first `skip`; both count over all targets, in their order. */
  async page(skip: number, limit: number): Promise<Page> {
    const hits: FileHit[] = [];
    const problems: string[] = [];
    let [matches, searched, toSkip, hasMore] = [0, 0, skip, false];
    let repaired: string | undefined;
    for (const [index, target] of this.#targets.entries()) {
      const options = await this.#options(index);
      if (!options) continue;
      if (toSkip > 0 && index < this.#targets.length - 1) {
        const total = [...(await this.#matchesOf(index)).values()].reduce((sum, count) => sum + count, 0);
        if (total <= toSkip) {
          toSkip -= total;
          continue;
        }
      }
      const room = limit - matches;
      // Without room, one match is enough to know that there are more.
      const result = await this.#grep({ ...options, offset: toSkip, limit: Math.max(1, room) });
      toSkip = 0;
      searched += result.searched;
      repaired ??= result.repaired;
      problems.push(...result.problems.map(({ path, reason }) => `${path} (${reason})`));
      if (target.kind === 'file' && result.binary > 0) problems.push(`${target.given} (a binary file)`);
      hasMore ||= result.limited || (room === 0 && result.matches > 0);
      if (room === 0) break;
      hits.push(...result.files.map((file) => ({ ...hitOf(target, file), lines: file.lines })));
      matches += result.matches;
    }
    return { hits, matches, hasMore, searched, problems, repaired };
  }

  /** What to ask about a target; nothing where an earlier target already stands for it. */
  async #options(index: number): Promise<GrepOptions | undefined> {
    const target = this.#targets[index];
    if (!target) return undefined;
    const { base, kind, glob } = target;
    const seen: string[] = [];
    for (const [earlier, other] of this.#targets.slice(0, index).entries()) {
      if (!isInside(base, other.base) && !isInside(other.base, base)) continue;
      for (const path of (await this.#matchesOf(earlier)).keys()) if (isInside(path, base)) seen.push(path);
    }
    if (kind === 'file' && seen.length > 0) return undefined;
    const globs = [
      ...(kind === 'directory' && glob !== undefined ? [glob] : []),
      ...seen.map((path) => `!/${literalGlob(relative(base, path))}`),
    ];
    const { contextBefore, contextAfter, index: usesIndex } = this.#host.config;
    return {
      ...this.#query,
      path: base,
      hidden: true,
      nodeModules: glob?.includes('node_modules') ?? false,
      before: contextBefore,
      after: contextAfter,
      maxColumns: MAX_COLUMNS,
      ...(kind === 'directory' && globs.length > 0 && { glob: globs }),
      ...(usesIndex && { index: { folder: join(this.#host.folders.cache, 'search-index') } }),
    };
  }

  /** How many matches each file of a target has, without those of earlier targets. */
  #matchesOf(index: number): Promise<ReadonlyMap<string, number>> {
    const known = this.#counts.get(index);
    if (known) return known;
    const counted = this.#count(index);
    this.#counts.set(index, counted);
    return counted;
  }

  async #count(index: number): Promise<ReadonlyMap<string, number>> {
    const options = await this.#options(index);
    const target = this.#targets[index];
    if (!options || !target) return new Map();
    const { files } = await this.#grep({ ...options, mode: 'count' });
    return new Map(files.map((file) => hitOf(target, file)).map(({ path, matches }) => [path, matches]));
  }

  async #grep(options: GrepOptions): Promise<GrepResult> {
    if (options.path === dirname(options.path)) throw errors.create('SEARCH_TOOLS_ROOT');
    const search = await this.#host.accelerator('search');
    try {
      return await withinTime('search', TIMEOUT_MS, (timeoutMs) => search.grep({ ...options, timeoutMs }));
    } catch (fault) {
      const reason = /^invalid pattern: (?:regex parse error:)?([\s\S]*)$/.exec(messageOf(fault))?.[1];
      if (reason === undefined) throw fault;
      throw errors.create('SEARCH_TOOLS_PATTERN', { reason: reason.trim().replaceAll(/\s*\n\s*/g, ' ') }, fault);
    }
  }
}

function hitOf(target: Target, { path, matches }: { readonly path: string; readonly matches: number }) {
  return { path: target.kind === 'file' ? target.base : join(target.base, path), matches };
}

/** A glob that stands for one path only. */
function literalGlob(path: string): string {
  return path.replaceAll(/[*?[\]{},\\]/g, String.raw`\$&`);
}
