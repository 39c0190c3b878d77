/** One run: what it is, what it writes, its questions, and what can be done with it. */
import type { RunEvent, RunOutput } from '@tenon/runs/api';
import { effect, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StreamedEvent } from '../../client.ts';
import type { RouteName, RouteResult } from '../../routes.ts';
import type { RunView } from '../../shapes.ts';
import { attempt, client, fetched, follow } from '../state/connection.ts';
import { runs } from '../state/lists.ts';
import { go } from '../state/place.ts';
import { Copied } from './copied.tsx';
import { Diff } from './diff.tsx';
import { Markdown } from './markdown.tsx';
import { ReviewPanel } from './review-panel.tsx';
import { RunQuestions } from './run-questions.tsx';
import { type Row, RunRows } from './run-rows.ts';
import { useStayingAtEnd } from './stay-at-end.ts';
import { counted, spent } from './words.ts';

const MAX_ROWS = 5_000;
const view = signal<RunView | undefined>(undefined);
const rows = signal<readonly Row[]>([]);
/** There is no such run, or it cannot be shown. */
const isMissing = signal(false);

function show(id: string): () => void {
  const leaving = new AbortController();
  const { signal: until } = leaving;
  view.value = undefined;
  isMissing.value = false;
  rows.value = [];
  const told = new RunRows();
  const load = async () => {
    const found = await fetched(() => client.call('viewRun', { params: { id } }, until));
    if (until.aborted) return;
    if (found) view.value = found;
    isMissing.value = found === undefined;
  };
  void load();
  const take = ({ type, data }: StreamedEvent) => {
    const row = type === 'output' ? told.output(data as RunOutput) : told.event(data as RunEvent);
    if (row) rows.value = [...rows.value, row].slice(-MAX_ROWS);
    const what = type === 'event' ? (data as RunEvent).what.type : '';
    if (what === 'state' || what === 'questions' || what === 'validation') void load();
  };
  void followRun(id, until, take);
  return () => leaving.abort();
}

/** Follows a run to its end, and again when somebody tries it again. */
async function followRun(id: string, until: AbortSignal, take: (event: StreamedEvent) => void): Promise<void> {
  let last: StreamedEvent | undefined;
  for (;;) {
    const after = last && { after: last.id };
    const isOver = await follow('run', { id, ...after, signal: until }, (event) => {
      last = event;
      take(event);
    });
    if (!isOver || last === undefined) return;
    await begunAgain(id, (last.data as RunEvent | RunOutput).session, until);
  }
}

/** Resolves when a run has a session after the one that was its last, or nobody waits any more. */
async function begunAgain(id: string, ended: number, until: AbortSignal): Promise<void> {
  let stop = () => {};
  await new Promise<void>((resolve) => {
    until.addEventListener('abort', () => resolve());
    stop = effect(() => {
      if ((runs.value?.find((run) => run.id === id)?.session ?? 0) > ended) resolve();
    });
  });
  stop();
}

/** The run of an id. */
export function RunScreen({ id }: { readonly id: string }): VNode {
  useEffect(() => show(id), [id]);
  const shown = view.value;
  if (!shown) return <p class="empty">{isMissing.value ? 'There is nothing to show.' : 'Loading …'}</p>;
  // The list knows of changes first.
  const run = runs.value?.find((other) => other.id === shown.run.id) ?? shown.run;
  const { state, usage, cost, error, result, validation, worktree } = run;
  const isOver = state === 'done' || state === 'failed' || state === 'cancelled';
  return (
    <>
      <header class="bar">
        <h1>{run.alias}</h1>
        <span class={`badge ${state}`}>{state}</span>
        <p class="facts">{[run.worker, run.folder, ...spent(usage, cost)].join(' · ')}</p>
      </header>
      <p class="task">{run.request.task}</p>
      <Actions id={run.id} isOver={isOver} hasWork={worktree !== undefined && isOver} />
      {error && <p class="notice">{error.message}</p>}
      {state === 'waiting' && <RunQuestions id={run.id} questions={shown.questions} />}
      {result && (
        <section class="result" aria-label="Result">
          <Markdown text={result.text} />
        </section>
      )}
      {validation && <p class="facts">Validation: {validation.state}</p>}
      {shown.hijack !== undefined && (
        <p class="facts">
          Take over in a terminal: <Copied text={shown.hijack} />
        </p>
      )}
      {worktree !== undefined && <Changes key={state} id={run.id} />}
      <Log />
    </>
  );
}

/** What the run does; the newest stays in view. */
function Log(): VNode {
  const end = useStayingAtEnd();
  return (
    <div class="log" role="log" aria-label="What the run does" tabIndex={0} {...end}>
      {rows.value.map(({ place, kind, text }, index) => (
        <pre key={`${place}-${index}`} class={kind}>
          {text}
        </pre>
      ))}
    </div>
  );
}

/** What the run has changed so far, and comments on it. */
function Changes({ id }: { readonly id: string }): VNode {
  const [changes, setChanges] = useState<RouteResult<'runDiff'>>();
  const load = async () => {
    const found = await fetched(() => client.call('runDiff', { params: { id } }));
    if (found) setChanges(found);
  };
  const send = async (text: string) =>
    (await attempt(() => client.call('sendToRun', { params: { id }, body: { text } }))) !== undefined;
  const { text = '', files = [], isCut = false } = changes ?? {};
  return (
    <details
      class="changes"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) void load();
      }}
    >
      <summary>Changes{changes && `: ${counted(files.length, 'file')}`}</summary>
      {changes && text === '' && <p class="facts">It has changed nothing.</p>}
      {text !== '' && <Diff text={text} review={`run:${id}`} />}
      {isCut && <p class="facts">The end is missing: it is too long to be shown here.</p>}
      {text !== '' && <ReviewPanel target={`run:${id}`} isAlwaysOpen send={send} />}
    </details>
  );
}

function Actions({
  id,
  isOver,
  hasWork,
}: {
  readonly id: string;
  readonly isOver: boolean;
  readonly hasWork: boolean;
}): VNode {
  const [said, setSaid] = useState('');
  const act = (name: RouteName) => async () => {
    const done = await attempt(() => client.call(name as 'applyRun', { params: { id } }));
    if (!done) return;
    if (name === 'removeRun') go('/runs');
    setSaid('text' in done ? done.text : '');
  };
  return (
    <div class="choices">
      {!isOver && (
        <button type="button" class="danger" onClick={act('cancelRun')}>
          Cancel
        </button>
      )}
      {hasWork && (
        <button type="button" onClick={act('applyRun')}>
          Apply its changes
        </button>
      )}
      {isOver && (
        <button type="button" class={hasWork ? 'quiet' : ''} onClick={act('retryRun')}>
          Try again
        </button>
      )}
      {isOver && (
        <button type="button" class="quiet" onClick={act('removeRun')}>
          Remove
        </button>
      )}
      {said !== '' && <p class="facts">{said}</p>}
    </div>
  );
}
