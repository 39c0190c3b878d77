import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeStart, modelRequest, sessionStart } from '@tenon/agent/api';
import { checkSchema, defineErrors, loadSchemaCompiler } from '@tenon/kernel';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { modeEnd, type UserInterface, userInterface } from '@tenon/host';
import { type Tool, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tool } from '@tenon/test-kit/kernel';
import source from '../package.json' with { type: 'json' };
import { rpcCommands } from '../src/api.ts';
import plugin from '../src/plugin.ts';
import { readLines } from '../src/line-reader.ts';
import { schemaDocument } from '../src/reference.ts';
import { type AnyFrame, connect as connectTo } from './host.ts';

type Connected = Awaited<ReturnType<typeof connectTo>>;
const open: Connected[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
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
const result = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const never = new Promise<void>(() => undefined);
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the protocol', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));

  it('begins with ready, answers a prompt at once and tells the rest as events', async () => {
    const { host } = await connect({ script: [{ pieces: ['Hel', 'lo'] }] });
    expect(host.frames[0]).toEqual({ type: 'ready' });
    await host.work('hi');
    const types = host.frames.map(({ type }) => type);
    expect(types.indexOf('response')).toBeLessThan(types.indexOf('agent_start'));
    expect(host.frames.find(({ type }) => type === 'response')).toEqual({
      id: 't1',
      type: 'response',
      command: 'prompt',
      success: true,
    });
    const deltas = host.frames.flatMap(({ assistantMessageEvent }) => assistantMessageEvent?.delta ?? []);
    expect(deltas.join('')).toBe('Hello');
    expect((await host.ask('get_last_assistant_text'))['data']).toEqual({ text: 'Hello' });
  });

  it('lists the slash commands, and a prompt that is one of them is answered without the model', async () => {
    const { host, requests } = await connect({ plugins: ['discovery', 'slash-commands'] });
    const listed = (await host.ask('get_commands'))['data'] as { commands: { name: string; kind: string }[] };
    expect(listed.commands).toContainEqual(expect.objectContaining({ name: 'compact', kind: 'built-in' }));
    await host.work('/status');
    const notice = host.frames.find(({ type }) => type === 'notice');
    expect(notice).toMatchObject({ isAnswer: true, text: expect.stringContaining('Model:    test/m') as string });
    expect(requests).toEqual([]);
  });

  it('begins with ready also when plugins speak while the session opens', async () => {
    const eager = inlineCandidate(
      {
        id: 'eager',
        needs: { ui: userInterface },
        activate: (ctx) => {
          const ui = ctx.needs['ui'] as UserInterface;
          ctx.on(sessionStart, () => ui.notify('I am here first.', 'info'));
        },
      },
      { needs: ['user-interface'], handles: ['session.start'] },
    );
    const { host } = await connect({ plugins: [eager] });
    await host.work('hi');
    expect(host.frames[0]).toEqual({ type: 'ready' });
    expect(host.frames.filter(({ method }) => method === 'notify').map(({ message }) => message)).toContain(
      'I am here first.',
    );
  });

  it('tells the system prompt that was sent, with what plugins added to it', async () => {
    const adding = inlineCandidate(
      {
        id: 'adding',
        activate: (ctx) => {
          ctx.on(beforeStart, (start) => ({ ...start, systemPrompt: `${start.systemPrompt}\n\nSpeak Latin.` }));
          ctx.on(modelRequest, (request) => ({ ...request, systemPrompt: `${request.systemPrompt} Always.` }));
        },
      },
      { handles: ['agent.before-start', 'model.request'] },
    );
    const { host, requests } = await connect({ plugins: [adding], script: [{ pieces: ['Salve'] }] });
    await host.work('hi');
    const { data } = await host.ask('get_state');
    expect(data.systemPrompt).toMatch(/Speak Latin\. Always\.$/);
    expect(data.systemPrompt).toBe(requests.at(-1)?.systemPrompt);
  });

  it('answers with the id of the command whatever is wrong with it, and goes on', async () => {
    const { host } = await connect();
    for (const [line, expected] of [
      ['{"id":"a","type":"nonsense"}', { id: 'a', command: 'nonsense' }],
      ['{"id":"b","type":"get_stat"}', { id: 'b', error: expect.stringContaining('get_state') }],
      ['{"id":"c","type":"prompt"}', { id: 'c', command: 'prompt', error: expect.stringContaining('message') }],
      ['{"id":"d","type":"set_thinking_level","level":"extreme"}', { id: 'd', command: 'set_thinking_level' }],
      ['{"id":"e","type":"pro', { id: 'e', command: 'parse' }],
      ['not json at all', { command: 'parse' }],
      ['[1,2]', { command: 'parse' }],
      ['{"id":5,"type":"set_mode"}', { id: 5, command: 'set_mode' }],
      ['{"id":17, "type":"pro', { id: 17, command: 'parse' }],
      ['{"id":{},"type":"get_state"}', { command: 'parse' }],
      ['{"id":"f","type":"__proto__"}', { id: 'f', success: false }],
      ['{"id":"g","type":"host_tool_result"}', { id: 'g', command: 'host_tool_result' }],
    ] as const) {
      const answer = host.nextOf('response');
      host.input.write(`${line}\n`);
      expect(await answer).toMatchObject({ success: false, ...expected });
    }
    expect(await host.ask('get_state')).toMatchObject({ success: true });
  });

  it('takes numbers for ids, and gives them back as they are', async () => {
    const { host } = await connect();
    for (const id of [0, 7, 7.5]) {
      const answer = host.nextOf('response');
      host.send({ id, type: 'get_last_assistant_text' });
      expect(await answer).toMatchObject({ id, success: true });
    }
  });

  it('says what is wrong and what to do as two sentences', async () => {
    const { host } = await connect();
    expect(await host.ask('set_model', { provider: 'test', modelId: 'no' })).toMatchObject({
      error: 'Model not found: test/no. See get_available_models.',
    });
    expect(await host.ask('set_session_name', { name: ' ' })).toMatchObject({
      error: 'Session name cannot be empty. Give it at least one letter.',
    });
  });

  it('sends of an answer what is new, and all of it at the end', async () => {
    const pieces = Array.from({ length: 300 }, (_, n) => `${n} `.padEnd(100, '.'));
    const { host } = await connect({ script: [{ pieces }] });
    await host.work('tell');
    const updates = host.frames.filter(({ type }) => type === 'message_update');
    expect(updates.map(({ message }) => message)).toEqual(updates.map(() => ({ role: 'assistant', content: [] })));
    expect(updates.map(({ assistantMessageEvent }) => assistantMessageEvent.delta).join('')).toBe(pieces.join(''));
    expect(JSON.stringify(updates)).not.toContain('"partial"');
    const ends = host.frames.filter(({ type, message }) => type === 'message_end' && message.role === 'assistant');
    expect(ends).toMatchObject([{ message: { content: [{ text: pieces.join('') }] } }]);
  });

  it('reads lines that come in pieces, in the middle of a character, with blank lines and other line breaks', async () => {
    const { host, requests } = await connect();
    const end = host.nextOf('agent_end');
    const bytes = Buffer.from('\n\r\n{"id":"x","type":"prompt","message":"grüße \u2028 \u{1f600}"}\r\n');
    for (const byte of bytes) host.input.write(Buffer.from([byte]));
    await end;
    expect(requests[0]?.messages).toMatchObject([{ content: 'grüße \u2028 \u{1f600}' }]);
  });

  it('passes over a line that is too long and keeps nothing of it', async () => {
    async function* bytes() {
      yield Buffer.from('short\n');
      for (let n = 0; n < 5; n++) yield Buffer.from('long!');
      yield Buffer.from('\nafter\nno line feed');
    }
    const lines = [];
    for await (const line of readLines(bytes(), 12)) lines.push(line);
    expect(lines).toEqual([{ text: 'short' }, { tooLong: true }, { text: 'after' }, { text: 'no line feed' }]);
  });

  it('ends with 0 when its input ends, after it has given up what was open', async () => {
    const { host } = await connect({ script: [{ text: 'x', hold: never }] });
    await host.ask('prompt', { message: 'go' });
    expect(await host.end()).toBe(0);
    expect(host.frames.at(-1)?.type).toBe('agent_end');
  });

  it('writes nothing that its own schema does not allow', async () => {
    const { host } = await connect({
      script: [{ calls: [{ name: 'look', arguments: {} }] }, { text: 'done', retry: true }],
      tools: { look: tool(async () => result('x')) },
    });
    await host.work('go');
    for (const command of [
      'get_state',
      'get_session_stats',
      'get_messages',
      'get_available_models',
      'cycle_model',
      'get_branch_messages',
    ])
      await host.ask(command);
    await loadSchemaCompiler();
    const { $defs } = schemaDocument() as { $defs: Record<string, object> };
    const schema = { $defs, $ref: '#/$defs/Output' };
    for (const frame of host.frames) {
      const problems = checkSchema(schema, frame);
      expect(problems, JSON.stringify(frame)).toEqual([]);
    }
  });

  it('holds the agent back while the host does not read', async () => {
    let release: () => void = () => undefined;
    // Two tools that talk in turns: their updates cannot be joined.
    let turn = 0;
    const chatty = (mine: number) =>
      tool(async (_, call) => {
        connected.host.gate = new Promise((resolve) => (release = resolve));
        for (let n = 0; n < 200; n++) {
          await until(() => turn % 2 === mine);
          turn++;
          await call.update(result(String(n)));
        }
        return result('ok');
      });
    const connected: Connected = await connect({
      script: [{ calls: [{ name: 'even' }, { name: 'odd' }] }, { text: 'end' }],
      tools: { even: chatty(0), odd: chatty(1) },
    });
    const { host, requests } = connected;
    await host.ask('prompt', { message: 'go' });
    await until(() => turn === 400);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(requests).toHaveLength(1);
    const end = host.nextOf('agent_end');
    release();
    await end;
    expect(requests).toHaveLength(2);
    expect(host.frames.filter(({ type }) => type === 'tool_execution_update')).toHaveLength(400);
  });
});

