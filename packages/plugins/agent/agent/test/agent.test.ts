import { readFileSync } from 'node:fs';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { modelRegistry } from '@tenon/models/api';
import type { Session } from '@tenon/sessions/api';
import { resolvePath, toolCall, toolResult, toolRunner, type TouchCall } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { type AgentSession, beforeCompact, beforeStart, compacted, compacting, context, input } from '../src/api.ts';
import agentPlugin from '../src/plugin.ts';
import { lastRoles, said, types, world } from '@tenon/test-kit/conversation-world';
import { scriptedModels } from '@tenon/test-kit/scripted-models';

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    const { registry } = scriptedModels([]);
    await pluginContract({
      source,
      plugin: agentPlugin,
      services: [
        [modelRegistry, registry],
        [toolRunner, { run: async () => said('') }],
      ],
    });
  });
});

describe('a run', () => {
  it('asks, carries out tools, asks again and stops; everything is in the session before the next question', async () => {
    const onDisk: number[] = [];
    const seen: { session?: Session } = {};
    const look = () =>
      onDisk.push(
        readFileSync(seen.session?.file ?? '', 'utf8')
          .trimEnd()
          .split('\n').length,
      );
    const made = await world(
      [() => (look(), { calls: [{ name: 'hammer', arguments: { nail: 1 } }] }), () => (look(), { text: 'done' })],
      { hammer: async (args) => said(`hit ${JSON.stringify(args)}`) },
    );
    seen.session = made.session;
    await made.agent.prompt('build');
    expect(onDisk).toEqual([2, 4]);
    expect(lastRoles(made.requests)).toEqual(['user', 'assistant', 'toolResult']);
    expect(types(made.events)).toEqual([
      'agent_start',
      'turn_start',
      'message_start',
      'message_end',
      'message_start',
      'message_end',
      'tool_execution_start',
      'tool_execution_end',
      'message_start',
      'message_end',
      'turn_end',
      'turn_start',
      'message_start',
      'message_update',
      'message_end',
      'turn_end',
      'agent_end',
    ]);
    expect(made.session.context().messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'done' }] });
    await made.agent.dispose();
  });

  it('goes on after a tool that fails, throws, is refused or does not exist', async () => {
    const gate = inlineCandidate(
      {
        id: 'gate',
        activate: (ctx) => void ctx.on(toolCall, ({ tool }) => (tool === 'risky' ? { deny: 'not today' } : undefined)),
      },
      { handles: ['tool.call'] },
    );
    const calls = ['broken', 'sad', 'risky', 'ghost'].map((name) => ({ name }));
    const { agent, session } = await world(
      [{ calls }, { text: 'understood' }],
      {
        broken: async () => Promise.reject(new Error('snapped')),
        sad: async () => ({ ...said('no'), isError: true }),
        risky: async () => said('boom'),
      },
      [gate],
    );
    await agent.prompt('try');
    const results = session.context().messages.flatMap((message) => (message.role === 'toolResult' ? [message] : []));
    expect(results.every(({ isError }) => isError)).toBe(true);
    const text = JSON.stringify(results);
    for (const part of ['snapped', 'not today', 'There is no tool \\"ghost\\"']) expect(text).toContain(part);
    expect(text).not.toContain('boom');
    await agent.dispose();
  });

  it('runs tools side by side, and one that must be alone by itself', async () => {
    const log: string[] = [];
    const tool = (name: string, ms: number) => async () => {
      log.push(`+${name}`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      log.push(`-${name}`);
      return said(name);
    };
    const { agent, session } = await world(
      [{ calls: ['a', 'b', 'alone', 'c'].map((name) => ({ name })) }, { text: 'ok' }],
      { a: tool('a', 30), b: tool('b', 5), c: tool('c', 5), alone: { run: tool('alone', 5), exclusive: true } },
    );
    await agent.prompt('go');
    expect(log).toEqual(['+a', '+b', '-b', '-a', '+alone', '-alone', '+c', '-c']);
    expect(session.context().messages.filter(({ role }) => role === 'toolResult')).toHaveLength(4);
    await agent.dispose();
  });

  it('streams updates of a tool', async () => {
    const { agent, events } = await world([{ calls: [{ name: 'slow' }] }, { text: 'ok' }], {
      slow: async (_, call) => {
        await call.update(said('half'));
        return said('whole');
      },
    });
    await agent.prompt('go');
    expect(events.find(({ type }) => type === 'tool_execution_update')).toMatchObject({ partialResult: said('half') });
    await agent.dispose();
  });

  it('points out the same call with the same result, but not a call whose result changes', async () => {
    let count = 0;
    const same = { calls: [{ name: 'same' }] };
    const { agent, events, requests } = await world(
      [
        same,
        same,
        same,
        { calls: [{ name: 'poll' }] },
        { calls: [{ name: 'poll' }] },
        { calls: [{ name: 'poll' }] },
        { text: 'ok' },
      ],
      {
        same: async () => said('x'),
        poll: async () => said(String(count++)),
      },
    );
    await agent.prompt('go');
    expect(events.filter(({ type }) => type === 'loop_suspected')).toMatchObject([{ toolName: 'same', repeats: 3 }]);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('3 times with the same result');
    await agent.dispose();
  });
});

