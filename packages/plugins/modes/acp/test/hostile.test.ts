/** The built program beside editors that keep to nothing: what they send, answer, leave unread and leave behind. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '@tenon/test-kit/processes';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Writes and reads lines, and knows nothing of the protocol. */
class RawEditor {
  readonly heard: Message[] = [];
  errors = '';
  readonly child: ChildProcess;
  #count = 0;

  constructor(child: ChildProcess, isListening = true) {
    this.child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    child.stdin?.on('error', () => undefined);
    if (isListening && child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => this.heard.push(JSON.parse(line) as Message));
  }

  write(text: string | Buffer): void {
    this.child.stdin?.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async ask(method: string, params: unknown): Promise<Message> {
    const id = `q${++this.#count}`;
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: unknown): Promise<Message> {
    const found = () => this.heard.find((message) => message.id === id && message.method === undefined);
    await until(() => found() !== undefined, `the answer to ${String(id)}`);
    return found() ?? {};
  }

  async asked(method: string): Promise<Message> {
    const found = () => this.heard.find((message) => message.method === method && message.id !== undefined);
    await until(() => found() !== undefined, `the question ${method}`);
    const question = found() ?? {};
    this.heard.splice(this.heard.indexOf(question), 1);
    return question;
  }

  async ended(): Promise<void> {
    await until(() => this.child.exitCode !== null || this.child.signalCode !== null, 'the end of the program');
  }
}

let shop: Workshop;
let work: string;
let editor: RawEditor;
const open = (isListening = true): RawEditor =>
  new RawEditor(
    shop.home.start(['acp', '--model', 'fake/m'], {
      stdio: 'pipe',
      env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
    }),
    isListening,
  );
const begin = async (capabilities: object = {}): Promise<string> => {
  await editor.ask('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
  const { result } = await editor.ask('session/new', { cwd: work, mcpServers: [] });
  return String(result?.['sessionId']);
};
const promptOf = (sessionId: string, text = 'hello') => ({ sessionId, prompt: [{ type: 'text', text }] });
const call = (name: string, input: object) => ({
  content: [{ type: 'toolCall' as const, id: `c${Math.random()}`, name, arguments: input }],
});
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

beforeAll(async () => {
  shop = await openWorkshop();
  work = realpathSync(shop.home.work);
});
afterAll(() => shop.close());
beforeEach(() => {
  shop.model.otherwise(undefined);
  editor = open();
});
afterEach(async () => {
  editor.child.stdin?.end();
  await editor.ended();
  await until(() => processesWith(shop.home.folder).length === 0, 'the end of all programs');
});

describe('an editor that keeps to nothing', () => {
  it('sends what is no message, and is served all the same', async () => {
    const session = await begin();
    const lines = [
      '{',
      'null',
      '[]',
      '5',
      '"x"',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":7}',
      '[{"jsonrpc":"2.0","id":8,"method":"x"}]',
      '{"jsonrpc":"1.0","id":9,"method":"initialize"}',
      '{"jsonrpc":"2.0","id":{},"method":"session/new"}',
      '{"jsonrpc":"2.0","id":10,"result":{}}',
      '{"jsonrpc":"2.0","method":"session/cancel"}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":5}}',
      '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"id":"zzz"}}',
      '['.repeat(200_000),
      `"${'x'.repeat(20_000_000)}"`,
    ];
    for (const line of lines) editor.write(`${line}\n`);
    editor.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0d, 0x0a]));
    for (const [method, params] of [
      ['nothing/such', {}],
      ['session/new', undefined],
      ['session/new', { cwd: 5, mcpServers: [] }],
      ['session/new', { cwd: 'relative', mcpServers: [] }],
      ['session/new', { cwd: '/nowhere/at/all', mcpServers: [] }],
      ['session/new', { cwd: join(work, 'README.md'), mcpServers: [] }],
      ['session/new', { cwd: `${work}\0`, mcpServers: [] }],
      ['session/new', { cwd: work, mcpServers: [{ name: 'x' }] }],
      ['session/load', { sessionId: '../../x', cwd: work, mcpServers: [] }],
      ['session/load', { sessionId: session.slice(0, 8), cwd: work, mcpServers: [] }],
      ['session/prompt', { sessionId: session, prompt: [] }],
      ['session/prompt', { sessionId: session, prompt: [{ type: 'text' }] }],
      ['session/prompt', { sessionId: session, prompt: [{ type: 'odd' }] }],
      ['session/prompt', { sessionId: session, prompt: [{ type: 'resource', resource: { uri: 'file:///x' } }] }],
      ['session/prompt', { sessionId: 'gone', prompt: [{ type: 'text', text: 'x' }] }],
      ['session/set_mode', { sessionId: session, modeId: 'none' }],
      ['session/set_mode', { sessionId: session, modeId: '__proto__' }],
      ['session/set_config_option', { sessionId: session, configId: '__proto__', value: 'x' }],
      ['session/set_config_option', { sessionId: session, configId: 'model', value: 'none/such' }],
      ['session/list', { cursor: '-1' }],
      ['session/list', { cursor: 'x' }],
      ['session/close', { sessionId: 'gone' }],
      ['session/delete', { sessionId: '../x' }],
    ] as const) {
      const { error } = await editor.ask(method, params);
      expect(error, `${method} ${JSON.stringify(params)}`).toBeDefined();
    }
    shop.model.reply(say('served'));
    expect((await editor.ask('session/prompt', promptOf(session))).result).toMatchObject({ stopReason: 'end_turn' });
  });