describe('prompting', () => {
  it('refuses a second prompt unless it says how, then queues it', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { host, requests } = await connect({ script: [{ text: 'a', hold }, { text: 'b' }] });
    await host.ask('prompt', { message: 'one' });
    expect(await host.ask('prompt', { message: 'two' })).toMatchObject({
      success: false,
      error: expect.stringContaining('streamingBehavior'),
    });
    expect(await host.ask('prompt', { message: 'three', streamingBehavior: 'followUp' })).toMatchObject({
      success: true,
    });
    expect(await host.ask('follow_up', { message: 'four' })).toMatchObject({ success: true });
    expect((await host.ask('get_state'))['data']).toMatchObject({ isStreaming: true, queuedMessageCount: 2 });
    const end = host.nextOf('agent_end');
    release();
    await end;
    expect(requests).toHaveLength(3);
  });

  it('steers, aborts, and starts over', async () => {
    const { host, requests } = await connect({
      script: [{ text: 'a', hold: never }, { text: 'b', hold: never }, { text: 'c' }],
    });
    await host.ask('steer', { message: 'mind the gap' });
    await host.ask('prompt', { message: 'one' });
    await host.ask('abort');
    expect(host.frames.filter(({ type }) => type === 'agent_end')).toHaveLength(1);
    await host.ask('prompt', { message: 'two' });
    const end = host.next(({ type, messages }) => type === 'agent_end' && JSON.stringify(messages).includes('three'));
    await host.ask('abort_and_prompt', { message: 'three' });
    await end;
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('three');
  });

  const failing = (hook: 'agent.before-start' | 'model.request') =>
    inlineCandidate(
      {
        id: 'bad',
        activate: (ctx) =>
          void ctx.on(hook === 'model.request' ? modelRequest : (beforeStart as never), () =>
            Promise.reject(new Error('snapped')),
          ),
      },
      { handles: [hook] },
    );

  it('tells a failure after the acknowledgement with the same id', async () => {
    const { host } = await connect({ plugins: [failing('model.request')] });
    const id = 'late';
    const late = host.next(({ type, success }) => type === 'response' && success === false);
    host.send({ id, type: 'prompt', message: 'go' });
    expect(await late).toMatchObject({ id, command: 'prompt', error: expect.stringContaining('snapped') });
    expect(host.frames.filter((frame) => frame['id'] === id)).toMatchObject([{ success: true }, { success: false }]);
    await host.ask('get_state');
    // Whoever waits for the end knows by then that there was none.
    const told = host.frames.map(({ type, success }) => (success === false ? 'failure' : type));
    expect(told.indexOf('failure')).toBeLessThan(told.indexOf('agent_end'));
    expect(await host.ask('get_state')).toMatchObject({ success: true, data: { isStreaming: false } });
    const end = host.frames.find(({ type }) => type === 'agent_end');
    expect(end?.['error']).toContain('snapped');
  });

  it('ends with the error of an answer that failed, and without one otherwise', async () => {
    const { host } = await connect({
      script: [{ fail: { kind: 'server', message: 'the provider is down' } }, { pieces: ['Hello'] }],
    });
    for (const expected of [expect.stringContaining('the provider is down'), undefined]) {
      const end = host.nextOf('agent_end');
      await host.ask('prompt', { message: 'go' });
      expect((await end)['error']).toEqual(expected);
    }
  });

  it('tells what a plugin did wrong', async () => {
    const { host } = await connect({ plugins: [failing('agent.before-start')] });
    await host.work('go');
    await host.ask('get_state');
    expect(host.frames.find(({ type }) => type === 'extension_error')).toMatchObject({
      extensionPath: 'bad',
      event: 'agent.before-start',
      error: expect.stringContaining('snapped'),
    });
  });
});

