/** What the page shows is a function of what it has loaded and of the events since: whoever joins later sees the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from '../src/live/rpc-process.ts';
import { LiveSession } from '../src/live/live-session.ts';
import { Transcript } from '../src/live/transcript.ts';
import { after, type Conversation, loaded } from '../src/page/state/conversation.ts';

type State = ConstructorParameters<typeof LiveSession>[2];

function liveSession(): LiveSession {
  const state = {
    sessionId: 's',
    model: { provider: 'p', id: 'm' },
    thinkingLevel: 'off',
    isStreaming: false,
    isCompacting: false,
    queuedMessageCount: 0,
  } as unknown as State;
  const process = { call: () => new Promise(() => undefined), send: () => undefined, stop: async () => undefined };
  const nothing = () => undefined;
  const events = { changed: nothing, asked: nothing, settled: nothing, ended: nothing, moved: nothing };
  const parts = [process, new Transcript(undefined), state, '/w', events] as unknown as ConstructorParameters<
    typeof LiveSession
  >;
  return new LiveSession(...parts);
}

/** One turn of an agent, as its process tells it. */
const turn = fc
  .record({
    prompt: fc.string({ maxLength: 8 }),
    deltas: fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }),
    tools: fc.array(
      fc.record({ updates: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }), asks: fc.boolean() }),
      { maxLength: 3 },
    ),
  })
  .map(({ prompt, deltas, tools }): Frame[] => {
    const text = deltas.join('');
    const calls = tools.map((_, index) => ({ type: 'toolCall', id: `c${index}`, name: 't', arguments: {} }));
    const user = { role: 'user', content: prompt };
    const answer = { role: 'assistant', content: [{ type: 'text', text }, ...calls] };
    const grow = (event: object): Frame => ({ type: 'message_update', message: {}, assistantMessageEvent: event });
    return [
      { type: 'agent_start' },
      { type: 'message_start', message: user },
      { type: 'message_end', message: user },
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      ...deltas.map((delta) => grow({ type: 'text_delta', contentIndex: 0, delta })),
      ...calls.map((toolCall, index) => grow({ type: 'toolcall_end', contentIndex: index + 1, toolCall })),
      { type: 'message_end', message: answer },
      ...tools.map((_, index): Frame => ({
        type: 'tool_execution_start',
        toolCallId: `c${index}`,
        toolName: 't',
        args: {},
      })),
      ...tools.flatMap(({ updates, asks }, index): Frame[] => [
        ...updates.map((said): Frame => ({
          type: 'tool_execution_update',
          toolCallId: `c${index}`,
          toolName: 't',
          args: {},
          partialResult: { content: [{ type: 'text', text: said }] },
        })),
        ...(asks
          ? [
              { type: 'extension_ui_request', id: `q${index}`, method: 'select', title: 'May I?', options: ['yes'] },
              { type: 'extension_ui_request', id: `x${index}`, method: 'cancel', targetId: `q${index}` },
            ]
          : []),
        { type: 'tool_execution_end', toolCallId: `c${index}` },
        { type: 'message_start', message: { role: 'toolResult', toolCallId: `c${index}`, content: [] } },
        { type: 'message_end', message: { role: 'toolResult', toolCallId: `c${index}`, content: [] } },
      ]),
      { type: 'agent_end', messages: [] },
    ];
  });

/** Without what only decides how it came about. */
function shown({ entries, questions, tools, ...rest }: Conversation) {
  const asked = questions.map(({ asked: _asked, ...question }) => question);
  return {
    ...rest,
    open: rest.open?.filter(Boolean),
    entries,
    questions: asked,
    tools: [...tools].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

test('a page that joins at any moment, and loses its connection at any other, shows what the one that saw all shows', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.nat(), fc.nat(), (turns, a, b) => {
      const frames = turns.flat();
      const join = a % frames.length;
      const lost = join + (b % (frames.length - join));
      const session = liveSession();
      const first = loaded(session.view(1_000));
      const start = session.log.idOf(0);
      let late: Conversation | undefined;
      let last = '';
      const catchUp = () => {
        for (const event of session.log.after(last) ?? []) {
          if (late) late = after(late, { type: event.type, data: JSON.parse(event.json) });
          last = event.id;
        }
      };
      frames.forEach((frame, index) => {
        session.take(frame);
        if (index === join) {
          const view = session.view(1_000);
          late = loaded(view);
          last = view.at;
        }
        // Between `lost` and the end nothing arrives; what was missed comes all at once.
        if (index >= join && index < lost) catchUp();
      });
      catchUp();
      const whole = (session.log.after(start) ?? []).reduce(
        (conversation, { type, json }) => after(conversation, { type, data: JSON.parse(json) }),
        first,
      );
      expect(late && shown(late)).toEqual(shown(whole));
      expect(whole.entries.map(({ index }) => index)).toEqual(whole.entries.map((_, index) => index));
    }),
  );
});

test('an answer counts once; the second is told that the question is gone', () => {
  const session = liveSession();
  session.take({ type: 'extension_ui_request', id: 'ui_1', method: 'confirm', title: 'Sure?', message: 'rm' });
  const [question] = session.questions;
  expect(question).toMatchObject({ method: 'confirm', title: 'Sure?', message: 'rm' });
  session.answer(question?.id ?? '', { confirmed: true });
  expect(session.questions).toEqual([]);
  expect(() => session.answer(question?.id ?? '', { confirmed: false })).toThrow(/not open any more/);
});
