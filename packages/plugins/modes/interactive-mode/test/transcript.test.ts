/** What streams and what is read from a session again look the same, and every row becomes final once. */
import type { AgentEvent } from '@tenon/agent/api';
import { BUILT_IN_THEMES, createHighlighter, createTheme, loadMarkdown } from '@tenon/components';
import type { AssistantMessage } from '@tenon/models/api';
import { loadAccelerator } from '@tenon/native';
import type { AgentMessage } from '@tenon/sessions/api';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInRenderers, generalRenderer } from '../src/cards/index.ts';
import { newAnswerBlock } from '../src/transcript/answer-blocks.ts';
import { Transcript } from '../src/transcript/transcript.ts';
import { plainTheme } from './plain-theme.ts';

const text = await loadAccelerator('text');
const markdown = await loadMarkdown();

function newTranscript(
  width = 60,
  more: Partial<ConstructorParameters<typeof Transcript>[0]> = {},
): { transcript: Transcript; rows: string[] } {
  const rows: string[] = [];
  const transcript = new Transcript({
    style: () => ({
      theme: plainTheme,
      width,
      isExpanded: false,
      cwd: '/work',
      plain: (value) => text.sanitize(value),
      wrap: (value, columns = width) => text.wrap(text.sanitize(value, { keepStyle: true }), columns),
    }),
    renderer: (tool) => builtInRenderers[tool] ?? generalRenderer,
    newAnswer: () => newAnswerBlock(markdown, { theme: plainTheme, text }),
    thoughts: 'folded',
    append: (more) => void rows.push(...more),
    requestFrame: () => undefined,
    ...more,
  });
  return { transcript, rows };
}

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

type Part = AssistantMessage['content'][number];

function answer(content: readonly Part[], stopReason: AssistantMessage['stopReason'] = 'stop'): AssistantMessage {
  return { role: 'assistant', content, api: 'x', provider: 'p', model: 'm', usage, stopReason, timestamp: 0 };
}

const resultOf = (id: string, name: string, said: string, isError: boolean): AgentMessage => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: name,
  content: [{ type: 'text', text: said }],
  isError,
  timestamp: 0,
});

/** The events of an answer whose texts come in pieces of this size. */
function* streamed(message: AssistantMessage, size: number): Generator<AgentEvent> {
  yield { type: 'message_start', message };
  for (const [contentIndex, part] of message.content.entries()) {
    if (part.type === 'toolCall') {
      const partial = answer(message.content.slice(0, contentIndex + 1));
      yield update(message, { type: 'toolcall_start', contentIndex, partial });
      yield update(message, { type: 'toolcall_end', contentIndex, toolCall: part, partial });
      continue;
    }
    const [kind, whole] =
      part.type === 'text' ? (['text', part.text] as const) : (['thinking', part.thinking] as const);
    yield update(message, { type: `${kind}_start`, contentIndex, partial: message });
    for (let at = 0; at < whole.length; at += size)
      yield update(message, {
        type: `${kind}_delta`,
        contentIndex,
        delta: whole.slice(at, at + size),
        partial: message,
      });
    yield update(message, { type: `${kind}_end`, contentIndex, content: whole, partial: message });
  }
  yield { type: 'message_end', message };
}

type Streamed = Extract<AgentEvent, { type: 'message_update' }>;
const update = (message: AssistantMessage, assistantMessageEvent: Streamed['assistantMessageEvent']): Streamed => ({
  type: 'message_update',
  message,
  assistantMessageEvent,
});

const words = fc
  .array(
    fc.constantFrom(
      'alpha',
      '**bold**',
      '- item',
      '`code`',
      '\n',
      '\n\n',
      '# head',
      'beta',
      '```\n',
      '> quote',
      '| a | b |',
      '1. one',
      '日本',
    ),
    { maxLength: 25 },
  )
  .map((list) => list.join(' '));