it('ends when an extension asks for that, once the agent has nothing to do', async () => {
  const { host, kernel } = await connect({ script: [{ pieces: ['Hel', 'lo'] }] });
  await host.ask('get_state');
  const ended = host.nextOf('agent_end');
  host.send({ type: 'prompt', message: 'hi' });
  await host.nextOf('agent_start');
  (await kernel.find(modeEnd)).request();
  expect(await ended).toBeDefined();
  expect(await host.exit).toBe(0);
});

it('tells the file of an extension and its event', async () => {
  const catalogue = defineErrors('broken', { BROKEN: { summary: 'It is broken.', next: 'Mend it.' } });
  const details = { extension: 'x', file: '/home/me/.pi/agent/extensions/x.ts', event: 'tool_call' };
  const reporter = inlineCandidate(
    {
      id: 'reporter',
      activate: (ctx) => void ctx.on(sessionStart, () => ctx.report(catalogue.create('BROKEN', details), 'warning')),
    },
    { handles: ['session.start'] },
  );
  const { host } = await connect({ plugins: [reporter] });
  await host.work('go');
  await host.ask('get_state');
  expect(host.frames.find(({ type }) => type === 'extension_error')).toMatchObject({
    extensionPath: details.file,
    event: 'tool_call',
    error: 'It is broken.',
  });
});

