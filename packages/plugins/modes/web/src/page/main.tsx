/** The page: where the person is decides what is shown. */
import { render, type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { fault, isConnected, token } from './state/connection.ts';
import { approvals, followLists, overview, questions, waiting, waitingRuns, waitingWorkflows } from './state/lists.ts';
import { go, place } from './state/place.ts';
import { ApprovalCard } from './views/approval-card.tsx';
import { Accounts } from './views/accounts-view.tsx';
import { Hosts } from './views/hosts-view.tsx';
import { Link } from './views/link.tsx';
import { QuestionCard } from './views/question-card.tsx';
import { WaitingRunQuestions } from './views/run-questions.tsx';
import { RunScreen } from './views/run-view.tsx';
import { RunsBoard } from './views/runs-board.tsx';
import { SessionList } from './views/session-list.tsx';
import { SessionScreen } from './views/session-view.tsx';
import { SettingsScreen } from './views/settings-view.tsx';
import { UsageScreen } from './views/usage-view.tsx';
import { WaitingWorkflowQuestions } from './views/workflow-questions.tsx';
import { WorkflowScreen } from './views/workflow-view.tsx';
import { WorkflowsList } from './views/workflows-list.tsx';
import { Worktrees } from './views/worktrees-view.tsx';

const PLACES = [
  { path: '/', title: 'Sessions', key: '1' },
  { path: '/questions', title: 'Questions', key: '2' },
  { path: '/runs', title: 'Runs', key: '3' },
  { path: '/workflows', title: 'Workflows', key: '4' },
  { path: '/worktrees', title: 'Worktrees', key: '5' },
  { path: '/accounts', title: 'Accounts', key: '6' },
  { path: '/usage', title: 'Usage', key: '7' },
  { path: '/settings', title: 'Settings', key: '8' },
] as const;
/** There only where this machine knows a fleet. */
const HOSTS = { path: '/hosts', title: 'Hosts', key: '9' } as const;
const places = () => (overview.value?.hasFleet ? [...PLACES, HOSTS] : PLACES);

function App(): VNode {
  useEffect(() => {
    if (token.value === '') return undefined;
    const leaving = new AbortController();
    void followLists(leaving.signal);
    return () => leaving.abort();
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = places().find(({ key }) => event.altKey && event.key === key);
      if (!target) return;
      event.preventDefault();
      go(target.path);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  // On a narrow screen the places are a row that is longer than the screen.
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [place.value, overview.value]);
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
        {places().map(({ path, title, key }) => (
          <Link key={path} to={path} title={`Alt-${key}`} isHere={isHere(path)}>
            {title}
            {path === '/questions' && waiting.value > 0 && <span class="badge asks">{waiting.value}</span>}
          </Link>
        ))}
        <p class="facts host">{overview.value?.host}</p>
      </nav>
      <main tabIndex={0}>
        <div role="status" aria-live="polite">
          {!isConnected.value && <p class="notice">The server does not answer. Trying again …</p>}
          {fault.value !== '' && <p class="notice">{fault.value}</p>}
        </div>
        <Screen path={place.value} />
      </main>
    </>
  );
}

function isHere(path: string): boolean {
  return path === '/' ? place.value === '/' || place.value.startsWith('/sessions') : place.value.startsWith(path);
}

/** The part of a path as it was meant; one that nobody can have meant is taken as it stands. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function Screen({ path }: { readonly path: string }): VNode {
  const [, kind, part = ''] = path.split('/');
  const id = decoded(part);
  if (kind === 'sessions' && id) return <SessionScreen key={id} id={id} />;
  if (kind === 'runs' && id) return <RunScreen key={id} id={id} />;
  if (kind === 'runs') return <RunsBoard />;
  if (kind === 'workflows' && id) return <WorkflowScreen key={id} id={id} />;
  if (kind === 'workflows') return <WorkflowsList />;
  if (kind === 'questions') return <Questions />;
  if (kind === 'worktrees') return <Worktrees />;
  if (kind === 'usage') return <UsageScreen />;
  if (kind === 'settings') return <SettingsScreen />;
  if (kind === 'hosts') return <Hosts />;
  return kind === 'accounts' ? <Accounts /> : <SessionList />;
}

function Questions(): VNode {
  return (
    <>
      <header class="bar">
        <h1>Questions</h1>
      </header>
      {waiting.value === 0 && <p class="empty">Nothing waits for you.</p>}
      {questions.value.map((question) => (
        <QuestionCard key={question.id} question={question} isAlone />
      ))}
      {approvals.value.map((call) => (
        <ApprovalCard key={call.id} call={call} />
      ))}
      {waitingRuns.value.map(({ id, alias, session, request }) => (
        <section key={id} class="part" aria-label={`Run ${alias}`}>
          <Link class="row" to={`/runs/${id}`}>
            <span class="row-title">{request.task}</span>
            <span class="badge waiting">run</span>
            <span class="row-facts">{alias}</span>
          </Link>
          <WaitingRunQuestions id={id} session={session} />
        </section>
      ))}
      {waitingWorkflows.value.map(({ id, name, changed }) => (
        <section key={id} class="part" aria-label={`Workflow ${name}`}>
          <Link class="row" to={`/workflows/${id}`}>
            <span class="row-title">{name}</span>
            <span class="badge waiting">workflow</span>
            <span class="row-facts">{id}</span>
          </Link>
          <WaitingWorkflowQuestions id={id} changed={changed} />
        </section>
      ))}
    </>
  );
}

const root = document.querySelector('#app');
if (root) render(<App />, root);
