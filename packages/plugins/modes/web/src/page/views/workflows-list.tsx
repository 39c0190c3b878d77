/** Workflows: where each stands. */
import type { WorkflowSummary } from '@tenon/workflows/api';
import type { VNode } from 'preact';
import { damaged, workflows } from '../state/lists.ts';
import { Link } from './link.tsx';
import { ago, counted } from './words.ts';

/** The list. */
export function WorkflowsList(): VNode {
  const all = workflows.value;
  return (
    <>
      <header class="bar">
        <h1>Workflows</h1>
        <p class="facts">
          <code>tenon workflow run FILE</code> begins one
        </p>
      </header>
      {all === undefined && <p class="empty">Loading …</p>}
      {all?.length === 0 && <p class="empty">No workflow was begun yet.</p>}
      {damaged.value.map(({ id, problem }) => (
        <p key={id} class="notice">
          {id}: {problem}
        </p>
      ))}
      <ul class="rows">
        {(all ?? []).map((workflow) => (
          <li key={workflow.id}>
            <Row {...workflow} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ id, name, state, questions, nodes, over, began, usd, cwd }: WorkflowSummary): VNode {
  return (
    <Link class="row" to={`/workflows/${id}`}>
      <span class="row-title">{name}</span>
      <StateBadge state={state} questions={questions} />
      <span class="row-facts">
        {id} · {over} of {counted(nodes, 'node')} · {ago(began)}
        {usd > 0 && ` · $${usd.toFixed(2)}`} · {cwd}
      </span>
    </Link>
  );
}

/** Where a workflow stands, in a word. */
export function StateBadge({ state, questions }: Pick<WorkflowSummary, 'state' | 'questions'>): VNode {
  if (questions > 0) return <span class="badge waiting">{counted(questions, 'question')}</span>;
  return <span class={`badge ${state === 'active' ? 'running' : state}`}>{state}</span>;
}
