/** The marketplaces that were added, and their catalogues. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { didYouMean } from '@tenon/wording';
import { readText, replaceFile, withLock } from '@tenon/state-files';
import { type Catalogue, type CatalogueEntry, MAX_CATALOGUE_BYTES, parseCatalogue } from './catalogue/catalogue.ts';
import { idText, marketplaceNameProblem, parseId } from './catalogue/names.ts';
import {
  CATALOGUE_FILES,
  type MarketplaceSource,
  ownerOf,
  parseMarketplaceSource,
  reachOf,
  sourceText,
} from './catalogue/sources.ts';
import { errors } from './errors.ts';
import type { GitCache } from './fetch/git-cache.ts';
import { download, requireDownload } from './fetch/http.ts';
import type { OriginOptions } from './fetch/origin.ts';
import { parseKey } from './review/minisign.ts';
import { checkSignature, MAX_SIGNATURE_BYTES, signatureFiles, type Signing } from './review/signatures.ts';
import { type ScopeFiles, scopesFor } from './scopes.ts';
import type { Scope } from './store/lock-files.ts';
import type { MarketplaceRecord } from './store/marketplace-files.ts';
import { sha256 } from './tree/file-list.ts';

/** A marketplace that was added. */
export interface Market {
  readonly name: string;
  readonly scope: Scope;
  readonly record: MarketplaceRecord;
}

/** What adding or updating a marketplace gave. */
export interface MarketNews extends Market {
  readonly catalogue: Catalogue;
  readonly signing: Signing;
  /** False when nothing is different. */
  readonly changed: boolean;
}

/** What marketplaces work with. */
export interface MarketplaceParts {
  readonly folders: Pick<Folders, 'data' | 'cache' | 'home'>;
  readonly git: GitCache;
  readonly githubUrl: string;
  readonly timeoutMs: number;
  /** The file under whose lock all changes are made. */
  readonly lock: string;
}

interface Fetched {
  readonly text: string;
  readonly signature: string | undefined;
  readonly offered: string | undefined;
  readonly state: Pick<MarketplaceRecord, 'commit' | 'sha256'>;
}

/** Reads a file beside a catalogue; nothing when there is none. */
type ReadFile = (path: string, maxBytes: number) => Promise<string | undefined>;

/** All marketplaces. */
export class Marketplaces {
  readonly #parts: MarketplaceParts;

  constructor(parts: MarketplaceParts) {
    this.#parts = parts;
  }

  /** Those that count in a folder. The user's come first: a project must not put its own in the place of one of these. */
  async list(cwd: string): Promise<readonly Market[]> {
    const byName = new Map<string, Market>();
    for (const { scope, readMarketplaces } of scopesFor(this.#parts.folders, cwd)) {
      for (const [name, record] of Object.entries(await readMarketplaces())) {
        if (!byName.has(name)) byName.set(name, { name, scope, record });
      }
    }
    return [...byName.values()];
  }

  /** The marketplace with this name. */
  async get(name: string, cwd: string): Promise<Market> {
    const all = await this.list(cwd);
    const market = all.find((candidate) => candidate.name === name);
    if (market) return market;
    const hint = didYouMean(
      name,
      all.map((known) => known.name),
    );
    throw errors.create('MARKETPLACE_UNKNOWN', { marketplace: name, hint });
  }

  /** Adds a marketplace under the name that its catalogue gives itself, or under one that the user gives it. */
  async add(
    text: string,
    files: ScopeFiles,
    cwd: string,
    { key, as }: { readonly key?: string | undefined; readonly as?: string | undefined },
    options: OriginOptions,
  ): Promise<MarketNews> {
    const { folders, githubUrl } = this.#parts;
    const source = parseMarketplaceSource(text, { githubUrl, reach: 'local' }, cwd, folders.home);
    const known = key === undefined ? undefined : parseKey(key).text;
    const fetched = await this.#fetch(source, options);
    const { catalogue, signing } = this.#check(source, fetched, known);
    const name = as ?? catalogue.name;
    this.#checkName(name, source);
    const now = new Date().toISOString();
    const pinned = signing.key === undefined ? {} : { key: signing.key };
    const renamed = name === catalogue.name ? {} : { ownName: catalogue.name };
    const record: MarketplaceRecord = { source, addedAt: now, updatedAt: now, ...fetched.state, ...pinned, ...renamed };
    await withLock(this.#parts.lock, async () => {
      const taken = (await this.list(cwd)).find((market) => market.name === name);
      if (taken)
        throw errors.create('MARKETPLACE_TAKEN', { marketplace: name, source: sourceText(taken.record.source) });
      await files.writeMarketplaces({ ...(await files.readMarketplaces()), [name]: record });
    });
    return { name, scope: files.scope, record, catalogue, signing, changed: true };
  }

