import type { CommandCall } from '@tenon/command-line/api';
import type { Folders, KernelView } from '@tenon/host';
import type { Logger } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { PackHosts } from '@tenon/pack-host/api';
import type { MarketplacePlugins } from '../api.ts';
import { errors } from '../errors.ts';
import { findPacks, type FoundPack } from '../find-packs.ts';

/** What the commands work with. */
export interface CommandParts {
  readonly folders: Folders;
  readonly log: Logger;
  view(): Promise<KernelView>;
  hosts(): Promise<PackHosts>;
  /** Plugins that were installed from elsewhere; nothing where no plugin installs any. */
  installed(): Promise<MarketplacePlugins | undefined>;
}

/** A positional argument that the command line has made sure of. */
export function argument(call: CommandCall, name: string): string {
  const value = call.args[name];
  return typeof value === 'string' ? value : '';
}

/** The pack with this id, or an error that says what there is instead. `done` is what the caller wants to do with it. */
export async function requirePack(parts: CommandParts, plugin: string, done: string): Promise<FoundPack> {
  const { packs } = await findPacks(parts.folders);
  const pack = packs.find(({ manifest }) => manifest.id === plugin);
  if (pack) return pack;
  const view = await parts.view();
  if (view.status().some(({ id }) => id === plugin)) throw errors.create('PACKS_BUILT_IN', { plugin, done });
  const hint = didYouMean(
    plugin,
    packs.map(({ manifest }) => manifest.id),
  );
  throw errors.create('PACKS_UNKNOWN', { plugin, hint });
}

/** Asks before something is granted; without anybody to answer, only --yes will do. */
export async function confirm(call: CommandCall, question: string, done: string): Promise<void> {
  if (call.flags['yes'] === true) return;
  if (!call.io.interactive || !call.io.ask) throw errors.create('PACKS_CONFIRM', { done });
  const answer = await call.io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw errors.create('PACKS_REFUSED', { done });
}
