/** Puts the parts together. */
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import type { Discovery } from '@tenon/discovery/api';
import type { PackInstalls } from '@tenon/packs/api';

import { GitCache } from './fetch/git-cache.ts';
import { NpmCache } from './fetch/npm-cache.ts';
import { NpmConfig } from './fetch/npm-config.ts';
import { Origin } from './fetch/origin.ts';
import { changeLock, Installer, type Step } from './installer.ts';
import { Marketplaces } from './marketplaces.ts';
import type { Reviews } from './review/review.ts';
import type { Store } from './store/store.ts';
import type { MarketplaceSettings } from './generated/settings.ts';

const MB = 1024 * 1024;

/** What the parts are made from. */
export interface EngineParts {
  readonly folders: Folders;
  readonly config: MarketplaceSettings;
  readonly store: Store;
  readonly reviews: Reviews;
  discovery(): Promise<Discovery>;
  packs(): Promise<PackInstalls>;
  step?(name: Step): void;
}

/** The parts that commands work with. */
export interface Engine extends EngineParts {
  readonly marketplaces: Marketplaces;
  readonly origin: Origin;
  readonly installer: Installer;
}

/** Makes them. */
export function createEngine(parts: EngineParts): Engine {
  const { folders, config } = parts;
  const cache = join(folders.cache, 'marketplace');
  const limits = { maxBytes: config.maxMegabytes * MB, maxFiles: config.maxFiles };
  const timeoutMs = config.timeoutSeconds * 1_000;
  const git = new GitCache(join(cache, 'git'), config.maxRepositoryMegabytes * MB);
  let npmConfig: Promise<NpmConfig> | undefined;
  const npm = new NpmCache(join(cache, 'npm'), () => (npmConfig ??= NpmConfig.read(folders.home, process.env)), {
    maxBytes: limits.maxBytes,
    timeoutMs,
  });
  const origin = new Origin(git, npm, limits);
  const lock = changeLock(folders.data);
  const marketplaces = new Marketplaces({ folders, git, githubUrl: config.githubUrl, timeoutMs, lock });
  return { ...parts, marketplaces, origin, installer: new Installer({ ...parts, origin, lock }) };
}
