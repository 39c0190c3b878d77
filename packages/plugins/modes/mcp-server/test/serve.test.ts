import { spawn } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { agentFactory } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import { sessionStore } from '@tenon/sessions/api';
import { modeControl, userInterface } from '@tenon/host';
import { slashCommands } from '@tenon/slash-commands/api';
import { type Tool, type ToolResult, toolRunner, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { MAIN } from '@tenon/test-kit/program';
import { describe, expect, it } from 'vitest';
import { later, putFiles } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { world, type World, type WorldOptions } from '@tenon/test-kit/mcp-world';
import { Clients } from '../src/clients.ts';
import { serve } from '../src/serve.ts';

/** The server's side, over streams or HTTP, in a world; the clients of the plugin that asks about calls. */
async function serving(options: WorldOptions = {}, flags: CommandCall['flags'] = {}) {
  const w = await world(options);
  const { input, output, stop, err, running } = await start(w, flags);
  return { w, input, output, stop, err, running };
}

async function start(w: World, flags: CommandCall['flags']) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const said = { err: '' };
  const io: CommandCall['io'] = {
    out: async () => undefined,
    err: async (text) => void (said.err += text),
    json: async () => undefined,
    color: false,
    interactive: false,
    width: 80,
  };
  const { kernel } = w;
  const clients = await clientsOf(w);
  const parts = {
    registry: kernel.read(tools),
    runner: await kernel.find(toolRunner),
    version: '1.2.3',
    log: console as never,
    clients,
    input,
    output,
    environment: {},
    agents: () => kernel.find(agentFactory),
    store: () => kernel.find(sessionStore),
    schemes: ['rule', 'skill'],
    commands: () => kernel.find(slashCommands),
    urls: () => kernel.find(urlRouter),
    useInterface: (await kernel.find(modeControl)).useInterface,
  };
  const running = serve(parts, { args: {}, flags, io, cwd: w.cwd, signal: stop.signal });
  running.catch(() => undefined); // awaited by those who care
  later(async () => {
    stop.abort();
    input.end();
    await running.catch(() => undefined);
  });
  return { input, output, stop, running, err: () => said.err };
}

/** The same question goes to the client as in the plugin itself. */
async function clientsOf(w: World): Promise<Clients> {
  const { inlineCandidate } = await import('@tenon/kernel/testing');
  const { toolPermission } = await import('@tenon/tools/api');
  const clients = new Clients();
  w.kernel.install(
    inlineCandidate(
      {
        id: 'test-permission',
        activate: (ctx) => void ctx.on(toolPermission, (question, { signal }) => clients.ask(question, signal)),
      },
      { handles: ['tool.permission'] },
    ),
  );
  return clients;
}

/** A tool that takes nothing, offered like any other. */
async function contribute(w: World, name: string, execute: () => Promise<ToolResult>): Promise<void> {
  const { inlineCandidate } = await import('@tenon/kernel/testing');
  const parameters = { type: 'object' as const, properties: {} };
  const tool: Tool = { description: name, parameters, touches: () => ({}), execute };
  w.kernel.install(
    inlineCandidate(
      { id: `test-${name}`, activate: (ctx) => void ctx.contribute(tools, name, tool) },
      { contributes: { tools: { [name]: { summary: name, risk: 'read' } } } },
    ),
  );
}

/** A transport over two streams of this process. */
function streams(input: PassThrough, output: PassThrough): Transport {
  let rest = '';
  const transport: Transport = {
    async start() {
      output.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
      output.on('end', () => transport.onclose?.());
    },
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => void input.end(),
  };
  return transport;
}

async function client(transport: Transport, elicit?: (message: string) => boolean): Promise<Client> {
  const made = new Client(
    { name: 'test', version: '1' },
    elicit ? { capabilities: { elicitation: { form: {} } } } : {},
  );
  if (elicit) {
    made.setRequestHandler('elicitation/create', ({ params }) =>
      elicit(params.message) ? { action: 'accept', content: { allow: true } } : { action: 'decline' },
    );
  }
  await made.connect(transport);
  later(() => made.close());
  return made;
}

const textOf = (result: { content: readonly { type: string; text?: string }[] }) =>
  result.content.map((part) => part.text ?? `[${part.type}]`).join('\n');