describe('state', () => {
  it('changes model, thinking, queues and switches, and shows all of it', async () => {
    const { host } = await connect();
    expect((await host.ask('set_model', { provider: 'test', modelId: 'seeing' }))['data']).toMatchObject({
      id: 'seeing',
    });
    expect(await host.ask('set_model', { provider: 'test', modelId: 'no' })).toMatchObject({
      success: false,
      error: expect.stringContaining('Model not found: test/no'),
    });
    expect((await host.ask('cycle_model'))['data']).toMatchObject({ model: { id: 'm' } });
    expect((await host.ask('get_available_models'))['data'].models).toHaveLength(2);
    await host.ask('set_thinking_level', { level: 'xhigh' });
    expect((await host.ask('cycle_thinking_level'))['data']).toEqual({ level: 'off' });
    await host.ask('set_steering_mode', { mode: 'all' });
    await host.ask('set_follow_up_mode', { mode: 'all' });
    await host.ask('set_interrupt_mode', { mode: 'wait' });
    await host.ask('set_auto_compaction', { enabled: false });
    await host.ask('set_session_name', { name: ' Work ' });
    expect(await host.ask('set_session_name', { name: '  ' })).toMatchObject({
      success: false,
      error: expect.stringContaining('Session name cannot be empty'),
    });
    expect((await host.ask('get_state'))['data']).toMatchObject({
      model: { provider: 'test', id: 'm' },
      thinkingLevel: 'off',
      steeringMode: 'all',
      followUpMode: 'all',
      interruptMode: 'wait',
      autoCompactionEnabled: false,
      sessionName: 'Work',
      isStreaming: false,
      isCompacting: false,
      messageCount: 0,
      todoPhases: [],
      systemPrompt: expect.any(String),
      dumpTools: expect.any(Array),
    });
  });

  it('cycles through models, and passes over rules and those that answer only when they are named', async () => {
    const model = (id: string, more: object = {}) => ({
      ...{ provider: 'test', id, name: id, api: 'test', contextWindow: 100_000, maxTokens: 1_000 },
      ...{ input: ['text' as const], reasoning: false, ...more },
    });
    const { host } = await connect({
      models: [model('one'), model('rules', { isRules: true }), model('replay', { onlyByName: true }), model('two')],
    });
    const next = async () => (await host.ask('cycle_model'))['data']?.model.id;
    expect([await next(), await next()]).toEqual(['two', 'one']);
    await host.ask('set_model', { provider: 'test', modelId: 'rules' });
    expect(await next()).toBe('one');
    const alone = await connect({ models: [model('one'), model('rules', { isRules: true })] });
    expect((await alone.host.ask('cycle_model'))['data']).toBeNull();
  });

  it('shows the plan of the host to the model, once', async () => {
    const { host, requests } = await connect();
    const phases = [
      {
        id: 'p',
        name: ' Work ',
        tasks: [
          { id: 'a', content: ' Measure ', status: 'completed' },
          { id: 'b', content: 'Cut', status: 'in_progress' },
          { id: 'c', content: ' ', status: 'pending' },
        ],
      },
    ];
    const { data } = await host.ask('set_todos', { phases });
    expect(data.todoPhases).toEqual([
      {
        id: 'p',
        name: 'Work',
        tasks: [
          { id: 'a', content: 'Measure', status: 'completed' },
          { id: 'b', content: 'Cut', status: 'in_progress' },
        ],
      },
    ]);
    await host.work('go');
    await host.work('on');
    const sent = JSON.stringify(requests.at(-1)?.messages);
    expect(sent).toContain('[x] Measure\\n[>] Cut');
    expect(sent.match(/The plan was set by the user/g)).toHaveLength(1);
  });

  it('without automatic retries, or when one is not waited for, the run ends with what the provider said', async () => {
    const { host } = await connect({ script: [{ text: 'x', retry: true, hold: never }] });
    const failed = { role: 'assistant', stopReason: 'error', errorMessage: 'overloaded' };
    await host.ask('abort_retry');
    await host.ask('set_auto_retry', { enabled: false });
    let end = host.nextOf('agent_end');
    await host.ask('prompt', { message: 'go' });
    expect((await end)['messages']).toMatchObject([{ role: 'user' }, failed]);
    expect(host.frames.some(({ type }) => type === 'auto_retry_start')).toBe(false);
    await host.ask('set_auto_retry', { enabled: true });
    const waiting = host.nextOf('auto_retry_start');
    await host.ask('prompt', { message: 'again' });
    await waiting;
    end = host.nextOf('agent_end');
    await host.ask('abort_retry');
    expect((await end)['messages']).toMatchObject([{ role: 'user' }, failed]);
    expect(host.frames.find(({ type }) => type === 'auto_retry_end')).toMatchObject({
      success: false,
      finalError: 'overloaded',
    });
  });

  it('without automatic retries another model takes over all the same', async () => {
    const { host } = await connect({ script: [{ text: 'served', fallback: 'test/other' }] });
    await host.ask('set_auto_retry', { enabled: false });
    await host.work('go');
    expect(host.frames.find(({ type }) => type === 'auto_retry_start')).toMatchObject({ fallback: 'test/other' });
    expect((await host.ask('get_last_assistant_text'))['data']).toEqual({ text: 'served' });
  });
});

