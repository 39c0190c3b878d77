/** Models with windows of two and eight thousand tokens, as local servers give them. The settings are the default ones. */
import { sessionStore } from '@tenon/sessions/api';
import { model, said, types, world } from '@tenon/test-kit/conversation-world';
import type { Request } from '@tenon/test-kit/scripted-models';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../src/api.ts';
import { pruningFor, recentFor, reserveFor, summaryRoom, thresholdFor, toolRoom } from '../src/compaction/policy.ts';
import { shortenedTo } from '../src/tokens.ts';

const DEFAULTS = {
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  pruneProtectTokens: 40_000,
  pruneMinimumTokens: 20_000,
};
const settings = {
  enabled: true,
  thresholdPercent: -1,
  thresholdTokens: -1,
  strategy: 'context-full' as const,
  handoffSaveToDisk: false,
  prune: true,
  promoteTo: [],
  idleMinutes: 0,
  idleThresholdPercent: 50,
  ...DEFAULTS,
};

/** As llama.cpp does it: what the request holds is counted, and one that does not fit is refused. */
function llama(contextWindow: number, summary = 'In short.') {
  const tokensOf = ({ systemPrompt, messages, tools }: Request) =>
    Math.ceil(JSON.stringify([systemPrompt, messages, tools]).length / 4);
  return (request: Request) => {
    const tokens = tokensOf(request);
    if (tokens > contextWindow)
      return { fail: { kind: 'context-overflow' as const, message: `the request has ${tokens} tokens` } };
    return { text: request.systemPrompt.startsWith('You summarize') ? summary : 'An answer.', tokens };
  };
}

async function small(contextWindow: number, summary?: string) {
  const made = await world([llama(contextWindow, summary)], {}, [], {
    models: [{ ...model, id: 'small', contextWindow, maxTokens: contextWindow / 4 }],
    compaction: DEFAULTS,
  });
  await made.agent.setModel({ ...model, id: 'small', contextWindow, maxTokens: contextWindow / 4 });
  return made;
}

const words = (tokens: number) => 'abc '.repeat(tokens);
const failures = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'auto_compaction_end' && event.errorMessage ? [event.errorMessage] : []));

describe.each([2_048, 8_192])('a window of %d tokens', (contextWindow) => {
  it('is not filled by a first hello', async () => {
    const { agent, events } = await small(contextWindow);
    await agent.prompt('hello');
    expect(types(events)).not.toContain('auto_compaction_start');
    await agent.dispose();
  });

  it('holds a conversation of any length, because the older part is summarized in time', async () => {
    const { agent, events, requests } = await small(contextWindow);
    for (let round = 0; round < 40; round++) await agent.prompt(words(contextWindow / 20));
    expect(types(events)).toContain('auto_compaction_start');
    expect(failures(events)).toEqual([]);
    expect(agent.session.context().messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'stop' });
    expect(requests.some(({ systemPrompt }) => systemPrompt.startsWith('You summarize'))).toBe(true);
    await agent.dispose();
  });

  it('is not filled by the summary of a model that does not know when to stop', async () => {
    const { agent, events, requests } = await small(contextWindow, words(contextWindow * 0.45));
    const rounds = 30;
    for (let round = 0; round < rounds; round++) await agent.prompt(words(contextWindow / 40));
    expect(failures(events)).toEqual([]);
    const summaries = requests.filter(({ systemPrompt }) => systemPrompt.startsWith('You summarize'));
    expect(summaries.length).toBeGreaterThan(0);
    for (const { maxTokens } of summaries) expect(maxTokens ?? contextWindow / 4).toBeLessThan(contextWindow / 3);
    // Each time there is room for several turns again.
    expect(types(events).filter((type) => type === 'auto_compaction_start').length).toBeLessThan(rounds / 3);
    await agent.dispose();
  });

  it('is left by a prompt that does not fit: the session goes on without it, also when it is opened again', async () => {
    const { agent, events, requests, kernel } = await small(contextWindow);
    await agent.prompt('one');
    await agent.prompt(words(contextWindow * 2));
    const end = events.findLast(({ type }) => type === 'agent_end');
    const told = end?.type === 'agent_end' ? end.messages : [];
    expect([told[0], told.at(-1)]).toMatchObject([{ role: 'user' }, { role: 'assistant', stopReason: 'error' }]);
    await agent.prompt('two');
    expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(agent.session.context().messages.at(-1)).toMatchObject({ stopReason: 'stop' });
    await agent.prompt(words(contextWindow * 2));
    await agent.dispose();
    const again = await (await kernel.find(sessionStore)).open(agent.session.file ?? '', { readOnly: true });
    expect(again.context().messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    // Nothing that was said is lost: it stands on branches of its own.
    expect(
      [...again.entries()].filter((entry) => entry.type === 'message' && entry.message.role === 'user'),
    ).toHaveLength(4);
    await again.close();
  });

  it('is left by a result that does not fit', async () => {
    let isCalled = false;
    const { agent } = await world(
      [
        (request) =>
          isCalled ? llama(contextWindow)(request) : ((isCalled = true), { calls: [{ name: 'cat' }], tokens: 50 }),
      ],
      { cat: async () => said(words(contextWindow * 2)) },
      [],
      { models: [{ ...model, id: 'small', contextWindow }], compaction: DEFAULTS },
    );
    await agent.setModel({ ...model, id: 'small', contextWindow });
    await agent.prompt('show it');
    await agent.prompt('hello');
    expect(agent.session.context().messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'stop' });
    await agent.dispose();
  });

  it('is shared by the answer, the tools, the end of the conversation and a question for a summary', () => {
    const threshold = thresholdFor(contextWindow, settings);
    expect(threshold).toBe(contextWindow - reserveFor(contextWindow, settings));
    expect(threshold).toBeGreaterThan(contextWindow / 2);
    expect(toolRoom(contextWindow) + recentFor(contextWindow, settings)).toBeLessThan(threshold);
    expect(summaryRoom(contextWindow, settings)).toBeLessThan(threshold);
    expect(pruningFor(contextWindow, settings).minimumTokens).toBeLessThan(contextWindow / 5);
  });
});

describe('the settings', () => {
  it('count as they are in a big window', () => {
    expect(reserveFor(100_000, settings)).toBe(16_384);
    expect([recentFor(200_000, settings), thresholdFor(200_000, settings)]).toEqual([20_000, 170_000]);
    expect(pruningFor(200_000, settings)).toEqual({ protectTokens: 40_000, minimumTokens: 20_000 });
  });

  it('leave of a long text its beginning and its end', () => {
    const text = `begin ${words(1_000)} end`;
    const short = shortenedTo(text, 100);
    expect(short.length).toBeLessThan(450);
    expect(short).toMatch(/^begin [\s\S]* characters left out [\s\S]* end$/);
    expect(shortenedTo('short', 100)).toBe('short');
  });
});