describe('talking to a running agent', () => {
  it('refuses a second prompt unless told what to do with it', async () => {
    let release: () => void = () => undefined;
    const { agent } = await world([{ text: 'x', hold: new Promise((resolve) => (release = resolve)) }, { text: 'y' }]);
    const running = agent.prompt('one');
    await expect(agent.prompt('two')).rejects.toThrow('working on an earlier prompt');
    void agent.prompt('three', { streamingBehavior: 'followUp' });
    expect(agent.state).toMatchObject({ isStreaming: true, queuedMessages: 1 });
    release();
    await running;
    await agent.dispose();
  });

  it('steering skips the calls that have not started and reaches the next turn', async () => {
    const seen: { agent?: AgentSession } = {};
    const ran: string[] = [];
    const tool = (name: string) => ({
      run: async () => (ran.push(name), name === 'first' && seen.agent?.steer('stop that'), said(name)),
      exclusive: true,
    });
    const { agent, requests } = await world([{ calls: [{ name: 'first' }, { name: 'second' }] }, { text: 'ok' }], {
      first: tool('first'),
      second: tool('second'),
    });
    seen.agent = agent;
    await agent.prompt('go');
    expect(ran).toEqual(['first']);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('skipped because the user sent a new message');
    expect(lastRoles(requests)).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'user']);
    await agent.dispose();
  });

  it('in wait mode steering lets the turn finish', async () => {
    const seen: { agent?: AgentSession } = {};
    const ran: string[] = [];
    const tool = (name: string) => ({
      run: async () => (ran.push(name), seen.agent?.steer('later'), said(name)),
      exclusive: true,
    });
    const { agent } = await world([{ calls: [{ name: 'first' }, { name: 'second' }] }, { text: 'ok' }], {
      first: tool('first'),
      second: tool('second'),
    });
    seen.agent = agent;
    agent.setQueueModes({ interrupt: 'wait', steering: 'all' });
    await agent.prompt('go');
    expect(ran).toEqual(['first', 'second']);
    await agent.dispose();
  });

  it('follow-ups come when the agent would stop: one per stop, or all at once', async () => {
    const { agent, requests } = await world([{ text: 'a' }]);
    agent.followUp('two');
    agent.followUp('three');
    await agent.prompt('one');
    expect(requests).toHaveLength(3);
    agent.setQueueModes({ followUp: 'all' });
    agent.followUp('five');
    agent.followUp('six');
    await agent.prompt('four');
    expect(requests).toHaveLength(5);
    await agent.dispose();
  });

  it('gives back what waits, the newest follow-up first, and asks no model about it', async () => {
    const { agent, requests } = await world([{ text: 'a' }]);
    agent.steer('soon');
    agent.followUp('later');
    agent.followUp('last');
    expect(agent.waiting().map(({ text, deliverAs }) => [text, deliverAs])).toEqual([
      ['soon', 'steer'],
      ['later', 'followUp'],
      ['last', 'followUp'],
    ]);
    expect([agent.takeBack()?.text, agent.takeBack()?.text, agent.takeBack()?.text]).toEqual(['last', 'later', 'soon']);
    expect([agent.takeBack(), agent.waiting()]).toEqual([undefined, []]);
    await agent.prompt('one');
    expect(requests).toHaveLength(1);
    await agent.dispose();
  });

  it('abort stops model and tools, keeps what was said, and the next prompt works', async () => {
    let begin: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begin = resolve));
    const { agent, session, requests } = await world([{ calls: [{ name: 'forever' }] }, { text: 'fine' }], {
      forever: (_, { signal }) => {
        begin();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    });
    const running = agent.prompt('go');
    await started;
    await agent.abort();
    await running;
    expect(session.context().messages.at(-1)).toMatchObject({ role: 'toolResult', isError: true });
    await agent.prompt('again');
    expect(requests).toHaveLength(2);
    expect(agent.state.isStreaming).toBe(false);
    await agent.dispose();
  });

  it('an answer that was cut off goes back without its unfinished calls', async () => {
    const { agent, requests } = await world([
      { text: 'half', calls: [{ name: 'x' }], hold: new Promise(() => undefined) },
      { text: 'fine' },
    ]);
    const speaking = new Promise<void>((resolve) => {
      agent.subscribe(({ type }) => type === 'message_update' && resolve());
    });
    const running = agent.prompt('go');
    await speaking;
    await agent.abort();
    await running;
    await agent.prompt('again');
    expect(requests.at(-1)?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'half' }] },
      { role: 'user' },
    ]);
    await agent.dispose();
  });

  it('a forced tool choice counts for one call', async () => {
    const { agent, requests } = await world([{ text: 'a' }]);
    agent.queueToolChoice({ name: 'x' });
    await agent.prompt('one');
    await agent.prompt('two');
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([{ name: 'x' }, undefined]);
    await agent.dispose();
  });

  it('tools of the embedding program pass the same gate and hooks', async () => {
    const seen: string[] = [];
    const watch = inlineCandidate(
      {
        id: 'watch',
        activate: (ctx) => (
          ctx.on(toolCall, ({ tool }) => void seen.push(tool)),
          void ctx.on(toolResult, (event) => ({ ...event, result: said('changed') }))
        ),
      },
      { handles: ['tool.call', 'tool.result'] },
    );
    const { agent, session } = await world([{ calls: [{ name: 'host' }] }, { text: 'ok' }], {}, [watch]);
    agent.setHostTools({
      host: { description: 'host', parameters: { type: 'object' }, execute: async () => said('original') },
    });
    await agent.prompt('go');
    expect(seen).toEqual(['host']);
    expect(JSON.stringify(session.context().messages)).toContain('changed');
    await agent.dispose();
  });
});

