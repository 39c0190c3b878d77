/** The loop alone: plain values, a model that plays a script, no kernel and no session. */
import { type AssistantMessage, type Model, NO_USAGE, type StreamEvent } from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../src/api.ts';
import { messageText } from '../src/convert.ts';
import { runLoop } from '../src/loop.ts';
import type { LoopConfig, LoopContext, TurnCall, TurnRequest } from '../src/loop-config.ts';

const model: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 1_000,
  maxTokens: 100,
  input: ['text'],
  reasoning: false,
};

const user = (content: string): AgentMessage => ({ role: 'user', content, timestamp: 0 });
const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });

type Answer = Partial<AssistantMessage> & { readonly tooLong?: boolean };
const say = (content: string): Answer => text(content);
const call = (...names: string[]): Answer => ({
  content: names.map((name) => ({ type: 'toolCall', id: `${name}-id`, name, arguments: {} })),
  stopReason: 'toolUse',
});

interface Setup {
  readonly answers: readonly Answer[];
  readonly tools?: Readonly<Record<string, () => ToolResult | Promise<ToolResult>>>;
  readonly config?: Partial<LoopConfig>;
  readonly stop?: AbortController;
}

/** Runs the loop over a list of messages; `log` has in order what happened. */
async function run({ answers, tools = {}, config = {}, stop = new AbortController() }: Setup) {
  const messages: AgentMessage[] = [];
  const log: string[] = [];
  const requests: TurnRequest[] = [];
  const nameOf = ({ role }: AgentMessage) => role;
  const context: LoopContext = {
    systemPrompt: 'Be brief.',
    conversation: {
      messages,
      add: async (message) => void (messages.push(message), log.push(`kept ${nameOf(message)}`)),
      addAside: async (message) => void log.push(`set aside ${nameOf(message)}`),
      dropLast: () => void (messages.pop(), log.push('dropped')),
      setRunAside: async () => void log.push('run set aside'),
      flush: async () => void log.push('flushed'),
    },
    tools: {
      modelTools: () => Object.keys(tools).map((name) => ({ name, description: name, parameters: {} })),
      isExclusive: () => false,
      run: async ({ name }) => tools[name]?.() ?? { ...text('no such tool'), isError: true },
    },
  };
  async function* stream(request: TurnRequest, { signal }: TurnCall): AsyncGenerator<StreamEvent> {
    log.push('asked');
    requests.push({ ...request, messages: [...request.messages] });
    const { tooLong, ...answer } = answers[requests.length - 1] ?? say('nothing more');
    const message: AssistantMessage = {
      role: 'assistant',
      content: [],
      api: 'test',
      provider: 'test',
      model: 'm',
      usage: NO_USAGE,
      stopReason: 'stop',
      timestamp: 0,
      ...answer,
    };
    yield { type: 'start', partial: message };
    const failed = { ...message, stopReason: signal.aborted ? ('aborted' as const) : ('error' as const) };
    if (signal.aborted) yield { type: 'error', reason: 'aborted', error: failed };
    else if (tooLong) {
      const failure = { kind: 'context-overflow' as const, message: 'too long' };
      yield { type: 'error', reason: 'error', error: failed, failure };
    } else yield { type: 'done', reason: answer.stopReason === 'toolUse' ? 'toolUse' : 'stop', message };
  }
  const whole: LoopConfig = {
    model: { current: () => ({ model, thinking: 'off' }), stream, used: () => void log.push('counted') },
    hooks: { context: async (given) => given, request: async (given) => given, filter: async (given) => given },
    queues: { steering: async () => [], cutsIn: () => false, followUps: async () => [] },
    room: {
      beforeRun: async () => undefined,
      afterTurn: async () => void log.push('room'),
      afterOverflow: async () => false,
    },
    repeats: { note: () => undefined },
    ...config,
  };
  const events: AgentEvent[] = [];
  const emit = (event: AgentEvent) => void (events.push(event), log.push(event.type));
  await runLoop([user('go')], context, whole, emit, stop.signal);
  return { messages, log, requests, events };
}

/** What the model reads of a call that failed; results come in the order in which they are there. */
function resultOf(messages: readonly AgentMessage[], tool: string): string | undefined {
  const result = messages.find((message) => message.role === 'toolResult' && message.toolName === tool);
  return result?.role === 'toolResult' && result.isError ? messageText(result) : undefined;
}

/** Gives each of these once, then nothing. */
function queue(...batches: AgentMessage[][]): () => Promise<AgentMessage[]> {
  return async () => batches.shift() ?? [];
}

