/** A call that waits for a yes or no, with the whole of what it would do. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Approval } from '../../shapes.ts';
import { attempt, client } from '../state/connection.ts';

/** A call of an agent that no page has opened. */
export function ApprovalCard({ call }: { readonly call: Approval }): VNode {
  const { id, tool, folder, subagent, tier, reasons, notes, text, choices } = call;
  const [isSent, setSent] = useState(false);
  const answer = async (choice: string) => {
    setSent(true);
    const done = await attempt(() => client.call('answerApproval', { params: { id }, body: { choice } }));
    if (!done) setSent(false);
  };
  const who = subagent === undefined ? 'An agent' : `The subagent ${subagent}`;
  return (
    <section class="question" aria-label={`${who} asks for approval`}>
      <p>
        {who} wants to use <code>{tool}</code> in <code>{folder}</code> (risk {tier} of 3)
      </p>
      <pre class="question-text" tabIndex={0}>
        {text}
      </pre>
      {[...reasons, ...notes].map((line) => (
        <p key={line} class="facts">
          {line}
        </p>
      ))}
      <div class="choices">
        {choices.map((choice) => (
          <button key={choice.id} type="button" disabled={isSent} onClick={() => void answer(choice.id)}>
            {choice.label}
          </button>
        ))}
      </div>
    </section>
  );
}
