import type { Addon } from '../addon.ts';
import type { Memory } from './contract.ts';

/** Adapts the addon to the contract. */
export function fromAddon(addon: Addon): Memory {
  return { release: () => addon.memoryRelease() };
}
