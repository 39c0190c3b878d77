/** A question of an agent, with the whole of what it is about. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer, Question } from '../../shapes.ts';
import { attempt, client } from '../state/connection.ts';
import { titleOf } from '../state/lists.ts';
import { Link } from './link.tsx';

/** A question that can be answered here. */
export function QuestionCard(props: {
  readonly question: Question;
  /** It does not stand in its session, so it says which one that is. */
  readonly isAlone?: boolean;
}): VNode {
  const { question, isAlone = false } = props;
  const { id, method, title, message, options = [], placeholder, prefill } = question;
  const [text, setText] = useState(prefill ?? '');
  const [isSent, setSent] = useState(false);
  const answer = async (body: Answer) => {
    setSent(true);
    const done = await attempt(() => client.call('answerQuestion', { params: { id }, body }));
    if (!done) setSent(false);
  };
  const button = (label: string, body: Answer) => (
    <button type="button" disabled={isSent} onClick={() => void answer(body)}>
      {label}
    </button>
  );
  return (
    <section class="question" aria-label="The agent asks">
      {isAlone && (
        <p class="facts">
          <Link to={`/sessions/${question.session}`}>{titleOf(question.session) ?? 'its session'}</Link>
        </p>
      )}
      <pre class="question-text" tabIndex={0}>
        {message === undefined ? title : `${title}\n\n${message}`}
      </pre>
      {method === 'select' && <div class="choices">{options.map((option) => button(option, { value: option }))}</div>}
      {method === 'confirm' && (
        <div class="choices">
          {button('Yes', { confirmed: true })}
          {button('No', { confirmed: false })}
        </div>
      )}
      {(method === 'input' || method === 'editor') && (
        <div class="choices">
          <textarea
            rows={method === 'editor' ? 8 : 2}
            aria-label={title}
            placeholder={placeholder}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {button('Send', { value: text })}
        </div>
      )}
      <button type="button" class="quiet" disabled={isSent} onClick={() => void answer({ cancelled: true })}>
        No answer
      </button>
    </section>
  );
}
