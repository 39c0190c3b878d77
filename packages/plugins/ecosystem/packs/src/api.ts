/** What other plugins may use of the packs: how they are described, and how those are kept that come from a marketplace. */
import { type Manifest, service } from '@tenon/kernel';

export { errors } from './errors.ts';
export type { PackLevel, PackRecord, Trust } from './trust-records.ts';

/** A plugin that was installed from elsewhere and is no pack (or more than one): shown and switched like packs are. */
export interface MarketplacePlugin {
  /** `name@marketplace`. */
  readonly id: string;
  readonly version: string;
  readonly scope: 'user' | 'project';
  readonly folder: string;
  /** Its id as a pack, if it is one. */
  readonly pack?: string;
  /** Why it is not used. */
  readonly disabled?: string;
}

/** Plugins that were installed from elsewhere. Whoever installs them provides this. */
export interface MarketplacePlugins {
  list(): Promise<readonly MarketplacePlugin[]>;
  /** Throws when the files in a folder are not what was installed there. Asked before a pack's code is loaded. */
  verify(folder: string): Promise<void>;
  /** Switches a plugin on or off; false when there is none with this id. */
  setEnabled(id: string, enabled: boolean): Promise<boolean>;
  /** Everything about a plugin, for programs and for people; nothing when there is none with this id. */
  inspect(id: string): Promise<{ readonly facts: unknown; readonly text: string } | undefined>;
}

/** Plugins that were installed from elsewhere. */
export const marketplacePlugins = service<MarketplacePlugins>('marketplace-plugins');

/** A pack that was installed. */
export interface PackInstall {
  readonly folder: string;
  readonly manifest: Manifest;
  /** `name@marketplace`. */
  readonly plugin: string;
  /** The lock file that lists it; the pack counts while that file lists the plugin with this folder's fingerprint. */
  readonly lock: string;
}

/** Makes installed packs known. What the user has agreed to is granted; nothing starts inside of Tenon. */
export interface PackInstalls {
  /** The manifest of the pack in a folder. Throws with everything that is wrong with it. */
  read(folder: string): Promise<Manifest>;
  /** Who has the id already, other than `plugin`; nothing when it is free. */
  holderOf(id: string, plugin: string): Promise<string | undefined>;
  add(install: PackInstall): Promise<void>;
  /** Forgets packs by folder. */
  remove(folders: readonly string[]): Promise<void>;
}

/** Makes installed packs known. */
export const packInstalls = service<PackInstalls>('pack-installs');