describe('tenon mcp serve', () => {
  it('offers the tools, with what they may do, and runs them in the folder', async () => {
    const { w, input, output } = await serving();
    writeFileSync(join(w.cwd, 'hello.txt'), 'a line\n');
    const made = await client(streams(input, output));
    expect(made.getServerVersion()).toMatchObject({ name: 'tenon', version: '1.2.3' });
    const { tools: offered } = await made.listTools();
    const names = offered.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['read', 'search', 'edit', 'bash', 'prompt']));
    expect(names).not.toContain('ask');
    expect(names).not.toContain('search_tool_bm25');
    expect(offered.find(({ name }) => name === 'read')?.annotations).toMatchObject({ readOnlyHint: true });
    expect(offered.find(({ name }) => name === 'bash')?.annotations).toMatchObject({ destructiveHint: true });
    expect(textOf(await made.callTool({ name: 'read', arguments: { path: 'hello.txt' } }))).toContain('a line');
    const failed = await made.callTool({ name: 'read', arguments: { path: 'missing.txt' } });
    expect(failed.isError).toBe(true);
    await expect(made.callTool({ name: 'nothing' })).rejects.toThrow('There is no tool "nothing"');
  });

  it('offers only the tools that it is told to, and refuses names that nobody has', async () => {
    const { input, output } = await serving({}, { tools: 'read, find' });
    const made = await client(streams(input, output));
    expect((await made.listTools()).tools.map(({ name }) => name).sort()).toEqual(['find', 'read']);
    await expect(made.callTool({ name: 'bash', arguments: { command: 'true' } })).rejects.toThrow('no tool "bash"');
    const w = await world();
    const { running } = await start(w, { tools: 'raed' });
    await expect(running).rejects.toMatchObject({
      code: 'MCP_SERVE_TOOL_UNKNOWN',
      message: expect.stringContaining('read'),
    });
  });

  it('offers command files as prompts, with their arguments, and skills as resources', async () => {
    const { w, input, output } = await serving();
    putFiles(w.home, {
      'config/commands/shorten.md': '---\nargument-hint: <file> <words>\n---\nShorten $1 to $2 words.\n',
      'config/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\nPut everything in its place.\n',
    });
    const made = await client(streams(input, output));
    const { prompts } = await made.listPrompts();
    expect(prompts.find(({ name }) => name === 'shorten')?.arguments).toEqual([
      { name: 'file', required: false },
      { name: 'words', required: false },
    ]);
    // Commands that act on a conversation of Tenon are none of the client's.
    expect(prompts.map(({ name }) => name)).not.toContain('compact');
    const filled = await made.getPrompt({ name: 'shorten', arguments: { words: '50', file: 'a b.md; rm x' } });
    expect(filled.messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('Shorten a b.md; rm x to 50 words.') } },
    ]);
    const skill = await made.readResource({ uri: 'skill://tidy' });
    expect(JSON.stringify(skill.contents)).toContain('Put everything in its place.');
    const withSkill = await made.getPrompt({ name: 'shorten', arguments: { file: 'skill://tidy', words: '9' } });
    expect(withSkill.messages[0]?.content).toMatchObject({ type: 'resource', resource: { uri: 'skill://tidy' } });
    for (const uri of ['https://example.com/', `file://${w.cwd}/x`, 'artifact://1', 'skill://none'])
      await expect(made.readResource({ uri })).rejects.toThrow();
    await expect(made.getPrompt({ name: 'compact' })).rejects.toThrow('There is no prompt "compact"');
  });

  it('tells a client that subscribed when a session changes, and no longer after that', async () => {
    const { w, input, output } = await serving({ script: [{ text: 'One.' }] });
    const made = await client(streams(input, output));
    const changed: string[] = [];
    made.setNotificationHandler('notifications/resources/updated', ({ params }) => void changed.push(params.uri));
    const first = await made.callTool({ name: 'prompt', arguments: { prompt: 'Hello' } });
    const { session } = first.structuredContent as { session: string };
    const uri = `tenon://session/${session}`;
    await made.subscribeResource({ uri });
    await made.callTool({ name: 'prompt', arguments: { prompt: 'More', session } });
    await until(() => changed.includes(uri), 'the news of the session');
    await made.unsubscribeResource({ uri });
    await expect(made.subscribeResource({ uri: 'tenon://session/none' })).rejects.toThrow();
    await expect(made.subscribeResource({ uri: `file://${w.cwd}` })).rejects.toThrow();
  });

  it('logs what a call comes to for a client that follows no progress, and asks its user what a tool asks', async () => {
    const { w, input, output } = await serving();
    const { inlineCandidate } = await import('@tenon/kernel/testing');
    const ask: Tool = {
      description: 'Asks',
      parameters: { type: 'object', properties: {} },
      touches: () => ({}),
      async execute(_input, { update }) {
        await update({ content: [{ type: 'text', text: 'about to ask' }] });
        const ui = await w.kernel.find(userInterface);
        const answer = ui.canAsk() ? await ui.select('Which?', ['left', 'right']) : 'nobody';
        return { content: [{ type: 'text', text: String(answer) }] };
      },
    };
    w.kernel.install(
      inlineCandidate(
        { id: 'test-asking', activate: (ctx) => void ctx.contribute(tools, 'asking', ask) },
        { contributes: { tools: { asking: { summary: 'Asks', risk: 'read' } } } },
      ),
    );
    const made = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'right' } }));
    const logged: unknown[] = [];
    made.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
    await made.connect(streams(input, output));
    later(() => made.close());
    expect(textOf(await made.callTool({ name: 'asking' }))).toBe('right');
    await until(() => logged.length > 0, 'the line of the log');
    expect(logged).toEqual([{ level: 'info', logger: 'asking', data: 'about to ask' }]);
    // Outside of a call there is nobody to ask.
    expect((await w.kernel.find(userInterface)).canAsk()).toBe(false);
  });

  it('gives sounds and documents of a tool to the client as they are', async () => {
    const { w, input, output } = await serving();
    const text = { type: 'text' as const, text: 'A sound and two documents.' };
    const attachments = [
      { type: 'audio' as const, data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource' as const, resource: { uri: 'notes://1', mimeType: 'text/plain', text: 'a note' } },
      { type: 'resource' as const, resource: { uri: 'notes://2', blob: 'AAEC' } },
    ];
    await contribute(w, 'attaching', async () => ({ content: [text], attachments }));
    const made = await client(streams(input, output));
    expect((await made.callTool({ name: 'attaching' })).content).toEqual([text, ...attachments]);
  });

  it('puts a form to the user of the client as a whole, and questions of a form with their titles', async () => {
    const { w, input, output } = await serving();
    const properties = {
      age: { type: 'integer', default: 30 },
      pick: { type: 'string', enum: ['x', 'y'], enumNames: ['An X', 'A Y'] },
      parts: { type: 'array', items: { anyOf: [{ const: '1', title: 'First' }] } },
    };
    const options = [{ label: 'left', description: 'the old way' }, { label: 'right' }];
    await contribute(w, 'forming', async () => {
      const ui = await w.kernel.find(userInterface);
      const form = await ui.askForm?.({ message: 'Who?', properties, required: ['age'] });
      const questions = [
        { id: 'way', question: 'Which way?', options, recommended: 1 },
        { id: 'all', question: 'Which ones?', options, multi: true },
      ];
      const answers = await ui.fillIn?.(questions);
      return { content: [{ type: 'text', text: JSON.stringify({ form, answers }) }] };
    });
    const made = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    const asked: unknown[] = [];
    const content = { age: 31, way: 'right', all: ['left', 'right'] };
    made.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push('requestedSchema' in params && params.requestedSchema);
      return asked.length === 3 ? { action: 'decline' } : { action: 'accept', content };
    });
    await made.connect(streams(input, output));
    later(() => made.close());
    const answers = [
      { id: 'way', selected: ['right'] },
      { id: 'all', selected: ['left', 'right'] },
    ];
    const text = textOf(await made.callTool({ name: 'forming' }));
    expect(JSON.parse(text)).toEqual({ form: { action: 'accept', content }, answers });
    const titled = [
      { const: 'left', title: 'left: the old way' },
      { const: 'right', title: 'right' },
    ];
    expect(asked).toEqual([
      { type: 'object', properties, required: ['age'] },
      {
        type: 'object',
        properties: {
          way: { type: 'string', title: 'Which way?', oneOf: titled, default: 'right' },
          all: { type: 'array', title: 'Which ones?', items: { anyOf: titled } },
        },
        required: [],
      },
    ]);
    expect(JSON.parse(textOf(await made.callTool({ name: 'forming' })))).toMatchObject({ form: { action: 'decline' } });
  });

  it('offers a tool under another name', async () => {
    const { w, input, output } = await serving({}, { tools: 'read_anything=read,find' });
    writeFileSync(join(w.cwd, 'hello.txt'), 'a line\n');
    const made = await client(streams(input, output));
    expect((await made.listTools()).tools.map(({ name }) => name)).toEqual(['read_anything', 'find']);
    const call = { arguments: { path: 'hello.txt' } };
    expect(textOf(await made.callTool({ name: 'read_anything', ...call }))).toContain('a line');
    await expect(made.callTool({ name: 'read', ...call })).rejects.toThrow('no tool "read"');
  });

  it('holds to the gates: what needs a yes is asked for at the client, and refused where it cannot ask', async () => {
    const risky = { name: 'bash', arguments: { command: 'git push --force' } };
    const silent = await serving();
    const dumb = await client(streams(silent.input, silent.output));
    const refused = await dumb.callTool(risky);
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('refused by approval')]);

    const asked: string[] = [];
    const { input, output } = await serving();
    let answer = false;
    const made = await client(streams(input, output), (message) => (asked.push(message), answer));
    expect(textOf(await made.callTool(risky))).toContain('the user of the MCP client said no');
    expect(asked[0]).toMatch(/^Tenon asks: Allow this\? bash: git push --force\nIn .*Tier 3/);
    answer = true;
    // It was let through, and git says that this is no repository.
    expect(textOf(await made.callTool(risky))).toMatch(/not a git repository/i);
  });

  it('lets the agent work on a prompt, tells its progress, and goes on in the same session', async () => {
    const script = [
      { calls: [{ name: 'read', arguments: { path: 'hello.txt' } }] },
      { text: 'It says: a line.' },
      { text: 'Again.' },
    ];
    const { w, input, output } = await serving({ script });
    writeFileSync(join(w.cwd, 'hello.txt'), 'a line\n');
    const made = await client(streams(input, output));
    const progress: string[] = [];
    const call = { name: 'prompt', arguments: { prompt: 'What does it say?' } };
    const first = await made.callTool(call, { onprogress: ({ message = '' }) => void progress.push(message) });
    expect(textOf(first)).toBe('It says: a line.');
    expect(progress[0]).toBe('read {"path":"hello.txt"}');
    const { session } = first.structuredContent as { session: string };
    const second = await made.callTool({ name: 'prompt', arguments: { prompt: 'And?', session } });
    expect(second.structuredContent).toMatchObject({ session });
    const { resources } = await made.listResources();
    expect(resources).toMatchObject([{ uri: `tenon://session/${session}`, mimeType: 'text/markdown' }]);
    const { contents } = await made.readResource({ uri: `tenon://session/${session}` });
    const text = contents.map((part) => ('text' in part ? part.text : '')).join('');
    for (const part of ['What does it say?', 'Calls `read`', 'a line', 'Again.']) expect(text).toContain(part);
    const completed = await made.complete({
      ref: { type: 'ref/resource', uri: 'tenon://session/{id}' },
      argument: { name: 'id', value: session.slice(0, 6) },
    });
    expect(completed.completion.values).toEqual([session]);
    await expect(made.readResource({ uri: 'tenon://session/no-such' })).rejects.toThrow(/not found/i);
    await expect(made.readResource({ uri: 'tenon://session/..%2f..%2fetc%2fpasswd' })).rejects.toThrow(/not found/i);
    const unknown = await made.callTool({ name: 'prompt', arguments: { prompt: 'x', session: '/etc/passwd' } });
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining('There is no session')]);
  });

  it('stops the agent when the client gives up', async () => {
    let stopped: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (stopped = resolve));
    const { w, input, output } = await serving({ script: [{ text: 'thinking', hold }] });
    const made = await client(streams(input, output));
    const stop = new AbortController();
    const running = made.callTool({ name: 'prompt', arguments: { prompt: 'wait' } }, { signal: stop.signal });
    await until(() => w.requests.length === 1);
    stop.abort('enough');
    await expect(running).rejects.toThrow();
    const { liveAgents } = await import('@tenon/agent/api');
    const agents = await w.kernel.find(liveAgents);
    await until(() => agents.list().length === 0);
    stopped();
  });

  it('ends when its input does', async () => {
    const { input, running } = await serving();
    input.end();
    await running;
  });
});