describe('the loop, without a session', () => {
  it('keeps every message before the model is asked again, and tells it in that order', async () => {
    const { log, messages, requests } = await run({
      answers: [call('probe'), say('done')],
      tools: { probe: () => text('42') },
    });
    expect(log).toEqual([
      ...['turn_start', 'message_start', 'kept user', 'message_end'],
      ...['flushed', 'asked', 'message_start', 'counted', 'kept assistant', 'message_end'],
      ...['tool_execution_start', 'tool_execution_end', 'message_start', 'kept toolResult', 'message_end', 'turn_end'],
      'room',
      ...['turn_start', 'flushed', 'asked', 'message_start', 'counted', 'kept assistant', 'message_end', 'turn_end'],
      'room',
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect(requests[1]).toMatchObject({ model, systemPrompt: 'Be brief.', tools: [{ name: 'probe' }] });
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'toolResult', content: [{ text: '42' }] });
  });

  it('says steering before the next answer, and what follows where it would stop', async () => {
    const steering = queue([], [user('rather this')]);
    const followUps = queue([user('and then')]);
    const { requests, log } = await run({
      answers: [call('probe'), say('one'), say('two'), say('three')],
      tools: { probe: () => text('ok') },
      config: { queues: { steering, cutsIn: () => false, followUps } },
    });
    const last = requests.map(({ messages }) => messages.at(-1)).map((message) => message?.content);
    expect(last).toEqual(['go', [{ type: 'text', text: 'ok' }], 'rather this', 'and then']);
    // Whatever is said to the model belongs to the turn that answers it.
    const turns = log.filter((entry) => /^(turn_|kept user)/.test(entry)).join(' ');
    const said = 'turn_start kept user turn_end';
    expect(turns).toBe(`${said} turn_start turn_end ${said} ${said}`);
  });

  it('starts no more calls once steering cuts in', async () => {
    let isCutIn = false;
    const ran: string[] = [];
    const tools = {
      first: () => ((isCutIn = true), ran.push('first'), text('ok')),
      second: () => (ran.push('second'), text('ok')),
    };
    const { messages } = await run({
      answers: [call('first', 'second'), say('done')],
      tools,
      config: { queues: { steering: queue(), cutsIn: () => isCutIn, followUps: queue() } },
    });
    expect(ran).toEqual(['first']);
    expect(resultOf(messages, 'second')).toMatch(/skipped/);
  });

  it('ends with the turn in which it is stopped, and every call has a result', async () => {
    const stop = new AbortController();
    const tools = {
      first: () => {
        stop.abort();
        throw new Error('torn down');
      },
      second: () => text('ok'),
    };
    const followUps = queue([user('and then')]);
    const config = { queues: { steering: queue([user('more')]), cutsIn: () => false, followUps } };
    const { messages, requests, log } = await run({ answers: [call('first', 'second')], tools, config, stop });
    expect(requests).toHaveLength(1);
    expect(log.at(-1)).toBe('turn_end');
    expect(resultOf(messages, 'first')).toBe('This call was stopped by the user.');
    expect(resultOf(messages, 'second')).toMatch(/skipped/);
  });

  it('makes a result of whatever a tool does', async () => {
    const broken = () => {
      throw new Error('out of order');
    };
    const { messages } = await run({ answers: [call('broken', 'missing'), say('done')], tools: { broken } });
    expect(messages.slice(2, 4)).toMatchObject([
      { isError: true, content: [{ text: 'The tool failed: out of order' }] },
      { isError: true, content: [{ text: 'no such tool' }] },
    ]);
  });

  it('points out calls that repeat', async () => {
    const { messages, events } = await run({
      answers: [call('probe'), say('done')],
      tools: { probe: () => text('same') },
      config: { repeats: { note: () => 3 } },
    });
    expect(events).toContainEqual({ type: 'loop_suspected', toolName: 'probe', repeats: 3 });
    expect(messages[2]).toMatchObject({ content: [{ text: 'same' }, { text: expect.stringContaining('3 times') }] });
  });

  it('asks again when room was made for a conversation that is too long, and only then', async () => {
    const nothing = async () => undefined;
    const room = (isMade: boolean) => ({ beforeRun: nothing, afterTurn: nothing, afterOverflow: async () => isMade });
    const made = await run({ answers: [{ tooLong: true }, say('short')], config: { room: room(true) } });
    expect(made.requests).toHaveLength(2);
    expect(made.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect((await run({ answers: [{ tooLong: true }], config: { room: room(false) } })).requests).toHaveLength(1);
  });

  it('asks again after a filter has cut an answer off, with what the filter says', async () => {
    let isFirst = true;
    const hooks: LoopConfig['hooks'] = {
      context: async (given) => given,
      request: async (given) => given,
      async filter(stream, { cutOff }) {
        if (!isFirst) return stream;
        isFirst = false;
        cutOff({ keepAnswer: false, messages: [user('not like that')] });
        return stream;
      },
    };
    const { messages, log } = await run({ answers: [say('wrong'), say('right')], config: { hooks } });
    expect(log).toContain('set aside assistant');
    expect(messages.map((message) => ('content' in message ? message.content : ''))).toEqual([
      'go',
      'not like that',
      [{ type: 'text', text: 'right' }],
    ]);
  });
});