  /** Fetches a catalogue again. */
  async update({ name, scope, record }: Market, cwd: string, options: OriginOptions): Promise<MarketNews> {
    this.#checkName(name, record.source);
    const fetched = await this.#fetch(record.source, options);
    const { catalogue, signing } = this.#check(record.source, fetched, record.key);
    if (catalogue.name !== (record.ownName ?? name))
      throw errors.create('MARKETPLACE_RENAMED', { marketplace: name, name: catalogue.name });
    const { commit, sha256: hash } = fetched.state;
    const changed = commit !== record.commit || hash !== record.sha256;
    const key = signing.key ?? record.key;
    const updated: MarketplaceRecord = {
      ...record,
      ...fetched.state,
      updatedAt: new Date().toISOString(),
      ...(key !== undefined && { key }),
    };
    await withLock(this.#parts.lock, async () => {
      const files = scopesFor(this.#parts.folders, cwd).find((candidate) => candidate.scope === scope);
      const records = (await files?.readMarketplaces()) ?? {};
      if (files && records[name]) await files.writeMarketplaces({ ...records, [name]: updated });
    });
    return { name, scope, record: updated, catalogue, signing, changed };
  }

  /** Forgets a marketplace. What was fetched stays in the cache. */
  async remove({ name, scope }: Market, cwd: string): Promise<void> {
    await withLock(this.#parts.lock, async () => {
      const files = scopesFor(this.#parts.folders, cwd).find((candidate) => candidate.scope === scope);
      if (!files) return;
      const { [name]: _gone, ...rest } = await files.readMarketplaces();
      await files.writeMarketplaces(rest);
    });
  }

