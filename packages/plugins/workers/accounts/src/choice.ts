/** Which account is next. */
import type { Account } from './api.ts';

/** With less than this left of a limit, another account serves before this one fails. */
const ALMOST_NOTHING = 0.05;
/** A limit that does not say when it ends is believed for this long. */
const BELIEVED_MS = 10 * 60_000;

/** Until when an account must not be used; undefined when it is free. */
export function busyUntil(account: Account, now: number): number | undefined {
  const ends = [
    ...(account.exhaustedUntil === undefined ? [] : [Date.parse(account.exhaustedUntil)]),
    ...account.limits
      .filter(({ left }) => left < ALMOST_NOTHING)
      .map(({ resetsAt, seen }) => (resetsAt === undefined ? Date.parse(seen) + BELIEVED_MS : Date.parse(resetsAt))),
  ].filter((end) => end > now);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The account that was used longest ago of those that are free; or when the first is free again. */
export function chooseAccount(
  accounts: readonly Account[],
  now: number,
): { readonly account: Account } | { readonly freeAt: number | undefined } {
  const free = accounts.filter((account) => busyUntil(account, now) === undefined);
  const [account] = free.sort(
    (a, b) => (a.lastUsed ?? '').localeCompare(b.lastUsed ?? '') || a.added.localeCompare(b.added),
  );
  if (account) return { account };
  const ends = accounts.flatMap((one) => busyUntil(one, now) ?? []);
  return { freeAt: ends.length === 0 ? undefined : Math.min(...ends) };
}
