/** What happens to a conversation that outgrows its model, before and instead of a summary. */
import { readFileSync } from 'node:fs';
import { inlineCandidate } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, beforeSwitch, modelSelect } from '../src/api.ts';
import { prunable } from '../src/compaction/prune.ts';
import { model, said, types, world } from '@tenon/test-kit/conversation-world';
import { type Answer } from '@tenon/test-kit/scripted-models';

/** About 2,200 tokens. */
const long = (word: string) => `${word} `.repeat(1_000).padEnd(8_000, '.');
const isSummary = ({ systemPrompt }: { systemPrompt: string }) => systemPrompt.startsWith('You summarize');
const isHandoff = ({ messages }: { messages: readonly unknown[] }) =>
  JSON.stringify(messages.at(-1)).includes('This session ends here');
const small = { pruneProtectTokens: 3_000, pruneMinimumTokens: 3_000 };

describe('the output of old tool calls', () => {
  it('goes when the conversation is too long, oldest first, and no summary is needed then', async () => {
    const call = (name: string): Answer => ({ calls: [{ name }], tokens: 100 });
    const { agent, session, requests, events } = await world(
      [
        call('bash'),
        call('read'),
        call('bash'),
        call('bash'),
        { calls: [{ name: 'bash' }], tokens: 9_900 },
        { text: 'ok' },
      ],
      { bash: async () => said(long('built')), read: { run: async () => said(long('file')), keepResult: true } },
      [],
      { compaction: small },
    );
    await agent.prompt('go');
    const last = requests.at(-1)?.messages.flatMap((message) => (message.role === 'toolResult' ? [message] : [])) ?? [];
    const shown = last.map(({ toolName, content }) => `${toolName}: ${JSON.stringify(content).slice(0, 80)}`);
    expect(shown.map((text) => text.includes('Output truncated'))).toEqual([true, false, true, true, false]);
    expect(shown[0]).toMatch(/\[Output truncated - \d+ tokens\]/);
    expect(types(events)).not.toContain('auto_compaction_start');

    // It stays so when the session is opened again, and the file still holds every word.
    await agent.dispose();
    const { kernel } = await world([{ text: '' }]);
    const opened = await (await kernel.find(sessionStore)).open(session.file ?? '', { readOnly: true });
    expect(JSON.stringify(opened.context().messages).match(/Output truncated/g)).toHaveLength(3);
    expect(readFileSync(session.file ?? '', 'utf8').match(/built built/g)?.length).toBeGreaterThan(3);
    await opened.close();
  });

  it('is left alone when that would save too little, and never taken from read and skill', () => {
    const result = (id: string, toolName: string) => ({
      type: 'message' as const,
      id,
      parentId: null,
      timestamp: '',
      message: {
        role: 'toolResult' as const,
        toolCallId: id,
        toolName,
        content: [{ type: 'text' as const, text: long('x') }],
        isError: false,
        timestamp: 1,
      },
    });
    const isKept = (tool: string) => ['skill', 'read'].includes(tool);
    const entries = ['skill', 'read', 'bash', 'bash', 'read'].map((tool, index) => result(String(index), tool));
    const ids = (protectTokens: number, minimumTokens: number) =>
      prunable(entries, { protectTokens, minimumTokens }, isKept).map(({ entryId }) => entryId);
    expect(ids(0, 0)).toEqual(['3', '2']);
    expect(ids(5_000, 0)).toEqual(['2']);
    expect(ids(0, 5_000)).toEqual([]);
    const gone = {
      type: 'custom' as const,
      id: 'p',
      parentId: null,
      timestamp: '',
      customType: 'tenon.pruned-output',
      data: { results: [{ entryId: '3', tokens: 1 }] },
    };
    expect(
      prunable([...entries, gone], { protectTokens: 0, minimumTokens: 0 }, isKept).map(({ entryId }) => entryId),
    ).toEqual(['2']);
  });
});

