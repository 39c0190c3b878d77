/** The built program as an editor uses it: over its standard input and output, with a scripted model. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServer, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { Answer } from '@tenon/model-fakes';
import { processesWith } from '@tenon/test-kit/processes';
import { resultsIn } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EditorManners, TestEditor } from './editor-client.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A server of an editor: one tool that says what it got. */
const SERVER = `
import { createInterface } from 'node:readline';
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    say(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
  else if (method === 'tools/list')
    say(id, { tools: [{ name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } }] });
  else if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'greetings, ' + process.env.WHO }] });
  else if (id !== undefined) say(id, {});
});
`;

let shop: Workshop;
let editor: TestEditor;
/** The folder that the program works in, without links. */
let work: string;

const open = (manners: EditorManners = {}): TestEditor =>
  new TestEditor(
    shop.home.start(['acp', '--model', 'fake/m'], {
      stdio: 'pipe',
      env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
    }),
    manners,
  );
const call = (name: string, input: object, id = `c${Math.random()}`) => ({
  type: 'toolCall' as const,
  id,
  name,
  arguments: input,
});
const text = (said: string): Answer => ({ content: [{ type: 'text', text: said }] });
const newSession = (cwd: string, mcpServers: McpServer[]) => editor.agent.request('session/new', { cwd, mcpServers });
const begin = async (cwd = work, mcpServers: McpServer[] = []) => (await newSession(cwd, mcpServers)).sessionId;
const results = () => resultsIn(shop.model.requests.at(-1)?.body['messages'] as never);
const optionOf = ({ options }: RequestPermissionRequest, kind: string) =>
  options.find((option) => option.kind === kind)?.optionId;

beforeAll(async () => {
  shop = await openWorkshop();
  work = realpathSync(shop.home.work);
  const models = join(shop.home.folder, 'home/config/models.yml');
  const seeing = readFileSync(models, 'utf8').replace('"input":["text"]', '"input":["text","image"]');
  writeFileSync(models, seeing.replace('"reasoning":false', '"reasoning":true'));
});
afterAll(() => shop.close());

