/** Gets the files of a plugin from wherever its catalogue or its pin says, always through the same gate. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '@tenon/host';
import type { CatalogueEntry } from '../catalogue/catalogue.ts';
import {
  type MarketplaceSource,
  type PluginSource,
  reachOf,
  type SourceRules,
  sourceText,
} from '../catalogue/sources.ts';
import { errors } from '../errors.ts';
import type { MarketplaceRecord } from '../store/marketplace-files.ts';
import type { Pin } from '../store/pins.ts';
import { archiveEntries } from '../tree/read-archive.ts';
import type { FileRecord } from '../tree/file-list.ts';
import { folderEntries } from '../tree/read-folder.ts';
import type { TreeLimits } from '../tree/tree-guard.ts';
import { type TreeEntry, writeTree } from '../tree/write-tree.ts';
import type { GitCache } from './git-cache.ts';
import type { NpmCache } from './npm-cache.ts';

/** How to get something. */
export interface OriginOptions {
  readonly signal: AbortSignal;
  readonly offline: boolean;
}

/** Files that were written to a folder, and where exactly they came from. */
export interface Arrival {
  readonly pin: Pin;
  readonly files: readonly FileRecord[];
  /** The version of a plugin that says none itself. */
  readonly fallbackVersion: string;
  /** What is known about the way here, for people. */
  readonly notes: readonly string[];
}

/** Everything that files come from. */
export class Origin {
  readonly #git: GitCache;
  readonly #npm: NpmCache;
  readonly #limits: TreeLimits;

  constructor(git: GitCache, npm: NpmCache, limits: TreeLimits) {
    this.#git = git;
    this.#npm = npm;
    this.#limits = limits;
  }

  /** Writes the newest state of a catalogue's plugin into a folder. */
  async arrive(
    what: string,
    entry: CatalogueEntry,
    market: MarketplaceRecord,
    folder: string,
    options: OriginOptions,
  ): Promise<Arrival> {
    const source = placeOf(what, entry.source, market);
    if (source.kind === 'npm') return this.#arriveFromNpm(what, source, folder, options, reachOf(market.source));
    if (source.kind === 'folder') {
      const files = await this.#write(folderEntries(source.path, what), folder, what, options);
      return { pin: source, files, fallbackVersion: '0.0.0', notes: ['from a folder: only its fingerprint is pinned'] };
    }
    const { url, ref, path } = source;
    const commit = await this.#git.commit(source, options);
    const files = await this.#fromGit(what, url, commit, path ?? '', folder, options);
    const pin: Pin = {
      kind: 'git',
      url,
      commit,
      folder: (await this.#git.folderId(url, commit, path ?? '', options.signal)) ?? commit,
      ...(ref !== undefined && { ref }),
      ...(path !== undefined && { path }),
    };
    return { pin, files, fallbackVersion: commit.slice(0, 12), notes: [] };
  }

  async #arriveFromNpm(
    what: string,
    source: Extract<PluginSource, { kind: 'npm' }>,
    folder: string,
    options: OriginOptions,
    reach: SourceRules['reach'],
  ): Promise<Arrival> {
    const npm = { ...options, reach };
    const resolved = await this.#npm.find(source, npm);
    const { packed, integrity } = await this.#npm.archive(source.package, resolved, npm);
    const signed = await this.#npm.signature(source.package, resolved, npm);
    const files = await this.#write(archiveEntries(packed, what, this.#limits), folder, what, options);
    const registry = source.registry === undefined ? {} : { registry: source.registry };
    const pin: Pin = { kind: 'npm', package: source.package, version: resolved.version, integrity, ...registry };
    const notes = [
      signed ?? 'its registry has no signature that can be checked',
      ...(resolved.dist.integrity === undefined
        ? ['its registry gives a weak hash (SHA-1); a strong one is pinned now']
        : []),
    ];
    return { pin, files, fallbackVersion: resolved.version, notes };
  }

  /** Writes what a pin names into a folder. */
  async fromPin(what: string, pin: Pin, folder: string, options: OriginOptions): Promise<readonly FileRecord[]> {
    switch (pin.kind) {
      case 'git': {
        const commit = await this.#git.commit({ url: pin.url, sha: pin.commit }, options);
        return this.#fromGit(what, pin.url, commit, pin.path ?? '', folder, options);
      }
      case 'npm': {
        const packed = await this.#npm.pinned(pin, { ...options, reach: 'loopback' });
        return this.#write(archiveEntries(packed, what, this.#limits), folder, what, options);
      }
      default:
        return this.#write(folderEntries(pin.path, what), folder, what, options);
    }
  }

  /**
   * What tells whether there is news: the id of a folder's content, a version, or nothing where only the files themselves
   * can tell.
   */
  async newest(
    what: string,
    entry: CatalogueEntry,
    market: MarketplaceRecord,
    options: OriginOptions,
  ): Promise<{ readonly state: string; readonly version?: string } | undefined> {
    const source = placeOf(what, entry.source, market);
    if (source.kind === 'folder') return undefined;
    if (source.kind === 'npm') {
      const resolved = await this.#npm.find(source, { ...options, reach: reachOf(market.source) });
      return { state: resolved.version, version: resolved.version };
    }
    const { url, sha, path } = source;
    const commit =
      sha ??
      (options.offline
        ? await this.#git.commit(source, options)
        : await this.#git.remoteCommit(source, options.signal));
    const isHere = await this.#git.has(url, commit, options.signal);
    const folder = isHere ? await this.#git.folderId(url, commit, path ?? '', options.signal) : undefined;
    return { state: folder ?? commit };
  }

  async #fromGit(what: string, url: string, commit: string, path: string, folder: string, options: OriginOptions) {
    return this.#write(this.#git.entries(url, commit, path, what, options.signal), folder, what, options);
  }

  #write(
    entries: AsyncIterable<TreeEntry>,
    folder: string,
    what: string,
    { signal }: OriginOptions,
  ): Promise<FileRecord[]> {
    return writeTree(entries, folder, { what, limits: this.#limits, signal });
  }
}

type FetchSource = Exclude<PluginSource, { kind: 'path' }> | { readonly kind: 'folder'; readonly path: string };

/** A relative path becomes a place in the repository or folder that the catalogue is in. */
function placeOf(what: string, source: PluginSource, market: MarketplaceRecord): FetchSource {
  if (source.kind !== 'path') return source;
  const { source: from, commit } = market;
  if (from.kind === 'folder') return { kind: 'folder', path: folderInside(what, from, source.path) };
  if (from.kind === 'json') {
    const reason = `its source "./${source.path}" is relative, and the catalogue is a single file`;
    throw errors.create('MARKETPLACE_PLUGIN_INVALID', { plugin: what, reason });
  }
  const { url, ref } = from;
  return {
    kind: 'git',
    url,
    ...(ref !== undefined && { ref }),
    ...(commit !== undefined && { sha: commit }),
    ...(source.path !== '' && { path: source.path }),
  };
}

function folderInside(what: string, from: Extract<MarketplaceSource, { kind: 'folder' }>, path: string): string {
  const folder = join(from.path, path);
  if (!existsSync(folder)) {
    const reason = `its marketplace (${sourceText(from)}) has no folder "./${path}"`;
    throw errors.create('MARKETPLACE_PLUGIN_INVALID', { plugin: what, reason });
  }
  const [root, real] = [realpathSync(from.path), realpathSync(folder)];
  if (isInside(real, root)) return real;
  throw errors.create('MARKETPLACE_HOSTILE', { what, reason: `"./${path}" leads out of its marketplace` });
}
