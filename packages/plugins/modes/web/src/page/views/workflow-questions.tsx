/** Questions of a workflow. */
import type { WorkflowDetails } from '@tenon/workflows/api';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { attempt, client, fetched } from '../state/connection.ts';

/** Those of a workflow of which only the list is known. */
export function WaitingWorkflowQuestions({
  id,
  changed,
}: {
  readonly id: string;
  readonly changed: string;
}): VNode | null {
  const [workflow, setWorkflow] = useState<WorkflowDetails>();
  const load = async (wanted?: AbortSignal) => {
    const found = await fetched(() => client.call('viewWorkflow', { params: { id } }, wanted), wanted);
    if (found) setWorkflow(found);
  };
  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal);
    return () => leaving.abort();
  }, [id, changed]);
  return workflow ? <WorkflowQuestions workflow={workflow} answered={load} /> : null;
}

/** Everything in a workflow that waits for a person. */
export function WorkflowQuestions(props: {
  readonly workflow: Pick<WorkflowDetails, 'id' | 'graph'>;
  answered(): Promise<void>;
}): VNode {
  const { id, graph } = props.workflow;
  const asking = graph.flatMap(({ steps }) =>
    steps.flatMap(({ step, question }) => (question ? { step, question } : [])),
  );
  return (
    <>
      {asking.map(({ step, question }) => (
        <Question key={step} workflow={id} step={step} question={question} answered={() => props.answered()} />
      ))}
    </>
  );
}

function Question(props: {
  readonly workflow: string;
  readonly step: string;
  readonly question: string;
  answered(): Promise<void>;
}): VNode {
  const { workflow, step, question } = props;
  const [text, setText] = useState('');
  const [isSent, setSent] = useState(false);
  const answer = async (value: string) => {
    setSent(true);
    const body = { step, answer: value };
    await attempt(() => client.call('answerWorkflow', { params: { id: workflow }, body }));
    setSent(false);
    await props.answered();
  };
  return (
    <form
      class="question"
      aria-label={`${step} asks`}
      onSubmit={(event) => {
        event.preventDefault();
        void answer(text.trim());
      }}
    >
      <pre class="question-text" tabIndex={0}>
        {question}
      </pre>
      <div class="choices">
        <button type="button" disabled={isSent} onClick={() => void answer('yes')}>
          Yes
        </button>
        <button type="button" disabled={isSent} onClick={() => void answer('no')}>
          No
        </button>
        <input
          aria-label={`Another answer for ${step}`}
          placeholder="Another answer"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="quiet" disabled={isSent || text.trim() === ''}>
          Answer
        </button>
      </div>
    </form>
  );
}
