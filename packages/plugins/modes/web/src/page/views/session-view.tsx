/** One session: its messages, the answer that is being written, questions, and the field for the next message. */
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { attempt, client } from '../state/connection.ts';
import { type Conversation, type Message, type Part, textOf } from '../state/conversation.ts';
import { conversation, loadOlder, openAgain, show } from '../state/session.ts';
import { Composer } from './composer.tsx';
import { Markdown } from './markdown.tsx';
import { QuestionCard } from './question-card.tsx';
import { ReviewPanel } from './review-panel.tsx';
import { useStayingAtEnd } from './stay-at-end.ts';
import { Images, ToolCard } from './tool-card.tsx';

/** The session of an id. */
export function SessionScreen({ id }: { readonly id: string }): VNode {
  useEffect(() => show(id), [id]);
  const shown = conversation.value;
  if (!shown || shown.isOpening)
    return (
      <>
        <Opening />
        {shown && <Transcript {...shown} />}
      </>
    );
  return (
    <>
      <Header {...shown} />
      <Transcript {...shown} />
      <div class="foot">
        {shown.notices.length > 0 && <p class="notice">{shown.notices.at(-1)}</p>}
        {shown.questions.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        <ReviewPanel target={`session:${shown.id}`} send={(text) => sendReview(shown, text)} />
        <Composer key={id} id={shown.id} isWorking={shown.state.isStreaming} />
      </div>
    </>
  );
}

/** Stands in for the header until an agent is there; also when none could be started, which the notice explains. */
function Opening(): VNode {
  const again = openAgain.value;
  return (
    <header class="bar">
      <h1>{again ? 'No agent works on this session' : 'Opening the session …'}</h1>
      {again && (
        <button type="button" class="quiet" onClick={again}>
          Open it again
        </button>
      )}
    </header>
  );
}

/** Comments are the next message: an agent that works gets them when it is done with what it does. */
async function sendReview({ id, state }: Conversation, message: string): Promise<boolean> {
  const body = { message, ...(state.isStreaming && { whileWorking: 'followUp' as const }) };
  return (await attempt(() => client.call('prompt', { params: { id }, body }))) !== undefined;
}

function Header({ id, cwd, state, entries }: Conversation): VNode {
  const cost = entries.reduce((sum, { message }) => sum + (message.usage?.cost?.total ?? 0), 0);
  return (
    <header class="bar">
      <h1>{state.title ?? cwd.split('/').at(-1)}</h1>
      <p class="facts">
        <span title={cwd}>{cwd}</span> · <span>{state.model}</span>
        {cost > 0 && ` · $${cost.toFixed(2)}`}
        {state.queued > 0 && ` · ${state.queued} waiting`}
      </p>
      <button
        type="button"
        class="quiet"
        onClick={() => void attempt(() => client.call('compact', { params: { id } }))}
      >
        Compact
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => void attempt(() => client.call('closeSession', { params: { id } }))}
      >
        End agent
      </button>
    </header>
  );
}

/** The messages. While the person is at the end, the end stays in view; elsewhere nothing moves. */
function Transcript({ id, entries, open, tools, total, state, isOpening = false }: Conversation): VNode {
  const first = entries[0]?.index ?? 0;
  const end = useStayingAtEnd(first);
  const results = useMemo(() => resultsOf(entries), [entries]);
  const running = new Map(tools.map((tool) => [tool.id, tool]));
  // Nothing can be said to an agent that is not there yet.
  const review = isOpening ? {} : { review: `session:${id}` };
  return (
    <div class="transcript" tabIndex={0} role="log" aria-label="Conversation" {...end}>
      {first > 0 && (
        <button type="button" class="quiet older" onClick={() => void loadOlder()}>
          Show older messages ({first} more of {total})
        </button>
      )}
      {entries.map(({ index, message }) => (
        <MessageView key={index} message={message} results={results} running={running} {...review} />
      ))}
      {open && <Answer parts={open} results={results} running={running} {...review} isOpen />}
      {state.isStreaming && !open && tools.length === 0 && <p class="working">Working …</p>}
      {total === 0 && !state.isStreaming && <p class="empty">Nothing was said yet.</p>}
    </div>
  );
}

type Results = ReadonlyMap<string, Message>;
type Running = ReadonlyMap<string, Conversation['tools'][number]>;

function resultsOf(entries: Conversation['entries']): Results {
  const found = entries.flatMap(({ message }) =>
    message.role === 'toolResult' && message.toolCallId !== undefined ? [[message.toolCallId, message] as const] : [],
  );
  return new Map(found);
}

function MessageView(props: {
  readonly message: Message;
  readonly results: Results;
  readonly running: Running;
  readonly review?: string;
}) {
  const { message, results, running, review } = props;
  const { role, content = '', errorMessage } = message;
  // Results stand with their calls.
  if (role === 'toolResult' || message.display === false) return undefined;
  if (role === 'assistant')
    return (
      <>
        <Answer
          parts={typeof content === 'string' ? [{ type: 'text', text: content }] : content}
          {...{ results, running }}
          {...(review !== undefined && { review })}
        />
        {errorMessage !== undefined && <p class="notice">{errorMessage}</p>}
      </>
    );
  return (
    <article class={`message ${role === 'user' ? 'user' : 'other'}`}>
      <Markdown text={textOf(content)} />
      <Images content={content} />
    </article>
  );
}

function Answer(props: {
  readonly parts: readonly Part[];
  readonly results: Results;
  readonly running: Running;
  readonly review?: string;
  readonly isOpen?: boolean;
}): VNode {
  const { parts, results, running, review, isOpen = false } = props;
  return (
    <article class="message assistant" aria-busy={isOpen}>
      {parts.map((part, index) => {
        if (part.type === 'text') return <Markdown key={index} text={part.text ?? ''} />;
        if (part.type === 'thinking')
          return (
            <details key={index} class="thinking">
              <summary>Thinking</summary>
              <p>{part.thinking}</p>
            </details>
          );
        if (part.type !== 'toolCall') return undefined;
        const id = part.id ?? '';
        return (
          <ToolCard
            key={index}
            call={part}
            result={results.get(id)}
            running={running.get(id)}
            {...(review !== undefined && { review })}
          />
        );
      })}
    </article>
  );
}