describe('a model with a bigger window', () => {
  const big = { ...model, id: 'big', name: 'Big', contextWindow: 100_000 };

  it('goes on with the conversation instead of a summary, at the threshold and after an overflow', async () => {
    for (const first of [
      { text: 'a', tokens: 9_000 },
      { fail: { kind: 'context-overflow' as const, message: 'too long' } },
    ]) {
      const selected: unknown[] = [];
      const plugin = inlineCandidate(
        { id: 'watch', activate: (ctx) => void ctx.on(modelSelect, (event) => void selected.push(event)) },
        { handles: ['model.select'] },
      );
      const { agent, events, requests, session } = await world([first, { text: 'b' }], {}, [plugin], {
        models: [{ ...big, id: 'tiny', contextWindow: 500 }, big],
        compaction: { promoteTo: ['test/unknown', 'test/tiny', 'test/big'] },
      });
      await agent.prompt(long('x'));
      expect(agent.state.model.id).toBe('big');
      expect(types(events)).not.toContain('auto_compaction_start');
      if ('fail' in first) expect(requests.map((request) => request.model.id)).toEqual(['m', 'big']);
      expect(selected).toMatchObject([{ model: 'test/big', previous: 'test/m', reason: 'promotion' }]);
      expect(session.context().models['default']).toBe('test/big');
      await agent.dispose();
    }
  });

  it('is not taken when it has no room either, or is not configured', async () => {
    const { agent } = await world(
      [(request) => (isSummary(request) ? { text: 'SUMMARY' } : { text: long('y'), tokens: 99_000 })],
      {},
      [],
      { models: [big], compaction: { promoteTo: ['test/big'] } },
    );
    await agent.prompt(long('x'));
    expect(agent.state.model.id).toBe('m');
    await agent.dispose();
  });
});

describe('an idle conversation', () => {
  it('is summarized after a while, from a lower threshold on, and a prompt does not wait for it', async () => {
    const ended = (events: AgentEvent[]) => events.filter(({ type }) => type === 'auto_compaction_end');
    const hold: { release?: () => void; begun?: () => void } = {};
    const begun = new Promise<void>((resolve) => (hold.begun = resolve));
    const { agent, events, session } = await world(
      [
        (request) => {
          if (!isSummary(request)) return { text: long('y'), tokens: 6_000 };
          hold.begun?.();
          return { text: 'SUMMARY', ...(hold.release ? {} : { hold: new Promise<void>(() => undefined) }) };
        },
      ],
      {},
      [],
      { compaction: { idleMinutes: 0.0002, idleThresholdPercent: 50 } },
    );
    await agent.prompt(long('x'));
    await begun;
    expect(events.find(({ type }) => type === 'auto_compaction_start')).toMatchObject({ reason: 'idle' });
    // The summary hangs; the user comes back.
    hold.release = () => undefined;
    await agent.prompt('hello again');
    expect(ended(events)).toMatchObject([{ aborted: true }]);
    const summarized = new Promise<void>((resolve) => {
      agent.subscribe((event) => event.type === 'auto_compaction_end' && event.tokensAfter !== undefined && resolve());
    });
    agent.setAutoCompaction(true);
    await summarized;
    expect(session.branch().some(({ type }) => type === 'compaction')).toBe(true);
    await agent.dispose();
  });
});

