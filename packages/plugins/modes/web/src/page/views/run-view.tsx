/** One run: what it is, what it writes, its questions, and what can be done with it. */
import type { RunEvent, RunOutput } from '@tenon/runs/api';
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RouteName, RouteResult } from '../../routes.ts';
import type { RunView } from '../../shapes.ts';
import { attempt, client, follow } from '../state/connection.ts';
import { runs } from '../state/lists.ts';
import { go } from '../state/place.ts';
import { Copied } from './copied.tsx';
import { Diff } from './diff.tsx';
import { Markdown } from './markdown.tsx';
import { ReviewPanel } from './review-panel.tsx';
import { counted, money, tokens } from './words.ts';

/** What a run has done, in rows for people. */
interface Row {
  readonly place: number;
  readonly kind: 'text' | 'tool' | 'news' | 'error' | 'raw';
  readonly text: string;
}

const MAX_ROWS = 5_000;
const view = signal<RunView | undefined>(undefined);
const rows = signal<readonly Row[]>([]);

function show(id: string): () => void {
  const leaving = new AbortController();
  const { signal: until } = leaving;
  view.value = undefined;
  rows.value = [];
  const load = async () => {
    const found = await attempt(() => client.call('viewRun', { params: { id } }, until));
    if (found && !until.aborted) view.value = found;
  };
  void load();
  void follow(`/api/runs/${encodeURIComponent(id)}/events`, { signal: until }, ({ type, data }) => {
    const row = type === 'output' ? outputRow(data as RunOutput) : eventRow(data as RunEvent);
    if (row) rows.value = [...rows.value, row].slice(-MAX_ROWS);
    const what = type === 'event' ? (data as RunEvent).what.type : '';
    if (what === 'state' || what === 'questions' || what === 'validation') void load();
  });
  return () => leaving.abort();
}

/** What the adapter has understood is shown by events; only the rest is shown as it came. */
function outputRow({ place, stream, text }: RunOutput): Row | undefined {
  return stream === 'stdout' ? undefined : { place, kind: 'raw', text };
}

function eventRow({ place, what }: RunEvent): Row | undefined {
  if (what.type === 'state')
    return { place, kind: 'news', text: `${what.state}${what.message ? `: ${what.message}` : ''}` };
  if (what.type === 'notice') return { place, kind: 'news', text: what.message };
  if (what.type === 'account-switched') return { place, kind: 'news', text: `goes on as ${what.to}: ${what.reason}` };
  if (what.type === 'validation') return { place, kind: 'news', text: `validation: ${what.state}` };
  if (what.type !== 'worker') return undefined;
  const { event } = what;
  if (event.type === 'text') return { place, kind: 'text', text: event.text };
  if (event.type === 'tool-start')
    return { place, kind: 'tool', text: `${event.name} ${JSON.stringify(event.input ?? {}).slice(0, 300)}` };
  if (event.type === 'error' || event.type === 'retry') return { place, kind: 'error', text: event.message };
  return undefined;
}

/** The run of an id. */
export function RunScreen({ id }: { readonly id: string }): VNode {
  useEffect(() => show(id), [id]);
  const shown = view.value;
  if (!shown) return <p class="empty">Loading …</p>;
  // The list knows of changes first.
  const run = runs.value?.find((other) => other.id === shown.run.id) ?? shown.run;
  const { state, usage, cost, error, result, validation, worktree } = run;
  const isOver = state === 'done' || state === 'failed' || state === 'cancelled';
  return (
    <>
      <header class="bar">
        <h1>{run.alias}</h1>
        <span class={`badge ${state}`}>{state}</span>
        <p class="facts">
          {run.worker} · {run.folder} · {tokens(usage.input + usage.output)} tokens
          {cost !== undefined && ` · ${money(cost)}`}
        </p>
      </header>
      <p class="task">{run.request.task}</p>
      <Actions id={run.id} isOver={isOver} hasWork={worktree !== undefined && isOver} />
      {error && <p class="notice">{error.message}</p>}
      {shown.questions.filter(({ answer }) => answer === undefined).length > 0 && state === 'waiting' && (
        <Questions id={run.id} questions={shown.questions} />
      )}
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
      <div class="log" role="log" aria-label="What the run does" tabIndex={0}>
        {rows.value.map(({ place, kind, text }, index) => (
          <pre key={`${place}-${index}`} class={kind}>
            {text}
          </pre>
        ))}
      </div>
    </>
  );
}

/** What the run has changed so far, and comments on it. */
function Changes({ id }: { readonly id: string }): VNode {
  const [changes, setChanges] = useState<RouteResult<'runDiff'>>();
  const load = async () => {
    const found = await attempt(() => client.call('runDiff', { params: { id } }));
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
      {isOver && (
        <button type="button" onClick={act('retryRun')}>
          Try again
        </button>
      )}
      {hasWork && (
        <button type="button" onClick={act('applyRun')}>
          Apply its changes
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

function Questions({ id, questions }: { readonly id: string; readonly questions: RunView['questions'] }): VNode {
  const open = questions.filter(({ answer }) => answer === undefined);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const set = (key: string, value: string) => setAnswers({ ...answers, [key]: value });
  const send = () => attempt(() => client.call('answerRun', { params: { id }, body: { answers: { ...answers } } }));
  return (
    <form
      class="question"
      aria-label="The worker asks"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {open.map(({ id: key, text, options = [] }) => (
        <label key={key}>
          {text}
          {options.length > 0 && <span class="facts"> ({options.join(', ')})</span>}
          <textarea rows={2} value={answers[key] ?? ''} onInput={(event) => set(key, event.currentTarget.value)} />
        </label>
      ))}
      <button type="submit" disabled={open.some(({ id: key }) => (answers[key] ?? '').trim() === '')}>
        Answer
      </button>
    </form>
  );
}
