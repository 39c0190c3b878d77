/** Answers calls that a worker of Tenon's holds in its own folder. */
import type { Logger } from '@tenon/kernel';
import type { WayOut } from '../api.ts';
import { HeldStore } from './store.ts';

const nothing = () => undefined;
/** The worker's own log says what is wrong with its folder. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Logger;

/** Answers one, once. The worker has ended: nobody changes the folder meanwhile. */
export async function answerHeldIn(
  folder: string,
  id: string,
  { isAllowed, way }: { readonly isAllowed: boolean; readonly way?: WayOut },
): Promise<boolean> {
  const store = new HeldStore(folder, { keepHours: 1, log: SILENT });
  const record = (await store.list()).find((held) => held.id === id && held.state === 'waiting');
  if (record === undefined) return false;
  // Only what would help was offered.
  const isOffered = way !== undefined && record.ways?.includes(way) === true;
  const yes = { state: 'allowed' as const, extent: 'once' as const, ...(isOffered && { way }) };
  await store.answer(record, isAllowed ? yes : { state: 'denied', reason: 'A person has said no.' });
  return true;
}