const turn = fc.record({
  said: fc.string({ maxLength: 40 }),
  thought: fc.option(fc.string({ minLength: 1, maxLength: 40 })),
  answer: words,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('bash', 'read', 'unknown_tool'),
      said: fc.string({ maxLength: 60 }),
      isError: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  size: fc.integer({ min: 1, max: 12 }),
});

describe('the transcript', () => {
  it('shows a conversation that streams as it shows it when the session is opened again', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
        const live = newTranscript();
        const again = newTranscript();
        let id = 0;
        for (const { said, thought, answer: whole, calls, size } of turns) {
          const user: AgentMessage = { role: 'user', content: said, timestamp: 0 };
          const made = calls.map((call) => ({ ...call, id: `call_${id++}` }));
          const message = answer([
            ...(thought === null ? [] : [{ type: 'thinking' as const, thinking: thought }]),
            { type: 'text' as const, text: whole },
            ...made.map(({ id: callId, name }) => ({
              type: 'toolCall' as const,
              id: callId,
              name,
              arguments: { path: 'a' },
            })),
          ]);
          live.transcript.on({ type: 'agent_start' });
          live.transcript.on({ type: 'message_start', message: user });
          for (const event of streamed(message, size)) {
            live.transcript.on(event);
            live.transcript.settle();
            live.transcript.render(60);
          }
          for (const { id: toolCallId, name: toolName } of made)
            live.transcript.on({ type: 'tool_execution_start', toolCallId, toolName, args: { path: 'a' } });
          // They end in any order; the rows keep the order of the calls.
          for (const { id: toolCallId, name: toolName, said: result, isError } of made.toReversed())
            live.transcript.on({
              type: 'tool_execution_end',
              toolCallId,
              toolName,
              result: { content: [{ type: 'text', text: result }] },
              isError,
            });
          live.transcript.on({ type: 'agent_end', messages: [] });
          again.transcript.replay(user);
          again.transcript.replay(message);
          for (const { id: callId, name, said: result, isError } of made)
            again.transcript.replay(resultOf(callId, name, result, isError));
        }
        again.transcript.endReplay();
        expect(live.transcript.render(60)).toEqual([]);
        expect(live.rows).toEqual(again.rows);
      }),
    );
  });

  it('ends calls that were cut off, and says once why the answer failed', () => {
    const { transcript, rows } = newTranscript();
    const failed = {
      ...answer([{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } }], 'error'),
      errorMessage: 'The line is dead.',
      errorNext: 'Try again.',
    };
    transcript.on({ type: 'agent_start' });
    for (const event of streamed(failed, 5)) transcript.on(event);
    transcript.on({ type: 'agent_end', messages: [], error: 'The line is dead. Try again.' });
    transcript.settle();
    expect(rows.join('\n').split('The line is dead.')).toHaveLength(2);
    expect(rows.join('\n')).toContain('this was not done');
    expect(transcript.render(60)).toEqual([]);
  });

  it('takes control sequences out of everything that others wrote', () => {
    const { transcript, rows } = newTranscript();
    const hostile = 'a\x1b[2J\x1b]0;title\x07b\x9b31mc';
    transcript.replay({ role: 'user', content: hostile, timestamp: 0 });
    transcript.replay(
      answer([
        { type: 'text', text: hostile },
        { type: 'thinking', thinking: hostile },
        { type: 'toolCall', id: 'c', name: hostile, arguments: { [hostile]: hostile } },
      ]),
    );
    transcript.replay(resultOf('c', hostile, hostile, true));
    transcript.replay({ role: 'custom', customType: hostile, content: hostile, display: true, timestamp: 0 });
    transcript.replay({
      role: 'bashExecution',
      command: hostile,
      output: hostile,
      cancelled: false,
      truncated: false,
      timestamp: 0,
    });
    transcript.notice(hostile, 'warning');
    transcript.endReplay();
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(rows.join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('puts what extensions draw below the thought that it is about, also when the answer has begun', async () => {
    const seen: unknown[] = [];
    const pending: ((rows: readonly string[] | undefined) => void)[] = [];
    const { transcript, rows } = newTranscript(40, {
      drawThought: (thought) => {
        seen.push(thought);
        return new Promise((resolve) => void pending.push(resolve));
      },
    });
    const message = answer([
      { type: 'thinking', thinking: 'first' },
      { type: 'text', text: 'Well.' },
      { type: 'thinking', thinking: 'second' },
      { type: 'text', text: 'Done.' },
    ]);
    for (const event of streamed(message, 3)) transcript.on(event);
    expect(seen).toEqual([
      { text: 'first', contentIndex: 0, thinkingIndex: 0 },
      { text: 'second', contentIndex: 2, thinkingIndex: 1 },
    ]);
    expect(rows.join('')).not.toContain('Well.');
    pending[1]?.(undefined);
    pending[0]?.(['5 chars \u001b]0;title\u0007\u001b[2J']);
    await until(() => rows.includes('Done.'), 'the last row');
    expect(rows.filter((row) => row !== '').map((row) => row.trimEnd())).toEqual([
      '✻ Thought briefly',
      '5 chars',
      'Well.',
      '✻ Thought briefly',
      'Done.',
    ]);
  });

  it('asks nobody to draw below thoughts that are not shown', () => {
    const { transcript } = newTranscript(40, {
      thoughts: 'none',
      drawThought: () => {
        throw new Error('nobody should ask');
      },
    });
    for (const event of streamed(answer([{ type: 'thinking', thinking: 'x' }]), 1)) transcript.on(event);
    expect(transcript.render(40)).toEqual([]);
  });

  it('marks the call that waits for an answer, and only that one', () => {
    const { transcript } = newTranscript();
    const command = (text: string) => ({ command: text });
    const starts = (toolCallId: string, args: object, toolName = 'bash') =>
      transcript.on({ type: 'tool_execution_start', toolCallId, toolName, args });
    const marks = () =>
      transcript
        .render(60)
        .filter((row) => /^[●?✓✗] /.test(row))
        .map((row) => row.slice(0, 1))
        .join('');
    starts('1', command('ls'));
    starts('2', command('rm -r x'));
    starts('3', { path: 'a' }, 'read');
    transcript.setWaiting('bash', command('rm -r x'), true);
    expect(marks()).toBe('●?●');
    transcript.setWaiting('bash', command('rm -r x'), false);
    expect(marks()).toBe('●●●');
    // A hook may have changed the input: with one call of the tool there is no doubt, with two there is.
    transcript.setWaiting('read', { path: 'b' }, true);
    transcript.setWaiting('bash', command('changed'), true);
    expect(marks()).toBe('●●?');
  });

  it('says that the model is asked again, and why', () => {
    const { transcript, rows } = newTranscript(80);
    const retry = { type: 'auto_retry_start', attempt: 2, maxAttempts: 6, reason: 'too many requests' } as const;
    transcript.on({ ...retry, delayMs: 61_500 });
    transcript.on({ ...retry, delayMs: 0, fallback: 'other/model' });
    expect(rows).toEqual([
      '! Asking the model again in 1m 02s (attempt 2 of 6): too many requests',
      '! other/model answers instead: too many requests',
    ]);
  });
});

describe('notices while a call runs', () => {
  const begin = {
    type: 'tool_execution_start',
    toolCallId: 'c',
    toolName: 'bash',
    args: { command: 'sleep 9' },
  } as AgentEvent;
  const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');

  it('that would not fit on the screen go in front of the call, whole and in their order', () => {
    const { transcript, rows } = newTranscript(60, { height: () => 24 });
    transcript.on(begin);
    transcript.notice('a short one', 'info');
    expect(rows).toEqual([]);
    transcript.notice(long, 'info');
    expect(rows).toHaveLength(31);
    expect(rows[0]).toContain('a short one');
    expect(rows[1]).toContain('line 0');
    expect(rows.at(-1)).toContain('line 29');
    expect(transcript.render(60).join('\n')).toContain('sleep 9');
    expect(transcript.render(60).join('\n')).not.toContain('line');
  });

  it('that fit stay behind it', () => {
    const { transcript, rows } = newTranscript(60, { height: () => 24 });
    transcript.on(begin);
    transcript.notice('a short one', 'info');
    const live = transcript.render(60).join('\n');
    expect(live.indexOf('sleep 9')).toBeLessThan(live.indexOf('a short one'));
    expect(rows).toEqual([]);
  });
});

describe('code in an answer', () => {
  const said = answer([{ type: 'text', text: 'Look:\n\n```ts\nconst a = 1;\n```\n\nThat is it.' }]);
  const theme = createTheme(BUILT_IN_THEMES.dark, '16');
  const opened = () => {
    const made = newTranscript(60, {
      newAnswer: () =>
        newAnswerBlock(markdown, { theme, text, highlighter: createHighlighter() }, () => made.transcript.settle()),
    });
    return made;
  };
  const plain = (rows: readonly string[]) => rows.map((row) => text.sanitize(row));

  it('has its colours also when a session is shown again, where all of it comes at once', async () => {
    const { transcript, rows } = opened();
    transcript.replay({ role: 'user', content: 'go', timestamp: 0 });
    transcript.replay(said);
    transcript.replay({ role: 'user', content: 'and now', timestamp: 0 });
    transcript.endReplay();
    await until(() => plain(rows).includes('❯ and now'));
    expect(plain(rows)).toEqual([
      '',
      '❯ go',
      '',
      'Look:',
      '',
      'ts',
      'const a = 1;',
      '',
      'That is it.',
      '',
      '❯ and now',
    ]);
    expect(rows.find((row) => row.includes('const'))).toContain('\u001b[');
    expect(rows.find((row) => row.includes('const'))).not.toContain('const a = 1;');
  });

  it('is not lost when the session is left before they are there', () => {
    const { transcript, rows } = opened();
    transcript.replay(said);
    transcript.clear();
    expect(plain(rows)).toEqual(['', 'Look:', '', 'ts', 'const a = 1;', '', 'That is it.']);
  });
});

it('advises what the screen has, not flags and commands of a shell', () => {
  const { transcript, rows } = newTranscript(200);
  const next = 'Give another key with `tenon auth login anthropic`, or choose another model with --model.';
  const failed = {
    role: 'assistant',
    content: [],
    stopReason: 'error',
    errorMessage: 'It answered 401.',
    errorNext: next,
  };
  transcript.on({ type: 'message_end', message: failed as unknown as AssistantMessage } as AgentEvent);
  transcript.on({ type: 'agent_end', messages: [], error: `Nothing. ${next}` } as AgentEvent);
  expect(rows.join('\n')).toContain('It answered 401.');
  expect(rows.join('\n')).toContain('Give another key with /login anthropic, or choose another model with /model.');
  expect(rows.join('\n')).not.toContain('tenon auth');
});

describe('a message of the user', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
  const say = (count: number) => {
    const { transcript, rows } = newTranscript(60, { unfoldKey: () => 'ctrl+t' });
    const content = lines.slice(0, count).join('\n');
    transcript.replay({ role: 'user', content, timestamp: 0 });
    transcript.endReplay();
    return rows;
  };

  it('is folded when it is long: its begin, its end, and how to see the rest', () => {
    const rows = say(200);
    expect(rows.slice(0, 3)).toEqual(['', '❯ line 1', '  line 2']);
    expect(rows.slice(-8)).toEqual([
      '  line 12',
      '  … 182 more rows (ctrl+t shows all)',
      ...[195, 196, 197, 198, 199, 200].map((line) => `  line ${line}`),
    ]);
  });

  it('is whole when it is short', () => {
    expect(say(30)).toHaveLength(31);
  });
});