  /** The catalogue as it was last fetched; needs no network. */
  async catalogue({ name, record }: Market, signal: AbortSignal): Promise<Catalogue> {
    const { source, commit, sha256: hash } = record;
    // A project's file, which a stranger may have written, says what its marketplaces are called.
    this.#checkName(name, source);
    if (source.kind === 'folder') return this.#check(source, await this.#readFolder(source.path), record.key).catalogue;
    const missing = (reason: string) => errors.create('MARKETPLACE_CATALOGUE_MISSING', { marketplace: name, reason });
    let text: string | undefined;
    if (source.kind === 'json') {
      text = hash === undefined ? undefined : await readText(this.#cached(hash), MAX_CATALOGUE_BYTES);
      if (text !== undefined && sha256(text) !== hash) throw missing('the copy in the cache was changed');
    } else if (commit !== undefined && (await this.#parts.git.has(source.url, commit, signal))) {
      text = (await this.#firstCatalogue(this.#gitReader(source.url, commit, signal)))?.text;
    }
    if (text === undefined) throw missing('it is not in the cache');
    return this.#parse(source, text);
  }

  /** A plugin by `name@marketplace`, or by its name if only one marketplace has it. */
  async find(
    text: string,
    cwd: string,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly market: Market; readonly entry: CatalogueEntry }> {
    const { name, marketplace } = parseId(text);
    const markets = marketplace === undefined ? await this.list(cwd) : [await this.get(marketplace, cwd)];
    const matches: { id: string; market: Market; entry: CatalogueEntry }[] = [];
    const names: string[] = [];
    for (const market of markets) {
      const { plugins } = await this.catalogue(market, signal);
      const entry = plugins.find((plugin) => plugin.name === name);
      if (entry) matches.push({ id: idText({ name, marketplace: market.name }), market, entry });
      names.push(...plugins.map((plugin) => plugin.name));
    }
    const [first, second] = matches;
    if (second)
      throw errors.create('MARKETPLACE_PLUGIN_AMBIGUOUS', { plugin: name, choices: matches.map(({ id }) => id) });
    if (first) return first;
    throw errors.create('MARKETPLACE_PLUGIN_UNKNOWN', { plugin: text, hint: didYouMean(name, names) });
  }

  #parse(source: MarketplaceSource, text: string): Catalogue {
    const { githubUrl } = this.#parts;
    return parseCatalogue(text, sourceText(source), { githubUrl, reach: reachOf(source) });
  }

  #checkName(name: string, source: MarketplaceSource): void {
    const reason = marketplaceNameProblem(name, ownerOf(source, this.#parts));
    if (reason !== undefined) throw errors.create('MARKETPLACE_NAME_INVALID', { name, what: 'marketplace', reason });
  }

  #check(source: MarketplaceSource, { text, signature, offered }: Fetched, known: string | undefined) {
    const what = `the catalogue ${sourceText(source)}`;
    const signing = checkSignature({ what, message: Buffer.from(text), signature, offered, known });
    return { catalogue: this.#parse(source, text), signing };
  }

  async #fetch(source: MarketplaceSource, options: OriginOptions): Promise<Fetched> {
    switch (source.kind) {
      case 'folder':
        return this.#readFolder(source.path);
      case 'json':
        return this.#fetchJson(source.url, options);
      default: {
        const commit = await this.#parts.git.commit(source, options);
        return {
          ...(await this.#signedCatalogue(source, this.#gitReader(source.url, commit, options.signal))),
          state: { commit },
        };
      }
    }
  }

  async #fetchJson(url: string, { signal, offline }: OriginOptions): Promise<Fetched> {
    if (offline) throw errors.create('MARKETPLACE_OFFLINE', { what: url });
    const request = { signal, timeoutMs: this.#parts.timeoutMs, reach: reachOf({ kind: 'json', url }) };
    const small = { ...request, maxBytes: MAX_SIGNATURE_BYTES };
    const bytes = await requireDownload({ ...request, url, maxBytes: MAX_CATALOGUE_BYTES });
    const signature = await download({ ...small, url: beside(url, (path) => `${path}.minisig`) });
    const offered =
      signature && (await download({ ...small, url: beside(url, (path) => join(dirname(path), 'minisign.pub')) }));
    const text = bytes.toString();
    const hash = sha256(text);
    await mkdir(dirname(this.#cached(hash)), { recursive: true, mode: 0o700 });
    await replaceFile(this.#cached(hash), text);
    return { text, signature: signature?.toString(), offered: offered?.toString(), state: { sha256: hash } };
  }

  async #readFolder(path: string): Promise<Fetched> {
    const read: ReadFile = async (name, maxBytes) => readText(join(path, name), maxBytes);
    const found = await this.#signedCatalogue({ kind: 'folder', path }, read);
    return { ...found, state: { sha256: sha256(found.text) } };
  }

  #gitReader(url: string, commit: string, signal: AbortSignal): ReadFile {
    return async (path, maxBytes) => (await this.#parts.git.file(url, commit, path, maxBytes, signal))?.toString();
  }

  async #firstCatalogue(read: ReadFile): Promise<{ readonly file: string; readonly text: string } | undefined> {
    for (const file of CATALOGUE_FILES) {
      const text = await read(file, MAX_CATALOGUE_BYTES);
      if (text !== undefined) return { file, text };
    }
    return undefined;
  }

  async #signedCatalogue(source: MarketplaceSource, read: ReadFile): Promise<Omit<Fetched, 'state'>> {
    const found = await this.#firstCatalogue(read);
    if (found === undefined) {
      const reason = `it has no ${CATALOGUE_FILES.join(' or ')}`;
      throw errors.create('MARKETPLACE_CATALOGUE_INVALID', { file: sourceText(source), reason });
    }
    const { signature, key } = signatureFiles(found.file);
    return {
      text: found.text,
      signature: await read(signature, MAX_SIGNATURE_BYTES),
      offered: await read(key, MAX_SIGNATURE_BYTES),
    };
  }

  #cached(hash: string): string {
    return join(this.#parts.folders.cache, 'marketplace', 'catalogues', `${hash}.json`);
  }
}

function beside(url: string, change: (path: string) => string): string {
  const changed = new URL(url);
  changed.pathname = change(changed.pathname);
  return changed.href;
}
