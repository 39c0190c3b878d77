/** Runs of workers, by where they stand, and a new one. */
import type { Run } from '@tenon/runs/api';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { attempt, client } from '../state/connection.ts';
import { overview, runs } from '../state/lists.ts';
import { go } from '../state/place.ts';
import { Link } from './link.tsx';
import { ago, spent } from './words.ts';

const COLUMNS: readonly { readonly title: string; readonly states: readonly Run['state'][] }[] = [
  { title: 'Queued', states: ['queued', 'starting'] },
  { title: 'Running', states: ['running', 'validating', 'hijacked'] },
  { title: 'Waiting for you', states: ['waiting'] },
  { title: 'Failed', states: ['failed', 'cancelled'] },
  { title: 'Done', states: ['done'] },
];

/** The board. */
export function RunsBoard(): VNode {
  const all = runs.value;
  return (
    <>
      <header class="bar">
        <h1>Runs</h1>
      </header>
      <NewRun />
      {all === undefined && <p class="empty">Loading …</p>}
      <div class="board">
        {COLUMNS.map(({ title, states }) => {
          const own = (all ?? []).filter(({ state }) => states.includes(state));
          return (
            <section key={title} aria-label={title}>
              <h2>
                {title} <span class="count">{own.length}</span>
              </h2>
              {own.map((run) => (
                <Card key={run.id} {...run} />
              ))}
            </section>
          );
        })}
      </div>
    </>
  );
}

function Card({ id, alias, worker, request, created, state, usage, cost }: Run): VNode {
  return (
    <Link class={`card ${state}`} to={`/runs/${id}`}>
      <span class="row-title">{request.task}</span>
      <span class="row-facts">{[alias, worker, ago(created), ...spent(usage, cost)].join(' · ')}</span>
    </Link>
  );
}

function NewRun(): VNode {
  const [task, setTask] = useState('');
  const [folder, setFolder] = useState('');
  const [worker, setWorker] = useState('');
  const [isStarting, setStarting] = useState(false);
  const begin = async () => {
    setStarting(true);
    const cwd = folder.trim();
    const body = { task, ...(cwd !== '' && { cwd }), ...(worker.trim() !== '' && { worker: worker.trim() }) };
    const run = await attempt(() => client.call('startRun', { body }));
    setStarting(false);
    if (!run) return;
    setTask('');
    go(`/runs/${run.id}`);
  };
  return (
    <form
      class="new"
      onSubmit={(event) => {
        event.preventDefault();
        void begin();
      }}
    >
      <input
        aria-label="Task"
        placeholder="A task for a worker"
        value={task}
        onInput={(event) => setTask(event.currentTarget.value)}
      />
      <input
        aria-label="Folder"
        placeholder={overview.value?.cwd ?? 'Folder'}
        value={folder}
        onInput={(event) => setFolder(event.currentTarget.value)}
      />
      <input
        aria-label="Worker"
        class="short"
        placeholder="Worker"
        value={worker}
        onInput={(event) => setWorker(event.currentTarget.value)}
      />
      <button type="submit" disabled={isStarting || task.trim() === ''}>
        Start
      </button>
    </form>
  );
}