describe('hooks', () => {
  it('can change the input, add to the start and change what the model sees', async () => {
    const plugin = inlineCandidate(
      {
        id: 'changer',
        activate(ctx) {
          ctx.on(input, ({ text, images }) => ({ text: `${text}!`, images }));
          ctx.on(beforeStart, (start) => ({
            ...start,
            systemPrompt: 'SYS',
            inject: [{ role: 'custom' as const, customType: 'x', content: 'injected', display: true, timestamp: 1 }],
          }));
          ctx.on(context, ({ messages }) => ({ messages: messages.slice(-1) }));
        },
      },
      { handles: ['input', 'agent.before-start', 'context'] },
    );
    const { agent, requests, session } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('hey');
    expect(requests[0]).toMatchObject({ systemPrompt: 'SYS', messages: [{ role: 'user', content: 'injected' }] });
    expect(session.context().messages[0]).toMatchObject({ content: 'hey!' });
    await agent.dispose();
  });
});

describe('compaction', () => {
  const long = (n: number) => `${n} `.repeat(4_000);

  it('summarizes the older part when the conversation passes the threshold, and keeps the recent part', async () => {
    const summaries: string[] = [];
    const { agent, session, events } = await world([
      (request) =>
        request.systemPrompt.startsWith('You summarize')
          ? (summaries.push(JSON.stringify(request.messages)), { text: 'SUMMARY' })
          : { text: long(1), tokens: 9_000 },
    ]);
    await agent.prompt(long(0));
    await agent.prompt('short');
    expect(types(events)).toContain('auto_compaction_end');
    const [first] = session.context().messages;
    expect(first).toMatchObject({ role: 'compactionSummary' });
    expect(summaries[0]).toContain('<conversation>');
    await agent.dispose();
  });

  it('recovers from a provider that says the conversation is too long, and asks again', async () => {
    let failed = false;
    const { agent, events, session } = await world([
      (request) => {
        if (request.systemPrompt.startsWith('You summarize')) return { text: 'SUMMARY' };
        const tooLong = JSON.stringify(request.messages).length > 12_000 && !failed && request.messages.length > 2;
        if (tooLong) failed = true;
        return tooLong ? { fail: { kind: 'context-overflow', message: 'too long' } } : { text: long(2) };
      },
    ]);
    await agent.prompt(long(1));
    await agent.prompt('next');
    expect(events.find(({ type }) => type === 'auto_compaction_start')).toMatchObject({ reason: 'overflow' });
    expect(session.context().messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'stop' });
    await agent.dispose();
  });

  it('stops with an explanation when the summary of a plugin is not shorter, and changes nothing', async () => {
    const plugin = inlineCandidate(
      { id: 'long-summary', activate: (ctx) => void ctx.on(beforeCompact, () => ({ summary: 'S'.repeat(90_000) })) },
      { handles: ['session.before-compact'] },
    );
    const { agent, session, events } = await world([{ text: long(1), tokens: 9_000 }], {}, [plugin]);
    await agent.prompt(long(0));
    const ends = events.filter(({ type }) => type === 'auto_compaction_end');
    expect(ends[0]).toMatchObject({ errorMessage: expect.stringContaining('not shorter') });
    expect(session.branch().some(({ type }) => type === 'compaction')).toBe(false);
    await agent.prompt('x');
    expect(events.filter(({ type }) => type === 'auto_compaction_start').length).toBeLessThanOrEqual(2);
    await agent.dispose();
  });

  it('lists the files that were read and changed', async () => {
    const placed = (path: unknown, { scope }: TouchCall) => resolvePath(scope?.cwd ?? '', String(path));
    const { agent, session } = await world(
      [
        {
          calls: [
            { name: 'read', arguments: { path: 'a.ts' } },
            { name: 'edit', arguments: { path: 'b.ts' } },
            { name: 'read', arguments: { path: 'b.ts' } },
          ],
        },
        (request) => (request.systemPrompt.startsWith('You summarize') ? { text: 'SUMMARY' } : { text: long(1) }),
      ],
      {
        read: { run: async () => said(long(3)), touches: ({ path }, call) => ({ reads: [placed(path, call)] }) },
        edit: { run: async () => said('ok'), touches: ({ path }, call) => ({ writes: [placed(path, call)] }) },
      },
    );
    await agent.prompt('go');
    await agent.compact();
    const [first] = session.context().messages;
    expect(first).toMatchObject({ summary: expect.stringContaining('<modified-files>\nb.ts\n</modified-files>') });
    expect(session.branch().at(-1)).toMatchObject({ details: { readFiles: ['a.ts'], modifiedFiles: ['b.ts'] } });
    await agent.dispose();
  });

  it('can be called off or replaced by a plugin', async () => {
    const told: unknown[] = [];
    let mode: 'cancel' | 'replace' = 'cancel';
    const plugin = inlineCandidate(
      {
        id: 'own-summary',
        activate(ctx) {
          ctx.on(beforeCompact, () => (mode === 'cancel' ? { cancel: true, by: 'own-summary' } : { summary: 'MINE' }));
          ctx.on(compacted, (event) => void told.push(event));
        },
      },
      { handles: ['session.before-compact', 'session.compacted'] },
    );
    const { agent, session } = await world([{ text: long(1) }], {}, [plugin]);
    await agent.prompt(long(0));
    await expect(agent.compact()).rejects.toThrow('called off by plugin "own-summary"');
    mode = 'replace';
    await agent.compact();
    expect(session.context().messages[0]).toMatchObject({ summary: 'MINE' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(told).toMatchObject([{ fromPlugin: true }]);
    await agent.dispose();
  });

  it('asked for in the words of a plugin, still tells what was summarized before, what else counts and what the user wants', async () => {
    const plugin = inlineCandidate(
      {
        id: 'own-words',
        activate(ctx) {
          ctx.on(compacting, (plan) => ({ ...plan, prompt: 'Sum it up in a haiku.', context: ['The milk is sour.'] }));
        },
      },
      { handles: ['session.compacting'] },
    );
    const { agent, requests } = await world(
      [(request) => ({ text: request.systemPrompt.startsWith('You summarize') ? 'SUMMARY' : long(1) })],
      {},
      [plugin],
    );
    const asked = () =>
      requests.map(({ messages }) => JSON.stringify(messages)).filter((text) => text.includes('in a haiku'));
    await agent.prompt(long(0));
    await agent.prompt(long(0));
    await agent.compact('Keep the names.');
    for (const part of ['The milk is sour.', 'Keep the names.']) expect(asked().at(-1)).toContain(part);
    expect(asked().at(-1)).not.toContain('## Goal');
    await agent.prompt(long(0));
    await agent.prompt(long(0));
    await agent.compact();
    expect(asked().at(-1)).toContain('<previous-summary>\\nSUMMARY');
    await agent.dispose();
  });

  it('says so when there is nothing to summarize', async () => {
    const { agent } = await world([{ text: 'a' }]);
    await agent.prompt('x');
    await expect(agent.compact()).rejects.toThrow('nothing to summarize');
    await agent.dispose();
  });
});

describe('branches', () => {
  it('go back to an entry, with a summary of what is left behind', async () => {
    const { agent, session, requests } = await world([
      (request) => ({ text: request.systemPrompt.startsWith('You summarize') ? 'LEFT' : 'a' }),
    ]);
    await agent.prompt('one');
    const target = session.leafId;
    await agent.prompt('two');
    await agent.branchTo(target, { summarize: true });
    await agent.prompt('three');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('LEFT');
    expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain('two');
    await agent.dispose();
  });
});
