/** One workflow: its graph with the states of the nodes, what each gave, and what can be done with it. */
import { signal } from '@preact/signals';
import type { NodeSummary, StepSummary, WorkflowDetails } from '@tenon/workflows/api';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RouteName } from '../../routes.ts';
import { attempt, client, fetched } from '../state/connection.ts';
import { workflows } from '../state/lists.ts';
import { layoutOf, NODE } from './graph-layout.ts';
import { Link } from './link.tsx';
import { ago, counted } from './words.ts';
import { WorkflowQuestions } from './workflow-questions.tsx';
import { StateBadge } from './workflows-list.tsx';

const view = signal<WorkflowDetails | undefined>(undefined);

async function load(id: string): Promise<void> {
  const found = await fetched(() => client.call('viewWorkflow', { params: { id } }));
  if (found) view.value = found;
}

/** The workflow of an id. */
export function WorkflowScreen({ id }: { readonly id: string }): VNode {
  // The list is followed; whatever changes there is loaded here.
  const changed = workflows.value?.find((workflow) => workflow.id === id)?.changed;
  const [isTried, setTried] = useState(false);
  useEffect(() => void load(id).then(() => setTried(true)), [id, changed]);
  const shown = view.value;
  if (!shown || shown.id !== id) return <p class="empty">{isTried ? 'There is nothing to show.' : 'Loading …'}</p>;
  const inputs = Object.entries(shown.inputs);
  return (
    <>
      <header class="bar">
        <h1>{shown.name}</h1>
        <StateBadge {...shown} />
        <p class="facts">
          {shown.id} · began {ago(shown.began)} · {shown.over} of {counted(shown.nodes, 'node')}
          {shown.usd > 0 && ` · $${shown.usd.toFixed(2)}`} · {shown.cwd}
        </p>
      </header>
      {inputs.length > 0 && (
        <p class="facts inputs">
          {inputs.map(([name, value]) => (
            <span key={name}>
              {name}: <code>{value}</code>
            </span>
          ))}
        </p>
      )}
      <Actions {...shown} />
      {shown.state === 'active' && <WorkflowQuestions workflow={shown} answered={() => load(id)} />}
      <Graph nodes={shown.graph} />
      <ol class="nodes" aria-label="Nodes">
        {shown.graph.map((node) => (
          <NodeCard key={node.id} node={node} />
        ))}
      </ol>
    </>
  );
}

function Actions({ id, state, isWorkedOn, questions, graph }: WorkflowDetails): VNode {
  const act = (name: RouteName) => async () => {
    await attempt(() => client.call(name as 'cancelWorkflow', { params: { id } }));
    await load(id);
  };
  const isIdle = state === 'active' && !isWorkedOn && questions === 0;
  const hasFailed = graph.some(({ counts }) => (counts.failed ?? 0) > 0) && !isWorkedOn;
  return (
    <div class="choices">
      {state === 'active' && (
        <button type="button" class="danger" onClick={act('cancelWorkflow')}>
          Cancel
        </button>
      )}
      {isIdle && (
        <button type="button" onClick={act('continueWorkflow')}>
          Go on
        </button>
      )}
      {hasFailed && (
        <button type="button" class={state === 'active' ? 'quiet' : ''} onClick={act('retryWorkflow')}>
          Run what failed again
        </button>
      )}
      {isIdle && <p class="facts">It was interrupted: nobody works on it.</p>}
    </div>
  );
}

/** The picture. The list below it says the same in words. */
function Graph({ nodes }: { readonly nodes: readonly NodeSummary[] }): VNode {
  const layout = useMemo(() => layoutOf(nodes), [nodes]);
  const place = new Map(layout.nodes.map((node) => [node.id, node]));
  const { width, height } = layout;
  return (
    <div class="graph" role="group" aria-label="Graph" tabIndex={0}>
      <div class="graph-plane" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {layout.edges.map(({ from, to, path }) => (
            <path key={`${from} ${to}`} d={path} />
          ))}
        </svg>
        {nodes.map((node) => {
          const { x = 0, y = 0 } = place.get(node.id) ?? {};
          const box = { left: `${x}px`, top: `${y}px`, width: `${NODE.width}px`, height: `${NODE.height}px` };
          return (
            <a key={node.id} class={`graph-node ${node.state}`} style={box} href={`#node-${node.id}`}>
              <span class="graph-name">{node.id}</span>
              <span class="graph-facts">
                {node.kind} · {stateText(node)}
              </span>
            </a>
          );
        })}
      </div>
    </div>
  );
}

function stateText({ state, isEach, counts }: NodeSummary): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return isEach && all > 0 ? `${state}, ${counts.done ?? 0} of ${all}` : state;
}

function NodeCard({ node }: { readonly node: NodeSummary }): VNode {
  const { id, kind, text, needs, when, state, skipped, steps, counts } = node;
  const hidden = Object.values(counts).reduce((sum, count) => sum + count, 0) - steps.length;
  return (
    <li class="node" id={`node-${id}`}>
      <h2>
        {id} <span class={`badge ${badgeOf(state)}`}>{stateText(node)}</span>
      </h2>
      <p class="facts">
        {kind}
        {needs.length > 0 && ` · after ${needs.join(', ')}`}
        {when !== undefined && ` · when ${when}`}
        {skipped !== undefined && ` · ${skipped}`}
      </p>
      {text !== '' && (
        <pre class="node-text" tabIndex={0}>
          {text}
        </pre>
      )}
      {steps.map((step) => (
        <StepView key={step.step} isEach={node.isEach} {...step} />
      ))}
      {hidden > 0 && <p class="facts">… and {counted(hidden, 'more step')}</p>}
    </li>
  );
}

function badgeOf(state: NodeSummary['state']): string {
  return state === 'busy' ? 'running' : state === 'asking' ? 'waiting' : state;
}

function StepView(props: StepSummary & { readonly isEach: boolean }): VNode {
  const { isEach, step, state, attempt: number, item, run, question, reason, output } = props;
  return (
    <div class="step">
      {(isEach || number > 1 || run !== undefined) && (
        <p class="facts">
          {isEach && `${step}: ${state}`}
          {item !== undefined && ` · ${item}`}
          {number > 1 && ` attempt ${number} `}
          {run !== undefined && (
            <>
              {isEach && ' · '}
              <Link to={`/runs/${run}`}>its run</Link>
            </>
          )}
        </p>
      )}
      {question !== undefined && <p>{question}</p>}
      {reason !== undefined && <p class="notice">{reason}</p>}
      {output !== undefined && output.trim() !== '' && (
        <pre class="tool-output" tabIndex={0} aria-label={`What ${step} gave`}>
          {output}
        </pre>
      )}
    </div>
  );
}
