/** Which account a session uses, and which one comes next when it fails. */
import type { Account } from '@tenon/accounts/api';
import { messageOf, TenonError } from '@tenon/kernel';
import type { DiagnosticReport, WorkerSpec, WorkerUsage } from '@tenon/workers/api';
import type { RunFault } from '../life/after-session.ts';
import type { RunsParts } from '../parts.ts';
import type { Run } from '../run.ts';
import type { LiveSession } from './live-session.ts';

const MINUTE = 60_000;
/** How long an account rests when nobody says until when. */
const REST: Readonly<Partial<Record<RunFault['fault'], number>>> = {
  'rate-limit': 15 * MINUTE,
  quota: 60 * MINUTE,
  auth: 24 * 60 * MINUTE,
  'login-needed': 24 * 60 * MINUTE,
};

/** The account for the next session; nothing when the CLI's own login serves. Throws when all are used up. */
export async function chooseAccount(
  parts: Pick<RunsParts, 'accounts'>,
  run: Run,
  { vendor }: Pick<WorkerSpec, 'vendor'>,
): Promise<string | undefined> {
  if (run.request.account !== undefined) return run.request.account;
  const { reason } = run.next ?? { reason: 'start' };
  // The CLI's session belongs to the account that began it.
  if (reason !== 'start' && reason !== 'retry') return run.account;
  const service = await parts.accounts();
  return (await service?.next(vendor, { except: run.failedAccounts ?? [] }))?.id;
}

/** Another account after one has failed, or why there is none. */
export type Successor =
  | { readonly account: Account; readonly except: readonly string[] }
  | { readonly account?: undefined; readonly reason?: string };

/** Lets the account rest and finds the next. */
export async function nextAccount(
  parts: Pick<RunsParts, 'accounts'>,
  run: Run,
  { vendor }: Pick<WorkerSpec, 'vendor'>,
  { fault, message, retryAt }: RunFault,
): Promise<Successor> {
  const service = await parts.accounts();
  const { account, request } = run;
  if (service === undefined || account === undefined) return {};
  const until = retryAt === undefined ? Number.NaN : Date.parse(retryAt);
  const rest = REST[fault] ?? MINUTE;
  await service.markExhausted(account, new Date(Number.isNaN(until) ? Date.now() + rest : until), message);
  if (request.account !== undefined) return { reason: 'The run asks for this account and no other.' };
  const except = [...(run.failedAccounts ?? []), account];
  try {
    const next = await service.next(vendor, { except });
    return next === undefined ? {} : { account: next, except };
  } catch (fault_) {
    if (!(fault_ instanceof TenonError)) throw fault_;
    return { reason: messageOf(fault_) };
  }
}

/** Whether another account could take over from the one that a run uses. */
export async function hasFreeAccount(
  parts: Pick<RunsParts, 'accounts'>,
  { account, failedAccounts = [], request }: Run,
  { vendor }: Pick<WorkerSpec, 'vendor'>,
): Promise<boolean> {
  const service = account === undefined || request.account !== undefined ? undefined : await parts.accounts();
  const all = (await service?.list(vendor)) ?? [];
  const isFree = ({ id, isEnabled, exhaustedUntil }: Account) =>
    isEnabled &&
    id !== account &&
    !failedAccounts.includes(id) &&
    !(exhaustedUntil !== undefined && Date.parse(exhaustedUntil) > Date.now());
  return all.some(isFree);
}

/** Tells the account what a session has used and what the vendor said about limits. */
export async function recordUse(
  parts: Pick<RunsParts, 'accounts'>,
  account: string | undefined,
  used: { readonly usage: WorkerUsage; readonly cost?: number | undefined },
  live: Pick<LiveSession, 'limitEvents'>,
): Promise<void> {
  const service = account === undefined ? undefined : await parts.accounts();
  if (service === undefined || account === undefined) return;
  const { usage, cost } = used;
  const limits = live.limitEvents.flatMap(({ remaining, resetsAt, window = 'all' }) =>
    remaining === undefined || remaining < 0 || remaining > 1
      ? []
      : [{ window, left: remaining, ...(resetsAt !== undefined && { resetsAt }) }],
  );
  await service.record(account, {
    usage: { input: usage.input, output: usage.output, ...(cost !== undefined && { cost }) },
    limits,
  });
}

/** A limit as the probe has read it from the vendor's headers. */
interface Headroom {
  readonly window: string;
  readonly remaining: number;
  readonly limit?: number;
  readonly resetsAt?: string;
}

/** Tells the account what the probe beside a run was told about limits: the next run takes another one before this one fails. */
export async function recordHeadroom(
  parts: Pick<RunsParts, 'accounts' | 'log'>,
  account: string | undefined,
  { checks }: DiagnosticReport,
): Promise<void> {
  const windows = checks.find(({ id }) => id === 'rate-limit')?.detail?.['windows'];
  const limits = (Array.isArray(windows) ? (windows as readonly Headroom[]) : []).flatMap(
    ({ window, remaining, limit, resetsAt }) => {
      const left = remaining <= 0 ? 0 : limit === undefined || limit <= 0 ? undefined : Math.min(1, remaining / limit);
      return left === undefined ? [] : [{ window, left, ...(resetsAt !== undefined && { resetsAt }) }];
    },
  );
  const service = account === undefined || limits.length === 0 ? undefined : await parts.accounts();
  if (service === undefined || account === undefined) return;
  // It may have been removed meanwhile.
  await service
    .record(account, { limits })
    .catch((fault: unknown) => parts.log.warn(`the limits of account ${account} are not kept: ${messageOf(fault)}`));
}