describe('an editor without special powers', () => {
  beforeAll(async () => {
    editor = open();
  });
  beforeEach(() => {
    editor.forget();
    editor.manners = {};
    shop.model.otherwise(undefined);
    shop.model.requests.length = 0;
  });
  afterAll(async () => {
    expect(await editor.close()).toBe(0);
    await until(() => processesWith(shop.home.folder).length === 0, 'the end of all programs');
    const lines = editor.output.split('\n').filter(Boolean);
    expect(lines.every((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc === '2.0')).toBe(true);
  });

  it('learns what Tenon can do, and asks for nothing before it has introduced itself', async () => {
    await expect(begin()).rejects.toMatchObject({ code: -32_600 });
    expect(await editor.initialize()).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'tenon' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
      },
    });
    await expect(editor.agent.request('authenticate', { methodId: 'stored' })).resolves.toEqual({});
  });

  it('sees an answer as it comes, the slash commands, the cost, and one stop reason', async () => {
    const { sessionId, modes, configOptions } = await newSession(work, []);
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'strict', 'yolo', 'plan']);
    expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'model', 'thinking']);
    await until(() => editor.of('available_commands_update', sessionId).length > 0, 'the slash commands');
    const [{ availableCommands } = { availableCommands: [] }] = editor.of('available_commands_update', sessionId);
    expect(availableCommands.map(({ name }) => name)).toContain('compact');
    shop.model.reply({ ...text('Hello there, editor.'), deltaSize: 4 });
    expect(await editor.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(editor.said(sessionId)).toBe('Hello there, editor.');
    expect(editor.of('usage_update', sessionId).at(-1)).toMatchObject({ size: 200_000, cost: { currency: 'USD' } });
  });

  it('is asked before a change in the mode "strict", and shows it as a diff; what the user rejects does not happen', async () => {
    const sessionId = await begin();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'strict' });
    expect(editor.of('current_mode_update', sessionId)).toEqual([
      { sessionUpdate: 'current_mode_update', currentModeId: 'strict' },
    ]);
    shop.model.reply(
      { content: [call('write', { path: 'new.txt', content: 'made\n' }, 'w1')] },
      { content: [call('write', { path: 'not.txt', content: 'never\n' }, 'w2')] },
      text('done'),
    );
    editor.manners = {
      answer: (request) => optionOf(request, request.toolCall.toolCallId === 'w1' ? 'allow_once' : 'reject_once'),
    };
    expect(await editor.prompt(sessionId, 'write two files')).toBe('end_turn');
    expect(editor.asked).toHaveLength(2);
    expect(editor.asked[0]).toMatchObject({
      sessionId,
      toolCall: { toolCallId: 'w1', kind: 'edit', status: 'pending', locations: [{ path: join(work, 'new.txt') }] },
    });
    const file = join(work, 'new.txt');
    // Some editors show the first content only, and let one key stand for the last option of a kind.
    expect(editor.asked[0]?.toolCall.content).toEqual([
      { type: 'diff', path: file, oldText: null, newText: 'made\n' },
      { type: 'content', content: { type: 'text', text: expect.not.stringContaining('```') } },
    ]);
    expect(editor.asked[0]?.options.map(({ kind, name }) => `${kind} ${name.split(':')[0]}`)).toEqual([
      'allow_once Allow once',
      'allow_always Always allow',
      'allow_always Allow for this session',
      'reject_once Deny',
    ]);
    expect(readFileSync(file, 'utf8')).toBe('made\n');
    const ends = editor.of('tool_call_update', sessionId).filter(({ status }) => status !== 'in_progress');
    expect(ends.filter(({ toolCallId }) => toolCallId === 'w1').at(-1)).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path: file, oldText: null, newText: 'made\n' }],
    });
    expect(ends.filter(({ toolCallId }) => toolCallId === 'w2').at(-1)).toMatchObject({ status: 'failed' });
    expect(() => readFileSync(join(work, 'not.txt'))).toThrow(/ENOENT/);
  });

  it('keeps the mode when a slash command goes on in a new session', async () => {
    const sessionId = await begin();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'strict' });
    shop.model.reply(text('Hello.'), text('# Where we are\n\nNowhere yet.'));
    expect(await editor.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(await editor.prompt(sessionId, '/handoff')).toBe('end_turn');
    shop.model.reply({ content: [call('write', { path: 'later.txt', content: 'x' })] }, text('refused'));
    editor.manners = { answer: (request) => optionOf(request, 'reject_once') };
    await editor.prompt(sessionId, 'write');
    expect(editor.asked).toHaveLength(1);
    expect(existsSync(join(work, 'later.txt'))).toBe(false);
  });

  it('shows the plan of the agent, and changes the model and the thinking', async () => {
    const sessionId = await begin();
    const todos = { ops: [{ op: 'init', phases: [{ name: 'Work', tasks: ['look', 'do'] }] }] };
    shop.model.reply({ content: [call('todo_write', todos)] });
    // Tasks that are left open are a reason to be asked once more.
    shop.model.otherwise(text('planned'));
    expect(await editor.prompt(sessionId, 'plan it')).toBe('end_turn');
    expect(
      editor
        .of('plan', sessionId)
        .at(-1)
        ?.entries.map(({ content }) => content),
    ).toEqual(['look', 'do']);
    const { configOptions } = await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'thinking',
      value: 'high',
    });
    expect(configOptions.find(({ id }) => id === 'thinking')).toMatchObject({ currentValue: 'high' });
    await expect(
      editor.agent.request('session/set_config_option', { sessionId, configId: 'model', value: 'no/such' }),
    ).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining('no/such') });
    // Many know no options, but a list of models and a method for it.
    expect(editor.output).toContain('"models":{"currentModelId":"fake/m","availableModels":[{"modelId":"fake/m"');
    const setModel = (modelId?: string) => editor.agent.request('session/set_model', { sessionId, modelId });
    await expect(setModel('fake/m')).resolves.toEqual({});
    await expect(setModel('no/such')).rejects.toMatchObject({ code: -32_602 });
    await expect(setModel()).rejects.toMatchObject({ code: -32_602 });
  });

  it('sends images and files that are not saved; a failure of the model is an error that says why', async () => {
    const sessionId = await begin();
    shop.model.reply(text('a red dot'));
    const stop = await editor.prompt(sessionId, [
      { type: 'text', text: 'what is this? ' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: `file://${work}/draft.md`, text: 'unsaved words' } },
    ]);
    expect(stop).toBe('end_turn');
    const sent = JSON.stringify(shop.model.requests.at(-1)?.body['messages']);
    expect(sent).toContain(PNG);
    expect(sent).toContain('unsaved words');
    shop.model.reply({ status: 400, message: 'this is too odd' });
    await expect(editor.prompt(sessionId, 'once more')).rejects.toMatchObject({
      message: expect.stringContaining('this is too odd'),
    });
  });

  it('runs slash commands', async () => {
    const sessionId = await begin();
    expect(await editor.prompt(sessionId, '/help')).toBe('end_turn');
    expect(editor.said(sessionId)).toContain('/');
    expect(shop.model.requests).toHaveLength(0);
  });

  it('stops a prompt, also one that waits for permission, and goes on afterwards', async () => {
    const sessionId = await begin();
    shop.model.reply({ ...text('word '.repeat(200)), fault: { kind: 'stall', after: 5 } });
    const stalled = editor.prompt(sessionId, 'talk');
    await until(() => editor.said(sessionId) !== '', 'the first words');
    await editor.cancel(sessionId);
    expect(await stalled).toBe('cancelled');

    await editor.agent.request('session/set_mode', { sessionId, modeId: 'strict' });
    shop.model.reply({ content: [call('write', { path: 'held.txt', content: 'x' })] });
    // An editor that never answers.
    editor.manners = { answer: () => new Promise<string>(() => undefined) };
    const waiting = editor.prompt(sessionId, 'write');
    await until(() => editor.asked.length === 1, 'the question');
    await editor.cancel(sessionId);
    expect(await waiting).toBe('cancelled');
    editor.manners = {};
    shop.model.reply(text('still here'));
    expect(await editor.prompt(sessionId, 'hello?')).toBe('end_turn');
    expect(editor.said(sessionId)).toContain('still here');
  });

  it('gets one stop reason for every prompt, however prompts and cancellations follow each other', async () => {
    const sessionId = await begin();
    shop.model.otherwise({ ...text('one two three'), deltaSize: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('prompt', 'cancel', 'wait'), { maxLength: 6 }), async (steps) => {
        const reasons: Promise<string>[] = [];
        for (const step of steps) {
          if (step === 'wait') await new Promise((resolve) => setImmediate(resolve));
          else if (step === 'cancel') await editor.cancel(sessionId);
          else reasons.push(editor.prompt(sessionId, 'count'));
        }
        for (const reason of await Promise.all(reasons)) expect(['end_turn', 'cancelled']).toContain(reason);
      }),
      { numRuns: 12 },
    );
  });

  it('lists, loads, resumes, closes and deletes sessions', async () => {
    const sessionId = await begin();
    shop.model.reply({ content: [call('read', { path: 'README.md' }, 'r1')] }, text('It is a shop.'));
    await editor.prompt(sessionId, 'what is here?');
    const { sessions } = await editor.agent.request('session/list', { cwd: work });
    expect(sessions.map((one) => one.sessionId)).toContain(sessionId);
    await editor.agent.request('session/close', { sessionId });
    await expect(editor.prompt(sessionId, 'gone?')).rejects.toMatchObject({ code: -32_002 });
    editor.forget();
    await editor.agent.request('session/load', { sessionId, cwd: work, mcpServers: [] });
    const kinds = editor.updates.map(({ update }) => update.sessionUpdate);
    expect(kinds.slice(0, 4)).toEqual(['user_message_chunk', 'tool_call', 'tool_call_update', 'agent_message_chunk']);
    editor.forget();
    await editor.agent.request('session/resume', { sessionId, cwd: work });
    expect(editor.of('user_message_chunk')).toEqual([]);
    shop.model.reply(text('I remember.'));
    expect(await editor.prompt(sessionId, 'and now?')).toBe('end_turn');
    expect(JSON.stringify(shop.model.requests.at(-1)?.body)).toContain('It is a shop.');
    for (const wrong of [sessionId.slice(0, -1), join(work, 'README.md'), '../x', ''])
      await expect(
        editor.agent.request<unknown>('session/resume', { sessionId: wrong, cwd: work }),
      ).rejects.toMatchObject({ code: -32_002 });
    // The SDK's client takes an unknown session for a deleted one; nothing of it may be gone.
    await editor.agent.request('session/delete', { sessionId: sessionId.slice(0, -1) });
    await editor.agent.request('session/delete', { sessionId: join(work, 'README.md') });
    expect(existsSync(join(work, 'README.md'))).toBe(true);
    const { sessions: left } = await editor.agent.request('session/list', { cwd: work });
    expect(left.map((one) => one.sessionId)).toContain(sessionId);
    await editor.agent.request('session/delete', { sessionId });
    await expect(editor.agent.request('session/load', { sessionId, cwd: work, mcpServers: [] })).rejects.toMatchObject({
      code: -32_002,
    });
  });

  it('brings MCP servers of its own, for one session', async () => {
    const server = join(shop.home.folder, 'greeter.mjs');
    writeFileSync(server, SERVER);
    const mine = { name: 'mine', command: process.execPath, args: [server], env: [{ name: 'WHO', value: 'editor' }] };
    const sessionId = await begin(work, [mine]);
    shop.model.reply({ content: [call('mcp__mine__greet', {})] }, text('greeted'));
    expect(await editor.prompt(sessionId, 'greet')).toBe('end_turn');
    expect(results()).toEqual(['greetings, editor']);
    const other = await begin();
    shop.model.reply({ content: [call('mcp__mine__greet', {})] }, text('not greeted'));
    await editor.prompt(other, 'greet');
    expect(results()[0]).not.toContain('greetings');
    await editor.agent.request('session/close', { sessionId });
    await until(() => processesWith(server).length === 0, 'the end of the server');
  });

  it('works in other folders, each with the settings and the trust of its own', async () => {
    const folder = join(realpathSync(shop.home.folder), 'other');
    mkdirSync(join(folder, '.tenon'), { recursive: true });
    writeFileSync(join(folder, 'here.txt'), 'the other folder\n');
    const server = join(shop.home.folder, 'greeter.mjs');
    writeFileSync(server, SERVER);
    const project = { mcpServers: { project: { command: process.execPath, args: [server] } } };
    writeFileSync(join(folder, '.tenon/mcp.json'), JSON.stringify(project));
    editor.manners = { answer: (request) => optionOf(request, 'reject_once') };
    const sessionId = await begin(folder);
    shop.model.reply({ content: [call('read', { path: 'here.txt' })] }, text('read it'));
    expect(await editor.prompt(sessionId, 'read it')).toBe('end_turn');
    expect(results()[0]).toContain('the other folder');
    // What the folder brings along runs only where somebody trusts it, and the editor is asked.
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([expect.stringMatching(/Do you trust .*other/)]);
    expect(editor.said(sessionId)).toContain('read it');
    await editor.agent.request('session/close', { sessionId });
    await expect(begin('/no/such/folder')).rejects.toMatchObject({ message: expect.stringContaining('no/such') });
    await expect(begin('relative')).rejects.toMatchObject({ message: expect.stringContaining('absolute') });
  });
});

