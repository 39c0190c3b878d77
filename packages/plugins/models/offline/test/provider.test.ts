import { pluginContract } from '@tenon/kernel/testing';
import type { AssistantMessage, ModelMessage, ModelRequest, StreamEvent, ToolResultMessage } from '@tenon/models/api';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { createOfflineProvider, OFFLINE_MODEL } from '../src/api.ts';
import { decide as decideWith, type Situation } from '../src/decide.ts';
import { createParser } from '../src/parser.ts';
import plugin from '../src/plugin.ts';
import { summaryFor } from '../src/summary.ts';

const tool = (name: string) => ({ name, description: name, parameters: { type: 'object' } });
const TOOLS = ['read', 'search', 'find', 'ast_grep', 'ast_edit', 'edit', 'write', 'bash', 'resolve'].map(tool);
const parser = createParser();
const decide = (situation: Omit<Situation, 'parser'>) => decideWith({ ...situation, parser });
let clock = 0;
const user = (content: string): ModelMessage => ({ role: 'user', content, timestamp: clock++ });
const request = (messages: readonly ModelMessage[], extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model: OFFLINE_MODEL,
  systemPrompt: 'You are Tenon.',
  messages,
  tools: TOOLS,
  sessionId: 's',
  ...extra,
});

async function collect(of: ModelRequest, signal = new AbortController().signal): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of createOfflineProvider().stream(of, { signal })) events.push(event);
  return events;
}

async function answerTo(of: ModelRequest): Promise<AssistantMessage> {
  const last = (await collect(of)).at(-1);
  if (last?.type !== 'done') throw new Error('no answer');
  return last.message;
}

/** Answers every call of a message. */
function results({ content }: AssistantMessage, text: string, isError = false): ToolResultMessage[] {
  return content.flatMap((block) =>
    block.type === 'toolCall'
      ? [
          {
            role: 'toolResult' as const,
            toolCallId: block.id,
            toolName: block.name,
            content: [{ type: 'text' as const, text }],
            isError,
            timestamp: clock++,
          },
        ]
      : [],
  );
}

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin });
  });

  it('says about its model in the manifest what the model itself says', () => {
    const { needsKey, fallback, ...data } = source.tenon.contributes.models['offline/rules'];
    expect({ provider: 'offline', id: 'rules', ...data }).toEqual(OFFLINE_MODEL);
    expect({ needsKey, fallback }).toEqual({ needsKey: false, fallback: true });
  });
});

describe('the provider', () => {
  it('streams text and a tool call as every provider does, without usage', async () => {
    const events = await collect(request([user('git status')]));
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('start');
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'start',
      'text_start',
      'text_delta',
      'text_end',
      'toolcall_start',
      'toolcall_delta',
      'toolcall_end',
      'done',
    ]);
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'done',
      reason: 'toolUse',
      message: { provider: 'offline', model: 'rules', usage: { totalTokens: 0, cost: { total: 0 } } },
    });
  });

  it('gives the same answer to the same conversation, ids included, and other ids later on', async () => {
    const messages = [user('git status')];
    const [one, two] = [await answerTo(request(messages)), await answerTo(request(messages))];
    expect(one.content).toEqual(two.content);
    const later = await answerTo(request([...messages, one, ...results(one, '## main'), user('git status')]));
    const idOf = ({ content }: AssistantMessage) => content.find((block) => block.type === 'toolCall')?.id;
    expect(idOf(later)).not.toBe(idOf(one));
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await collect(request([user('help')]), controller.signal)).at(-1)).toMatchObject({
      type: 'error',
      reason: 'aborted',
    });
  });

  it('calls no tool when none may be called', async () => {
    const { content, stopReason } = await answerTo(request([user('git status')], { toolChoice: 'none' }));
    expect(stopReason).toBe('stop');
    expect(JSON.stringify(content)).toContain('offers no tools');
  });
});

