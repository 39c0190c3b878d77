/** What changes the session under the host: handovers, plugins that call something off, and long sessions. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeBranch, beforeSwitch, input, liveAgents, userBash } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { promptHistory } from '@tenon/sessions/api';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer } from '@tenon/test-kit/scripted-models';
import { connect as connectTo } from './host.ts';

type Connected = Awaited<ReturnType<typeof connectTo>>;
const open: Connected[] = [];
afterEach(async () => {
  for (const { host, remove } of open.splice(0)) {
    await host.end();
    await remove();
  }
});
async function connect(options?: Parameters<typeof connectTo>[0]): Promise<Connected> {
  const connected = await connectTo(options);
  open.push(connected);
  return connected;
}

const isHandoff = ({ messages }: { messages: readonly unknown[] }) =>
  JSON.stringify(messages.at(-1)).includes('This session ends here');

describe('a handover', () => {
  it('gives the document and goes on in a new session, with the tools of the host', async () => {
    const { host, requests } = await connect({
      script: [(request): Answer => ({ text: isHandoff(request) ? '# State' : 'Hello.' })],
    });
    await host.ask('set_host_tools', { tools: [{ name: 'mine', description: 'x', parameters: { type: 'object' } }] });
    expect(await host.ask('handoff')).toMatchObject({ success: false, error: expect.stringContaining('nothing') });
    await host.work('build it');
    const before = (await host.ask('get_state'))['data'] as Record<string, string>;
    const switched = host.nextOf('session_switch');
    const answer = await host.ask('handoff', { customInstructions: 'the doors' });
    const after = (await host.ask('get_state'))['data'] as Record<string, string>;
    expect(answer['data']).toEqual({
      cancelled: false,
      document: '# State',
      sessionId: after['sessionId'],
      sessionFile: after['sessionFile'],
    });
    expect(await switched).toMatchObject({ reason: 'handoff', previousSessionId: before['sessionId'] });
    expect(JSON.stringify(requests.at(-1)?.messages.at(-1))).toContain('the doors');
    await host.work('go on');
    expect(JSON.stringify(requests.at(-1)?.messages[0])).toContain('# State');
    expect(requests.at(-1)?.tools.map(({ name }) => name)).toContain('mine');
  });

  it('is stopped by abort, though nothing else gets through meanwhile', async () => {
    const { host, requests } = await connect({
      script: [
        (request): Answer =>
          isHandoff(request) ? { text: 'x', hold: new Promise<void>(() => undefined) } : { text: 'Hello.' },
      ],
    });
    await host.work('build it');
    const answer = host.ask('handoff');
    while (requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const state = host.ask('get_state');
    await host.ask('abort');
    expect(await answer).toMatchObject({ success: false, error: expect.stringContaining('stopped') });
    expect((await state)['data']).toMatchObject({ isCompacting: false });
  });
});

describe('the tree of a session', () => {
  it('is moved in; a message of the user is said anew, and its text comes back', async () => {
    const { host } = await connect({});
    await host.work('one');
    await host.work('two');
    const { messages } = (await host.ask('get_branch_messages'))['data'] as { messages: { entryId: string }[] };
    const [first, second] = messages.map(({ entryId }) => entryId);
    const moved = (await host.ask('navigate_tree', { entryId: second }))['data'] as Record<string, string>;
    expect(moved).toEqual({ cancelled: false, leafId: expect.any(String), text: 'two' });
    expect((await host.ask('get_state'))['data']).toMatchObject({ messageCount: 2 });
    expect((await host.ask('navigate_tree', { entryId: moved['leafId'] }))['data']).toEqual({
      cancelled: false,
      leafId: moved['leafId'],
    });
    expect((await host.ask('navigate_tree', { entryId: first }))['data']).toEqual({
      cancelled: false,
      leafId: null,
      text: 'one',
    });
    expect(await host.ask('navigate_tree', { entryId: 'nope' })).toMatchObject({ success: false });
  });
});

describe('plugins', () => {
  it('may call off every change of the session', async () => {
    const plugin = inlineCandidate(
      {
        id: 'stay',
        activate(ctx) {
          ctx.on(beforeSwitch, () => ({ cancel: true }));
          ctx.on(beforeBranch, () => ({ cancel: true }));
        },
      },
      { handles: ['session.before-switch', 'session.before-branch'] },
    );
    const { host } = await connect({ plugins: [plugin] });
    await host.work('one');
    const { sessionId } = (await host.ask('get_state'))['data'] as Record<string, string>;
    const { messages } = (await host.ask('get_branch_messages'))['data'] as { messages: { entryId: string }[] };
    expect((await host.ask('new_session'))['data']).toEqual({ cancelled: true });
    expect((await host.ask('switch_session', { sessionPath: 'x' }))['data']).toEqual({ cancelled: true });
    expect((await host.ask('branch', { entryId: messages[0]?.entryId }))['data']).toEqual({
      cancelled: true,
      text: 'one',
    });
    expect((await host.ask('handoff'))['data']).toEqual({ cancelled: true });
    expect((await host.ask('get_state'))['data']).toMatchObject({ sessionId });
  });

  it('may block a prompt; the host is told why under the id of the prompt', async () => {
    const plugin = inlineCandidate(
      { id: 'guard', activate: (ctx) => void ctx.on(input, (typed) => ({ ...typed, blocked: 'not on Sundays' })) },
      { handles: ['input'] },
    );
    const { host, requests } = await connect({ plugins: [plugin] });
    const end = host.nextOf('agent_end');
    const { id } = await host.ask('prompt', { message: 'work' });
    // A host that waits for the end must not wait for ever, and must know by then that nothing was done.
    expect(await end).toEqual({ type: 'agent_end', messages: [], error: expect.any(String) });
    const frames = host.frames.slice(1).map(({ type, success }) => (success === false ? 'failure' : type));
    expect(frames).toEqual(['response', 'failure', 'agent_start', 'agent_end']);
    expect(host.frames.find(({ success }) => success === false)).toMatchObject({
      id,
      command: 'prompt',
      error: expect.stringContaining('not on Sundays'),
    });
    expect(requests).toHaveLength(0);
    await host.ask('abort_and_prompt', { message: 'work now' });
    await host.ask('get_state');
    expect(host.frames.filter(({ type }) => type === 'agent_end')).toHaveLength(2);
  });

  it('may do all that a prompt asks for; its end is told, and no failure', async () => {
    const plugin = inlineCandidate(
      { id: 'clerk', activate: (ctx) => void ctx.on(input, (typed) => ({ ...typed, handled: 'Done.' })) },
      { handles: ['input'] },
    );
    const { host, requests } = await connect({ plugins: [plugin] });
    await host.work('/tidy');
    expect(host.frames.slice(1).map(({ type }) => type)).toEqual(['response', 'notice', 'agent_start', 'agent_end']);
    expect(requests).toHaveLength(0);
  });

  it('may carry out the commands of the user', async () => {
    const seen: unknown[] = [];
    const plugin = inlineCandidate(
      {
        id: 'remote',
        activate: (ctx) =>
          void ctx.on(userBash, (command) => {
            seen.push(command);
            if (!command.command.startsWith('remote ')) return undefined;
            return { result: { output: 'far away', exitCode: 3, cancelled: false, truncated: false } };
          }),
      },
      { handles: ['user.bash'] },
    );
    const { host, requests, cwd } = await connect({ plugins: [plugin] });
    expect((await host.ask('bash', { command: 'remote ls' }))['data']).toMatchObject({
      output: 'far away',
      exitCode: 3,
    });
    expect((await host.ask('bash', { command: 'echo near' }))['data']).toMatchObject({ output: 'near\n' });
    expect(seen[0]).toMatchObject({ command: 'remote ls', cwd, excludeFromContext: false });
    await host.work('what was that?');
    expect(JSON.stringify(requests[0]?.messages)).toMatch(/far away.*near/);
  });
});

describe('a damaged session', () => {
  /** A file whose long text is gone. */
  async function damaged({ host, home }: Connected): Promise<string> {
    await host.work('word '.repeat(120_000));
    const { sessionFile } = (await host.ask('get_state'))['data'] as { sessionFile: string };
    await host.ask('new_session');
    rmSync(join(home, 'data', 'blobs'), { recursive: true });
    return sessionFile;
  }

  it('is told to the host that switches to it, and to the model', async () => {
    const connected = await connect();
    const { host, requests } = connected;
    const sessionPath = await damaged(connected);
    const notice = host.nextOf('notice');
    await host.ask('switch_session', { sessionPath });
    expect(await notice).toMatchObject({ level: 'warning', text: expect.stringContaining('gone from') });
    await host.work('go on');
    expect(JSON.stringify(requests.at(-1)?.messages[0])).toContain('is missing');
    expect(JSON.stringify(requests.at(-1))).not.toContain('blob:sha256');
  });

  it('is told to the host that begins with it', async () => {
    const first = await connect();
    const resume = await damaged(first);
    await first.host.end();
    const { host } = await connect({ home: first.home, flags: { resume } });
    await host.ask('get_state');
    expect(host.frames.find(({ method }) => method === 'notify')).toMatchObject({
      notifyType: 'warning',
      message: expect.stringContaining('gone from'),
    });
  });
});