describe('sessions', () => {
  it('begins new ones, switches, goes back to a message, and keeps the tools of the host', async () => {
    const { host, requests } = await connect();
    await host.ask('set_host_tools', {
      tools: [{ name: 'echo', description: 'echoes', parameters: { type: 'object' } }],
    });
    await host.work('one');
    const first = (await host.ask('get_state'))['data'];
    expect((await host.ask('new_session', { parentSession: first.sessionFile }))['data']).toEqual({ cancelled: false });
    await host.work('two');
    const second = (await host.ask('get_state'))['data'];
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(second.dumpTools.map(({ name }: { name: string }) => name)).toContain('echo');
    expect((await host.ask('switch_session', { sessionPath: first.sessionFile }))['success']).toBe(true);
    expect((await host.ask('get_messages'))['data'].messages).toMatchObject([
      { content: 'one' },
      { role: 'assistant' },
    ]);
    expect(await host.ask('switch_session', { sessionPath: '/no/such/file.jsonl' })).toMatchObject({ success: false });
    await host.work('three');
    const { messages } = (await host.ask('get_branch_messages'))['data'];
    expect(messages.map(({ text }: { text: string }) => text)).toEqual(['one', 'three']);
    expect((await host.ask('branch', { entryId: messages[1].entryId }))['data']).toEqual({
      text: 'three',
      cancelled: false,
    });
    await host.work('other');
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toMatchObject(['one', [{}], 'other']);
    expect(await host.ask('branch', { entryId: 'nope' })).toMatchObject({
      success: false,
      error: expect.stringContaining('get_branch_messages'),
    });
    expect(existsSync(first.sessionFile)).toBe(true);
  });

  it('without a file it goes back inside the session', async () => {
    const { host, requests } = await connect({ flags: { 'no-session': true } });
    await host.work('one');
    const [{ entryId }] = (await host.ask('get_branch_messages'))['data'].messages;
    await host.ask('branch', { entryId });
    await host.work('instead');
    expect(requests.at(-1)?.messages).toHaveLength(1);
    expect((await host.ask('get_state'))['data']).not.toHaveProperty('sessionFile');
  });

  it('counts messages, tokens and cost, and writes a page', async () => {
    const { host, home } = await connect({
      script: [{ calls: [{ name: 'look' }] }, { text: 'seen' }],
      tools: { look: tool(async () => result('x')) },
    });
    await host.work('go');
    expect((await host.ask('get_session_stats'))['data']).toMatchObject({
      userMessages: 1,
      assistantMessages: 2,
      toolCalls: 1,
      toolResults: 1,
      totalMessages: 4,
      tokens: { input: 20, output: 10, total: 30 },
      cost: 0.002,
    });
    const { path } = (await host.ask('export_html', { outputPath: 'page.html' }))['data'];
    expect(path).toBe(join(home, 'page.html'));
    expect(readFileSync(path, 'utf8')).toContain('seen');
  });

  it('compacts on request', async () => {
    const { host } = await connect({
      script: [
        (request) => ({
          text: request.tools.length === 0 && request.systemPrompt.includes('ummar') ? 'short' : 'word '.repeat(30_000),
        }),
      ],
    });
    for (const n of ['one', 'two', 'three']) await host.work(n);
    const answer = await host.ask('compact', { customInstructions: 'keep names' });
    expect(answer).toMatchObject({
      success: true,
      data: { summary: expect.any(String), firstKeptEntryId: expect.any(String) },
    });
    expect(answer['data'].summary).toContain('short');
  });
});

