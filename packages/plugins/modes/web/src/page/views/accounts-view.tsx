/** Accounts of workers, what they have used and what is left. */
import type { Account } from '@tenon/accounts/api';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client, fetched } from '../state/connection.ts';
import { Sheet } from './sheet.tsx';
import { ago, counted, money, tokens } from './words.ts';

const COLUMNS = [{ title: 'Account' }, { title: 'Vendor' }, { title: 'Used' }, { title: 'Left' }, { title: 'State' }];

/** Accounts of workers. */
export function Accounts(): VNode {
  const [rows, setRows] = useState<readonly Account[]>();
  useEffect(() => {
    void fetched(() => client.call('listAccounts', {})).then((found) => setRows(found?.accounts ?? []));
  }, []);
  return (
    <>
      <header class="bar">
        <h1>Accounts</h1>
      </header>
      {rows === undefined && <p class="empty">Loading …</p>}
      {rows?.length === 0 && (
        <p class="empty">
          No account. Workers use the logins of their CLIs; <code>tenon account add</code> adds one.
        </p>
      )}
      {rows && rows.length > 0 && (
        <Sheet
          label="Accounts"
          columns={COLUMNS}
          rows={rows.map((account) => ({
            key: account.id,
            cells: [
              <>
                {account.label} <span class="facts">{account.id}</span>
              </>,
              account.vendor,
              usedText(account),
              account.limits.map(({ window, left }) => `${window} ${Math.round(left * 100)}%`).join(', ') || '–',
              stateText(account),
            ],
          }))}
        />
      )}
    </>
  );
}

function usedText({ usage }: Account): string {
  return `${counted(usage.runs, 'run')}, ${tokens(usage.input + usage.output)} tokens, ${money(usage.cost)}`;
}

function stateText({ isEnabled, exhaustedUntil }: Account): string {
  if (!isEnabled) return 'put aside';
  return exhaustedUntil === undefined ? 'ready' : `used up; free ${ago(exhaustedUntil)}`;
}
