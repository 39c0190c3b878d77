/** Every entry of a tree with its stat, as in crates/scan/src/stats.rs. */
import { lstat, readdir } from 'node:fs/promises';
import { type EntryKind, STAT_BYTES, type StatTree } from './contract.ts';
import { nameOf, systemPath } from './js-names.ts';
import { folderRules, hides, type Layer, outsideRules, type Outside } from './js-rules.ts';
import { canonicalRoot, kindOf, ProblemList } from './js-walk.ts';
import type { StatRequest } from './request.ts';

/** Entries that are asked about at once. */
const BATCH = 64;
const IGNORED = 1;
const KIND_MASK = 0o170_000n;
const FOLDER = 0o040_000n;

interface Item {
  readonly name: string;
  readonly bytes: Buffer;
  readonly kind: EntryKind;
  readonly isFolder: boolean;
}

/** The entries of one folder. */
interface Block {
  readonly path: Buffer;
  readonly names: Buffer[];
  readonly stats: Buffer[];
}

/** What a walk knows and gathers. */
interface Walk {
  readonly request: StatRequest;
  readonly prefix: string;
  readonly without: ReadonlySet<string>;
  readonly generated: ReadonlySet<string>;
  readonly except: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly outside: Outside | undefined;
  readonly problems: ProblemList;
  readonly blocks: Block[];
  readonly leftOut: Buffer[];
  count: number;
}

/** Walks a tree with the stat of every entry. */
export async function statTree(request: StatRequest, signal: AbortSignal): Promise<StatTree> {
  const root = await canonicalRoot(request.path);
  const problems = new ProblemList();
  const walk: Walk = {
    request,
    prefix: root.endsWith('/') ? root : `${root}/`,
    without: new Set(request.without),
    generated: new Set(request.generated),
    except: new Set(request.except),
    signal,
    outside: request.allIgnored ? undefined : outsideRules(root, (path, error) => problems.add(path, error)),
    problems,
    blocks: [],
    leftOut: [],
    count: 0,
  };
  const folders: [string, Layer | undefined][] = [[root, walk.outside?.layer]];
  for (let next = folders.pop(); next; next = folders.pop()) {
    if (walk.count > request.maxEntries) break;
    folders.push(...(await visit(walk, ...next)));
  }
  return packed(walk, root);
}

async function visit(walk: Walk, folder: string, above: Layer | undefined): Promise<[string, Layer | undefined][]> {
  const items = await list(walk, folder);
  if (!items) return [];
  const { outside, problems } = walk;
  const kinds = new Map(items.map(({ name, kind }) => [name, kind]));
  const own =
    outside &&
    folderRules(
      outside,
      folder,
      (name) => kinds.get(name),
      above,
      (path, error) => problems.add(path, error),
    );
  const below: [string, Layer | undefined][] = [];
  const kept: (Item & { readonly flags: number })[] = [];
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  for (const item of items) {
    const path = base + item.name;
    if (walk.without.has(item.name) || walk.except.has(path)) continue;
    const isIgnored = outside !== undefined && hides(outside, own, path, item.isFolder);
    if (isIgnored && item.isFolder) {
      const inside = walk.generated.has(item.name) ? undefined : await small(walk, path);
      if (!inside) {
        walk.leftOut.push(relative(walk, path));
        continue;
      }
      walk.blocks.push(...inside);
    } else if (item.isFolder) {
      below.push([path, own]);
    }
    kept.push({ ...item, flags: isIgnored ? IGNORED : 0 });
  }
  const block = await blockOf(walk, folder, kept);
  walk.count += block.stats.length;
  walk.blocks.push(block);
  return below;
}

/** An ignored folder with everything below, or nothing when it is too large to be worth it. */
async function small(walk: Walk, top: string): Promise<Block[] | undefined> {
  const blocks: Block[] = [];
  let left = walk.request.smallFolder;
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const items = (await list(walk, folder))?.filter(({ name }) => !walk.without.has(name));
    if (!items) continue;
    left -= items.length;
    if (left < 0) return undefined;
    const kept = items.filter(
      ({ name, isFolder }) => !walk.except.has(`${folder}/${name}`) && !(isFolder && walk.generated.has(name)),
    );
    for (const { name, isFolder } of kept) if (isFolder) folders.push(`${folder}/${name}`);
    blocks.push(
      await blockOf(
        walk,
        folder,
        kept.map((item) => ({ ...item, flags: IGNORED })),
      ),
    );
  }
  walk.count += blocks.reduce((sum, { stats }) => sum + stats.length, 0);
  return blocks;
}

async function list(walk: Walk, folder: string): Promise<Item[] | undefined> {
  walk.signal.throwIfAborted();
  try {
    const raw = await readdir(systemPath(folder), { withFileTypes: true, encoding: 'buffer' });
    const items = raw.map((entry): Item => {
      const bytes = entry.name as unknown as Buffer;
      return { name: nameOf(bytes), bytes, kind: kindOf(entry), isFolder: entry.isDirectory() };
    });
    return items.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  } catch (error) {
    const vanished = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (vanished) return undefined;
    walk.problems.add(folder.slice(walk.prefix.length), error);
    walk.leftOut.push(relative(walk, folder));
    return undefined;
  }
}

async function blockOf(
  walk: Walk,
  folder: string,
  items: readonly (Item & { readonly flags: number })[],
): Promise<Block> {
  const block: Block = { path: relative(walk, folder), names: [], stats: [] };
  for (let first = 0; first < items.length; first += BATCH) {
    const batch = items.slice(first, first + BATCH);
    const stats = await Promise.all(batch.map(({ name, flags }) => statOf(`${folder}/${name}`, flags)));
    batch.forEach(({ bytes }, index) => {
      const stat = stats[index];
      if (stat) {
        block.names.push(bytes);
        block.stats.push(stat);
      }
    });
  }
  return block;
}

async function statOf(path: string, flags: number): Promise<Buffer | undefined> {
  try {
    const stat = await lstat(systemPath(path), { bigint: true });
    const record = Buffer.alloc(STAT_BYTES);
    if ((stat.mode & KIND_MASK) !== FOLDER) {
      record.writeBigUInt64LE(stat.size, 0);
      record.writeBigInt64LE(stat.mtimeNs, 8);
      record.writeBigInt64LE(stat.ctimeNs, 16);
      record.writeBigUInt64LE(stat.ino, 24);
    }
    record.writeUInt32LE(Number(stat.mode), 32);
    record.writeUInt32LE(flags, 36);
    return record;
  } catch {
    // It vanished since it was listed, so it is simply not there.
    return undefined;
  }
}

function relative({ prefix }: Walk, path: string): Buffer {
  return Buffer.from(systemPath(path.slice(prefix.length)) as string);
}

const NUL = Buffer.from([0]);
const SLASH = Buffer.from('/');

function packed({ blocks, leftOut, problems, count, request }: Walk, root: string): StatTree {
  const ordered = blocks.toSorted((a, b) => Buffer.compare(a.path, b.path));
  const paths = ordered.flatMap(({ path, names }) =>
    names.flatMap((name) => (path.length === 0 ? [name, NUL] : [path, SLASH, name, NUL])),
  );
  const stats = ordered.flatMap((block) => block.stats);
  return {
    root: Buffer.from(systemPath(root) as string),
    paths: Buffer.concat(paths),
    stats: Buffer.concat(stats),
    count: stats.length,
    leftOut: Buffer.concat(leftOut.toSorted(Buffer.compare).flatMap((path) => [path, NUL])),
    isCut: count > request.maxEntries,
    problems: problems.list(),
    problemCount: problems.count,
  };
}
