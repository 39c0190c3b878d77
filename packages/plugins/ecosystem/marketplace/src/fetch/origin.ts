/** Gets the files of a plugin from wherever its catalogue or its pin says, always through the same gate. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import type { CatalogueEntry } from '../catalogue/catalogue.ts';
import { isDirect } from '../catalogue/direct.ts';
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
    const source = await this.#placeOf(what, entry.source, market, options);
    if (source.kind === 'npm')
      return this.#arriveFromNpm(what, source, folder, options, reachOf(market.source), isDirect(what));
    if (source.kind === 'archive') return this.#arriveFromArchive(what, source.path, folder, options);
    if (source.kind === 'folder') {
      const files = await this.#write(folderEntries(source.path, what), folder, what, options);
      return { pin: source, files, fallbackVersion: '0.0.0', notes: ['from a folder: only its fingerprint is pinned'] };
    }
    const { url, ref, path } = source;
    const commit = await this.#git.commit(source, options);
    const skipped: string[] = [];
    const files = await this.#fromGit(what, url, commit, path ?? '', folder, options, skipped);
    const folderId = (await this.#git.folderId(url, commit, path ?? '', options.signal)) ?? commit;
    const pin: Pin = {
      kind: 'git',
      url,
      commit,
      folder: folderId,
      ...(ref !== undefined && { ref }),
      ...(path !== undefined && { path }),
    };
    const notes = skipped.map((name) => `the submodule "${name}" is left out`);
    // Not the commit: one that changes only other parts of the repository is no new version of the plugin.
    return { pin, files, fallbackVersion: folderId.slice(0, 12), notes };
  }

  async #arriveFromArchive(what: string, path: string, folder: string, options: OriginOptions): Promise<Arrival> {
    const { packed, integrity } = await this.#readArchive(what, path);
    const files = await this.#write(archiveEntries(packed, what, this.#limits), folder, what, options);
    return { pin: { kind: 'archive', path, integrity }, files, fallbackVersion: '0.0.0', notes: [] };
  }

  async #readArchive(what: string, path: string): Promise<{ readonly packed: Buffer; readonly integrity: string }> {
    const unreadable = (reason: string, fault?: unknown) =>
      errors.create('MARKETPLACE_UNREADABLE', { file: path, reason }, fault);
    const { size } = await stat(path).catch((fault: unknown) => {
      throw unreadable(messageOf(fault), fault);
    });
    if (size > this.#limits.maxBytes) throw errors.create('MARKETPLACE_HOSTILE', { what, reason: 'it is too large' });
    const packed = await readFile(path).catch((fault: unknown) => {
      throw unreadable(messageOf(fault), fault);
    });
    return { packed, integrity: `sha512-${createHash('sha512').update(packed).digest('base64')}` };
  }

  async #arriveFromNpm(
    what: string,
    source: Extract<PluginSource, { kind: 'npm' }>,
    folder: string,
    options: OriginOptions,
    reach: SourceRules['reach'],
    isOnlyWanted: boolean,
  ): Promise<Arrival> {
    const npm = { ...options, reach };
    const resolved = await this.#npm.find(source, npm);
    const { packed, integrity } = await this.#npm.archive(source.package, resolved, npm);
    const signed = await this.#npm.signature(source.package, resolved, npm);
    const files = await this.#write(archiveEntries(packed, what, this.#limits), folder, what, options);
    const registry = source.registry === undefined ? {} : { registry: source.registry };
    const range = isOnlyWanted && source.version !== undefined ? { range: source.version } : {};
    const pin: Pin = {
      kind: 'npm',
      package: source.package,
      version: resolved.version,
      integrity,
      ...registry,
      ...range,
    };
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
      case 'archive': {
        const { packed, integrity } = await this.#readArchive(what, pin.path);
        if (integrity !== pin.integrity)
          throw errors.create('MARKETPLACE_INTEGRITY', { what, reason: `${pin.path} is another file than before` });
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
    const source = await this.#placeOf(what, entry.source, market, options);
    if (source.kind === 'folder' || source.kind === 'archive') return undefined;
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

  async #fromGit(
    what: string,
    url: string,
    commit: string,
    path: string,
    folder: string,
    options: OriginOptions,
    skipped: string[] = [],
  ) {
    return this.#write(this.#git.entries(url, commit, path, what, options.signal, skipped), folder, what, options);
  }

  /** A relative path becomes a place in the repository or folder that the catalogue is in. */
  async #placeOf(
    what: string,
    source: PluginSource,
    { source: from, commit }: MarketplaceRecord,
    options: OriginOptions,
  ): Promise<FetchSource> {
    if (source.kind !== 'path') return source;
    if (from.kind === 'json') {
      const reason = `its source "./${source.path}" is relative, and the catalogue is a single file`;
      throw errors.create('MARKETPLACE_PLUGIN_INVALID', { plugin: what, reason });
    }
    const { otherwise } = source;
    if (from.kind === 'folder') {
      const isThere = otherwise === undefined || existsSync(join(from.path, source.path));
      return { kind: 'folder', path: folderInside(what, from, isThere ? source.path : otherwise) };
    }
    const { url, ref } = from;
    const wanted = { url, ...(ref !== undefined && { ref }), ...(commit !== undefined && { sha: commit }) };
    let { path } = source;
    if (otherwise !== undefined) {
      const state = await this.#git.commit(wanted, options);
      const isThere = (await this.#git.folderId(url, state, path, options.signal)) !== undefined;
      const isElsewhere = (await this.#git.folderId(url, state, otherwise, options.signal)) !== undefined;
      if (!isThere && isElsewhere) path = otherwise;
    }
    return { kind: 'git', ...wanted, ...(path !== '' && { path }) };
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

type FetchSource = Exclude<PluginSource, { kind: 'path' }>;

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