describe('a long session', () => {
  it('is counted, compacted and listed without being read into memory as a whole', async () => {
    const long = 'word '.repeat(20_000);
    const { host, kernel } = await connect({
      script: [({ systemPrompt }): Answer => ({ text: systemPrompt.startsWith('You summarize') ? 'SHORT' : 'Hello.' })],
    });
    for (const text of [long, 'second', long]) await host.work(text);
    const [agent] = (await kernel.find(liveAgents)).list();
    if (!agent) throw new Error('there is no agent');
    agent.session.branch = () => expect.unreachable('the whole branch was read');
    expect((await host.ask('compact'))['data']).toMatchObject({ summary: expect.stringContaining('SHORT') });
    expect((await host.ask('get_session_stats'))['data']).toMatchObject({
      userMessages: 3,
      assistantMessages: 3,
      totalMessages: 6,
      tokens: { total: 45 },
    });
    expect((await host.ask('get_branch_messages'))['data']).toMatchObject({ messages: { length: 3 } });
  });
});

describe('what the user types', () => {
  it('is remembered, unless nothing is to be kept', async () => {
    const kept = await connect();
    await kept.host.work('first words');
    await kept.host.ask('follow_up', { message: 'more words' });
    await kept.host.end();
    expect(await (await kept.kernel.find(promptHistory)).recent(5)).toEqual(['more words', 'first words']);

    const forgotten = await connect({ flags: { 'no-session': true } });
    await forgotten.host.work('secret words');
    await forgotten.host.end();
    expect(await (await forgotten.kernel.find(promptHistory)).recent(5)).toEqual([]);
  });
});