describe('a handover', () => {
  const answers = (request: { systemPrompt: string; messages: readonly unknown[] }): Answer =>
    isHandoff(request) ? { text: '# Where we are', calls: [{ name: 'stray' }] } : { text: 'a' };

  it('goes on in a new session that begins with what the model wrote, and leaves the old one as it was', async () => {
    const { agent, session, requests, events, kernel } = await world([answers]);
    await agent.prompt('build the bridge');
    const before = readFileSync(session.file ?? '', 'utf8');
    expect(await agent.handoff('the pillars')).toEqual({ document: '# Where we are' });
    const request = requests.at(-1);
    expect(request).toMatchObject({ toolChoice: 'none', systemPrompt: requests[0]?.systemPrompt });
    expect(request?.tools).toEqual(requests[0]?.tools);
    expect(request?.messages.slice(0, 2)).toMatchObject([{ content: 'build the bridge' }, { role: 'assistant' }]);
    expect(JSON.stringify(request?.messages.at(-1))).toContain('the pillars');

    expect(agent.session.id).not.toBe(session.id);
    expect(agent.session.header.parentSession).toBe(session.file);
    expect(readFileSync(session.file ?? '', 'utf8')).toBe(before);
    const entry = agent.session.branch().at(-1);
    expect(entry).toMatchObject({ type: 'custom_message', customType: 'handoff', display: true, attribution: 'agent' });
    expect(JSON.stringify(entry)).toContain('<handoff-context>\\n# Where we are\\n</handoff-context>');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'session_switch', reason: 'handoff', previousSessionId: session.id }),
    );
    await agent.prompt('go on');
    expect(requests.at(-1)?.messages).toHaveLength(2);
    // The old session is free for others.
    await (await (await kernel.find(sessionStore)).open(session.file ?? '')).close();
    await agent.dispose();
  });

  it('happens by itself when the settings say so, in the middle of the work, and nothing that was said is lost', async () => {
    const { agent, session, requests, events } = await world(
      [
        (request) => {
          if (isHandoff(request)) return { text: '# DOCUMENT' };
          return requests.length === 1
            ? { calls: [{ name: 'work' }], tokens: 9_500 }
            : { text: 'finished', tokens: 50 };
        },
      ],
      { work: async () => (agentOf().followUp('and the tests'), said('worked')) },
      [],
      { compaction: { strategy: 'handoff', handoffSaveToDisk: true } },
    );
    const agentOf = () => agent;
    await agent.prompt('go');
    expect(agent.session.id).not.toBe(session.id);
    expect(types(events).filter((type) => type.startsWith('auto_compaction'))).toEqual([
      'auto_compaction_start',
      'auto_compaction_end',
    ]);
    const sent = JSON.stringify(requests.at(-1)?.messages);
    expect(sent).toContain('DOCUMENT');
    expect(sent).toContain('and the tests');
    const saved = await agent.session.artifactPath('0');
    expect(saved).toMatch(/handoff-.*\.md$/);
    expect(readFileSync(saved ?? '', 'utf8')).toBe('# DOCUMENT');
    await agent.dispose();
  });

  it('makes way for a summary when the model writes nothing or a plugin calls it off', async () => {
    for (const cancel of [true, false]) {
      const plugin = inlineCandidate(
        { id: 'stay', activate: (ctx) => void ctx.on(beforeSwitch, () => (cancel ? { cancel } : undefined)) },
        { handles: ['session.before-switch'] },
      );
      const { agent, session } = await world(
        [
          (request) => {
            if (isHandoff(request)) return { text: '' };
            return isSummary(request) ? { text: 'SUMMARY' } : { text: long('y'), tokens: 9_500 };
          },
        ],
        {},
        [plugin],
        { compaction: { strategy: 'handoff' } },
      );
      await agent.prompt(long('x'));
      expect(agent.session.id).toBe(session.id);
      expect(session.context().messages[0]).toMatchObject({ role: 'compactionSummary' });
      await agent.dispose();
    }
  });

  it('is made of a summary when the model answers with something that is no document', async () => {
    const { agent } = await world([
      (request) => (isSummary(request) ? { text: '## Goal\nthe bridge' } : { text: 'I cannot do that.' }),
    ]);
    await agent.prompt('build the bridge');
    expect(await agent.handoff()).toEqual({ document: '## Goal\nthe bridge' });
    await agent.dispose();
  });

  it('says so when there is nothing to hand over, and stops when it is told to', async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { agent, session } = await world([
      (request) => (isHandoff(request) ? (begin(), { text: 'x', hold: new Promise(() => undefined) }) : { text: 'a' }),
    ]);
    await expect(agent.handoff()).rejects.toThrow('nothing to hand over');
    await agent.prompt('go');
    const handing = agent.handoff();
    handing.catch(() => undefined);
    await begun;
    await agent.abort();
    await expect(handing).rejects.toThrow('stopped');
    expect(agent.session.id).toBe(session.id);
    await agent.dispose();
  });
});
