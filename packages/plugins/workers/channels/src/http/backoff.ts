/** How long to wait before the next attempt. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelFault } from './fault.ts';

const FIRST_MS = 1_000;
const MOST_MS = 5 * 60_000;
/** No service may hold a channel up for longer. */
const MOST_ASKED_MS = 60 * 60_000;

/** The wait after so many failures in a row: what the service asks for, else longer and longer, not all at the same moment. */
export function waitAfter(failures: number, fault: unknown, first = FIRST_MS): number {
  const asked = fault instanceof ChannelFault ? fault.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(asked, MOST_ASKED_MS) + Math.random() * 50;
  const most = fault instanceof ChannelFault && fault.kind === 'access' ? MOST_MS : MOST_MS / 5;
  return Math.min(first * 2 ** Math.min(failures - 1, 20), most) * (0.75 + Math.random() / 2);
}

/** Waits; ends early, without an error, when the signal aborts. */
export async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  // Aborted: whoever waits looks at the signal next.
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
