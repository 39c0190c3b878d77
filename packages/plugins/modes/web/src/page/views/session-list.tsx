/** All sessions, and a new one. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionRow } from '../../shapes.ts';
import { attempt, client } from '../state/connection.ts';
import { loadSessions, overview, search, sessions } from '../state/lists.ts';
import { go } from '../state/place.ts';
import { ago } from './words.ts';

/** The list. */
export function SessionList(): VNode {
  const rows = sessions.value;
  return (
    <>
      <header class="bar">
        <h1>Sessions</h1>
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            void loadSessions();
          }}
        />
      </header>
      <NewSession />
      {rows === undefined && <p class="empty">Loading …</p>}
      {rows?.length === 0 && <p class="empty">No session yet. Begin one above.</p>}
      <ul class="rows">
        {rows?.map((row) => (
          <Row key={row.id} {...row} />
        ))}
      </ul>
    </>
  );
}

function Row({ id, title, firstPrompt, cwd, modified, isOpen, isWorking, questions }: SessionRow): VNode {
  const state = questions > 0 ? 'asks' : isWorking ? 'works' : isOpen ? 'open' : '';
  const path = `/sessions/${id}`;
  return (
    <li>
      <a
        class="row"
        href={path}
        onClick={(event) => {
          event.preventDefault();
          go(path);
        }}
      >
        <span class="row-title">{title ?? firstPrompt ?? 'Untitled'}</span>
        {state !== '' && <span class={`badge ${state}`}>{state}</span>}
        <span class="row-facts">
          {cwd} · {ago(modified)}
        </span>
      </a>
    </li>
  );
}

function NewSession(): VNode {
  const [folder, setFolder] = useState('');
  const [isStarting, setStarting] = useState(false);
  const begin = async () => {
    setStarting(true);
    const cwd = folder.trim();
    const view = await attempt(() => client.call('openSession', { body: cwd === '' ? {} : { cwd } }));
    setStarting(false);
    if (view) go(`/sessions/${view.id}`);
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
        aria-label="Folder"
        placeholder={overview.value?.cwd ?? 'Folder'}
        value={folder}
        onInput={(event) => setFolder(event.currentTarget.value)}
      />
      <button type="submit" disabled={isStarting}>
        {isStarting ? 'Starting …' : 'New session'}
      </button>
    </form>
  );
}
