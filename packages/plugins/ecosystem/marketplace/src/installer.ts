/** Installs, upgrades, restores, rolls back and removes plugins. Nothing counts before a lock file says so. */
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import type { Discovery } from '@tenon/discovery/api';
import type { Manifest } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { PackInstalls } from '@tenon/packs/api';
import { withLock } from '@tenon/state-files';
import type { CatalogueEntry } from './catalogue/catalogue.ts';
import { errors } from './errors.ts';
import type { Origin, OriginOptions } from './fetch/origin.ts';
import type { Market } from './marketplaces.ts';
import { type Changes, changesBetween } from './review/changes.ts';
import type { Review, Reviews } from './review/review.ts';
import { checkPlugin, type Signing } from './review/signatures.ts';
import { type ScopeFiles, userScope } from './scopes.ts';
import { defineFrom, type Definition } from './store/definition.ts';
import { type Locked, type LockedVersion, type LockFile, readLock } from './store/lock-files.ts';
import type { Pin } from './store/pins.ts';
import type { Store } from './store/store.ts';
import type { Tampering } from './store/verify.ts';
import { contentHash, type FileRecord } from './tree/file-list.ts';

/** What installing works with. */
export interface InstallerParts {
  readonly folders: Pick<Folders, 'data'>;
  readonly store: Store;
  readonly origin: Origin;
  readonly reviews: Reviews;
  /** The file under whose lock all changes are made. */
  readonly lock: string;
  discovery(): Promise<Discovery>;
  packs(): Promise<PackInstalls>;
  /** Told about every step, for those who show progress. */
  step?(name: Step): void;
}

/** The steps of an installation, in order. */
export type Step = 'fetched' | 'reviewed' | 'stored' | 'granted' | 'switched';

/** A plugin that was fetched and looked at, and is not used yet. */
export interface Prepared {
  readonly id: string;
  readonly files: readonly FileRecord[];
  readonly definition: Definition;
  readonly content: string;
  readonly pin: Pin;
  readonly staged: string;
  readonly signing: Signing;
  readonly notes: readonly string[];
  readonly pack: Manifest | undefined;
  readonly review: Review;
  /** What is installed now, if anything is. */
  readonly before: Locked | undefined;
  readonly changes: Changes;
}

/** Does all that. */
export class Installer {
  readonly #parts: InstallerParts;

  constructor(parts: InstallerParts) {
    this.#parts = parts;
  }