describe('a conversation', () => {
  it('goes on from the results that it holds', async () => {
    const first = [user('git status')];
    const call = await answerTo(request(first));
    const answer = await answerTo(request([...first, call, ...results(call, '## main\n M a.ts')]));
    expect(answer.stopReason).toBe('stop');
    expect(JSON.stringify(answer.content)).toContain('1 file changed');
  });

  it('ends a plan whose tool failed by telling why', async () => {
    const first = [user('search for x')];
    const call = await answerTo(request(first));
    const answer = await answerTo(request([...first, call, ...results(call, 'disk on fire', true)]));
    expect(JSON.stringify(answer.content)).toContain('disk on fire');
  });

  it('stops when what was done is not what it would have done', async () => {
    const first = [user('git status')];
    const call = await answerTo(request(first));
    const other: AssistantMessage = {
      ...call,
      content: call.content.map((block) =>
        block.type === 'toolCall' ? { ...block, arguments: { command: 'rm x' } } : block,
      ),
    };
    const { text, calls } = await decide({ messages: [...first, other, ...results(other, 'ok')], tools: TOOLS });
    expect(calls).toEqual([]);
    expect(text).toContain('does not fit');
  });

  it('takes what stands beside a request for no request', async () => {
    const messages = [
      user('The user mentioned the file a.ts:\n\n<file path="a.ts">\nx\n</file>'),
      user('git status'),
      user('This is a preview. Call the resolve tool to apply or discard these changes.'),
    ];
    expect((await decide({ messages, tools: TOOLS })).calls.map(({ name }) => name)).toEqual(['bash']);
  });

  it('says that it cannot see images', async () => {
    const message: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'help' },
        { type: 'image', data: '', mimeType: 'image/png' },
      ],
      timestamp: 1,
    };
    expect((await decide({ messages: [message], tools: TOOLS })).text).toContain('cannot see images');
  });

  it('takes an answer to its question, and a new request for a new request', async () => {
    const asked = [user('rename loadUser')];
    const said = (text: string): AssistantMessage => ({
      role: 'assistant',
      content: [{ type: 'text', text }],
      api: 'offline',
      provider: 'offline',
      model: 'rules',
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: 'stop',
      timestamp: 2,
    });
    const question = said((await decide({ messages: asked, tools: TOOLS })).text);
    const next = (text: string) => decide({ messages: [...asked, question, user(text)], tools: TOOLS });
    for (const answer of ['fetchUser', 'to fetchUser', 'call it `fetchUser`', 'fetchUser please']) {
      expect((await next(answer)).calls[0]?.arguments, answer).toMatchObject({
        pattern: String.raw`\b(?:loadUser|fetchUser)\b`,
      });
    }
    expect((await next('git status')).calls[0]?.name).toBe('bash');
    const choice = [user('change loadUser to fetchUser')];
    const which = said((await decide({ messages: choice, tools: TOOLS })).text);
    for (const answer of ['1', 'the first one', 'the symbol', 'Symbol, please.']) {
      expect(
        (await decide({ messages: [...choice, which, user(answer)], tools: TOOLS })).calls[0]?.arguments,
        answer,
      ).toMatchObject({ pattern: String.raw`\b(?:loadUser|fetchUser)\b` });
    }
  });
});

describe('a summary for compaction', () => {
  it('keeps what was asked, answered and called', () => {
    const text =
      '<conversation>\n[User]: rename a to b\n\n[Agent calls search]: {"pattern":"a"}\n\n[Result of search, failed]: no\n\n[Agent]: Done with it.\n</conversation>\n\nWrite a summary';
    const summary = summaryFor([user(text)], 0) ?? '';
    expect(summary).toContain('## Goal\n- rename a to b');
    expect(summary).toContain('## State\n- Done with it.');
    expect(summary).toContain('- search {"pattern":"a"}');
    expect(summaryFor([user(`<summary>\n${summary}\n</summary>\n\nSay in one sentence`)], 0)).toBe('rename a to b');
    expect(summaryFor([user('git status')], 0)).toBeUndefined();
  });
});
