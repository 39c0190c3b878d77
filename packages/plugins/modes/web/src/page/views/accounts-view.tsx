/** Accounts of workers, what they have used and what is left. */
import type { Account } from '@tenon/accounts/api';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client, fetched } from '../state/connection.ts';
import { tokens } from './words.ts';

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
        <table class="sheet">
          <thead>
            <tr>
              <th>Account</th>
              <th>Vendor</th>
              <th>Used</th>
              <th>Left</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, label, vendor, usage, limits, isEnabled, exhaustedUntil }) => (
              <tr key={id}>
                <td>
                  {label} <span class="facts">{id}</span>
                </td>
                <td>{vendor}</td>
                <td>
                  {usage.runs} runs, {tokens(usage.input + usage.output)} tokens, ${usage.cost.toFixed(2)}
                </td>
                <td>{limits.map(({ window, left }) => `${window} ${Math.round(left * 100)}%`).join(', ') || '–'}</td>
                <td>
                  {isEnabled
                    ? exhaustedUntil === undefined
                      ? 'ready'
                      : `used up until ${exhaustedUntil}`
                    : 'put aside'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