describe('bash', () => {
  it('runs a command of the user, tells its end, and the next prompt knows about it', async () => {
    const { host, requests, home } = await connect();
    writeFileSync(join(home, 'file'), 'content');
    expect((await host.ask('bash', { command: 'cat file; echo oops >&2; exit 3' }))['data']).toEqual({
      output: expect.stringMatching(/content[\s\S]*oops/),
      exitCode: 3,
      cancelled: false,
      truncated: false,
    });
    await host.work('what was that?');
    expect(JSON.stringify(requests[0]?.messages)).toContain('oops');
  });

  it('stops a command with all that it started, and takes one at a time', async () => {
    const { host } = await connect();
    const running = host.ask('bash', { command: 'sleep 60 & sleep 60; echo never' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await host.ask('bash', { command: 'true' })).toMatchObject({ success: false });
    await host.ask('abort_bash');
    expect((await running)['data']).toMatchObject({ cancelled: true });
  });

  it('is stopped when the host goes away', async () => {
    const { host } = await connect();
    void host.ask('bash', { command: 'sleep 60' });
    await host.ask('get_state');
    expect(await host.end()).toBe(0);
  });

  it('keeps a long output whole beside the session', async () => {
    const { host } = await connect();
    await host.work('start');
    const { data } = await host.ask('bash', { command: 'seq 1 20000' });
    expect(data).toMatchObject({ truncated: true, exitCode: 0 });
    expect(data.output.endsWith('20000\n')).toBe(true);
    expect(readFileSync(data.fullOutputPath, 'utf8').startsWith('1\n2\n')).toBe(true);
  });
});

describe('tools of the host', () => {
  const echo = {
    name: 'echo_host',
    label: 'Echo',
    description: 'echoes',
    parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  };

  it('are called with their arguments, may tell progress, and their result reaches the model', async () => {
    const { host, requests } = await connect({
      script: [{ calls: [{ name: 'echo_host', arguments: { message: 'hi' } }] }, { text: 'ok' }],
    });
    expect((await host.ask('set_host_tools', { tools: [echo] }))['data']).toEqual({ toolNames: ['echo_host'] });
    const called = host.nextOf('host_tool_call');
    const end = host.nextOf('agent_end');
    await host.ask('prompt', { message: 'go' });
    const call = await called;
    expect(call).toMatchObject({
      id: expect.any(String),
      toolCallId: 'call-0',
      toolName: 'echo_host',
      arguments: { message: 'hi' },
    });
    const progress = host.nextOf('tool_execution_update');
    host.send({ type: 'host_tool_update', id: call['id'], partialResult: result('working') });
    expect(await progress).toMatchObject({ partialResult: result('working') });
    host.send({ type: 'host_tool_result', id: call['id'], result: result('echo: hi') });
    await end;
    expect(JSON.stringify(requests[1]?.messages)).toContain('echo: hi');
  });

  it('are cancelled when the agent is stopped', async () => {
    const { host } = await connect({ script: [{ calls: [{ name: 'echo_host', arguments: { message: 'hi' } }] }] });
    await host.ask('set_host_tools', { tools: [echo] });
    const called = host.nextOf('host_tool_call');
    await host.ask('prompt', { message: 'go' });
    const { id } = await called;
    const cancelled = host.nextOf('host_tool_cancel');
    await host.ask('abort');
    expect(await cancelled).toMatchObject({ targetId: id });
    host.send({ type: 'host_tool_result', id, result: result('too late') });
    expect(await host.ask('get_state')).toMatchObject({ success: true });
  });

  it('that fail, or answer with nonsense, are errors for the model and not the end', async () => {
    const { host, requests } = await connect({
      script: [
        {
          calls: [
            { name: 'echo_host', arguments: { message: '1' } },
            { name: 'echo_host', arguments: { message: '2' } },
            { name: 'echo_host', arguments: {} },
          ],
        },
        { text: 'ok' },
      ],
    });
    await host.ask('set_host_tools', { tools: [echo] });
    const end = host.nextOf('agent_end');
    const calls = [host.nextOf('host_tool_call'), host.nextOf('host_tool_call')];
    await host.ask('prompt', { message: 'go' });
    const [one, two] = await Promise.all(calls);
    host.send({ type: 'host_tool_result', id: one?.['id'], result: result('it broke'), isError: true });
    host.send({ type: 'host_tool_result', id: two?.['id'], result: 'nonsense' });
    await end;
    const results = requests[1]?.messages.filter(({ role }) => role === 'toolResult');
    expect(results).toMatchObject([{ isError: true }, { isError: true }, { isError: true }]);
    expect(JSON.stringify(results)).toContain('it broke');
  });

  it('must have different names', async () => {
    const { host } = await connect();
    expect(await host.ask('set_host_tools', { tools: [echo, echo] })).toMatchObject({
      success: false,
      error: expect.stringContaining('echo_host'),
    });
  });
});

describe('URLs of the host', () => {
  const reader = inlineCandidate(
    {
      id: 'reader',
      activate: (ctx) => {
        const use = (work: (url: string, call: Parameters<Tool['execute']>[1]) => Promise<string>): Tool =>
          tool(async (input, call) => result(await work(String(input['url']), call)));
        ctx.contribute(
          tools,
          'get',
          use(async (url, { signal }) => (await (await ctx.find(urlRouter)).read(url, { signal })).content),
        );
        ctx.contribute(
          tools,
          'put',
          use(async (url, { signal }) => (await (await ctx.find(urlRouter)).write(url, 'new', { signal }), 'written')),
        );
      },
    },
    { contributes: { tools: { get: { summary: 'get' }, put: { summary: 'put' } } } },
  );

  it('are read and written by the host', async () => {
    const { host, requests } = await connect({
      script: [
        { calls: [{ name: 'get', arguments: { url: 'DB://users/42' } }] },
        { calls: [{ name: 'put', arguments: { url: 'db://users/42' } }] },
        { text: 'ok' },
      ],
      plugins: [reader],
    });
    expect((await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'DB', writable: true }] }))['data']).toEqual({
      schemes: ['db'],
    });
    const end = host.nextOf('agent_end');
    const read = host.nextOf('host_uri_request');
    await host.ask('prompt', { message: 'go' });
    expect(await read).toMatchObject({ operation: 'read', url: 'DB://users/42' });
    const write = host.nextOf('host_uri_request');
    host.send({ type: 'host_uri_result', id: (await read)['id'], content: 'name=Ada', contentType: 'text/plain' });
    expect(await write).toMatchObject({ operation: 'write', content: 'new' });
    host.send({ type: 'host_uri_result', id: (await write)['id'] });
    await end;
    expect(JSON.stringify(requests.at(-1)?.messages)).toMatch(/name=Ada.*written/);
  });

  it('fail with the reason of the host, are cancelled with the agent, and go when they are replaced', async () => {
    const { host, requests, kernel } = await connect({
      script: [
        { calls: [{ name: 'get', arguments: { url: 'db://1' } }] },
        { text: 'ok' },
        { calls: [{ name: 'get', arguments: { url: 'db://2' } }] },
      ],
      plugins: [reader],
    });
    await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'db' }] });
    const asked = host.nextOf('host_uri_request');
    const end = host.nextOf('agent_end');
    await host.ask('prompt', { message: 'go' });
    host.send({ type: 'host_uri_result', id: (await asked)['id'], isError: true, error: 'row 42 not found' });
    await end;
    expect(JSON.stringify(requests[1]?.messages)).toContain('row 42 not found\\nCheck the address');
    const again = host.nextOf('host_uri_request');
    await host.ask('prompt', { message: 'again' });
    const { id } = await again;
    const cancelled = host.nextOf('host_uri_cancel');
    await host.ask('abort');
    expect(await cancelled).toMatchObject({ targetId: id });
    await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'other' }] });
    const schemes = (await kernel.find(urlRouter)).list().map(({ scheme }) => scheme);
    expect([schemes.includes('other'), schemes.includes('db')]).toEqual([true, false]);
    expect(await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'a' }, { scheme: 'A' }] })).toMatchObject({
      success: false,
    });
  });

  it.each(['file', 'FILE', 'artifact'])(
    'are refused where they mean something already (%s); the others stay',
    async (scheme) => {
      const { host, kernel } = await connect();
      await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'db' }] });
      const refused = await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'row' }, { scheme }] });
      expect(refused).toMatchObject({ success: false, error: expect.stringContaining('belongs to') });
      const owned = (await kernel.find(urlRouter)).list().map((one) => one.scheme);
      expect(['db', 'row', 'file'].filter((name) => owned.includes(name))).toEqual(['db']);
      expect(await host.ask('set_host_uri_schemes', { schemes: [{ scheme: 'db' }, { scheme: 'row' }] })).toMatchObject({
        success: true,
      });
    },
  );
});