  it('answers questions with what nobody asked for, and gets nothing done', async () => {
    const session = await begin();
    for (const reply of [
      { result: {} },
      { result: { outcome: null } },
      { result: { outcome: { outcome: 'selected', optionId: 'everything' } } },
      { result: { outcome: { outcome: 'selected', optionId: '__proto__' } } },
      { error: 'no' },
    ]) {
      shop.model.reply(call('bash', { command: 'rm -rf src && touch ../made' }), say('done'));
      const prompted = editor.ask('session/prompt', promptOf(session));
      const { id } = await editor.asked('session/request_permission');
      editor.send({ id, ...reply });
      expect((await prompted).result).toEqual({ stopReason: 'end_turn' });
      expect(existsSync(join(work, 'src'))).toBe(true);
      shop.model.requests.length = 0;
      shop.model.otherwise(undefined);
    }
  });

  it('cancels while it is asked, and answers afterwards', async () => {
    const session = await begin();
    shop.model.reply(call('bash', { command: 'rm -rf src' }), say('done'));
    const prompted = editor.ask('session/prompt', promptOf(session));
    const { id } = await editor.asked('session/request_permission');
    editor.send({ method: 'session/cancel', params: { sessionId: session } });
    expect((await prompted).result).toEqual({ stopReason: 'cancelled' });
    editor.send({ id, result: { outcome: { outcome: 'selected', optionId: 'once' } } });
    shop.model.otherwise(say('served'));
    expect((await editor.ask('session/prompt', promptOf(session))).result).toMatchObject({ stopReason: 'end_turn' });
    expect(existsSync(join(work, 'src'))).toBe(true);
  });

  it('gives files that are none', async () => {
    const session = await begin({ fs: { readTextFile: true, writeTextFile: true } });
    for (const reply of [
      { result: { content: 5 } },
      { result: {} },
      { result: null },
      { result: { content: null } },
      { error: { code: 1, message: 'no' } },
    ]) {
      shop.model.requests.length = 0;
      shop.model.reply(call('read', { path: 'README.md' }), say('done'));
      const prompted = editor.ask('session/prompt', promptOf(session));
      const { id } = await editor.asked('fs/read_text_file');
      editor.send({ id, ...reply });
      await prompted;
      expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages']), JSON.stringify(reply)).toContain(
        'say what this is',
      );
    }
  });

  it('loads a session several times at once, and beside another program that has it', async () => {
    const session = await begin();
    shop.model.otherwise(say('served'));
    await editor.ask('session/prompt', promptOf(session));
    const load = (who: RawEditor) => who.ask('session/load', { sessionId: session, cwd: work, mcpServers: [] });
    for (const { error } of await Promise.all([load(editor), load(editor), load(editor)]))
      expect(error).toBeUndefined();
    const done = { result: { stopReason: 'end_turn' } };
    expect(await editor.ask('session/prompt', promptOf(session, 'again'))).toMatchObject(done);
    const other = open();
    await other.ask('initialize', { protocolVersion: 1 });
    expect((await load(other)).error?.message).toContain('is open in process');
    expect((await other.ask('session/prompt', promptOf(session))).error).toBeDefined();
    expect(await editor.ask('session/prompt', promptOf(session, 'once more'))).toMatchObject(done);
    editor.child.stdin?.end();
    await editor.ended();
    expect((await load(other)).error).toBeUndefined();
    other.child.stdin?.end();
    await other.ended();
  });

  it('reads nothing any more and closes, and the program ends', async () => {
    const deaf = open(false);
    let out = '';
    const hear = (chunk: Buffer) => void (out += chunk.toString());
    deaf.child.stdout?.on('data', hear);
    deaf.send({ id: 1, method: 'initialize', params: { protocolVersion: 1 } });
    await until(() => out.includes('"id":1'), 'an introduction');
    deaf.send({ id: 2, method: 'session/new', params: { cwd: work, mcpServers: [] } });
    await until(() => out.includes('"sessionId"'), 'a session');
    deaf.child.stdout?.off('data', hear);
    deaf.child.stdout?.pause();
    const [, session = ''] = /"sessionId":"(\w+)"/.exec(out) ?? [];
    shop.model.otherwise(say('word '.repeat(400_000)));
    deaf.send({ id: 3, method: 'session/prompt', params: promptOf(session) });
    await until(() => shop.model.requests.length > 0, 'a request');
    // Long enough for a part of the answer to fill the pipe; on a machine that is busier the test says less.
    await sleep(2_000);
    deaf.child.stdin?.end();
    try {
      await deaf.ended();
      expect(deaf.child.exitCode).toBe(0);
    } finally {
      deaf.child.kill('SIGKILL');
    }
  });
});