it('an agent cannot answer its own questions through it', () => {
  const env = { TENON_AGENT: '1' };
  expect(shop.home.tenon(['acp'], { env })).toMatchObject({ out: '', err: expect.stringContaining('is for people') });
  const { code, out, err } = shop.home.tenon(['--mode', 'acp'], { env });
  expect([code, out, err]).toEqual([0, '', expect.stringContaining('Questions are not asked')]);
  const relayed = shop.home.tenon(['--mode', 'acp'], { env: { ...env, TENON_ACP_RELAY: '1' } });
  expect(relayed.err).toContain('Questions are not asked');
});

describe('an editor that shares its files', () => {
  it('gives tools what is not saved, saves it before a change, and hears what was written', async () => {
    const file = join(work, 'src/prices.ts');
    const saved = readFileSync(file, 'utf8');
    const buffers = new Map([[file, saved.replace('apple: 2', 'apple: 7')]]);
    const writes: string[] = [];
    /** What an editor finds on disk when it writes: it asks its user when that is not what it has read or written. */
    const found: string[] = [];
    editor = open({
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      readText: (path) => buffers.get(path) ?? readFileSync(path, 'utf8'),
      writeText(path, content) {
        writes.push(path);
        found.push(readFileSync(path, 'utf8'));
        buffers.set(path, content);
        writeFileSync(path, content);
      },
    });
    try {
      await editor.initialize();
      const sessionId = await begin();
      shop.model.reply({ content: [call('read', { path: 'src/prices.ts' })] }, text('seen'));
      await editor.prompt(sessionId, 'read');
      expect(results()[0]).toContain('apple: 7');
      expect(readFileSync(file, 'utf8')).toBe(saved);
      expect(writes).toEqual([]);
      const anchor =
        (results()[0] ?? '')
          .split('\n')
          .find((line) => line.includes('pear: 3'))
          ?.split('|')[0] ?? '';
      const line = 'const PRICES: Record<string, number> = { apple: 7, pear: 4 };';
      await editor.agent.request('session/set_mode', { sessionId, modeId: 'strict' });
      editor.manners = { ...editor.manners, answer: (request) => optionOf(request, 'allow_once') };
      shop.model.reply(
        { content: [call('edit', { input: `@@ src/prices.ts\n= ${anchor}..${anchor}\n~${line}\n` }, 'e1')] },
        text('edited'),
      );
      await editor.prompt(sessionId, 'raise the price of pears');
      expect(readFileSync(file, 'utf8')).toContain('apple: 7, pear: 4');
      expect(buffers.get(file)).toContain('apple: 7, pear: 4');
      expect(editor.asked[0]?.toolCall).toMatchObject({
        title: 'edit src/prices.ts',
        content: [{ type: 'diff', path: file, newText: expect.stringContaining('pear: 4') }, { type: 'content' }],
      });
      expect(writes).toEqual([file, file]);
      expect(found).toEqual([saved, saved.replace('apple: 2', 'apple: 7')]);
      const end = editor
        .of('tool_call_update')
        .filter(({ toolCallId }) => toolCallId === 'e1')
        .at(-1);
      expect(end).toMatchObject({
        status: 'completed',
        content: [
          {
            type: 'diff',
            oldText: expect.stringContaining('apple: 7, pear: 3'),
            newText: expect.stringContaining('pear: 4'),
          },
        ],
      });
    } finally {
      await editor.close();
    }
  });
});