describe('questions of plugins', () => {
  it('reach the host, and its answers come back', async () => {
    const { host, kernel } = await connect();
    const ui = await kernel.find(userInterface);
    expect(ui.canAsk()).toBe(true);
    const answering = async (question: Promise<unknown>, answer: object): Promise<[AnyFrame, unknown]> => {
      const frame = await asked;
      host.send({ type: 'extension_ui_response', id: frame['id'], ...answer });
      return [frame, await question];
    };
    let asked = host.nextOf('extension_ui_request');
    expect(await answering(ui.select('Which?', ['a', 'b']), { value: 'b' })).toMatchObject([
      { method: 'select', title: 'Which?', options: ['a', 'b'] },
      'b',
    ]);
    asked = host.nextOf('extension_ui_request');
    expect(await answering(ui.confirm('Sure?', 'Really?'), { confirmed: true })).toMatchObject([
      { method: 'confirm', message: 'Really?' },
      true,
    ]);
    asked = host.nextOf('extension_ui_request');
    expect(await answering(ui.input('Name', 'feature/…'), { value: 'x' })).toMatchObject([
      { method: 'input', placeholder: 'feature/…' },
      'x',
    ]);
    asked = host.nextOf('extension_ui_request');
    expect(await answering(ui.editor('Text', 'old'), { cancelled: true })).toMatchObject([
      { method: 'editor', prefill: 'old' },
      undefined,
    ]);
  });

  it('that wait too long, or whose asker gave up, are cancelled and have no answer', async () => {
    const { host, kernel } = await connect();
    const ui = await kernel.find(userInterface);
    const asked = host.nextOf('extension_ui_request');
    const question = ui.confirm('Sure?', 'Really?', { timeoutMs: 20 });
    expect(await asked).toMatchObject({ timeout: 20 });
    expect(await question).toBe(false);
    await host.ask('get_state');
    expect(host.frames.find(({ method }) => method === 'cancel')).toMatchObject({ targetId: (await asked)['id'] });
    host.send({ type: 'extension_ui_response', id: 'unknown', value: 'x' });
    expect(await host.ask('get_state')).toMatchObject({ success: true });
    const open = ui.input('Still there?');
    await host.end();
    expect(await open).toBeUndefined();
  });

  it('and notices go out without waiting; a title only when it is wanted', async () => {
    const { host, kernel } = await connect();
    const ui = await kernel.find(userInterface);
    ui.notify('careful', 'warning');
    ui.setStatus('build', 'green');
    ui.setStatus('build', undefined);
    ui.setWidget('plan', ['one', 'two']);
    ui.setTitle('nobody sees this');
    ui.setEditorText('draft');
    await host.ask('get_state');
    expect(host.frames.filter(({ type }) => type === 'extension_ui_request')).toMatchObject([
      { method: 'notify', message: 'careful', notifyType: 'warning' },
      { method: 'setStatus', statusKey: 'build', statusText: 'green' },
      { method: 'setStatus', statusKey: 'build' },
      { method: 'setWidget', widgetKey: 'plan', widgetLines: ['one', 'two'] },
      { method: 'set_editor_text', text: 'draft' },
    ]);
    vi.stubEnv('PI_RPC_EMIT_TITLE', 'true');
    const wanting = await connect();
    const title = wanting.host.nextOf('extension_ui_request');
    (await wanting.kernel.find(userInterface)).setTitle('the host sees this');
    expect(await title).toMatchObject({ method: 'setTitle', title: 'the host sees this' });
  });
});

describe('the table of commands', () => {
  it('has every command of the protocol that it follows, and those of our own', () => {
    const names =
      'prompt steer follow_up abort abort_and_prompt new_session get_state set_todos set_host_tools set_host_uri_schemes get_commands set_model cycle_model ' +
      'get_available_models set_thinking_level cycle_thinking_level set_steering_mode set_follow_up_mode set_interrupt_mode compact ' +
      'handoff set_auto_compaction set_auto_retry abort_retry bash abort_bash get_session_stats export_html switch_session branch navigate_tree get_undo_list undo get_branch_messages ' +
      'get_last_assistant_text set_session_name get_messages';
    expect(Object.keys(rpcCommands)).toEqual(names.split(' '));
  });

  it('refuses prompts and files on the command line', async () => {
    const connected = connectTo({ flags: {} });
    const { host, kernel, remove } = await connected;
    await host.end();
    const { runAgent } = await import('@tenon/test-kit/command-run');
    await expect(runAgent(kernel, ['@file'], { flags: { mode: 'rpc' } })).rejects.toMatchObject({
      code: 'MODES_NO_INPUT',
    });
    await remove();
  });
});
