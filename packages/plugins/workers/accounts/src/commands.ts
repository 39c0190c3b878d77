/** `tenon account …`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { CommandCall } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { counted, plainLine } from '@tenon/wording';
import type { Account, AccountKind, Accounts } from './api.ts';
import { busyUntil, usedUpUntil } from './choice.ts';
import { errors } from './errors.ts';

/** Adds one. */
export async function addAccount(service: Accounts, call: CommandCall): Promise<void> {
  const { args, flags, io, cwd } = call;
  const vendor = String(args['vendor']);
  const [file, folder] = [flags['import'], flags['config-folder']];
  if ([flags['token'] === true, file !== undefined, folder !== undefined].filter(Boolean).length > 1)
    throw errors.create('ACCOUNTS_ONE_KIND');
  const kind: AccountKind =
    typeof folder === 'string'
      ? 'config-folder'
      : typeof file === 'string'
        ? 'oauth'
        : flags['token'] === true
          ? 'setup-token'
          : 'api-key';
  const account = await service.add({
    vendor,
    kind,
    ...(typeof flags['label'] === 'string' && { label: flags['label'] }),
    ...(typeof folder === 'string' && { folder: resolve(cwd, folder) }),
    ...(kind !== 'config-folder' && { secret: await readSecret(call, vendor, kind) }),
  });
  if (flags['json'] === true) return io.json(account);
  await io.out(
    `Added the account ${plainLine(account.id)}${account.label === account.id ? '' : ` (${plainLine(account.label)})`}.\n`,
  );
}

async function readSecret({ flags, io, cwd }: CommandCall, vendor: string, kind: AccountKind): Promise<string> {
  const file = flags['import'];
  if (typeof file === 'string') {
    try {
      return await readFile(resolve(cwd, file), 'utf8');
    } catch (fault) {
      throw errors.create('ACCOUNTS_LOGIN_FILE', { file, vendor, reason: messageOf(fault) }, fault);
    }
  }
  if (flags['stdin'] === true) return readAll(process.stdin);
  const what = kind === 'setup-token' ? 'Setup token' : 'API key';
  return (await io.ask?.(`${what} of ${plainLine(vendor)}: `, { secret: true })) ?? '';
}

/** Lists them. */
export async function listAccounts(service: Accounts, { args, flags, io }: CommandCall): Promise<void> {
  const vendor = args['vendor'];
  const found = await service.list(typeof vendor === 'string' ? vendor : undefined);
  if (flags['json'] === true) return io.json({ accounts: found });
  if (found.length === 0)
    await io.out('There are no accounts: workers use their own logins. `tenon account add VENDOR` adds one.\n');
  for (const account of found) await io.out(`${describeAccount(account, Date.now())}\n`);
}

/** An account in a few words. */
export function describeAccount(account: Account, now: number): string {
  const { id, label, kind, usage, limits, isEnabled, exhaustedFor } = account;
  const until = busyUntil(account, now);
  const state = !isEnabled
    ? 'put aside'
    : until === undefined
      ? 'free'
      : `${usedUpUntil(account, now) === undefined ? 'almost ' : ''}used up until ${new Date(until).toISOString()}${exhaustedFor === undefined ? '' : ` (${exhaustedFor})`}`;
  const used = `${counted(usage.runs, 'run')}, ${usage.input} tokens in, ${usage.output} out${usage.cost > 0 ? `, $${usage.cost.toFixed(2)}` : ''}`;
  const left = limits.map(({ window, left: part }) => `${Math.round(part * 100)} % of ${window} left`);
  const words = [id, ...(label === id ? [] : [label]), kind, state, [used, ...left].join(', ')];
  return words.map(plainLine).join('  ');
}

/** Removes one. */
export async function removeAccount(service: Accounts, { args, io }: CommandCall): Promise<void> {
  const id = String(args['id']);
  if (!(await service.remove(id))) throw errors.create('ACCOUNTS_UNKNOWN', { id, hint: '' });
  await io.out(`Removed the account ${plainLine(id)} and its credential.\n`);
}

/** Puts one aside, or takes it back. */
export async function enableAccount(service: Accounts, { args, io }: CommandCall, isEnabled: boolean): Promise<void> {
  const { id } = await service.enable(String(args['id']), isEnabled);
  await io.out(`The account ${plainLine(id)} ${isEnabled ? 'is used again' : 'is put aside'}.\n`);
}
