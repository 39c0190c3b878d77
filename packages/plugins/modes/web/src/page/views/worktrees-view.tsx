/** Worktrees: what they take, and cleaning up. What would go is listed before anything goes. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RouteResult } from '../../routes.ts';
import type { WorktreeRow } from '../../shapes.ts';
import { attempt, client, fetched } from '../state/connection.ts';
import { Sheet } from './sheet.tsx';
import { counted, size } from './words.ts';

const COLUMNS = [
  { title: 'Name' },
  { title: 'Repository' },
  { title: 'Branch' },
  { title: 'State' },
  { title: 'Size', isNumber: true },
  { title: 'Cleaning up' },
  { title: 'Folder' },
];

/** Worktrees that Tenon has made. */
export function Worktrees(): VNode {
  const [rows, setRows] = useState<readonly WorktreeRow[]>();
  const [isCleaning, setCleaning] = useState(false);
  const [outcome, setOutcome] = useState<RouteResult<'removeWorktrees'>>();
  const load = async () => {
    const found = await fetched(() => client.call('listWorktrees', {}));
    setRows(found?.worktrees ?? []);
  };
  useEffect(() => void load(), []);
  const leftovers = (rows ?? []).filter(({ canGo }) => canGo);
  const clean = async () => {
    const folders = leftovers.map(({ folder }) => folder);
    const done = await attempt(() => client.call('removeWorktrees', { body: { folders } }));
    setCleaning(false);
    if (done) setOutcome(done);
    await load();
  };
  return (
    <>
      <header class="bar">
        <h1>Worktrees</h1>
        {rows && rows.length > 0 && (
          <p class="facts">
            {counted(rows.length, 'worktree')}, {total(rows)}
          </p>
        )}
        {leftovers.length > 0 && !isCleaning && (
          <button type="button" class="quiet" onClick={() => setCleaning(true)}>
            Clean up …
          </button>
        )}
      </header>
      {isCleaning && <Leftovers rows={leftovers} clean={clean} leave={() => setCleaning(false)} />}
      {outcome && <Outcome {...outcome} />}
      {rows === undefined && <p class="empty">Loading … sizes are counted.</p>}
      {rows?.length === 0 && <p class="empty">Tenon has made no worktree.</p>}
      {rows && rows.length > 0 && (
        <Sheet
          label="Worktrees"
          columns={COLUMNS}
          rows={rows.map(({ name, repository, branch, state, bytes, canGo, reason, folder }) => ({
            key: folder,
            cells: [
              name,
              repository,
              branch ?? '–',
              state,
              bytes === undefined ? 'very large' : size(bytes),
              `${canGo ? 'goes' : 'stays'}: ${reason}`,
              <span class="path">{folder}</span>,
            ],
          }))}
        />
      )}
    </>
  );
}

function Leftovers(props: { readonly rows: readonly WorktreeRow[]; clean(): Promise<void>; leave(): void }): VNode {
  const { rows, clean, leave } = props;
  const [isBusy, setBusy] = useState(false);
  return (
    <section class="question" aria-label="What would be removed">
      <p>
        Nobody uses these, and nothing was done in them. Their folders and branches would be removed ({total(rows)}):
      </p>
      <ul>
        {rows.map(({ name, folder, bytes }) => (
          <li key={folder}>
            {name} <span class="facts">{bytes === undefined ? 'very large' : size(bytes)}</span>
          </li>
        ))}
      </ul>
      <div class="choices">
        <button
          type="button"
          class="danger"
          disabled={isBusy}
          onClick={() => {
            setBusy(true);
            void clean();
          }}
        >
          Remove {counted(rows.length, 'worktree')}
        </button>
        <button type="button" class="quiet" onClick={leave}>
          Leave them
        </button>
      </div>
    </section>
  );
}

function Outcome({ removed, kept }: RouteResult<'removeWorktrees'>): VNode {
  return (
    <div role="status">
      <p class="facts">{counted(removed.length, 'worktree')} removed.</p>
      {kept.map(({ folder, reason }) => (
        <p key={folder} class="notice">
          {folder} stays: {reason}
        </p>
      ))}
    </div>
  );
}

function total(rows: readonly WorktreeRow[]): string {
  return size(rows.reduce((sum, { bytes = 0 }) => sum + bytes, 0));
}
