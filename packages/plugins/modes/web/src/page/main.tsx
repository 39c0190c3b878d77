/** The page: where the person is decides what is shown. */
import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { fault, isConnected, token } from './state/connection.ts';
import { begin, followLists, overview, questions, waiting } from './state/lists.ts';
import { go, place } from './state/place.ts';
import { Accounts, Worktrees } from './views/places-view.tsx';
import { QuestionCard } from './views/question-card.tsx';
import { RunScreen } from './views/run-view.tsx';
import { RunsBoard } from './views/runs-board.tsx';
import { SessionList } from './views/session-list.tsx';
import { SessionScreen } from './views/session-view.tsx';

const PLACES = [
  { path: '/', title: 'Sessions', key: '1' },
  { path: '/questions', title: 'Questions', key: '2' },
  { path: '/runs', title: 'Runs', key: '3' },
  { path: '/worktrees', title: 'Worktrees', key: '4' },
  { path: '/accounts', title: 'Accounts', key: '5' },
] as const;

function App(): VNode {
  useEffect(() => {
    if (token.value === '') return undefined;
    const leaving = new AbortController();
    void followLists(leaving.signal);
    void begin();
    return () => leaving.abort();
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = PLACES.find(({ key }) => event.altKey && event.key === key);
      if (!target) return;
      event.preventDefault();
      go(target.path);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => {
    document.title = waiting.value > 0 ? `(${waiting.value}) Tenon` : 'Tenon';
  }, [waiting.value]);
  if (token.value === '')
    return (
      <main class="closed">
        <h1>The control room is closed</h1>
        <p>
          Open the link that <code>tenon web</code> prints: it holds the token.
        </p>
      </main>
    );
  return (
    <>
      <nav aria-label="Places">
        <p class="brand">
          Tenon <span class="facts">{overview.value?.version}</span>
        </p>
        {PLACES.map(({ path, title, key }) => (
          <NavLink key={path} path={path} hint={`Alt-${key}`}>
            {title}
            {path === '/questions' && questions.value.length > 0 && (
              <span class="badge asks">{questions.value.length}</span>
            )}
          </NavLink>
        ))}
        <p class="facts host">{overview.value?.host}</p>
      </nav>
      <main>
        <div role="status" aria-live="polite">
          {!isConnected.value && <p class="notice">The server does not answer. Trying again …</p>}
          {fault.value !== '' && <p class="notice">{fault.value}</p>}
        </div>
        <Screen path={place.value} />
      </main>
    </>
  );
}

function NavLink(props: { readonly path: string; readonly hint: string; readonly children: ComponentChildren }): VNode {
  const { path, hint, children } = props;
  const isHere =
    path === '/' ? place.value === '/' || place.value.startsWith('/sessions') : place.value.startsWith(path);
  return (
    <a
      href={path}
      title={hint}
      {...(isHere && { 'aria-current': 'page' as const })}
      onClick={(event) => {
        event.preventDefault();
        go(path);
      }}
    >
      {children}
    </a>
  );
}

function Screen({ path }: { readonly path: string }): VNode {
  const [, kind, id] = path.split('/');
  if (kind === 'sessions' && id) return <SessionScreen key={id} id={decodeURIComponent(id)} />;
  if (kind === 'runs' && id) return <RunScreen key={id} id={decodeURIComponent(id)} />;
  if (kind === 'runs') return <RunsBoard />;
  if (kind === 'questions') return <Questions />;
  if (kind === 'worktrees') return <Worktrees />;
  return kind === 'accounts' ? <Accounts /> : <SessionList />;
}

function Questions(): VNode {
  return (
    <>
      <header class="bar">
        <h1>Questions</h1>
      </header>
      {questions.value.length === 0 && <p class="empty">Nobody waits for you.</p>}
      {questions.value.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </>
  );
}

const root = document.querySelector('#app');
if (root) render(<App />, root);