  /** Fetches the newest state of a plugin and looks at it. The caller commits or discards it. */
  async prepare(
    id: string,
    entry: CatalogueEntry,
    market: Market,
    files: ScopeFiles,
    options: OriginOptions,
  ): Promise<Prepared> {
    const { origin } = this.#parts;
    const before = (await files.readLock()).plugins[id];
    return this.#stage(async (staged) => {
      const arrival = await origin.arrive(id, entry, market.record, staged, options);
      const definition = await defineFrom(id, entry, staged, arrival.files, arrival.fallbackVersion);
      return this.#look(
        { id, definition, staged, files: arrival.files, pin: arrival.pin, notes: arrival.notes, before },
        options,
      );
    });
  }

  /** Fetches exactly what a lock file says, and makes sure that it is that. */
  async prepareLocked(id: string, locked: Locked, options: OriginOptions): Promise<Prepared> {
    return this.#stage(async (staged) => {
      const { pin, definition, content } = locked;
      const files = await this.#parts.origin.fromPin(id, pin, staged, options);
      const actual = contentHash(definition, files);
      if (actual !== content) {
        const reason = `its fingerprint is ${actual}, and ${content} is locked`;
        throw errors.create('MARKETPLACE_INTEGRITY', { what: id, reason });
      }
      return this.#look({ id, definition, staged, files, pin, notes: [], before: locked }, options);
    });
  }

  async #stage<T>(work: (staged: string) => Promise<T>): Promise<T> {
    const staged = await this.#parts.store.stage();
    try {
      return await work(staged);
    } catch (fault) {
      await this.#parts.store.discard(staged);
      throw fault;
    }
  }

  async #look(
    found: Pick<Prepared, 'id' | 'definition' | 'staged' | 'files' | 'pin' | 'notes' | 'before'>,
    { signal }: OriginOptions,
  ): Promise<Prepared> {
    const { reviews, discovery, step } = this.#parts;
    const { id, definition, staged, files, before } = found;
    step?.('fetched');
    const signing = await checkPlugin(id, staged, files, before?.key);
    const pack = definition.isPack ? await this.#readPack(id, staged) : undefined;
    const seen = await reviews.look(definition, staged, files, { discovery, pack, signal });
    const review = withSigner(seen, before, signing);
    const old = before && (await this.reviewOf(before, signal));
    step?.('reviewed');
    return {
      ...found,
      signing,
      pack,
      review,
      content: contentHash(definition, files),
      changes: changesBetween(old, review),
    };
  }

  async #readPack(id: string, folder: string): Promise<Manifest> {
    const packs = await this.#parts.packs();
    const manifest = await packs.read(folder);
    const holder = await packs.holderOf(manifest.id, id);
    if (holder === undefined) return manifest;
    const reason = `it is the pack "${manifest.id}", and ${holder} has that id already`;
    throw errors.create('MARKETPLACE_PLUGIN_INVALID', { plugin: id, reason });
  }

  /** What an installed version could do. Nothing when its files are not what was accepted: then everything is new. */
  async reviewOf({ content }: LockedVersion, signal: AbortSignal): Promise<Review | undefined> {
    const { store, reviews, discovery } = this.#parts;
    const sealed = await store.read(content);
    if (sealed === undefined || (await store.verify(content, sealed, { signal })).length > 0) return undefined;
    const { definition } = sealed;
    const folder = store.folderOf(content);
    const pack = definition.isPack ? await (await this.#parts.packs()).read(folder) : undefined;
    return reviews.look(definition, folder, sealed.files, { discovery, pack, signal });
  }

  /** Throws a prepared plugin away. */
  async discard({ staged }: Prepared): Promise<void> {
    await this.#parts.store.discard(staged);
  }

  /** Makes a prepared plugin the one that is used. Until the last step the one before is. */
  async commit(prepared: Prepared, files: ScopeFiles): Promise<Locked> {
    const { store, step, lock } = this.#parts;
    const { id, definition, before, pin, pack, signing, staged } = prepared;
    try {
      return await withLock(lock, async () => {
        const current = await files.readLock();
        if (current.plugins[id]?.content !== before?.content)
          throw errors.create('MARKETPLACE_CHANGED_MEANWHILE', { plugin: id });
        const now = new Date().toISOString();
        const content = await store.put(staged, definition, prepared.files, now);
        step?.('stored');
        if (pack)
          await (
            await this.#parts.packs()
          ).add({ folder: store.folderOf(content), manifest: pack, plugin: id, lock: files.lockFile });
        step?.('granted');
        const isSame = before?.content === content;
        // A new version number for the same files is nothing to go back from: the version to go back to stays.
        const isKept = before !== undefined && (isSame || (await this.#isSameButVersion(before, prepared)));
        const previous = isKept ? before.previous : before && versionOf(before);
        const locked: Locked = {
          version: definition.version,
          content,
          pin,
          installedAt: isSame ? before.installedAt : now,
          ...(signing.key !== undefined && { key: signing.key }),
          ...(pack && { pack: pack.id }),
          definition,
          ...(previous && { previous }),
        };
        await files.writeLock({ ...current, plugins: { ...current.plugins, [id]: locked } });
        step?.('switched');
        await this.#afterChange(files);
        return locked;
      });
    } finally {
      await store.discard(staged);
    }
  }

  /** True when nothing but the version number and the description is different. */
  async #isSameButVersion({ content }: LockedVersion, { definition, files }: Prepared): Promise<boolean> {
    const sealed = await this.#parts.store.read(content);
    return (
      sealed !== undefined &&
      contentHash(unversioned(sealed.definition), sealed.files) === contentHash(unversioned(definition), files)
    );
  }

  /** Goes back to the version before; going back again goes forward again. */
  async rollback(id: string, files: ScopeFiles, signal: AbortSignal): Promise<Locked> {
    return withLock(this.#parts.lock, async () => {
      const current = await files.readLock();
      const locked = requireLocked(current, id, files);
      const { previous } = locked;
      if (previous === undefined) throw errors.create('MARKETPLACE_NO_PREVIOUS', { plugin: id });
      const tampering = await this.tampering(previous, { full: true, signal });
      if (tampering === undefined || tampering.length > 0)
        throw errors.create('MARKETPLACE_NO_PREVIOUS', { plugin: id });
      const back: Locked = { ...previous, previous: versionOf(locked) };
      await files.writeLock({ ...current, plugins: { ...current.plugins, [id]: back } });
      return back;
    });
  }

  /** Removes a plugin and what nothing else refers to. */
  async uninstall(id: string, files: ScopeFiles): Promise<Locked> {
    return withLock(this.#parts.lock, async () => {
      const current = await files.readLock();
      const locked = requireLocked(current, id, files);
      const { [id]: _gone, ...plugins } = current.plugins;
      const disabled = (current.disabled ?? []).filter((disabledId) => disabledId !== id);
      await files.writeLock({ ...current, plugins, ...(files.scope === 'user' && { disabled }) });
      await this.#afterChange(files);
      return locked;
    });
  }

  /** Switches a plugin on or off for the user. */
  async setEnabled(id: string, enabled: boolean): Promise<void> {
    const files = userScope(this.#parts.folders);
    await withLock(this.#parts.lock, async () => {
      const current = await files.readLock();
      const others = (current.disabled ?? []).filter((disabledId) => disabledId !== id);
      await files.writeLock({ ...current, disabled: enabled ? others : [...others, id] });
    });
  }

  /** What is wrong with the files of a version; nothing when the version was never accepted here. */
  async tampering(
    { content }: LockedVersion,
    options: { readonly full?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<readonly Tampering[] | undefined> {
    const sealed = await this.#parts.store.read(content);
    return sealed && this.#parts.store.verify(content, sealed, options);
  }

  /** Remembers which projects use the store, and removes what no lock file refers to any more. */
  async #afterChange(files: ScopeFiles): Promise<void> {
    const user = userScope(this.#parts.folders);
    let own = await user.readLock();
    if (files.scope === 'project' && !own.projects?.includes(files.lockFile)) {
      own = { ...own, projects: [...(own.projects ?? []), files.lockFile] };
      await user.writeLock(own);
    }
    const locks: LockFile[] = [own];
    for (const file of own.projects ?? []) {
      try {
        locks.push(await readLock(file));
      } catch {
        // A file that cannot be read may refer to anything, so nothing is removed; reading it for use reports it.
        return;
      }
    }
    const live = locks.flatMap(({ plugins }) =>
      Object.values(plugins).flatMap(({ content, previous }) => (previous ? [content, previous.content] : [content])),
    );
    const gone = await this.#parts.store.collect(new Set(live));
    if (gone.length > 0) await (await this.#parts.packs()).remove(gone);
  }
}

function unversioned(definition: Definition): Definition {
  const { version: _version, description: _description, ...manifest } = definition.manifest;
  return { ...definition, version: '', manifest };
}

function versionOf({ previous: _previous, ...version }: Locked): LockedVersion {
  return version;
}

/** The entry of a plugin in a lock file. */
export function requireLocked({ plugins }: LockFile, id: string, { scope }: Pick<ScopeFiles, 'scope'>): Locked {
  const locked = plugins[id];
  if (locked) return locked;
  const where = scope === 'project' ? ' for this project' : '';
  throw errors.create('MARKETPLACE_NOT_INSTALLED', { plugin: id, where, hint: didYouMean(id, Object.keys(plugins)) });
}

/** Another signer, or none any more, is news that a person should see. */
function withSigner(review: Review, before: Locked | undefined, { key }: Signing): Review {
  if (before?.key === undefined || before.key === key) return review;
  const text = key === undefined ? 'it is no longer signed' : 'it is signed with another key than before';
  return { ...review, powers: [...review.powers, { kind: 'signature', text }] };
}

/** Where the files are under whose lock changes are made. */
export function changeLock(data: string): string {
  return join(data, 'plugins', 'change');
}
