import type { Memory } from './contract.ts';

/** JavaScript has no way to give memory back. */
export function createJs(): Memory {
  return { release: () => 0 };
}