describe('tenon mcp serve --http', () => {
  async function over() {
    const made = await serving({}, { http: '0' });
    await until(() => /Bearer \S+/.test(made.err()));
    const [, url = ''] = /at (\S+)/.exec(made.err()) ?? [];
    const [, token = ''] = /Bearer (\S+)/.exec(made.err()) ?? [];
    return { ...made, url, token };
  }

  it('serves several clients at once, each with its own session', async () => {
    const { w, url, token } = await over();
    writeFileSync(join(w.cwd, 'hello.txt'), 'a line\n');
    const connect = () =>
      client(
        new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers: { Authorization: `Bearer ${token}` } },
        }),
      );
    const [one, two] = await Promise.all([connect(), connect()]);
    expect(one.transport?.sessionId).not.toBe(two.transport?.sessionId);
    for (const each of [one, two]) {
      expect(textOf(await each.callTool({ name: 'read', arguments: { path: 'hello.txt' } }))).toContain('a line');
    }
  });

  it('says that a session has ended, so that its client begins a new one', async () => {
    const { url, token } = await over();
    const authorization = `Bearer ${token}`;
    const one = await client(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
    );
    const transport = one.transport as StreamableHTTPClientTransport;
    const id = transport.sessionId ?? '';
    const ask = async (session: string) => {
      const headers = { authorization, 'mcp-session-id': session, 'content-type': 'application/json' };
      const accept = 'application/json, text/event-stream';
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const answer = await fetch(url, { method: 'POST', headers: { ...headers, accept }, body });
      await answer.text();
      return answer.status;
    };
    expect(await ask(id)).toBe(200);
    await transport.terminateSession();
    expect([await ask(id), await ask('never-there')]).toEqual([404, 404]);
  });

  it('answers nobody without the token, no page of another site, and no other name of this machine', async () => {
    const { url, token } = await over();
    const ask = (headers: Record<string, string>, path = url) =>
      new Promise<number>((resolve, reject) => {
        const sent = httpRequest(
          path,
          { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', reject);
        sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
      });
    const authorization = `Bearer ${token}`;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await ask({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await ask({ authorization, origin: 'null' })).toBe(403);
    expect(await ask({ authorization, host: 'evil.example' })).toBe(403);
    expect(await ask({ authorization }, url.replace('/mcp', '/'))).toBe(404);
    // Let in, but there is no session yet.
    expect(await ask({ authorization, accept: 'application/json, text/event-stream' })).toBe(400);
  });

  it('refuses a port that is none or taken', async () => {
    const w = await world();
    await expect((await start(w, { http: 'x' })).running).rejects.toMatchObject({ code: 'MCP_SERVE_PORT' });
    const { url } = await over();
    const again = await start(w, { http: new URL(url).port });
    await expect(again.running).rejects.toMatchObject({
      code: 'MCP_SERVE_PORT',
      message: expect.stringContaining('EADDRINUSE'),
    });
  });
});

describe('the program', () => {
  it.runIf(existsSync(MAIN))(
    'speaks the protocol on its standard output and nothing else, and asks its client',
    async () => {
      const w = await world();
      const child = spawn(process.execPath, [MAIN, 'mcp', 'serve'], {
        cwd: w.cwd,
        env: { ...process.env, TENON_HOME: w.home },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      later(() => void child.kill('SIGKILL'));
      const output = new PassThrough();
      child.stdout.pipe(output);
      const input = new PassThrough();
      input.pipe(child.stdin);
      const asked: string[] = [];
      const made = await client(streams(input, output), (message) => (asked.push(message), false));
      expect((await made.listTools()).tools.length).toBeGreaterThan(5);
      const refused = await made.callTool({ name: 'bash', arguments: { command: 'git push --force' } });
      expect([refused.isError, asked.length]).toEqual([true, 1]);
      input.end();
      const code = await new Promise((resolve) => child.once('exit', resolve));
      expect(code).toBe(0);
    },
  );
});

describe('the revision 2026-07-28, which has no handshake', () => {
  const newest = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

  async function check(transport: Transport) {
    const made = new Client({ name: 'test', version: '1' }, newest);
    await made.connect(transport);
    later(() => made.close());
    expect(made.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { tools: offered } = await made.listTools();
    expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(['read', 'prompt']));
    const result = await made.callTool({ name: 'read', arguments: { path: 'a.txt' } });
    expect(JSON.stringify(result.content)).toContain('hello');
    // Nobody can be asked: what needs a yes does not run.
    const risky = await made.callTool({ name: 'bash', arguments: { command: 'git push --force' } });
    expect([risky.isError, textOf(risky)]).toEqual([true, expect.stringContaining('refused by approval')]);
  }

  it('is spoken over stdio', async () => {
    const { w, input, output } = await serving();
    writeFileSync(join(w.cwd, 'a.txt'), 'hello\n');
    await check(streams(input, output));
  });

  it('is spoken over HTTP, with the token as before', async () => {
    const { w, err } = await serving({}, { http: '0' });
    writeFileSync(join(w.cwd, 'a.txt'), 'hello\n');
    await until(() => /Bearer \S+/.test(err()));
    const url = new URL(/http:\S+/.exec(err())?.[0] ?? '');
    const token = /Bearer (\S+)/.exec(err())?.[1] ?? '';
    await check(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    );
    const stranger = new Client({ name: 'test', version: '1' }, newest);
    await expect(stranger.connect(new StreamableHTTPClientTransport(url))).rejects.toThrow();
  });
});
