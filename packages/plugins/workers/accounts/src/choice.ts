/** Which account is next. */
import type { Account } from './api.ts';

/** With less than this left of a limit, another account serves before this one fails. */
const ALMOST_NOTHING = 0.05;
/** A limit that does not say when it ends is believed for this long. */
const BELIEVED_MS = 10 * 60_000;

/** Until when an account should not be used, because it is used up or almost; undefined when it is free. */
export function busyUntil(account: Account, now: number): number | undefined {
  return lastEnd(account, now, ALMOST_NOTHING);
}

/** Until when an account cannot be used. */
export function usedUpUntil(account: Account, now: number): number | undefined {
  return lastEnd(account, now, Number.MIN_VALUE);
}

function lastEnd({ exhaustedUntil, limits }: Account, now: number, least: number): number | undefined {
  const ends = [
    ...(exhaustedUntil === undefined ? [] : [Date.parse(exhaustedUntil)]),
    ...limits
      .filter(({ left }) => left < least)
      .map(({ resetsAt, seen }) => (resetsAt === undefined ? Date.parse(seen) + BELIEVED_MS : Date.parse(resetsAt))),
  ].filter((end) => end > now);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The account that was used longest ago of those that are free, else of those with a little left; or when the first is free again. */
export function chooseAccount(
  accounts: readonly Account[],
  now: number,
): { readonly account: Account } | { readonly freeAt: number | undefined } {
  const free = accounts.filter((account) => busyUntil(account, now) === undefined);
  // A little is better than nothing: the vendor says when it is really used up.
  const left = free.length > 0 ? free : accounts.filter((account) => usedUpUntil(account, now) === undefined);
  const [account] = left.sort(
    (a, b) => (a.lastUsed ?? '').localeCompare(b.lastUsed ?? '') || a.added.localeCompare(b.added),
  );
  if (account) return { account };
  const ends = accounts.flatMap((one) => usedUpUntil(one, now) ?? []);
  return { freeAt: ends.length === 0 ? undefined : Math.min(...ends) };
}
