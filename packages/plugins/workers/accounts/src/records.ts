/** What is known about accounts, without their credentials. */
import { join } from 'node:path';
import * as stateFiles from '@tenon/state-files';
import type { Account } from './api.ts';
import { errors } from './errors.ts';

const FORM = stateFiles.recordForm<Account>({
  version: 1,
  section: 'accounts',
  problem: (id, record) =>
    [record?.vendor, record?.label, record?.kind, record?.added].every((text) => typeof text === 'string')
      ? undefined
      : `what it says about ${id} is not an account`,
  damaged: (file, reason, cause) => errors.create('ACCOUNTS_INVALID', { file, reason }, cause),
});

const fileIn = (data: string) => join(data, 'accounts.json');

/** All accounts, the oldest first. */
export function readAccounts(data: string): readonly Account[] {
  return Object.values(stateFiles.readStateSync(fileIn(data), FORM)).sort((a, b) => a.added.localeCompare(b.added));
}

/** Changes one of them, or adds one: `change` sees all and gives the new one. Other processes wait meanwhile. */
export async function putAccount(
  data: string,
  change: (accounts: Readonly<Record<string, Account>>) => Account,
): Promise<Account> {
  const put: Account[] = [];
  await stateFiles.updateState(fileIn(data), FORM, (all) => {
    const account = change(all);
    put[0] = account;
    return { ...all, [account.id]: account };
  });
  const [account] = put;
  if (!account) throw new Error('the list of accounts was not changed');
  return account;
}

/** Forgets one. */
export async function dropAccount(data: string, id: string): Promise<void> {
  await stateFiles.changeRecord(fileIn(data), FORM, id, () => undefined);
}
