/** Questions of a worker. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RunView } from '../../shapes.ts';
import { attempt, client, fetched } from '../state/connection.ts';

/** The same for a run that waits, of which only the list is known. */
export function WaitingRunQuestions({ id, session }: { readonly id: string; readonly session: number }): VNode | null {
  const [questions, setQuestions] = useState<RunView['questions']>([]);
  useEffect(() => {
    const leaving = new AbortController();
    void fetched(() => client.call('viewRun', { params: { id } }, leaving.signal), leaving.signal).then((found) => {
      if (found) setQuestions(found.questions);
    });
    return () => leaving.abort();
  }, [id, session]);
  return <RunQuestions id={id} questions={questions} />;
}

/** What a worker asks, and fields for the answers; nothing where everything has an answer. */
export function RunQuestions(props: { readonly id: string; readonly questions: RunView['questions'] }): VNode | null {
  const { id, questions } = props;
  const open = questions.filter(({ answer }) => answer === undefined);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const set = (key: string, value: string) => setAnswers({ ...answers, [key]: value });
  const [isSent, setSent] = useState(false);
  const send = async () => {
    setSent(true);
    await attempt(() => client.call('answerRun', { params: { id }, body: { answers: { ...answers } } }));
    setSent(false);
  };
  if (open.length === 0) return null;
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
        <div key={key} class="asked">
          <label>
            {text}
            <textarea rows={2} value={answers[key] ?? ''} onInput={(event) => set(key, event.currentTarget.value)} />
          </label>
          <div class="choices">
            {options.map((option) => (
              <button
                key={option}
                type="button"
                class="quiet"
                aria-pressed={answers[key] === option}
                onClick={() => set(key, option)}
              >
                {option}
              </button>
            ))}
          </div>
        </div>
      ))}
      <button type="submit" disabled={isSent || open.some(({ id: key }) => (answers[key] ?? '').trim() === '')}>
        Answer
      </button>
    </form>
  );
}
