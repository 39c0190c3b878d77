/** Plugins and tools of OpenCode in real processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tools } from '@tenon/tools/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { workspaceTrust } from '@tenon/trust/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { world } from './support/world.ts';

beforeAll(() => useBuiltHost('opencode-compat'), 60_000);

const calls = (...list: readonly { name: string; arguments?: Record<string, unknown> }[]) => [
  ...list.map((call) => ({ calls: [call] })),
  { text: 'done' },
];

describe('custom tools', () => {
  const MATH = `
    import { tool } from "@opencode-ai/plugin";
    export const add = tool({
      description: "Add two numbers",
      args: { a: tool.schema.number().describe("First"), b: tool.schema.number().default(10) },
      async execute(args, ctx) { return String(args.a + args.b) + " in " + ctx.directory + " for " + ctx.sessionID; },
    });
    export default tool({ description: "Nothing", args: {}, async execute() { return { output: "zero", title: "t" }; } });`;

  test('run by the name of their file and export, with defaults, and get the session and the folder', async () => {
    const seen = await world(
      { '~/.config/opencode/tools/math.ts': MATH },
      calls({ name: 'math_add', arguments: { a: 1 } }, { name: 'math' }),
    );
    await seen.agent.prompt('go');
    expect(seen.texts()).toEqual([`11 in ${seen.cwd} for ${seen.agent.session.id}`, 'zero']);
    const offered = seen.requests[0]?.tools.find(({ name }) => name === 'math_add');
    expect(offered).toMatchObject({
      description: 'Add two numbers',
      parameters: { type: 'object', properties: { a: { type: 'number', description: 'First' } }, required: ['a'] },
    });
    expect(seen.codes()).toEqual([]);
  });

  test('of a project that is not trusted never run, and the user is told which they are', async () => {
    const code = `export default { description: 'x', args: {}, execute: async () => 'ran' };`;
    const seen = await world({ '.opencode/tool/mine.ts': code }, calls({ name: 'mine' }));
    await seen.agent.prompt('go');
    expect(seen.texts().join()).not.toBe('ran');
    expect(seen.kernel.read(tools).get('mine')).toBeUndefined();
    expect(seen.reports().find(({ code: name }) => name === 'OPENCODE_UNTRUSTED')?.message).toContain('mine');
    const { json } = await seen.run('opencode list', {}, { json: true });
    expect(json).toMatchObject({ modules: [{ name: 'mine', kind: 'tool', level: 'project', runs: false }] });
  });

  test('of a trusted project run until their bytes, or those of a helper beside them, change', async () => {
    const files = {
      '.opencode/tool/mine.ts': `import { say } from './helper/say';
        export default { description: 'x', args: {}, execute: async () => say() };`,
      '.opencode/tool/helper/say.ts': `export const say = () => 'said';`,
    };
    const seen = await world(files, calls({ name: 'mine' }), { trusts: true });
    await seen.agent.prompt('go');
    expect(seen.texts()).toEqual(['said']);
    const list = async () => (await seen.run('opencode list', {}, { json: true })).json;
    expect(await list()).toMatchObject({ modules: [{ runs: true }] });
    writeFileSync(join(seen.cwd, '.opencode/tool/helper/say.ts'), `export const say = () => 'other';`);
    expect(await list()).toMatchObject({ modules: [{ runs: false }] });
  });

  test('do not take the place of a tool that Tenon has', async () => {
    const seen = await world({
      '~/.config/opencode/tool/read.ts': `export default { description: 'x', args: {}, execute: async () => 'mine' };`,
    });
    await seen.agent.prompt('go');
    expect(seen.codes()).toEqual(['OPENCODE_TOOL_TAKEN']);
    expect(seen.kernel.read(tools).get('read')?.source.plugin).toBe('file-tools');
  });

  test('that crash cost only their process, which starts again', async () => {
    const code = `export default { description: 'x', args: {}, execute: async (args) => {
      if (args.crash) process.exit(3); return 'fine'; } };`;
    const seen = await world(
      { '~/.config/opencode/tool/shaky.ts': code },
      calls({ name: 'shaky' }, { name: 'shaky', arguments: { crash: true } }, { name: 'shaky' }),
    );
    await seen.agent.prompt('go');
    const [first, second, third] = seen.texts();
    expect([first, third]).toEqual(['fine', 'fine']);
    expect(second).toMatch(/stopped|ended/);
    expect(seen.codes()).toContain('OPENCODE_STOPPED');
  });

  test('stop when the call is stopped', async () => {
    const code = `export default { description: 'x', args: {}, execute: (args, { abort }) => new Promise((_, reject) => {
      const note = (text) => require('node:fs').writeFileSync(args.mark, text);
      abort.addEventListener('abort', () => { note('stopped'); reject(new Error('stopped')); });
      note('begun');
    }) };`;
    const mark = join(process.cwd(), 'node_modules', '.cache', `opencode-abort-${process.pid}`);
    const seen = await world(
      { '~/.config/opencode/tool/slow.ts': code },
      calls({ name: 'slow', arguments: { mark } }),
      {
        settings: { 'opencode-compat': { permissions: { fs: { read: ['./**'], write: [`${join(mark, '..')}/**`] } } } },
      },
    );
    const running = seen.agent.prompt('go');
    // A file is there before its text is.
    const says = (text: string) => existsSync(mark) && readFileSync(mark, 'utf8') === text;
    // A call that is stopped before it has got to its process does not run at all.
    await until(() => says('begun'), 'the call');
    await seen.agent.abort();
    await running;
    await until(() => says('stopped'), 'the tool hears of it');
  });
});

describe('plugins', () => {
  test('refuse a call by throwing before it, with the arguments under the names of OpenCode', async () => {
    // The example that OpenCode's own guide gives for this hook does the same with .env files.
    const guard = `export const Guard = async () => ({
      "tool.execute.before": async (input, output) => {
        if (input.tool === "read" && output.args.filePath.includes(".secret")) throw new Error("that file is secret");
      },
    });`;
    const seen = await world(
      { '~/.config/opencode/plugin/guard.js': guard, 'a.secret': 'hidden', 'b.txt': 'shown' },
      calls({ name: 'read', arguments: { path: 'a.secret' } }, { name: 'read', arguments: { path: 'b.txt' } }),
    );
    await seen.agent.prompt('go');
    const [first, second] = seen.texts();
    expect(first).toContain('that file is secret');
    expect(first).not.toContain('hidden');
    expect(second).toContain('shown');
  });

  test('see every file that one call changes', async () => {
    const guard = `export const Guard = async () => ({
      "tool.execute.before": async ({ tool }, { args }) => {
        if (tool === "edit" && args.filePath.endsWith("locked.txt")) throw new Error("locked");
      },
    });`;
    const seen = await world(
      { '~/.config/opencode/plugin/guard.js': guard, 'open.txt': 'one\n', 'locked.txt': 'one\n' },
      calls({ name: 'edit', arguments: { input: '@@ open.txt\n+ EOF\n~two\n@@ locked.txt\n+ EOF\n~two\n' } }),
    );
    await seen.agent.prompt('go');
    expect(seen.texts()[0]).toContain('locked');
    expect(readFileSync(join(seen.cwd, 'open.txt'), 'utf8')).toBe('one\n');
  });

  test('change the input of a call before it and the output after it, one plugin after the other', async () => {
    const first = `export default async () => ({
      "tool.execute.before": async (input, output) => { output.args.filePath = output.args.filePath.replace("old", "new"); },
      "tool.execute.after": async (input, output) => { output.output = output.output.toUpperCase(); },
    });`;
    const second = `export default { id: "second", server: async () => ({
      "tool.execute.after": async ({ tool }, output) => { output.output += " (" + tool + ")"; },
    }) };`;
    const seen = await world(
      {
        '~/.config/opencode/plugin/a.js': first,
        '~/.config/opencode/plugin/b.js': second,
        'new.txt': 'fresh',
        'old.txt': 'stale',
      },
      calls({ name: 'read', arguments: { path: 'old.txt' } }),
    );
    await seen.agent.prompt('go');
    expect(seen.texts()[0]).toMatch(/FRESH[^]*\(read\)$/);
  });

  test('hear what happens in their order, and show messages', async () => {
    const code = `export const P = async ({ client, directory }) => {
      const seen = [];
      return { event: async ({ event }) => {
        seen.push(event.type);
        if (event.type === "session.idle") await client.tui.showToast({ body: { message: seen.join(" "), variant: "info" } });
      } };
    };`;
    const seen = await world(
      { '~/.config/opencode/plugins/p.ts': code },
      calls({ name: 'write', arguments: { path: 'x.txt', content: 'x' } }),
    );
    await seen.agent.prompt('go');
    await until(() => seen.notices.length > 0, 'the message');
    const [told = ''] = seen.notices;
    const order = ['session.created', 'session.status', 'message.updated', 'message.part.updated', 'file.edited'];
    for (const type of order) expect(told).toContain(type);
    expect(told).toMatch(/session\.idle$/);
  });

  test('change what the user said and the system prompt', async () => {
    const code = `export const P = async () => ({
      "chat.message": async (input, output) => { output.parts[0].text += " please"; },
      "experimental.chat.system.transform": async (input, output) => { output.system.push("Rhyme."); },
    });`;
    const seen = await world({ '~/.config/opencode/plugins/p.ts': code });
    await seen.agent.prompt('go');
    expect(JSON.stringify(seen.requests[0]?.messages)).toContain('go please');
    expect(seen.requests[0]?.systemPrompt).toMatch(/Rhyme\.$/);
  });

  test('bring tools, run programs only when they may, and say which permission is missing', async () => {
    const code = `import { tool } from "@opencode-ai/plugin";
      export const P = async ({ $ }) => ({ tool: {
        greet: tool({ description: "Greets", args: { who: tool.schema.string() }, execute: async ({ who }) => (await $\`echo-it \${who}\`.text()) }),
      } });`;
    const files = { '~/.config/opencode/plugins/p.ts': code };
    const script = calls({ name: 'greet', arguments: { who: "it's; me" } });
    const held = await world(files, script);
    await held.agent.prompt('go');
    expect(held.texts()[0]).toContain('tenon opencode allow p --exec echo-it');
    const granted = await world(
      { ...files, '~/.config/opencode/plugins/p.ts': code.replace('echo-it', 'echo x') },
      script,
      {
        before: async ({ kernel, cwd }) => {
          const { runCommand } = await import('@tenon/test-kit/command-run');
          await runCommand(kernel, 'opencode allow', {
            args: { name: 'p' },
            flags: { exec: ['echo', 'sh'], yes: true },
            cwd,
          });
        },
      },
    );
    await granted.agent.prompt('go');
    expect(granted.texts()).toEqual(["x it's; me\n"]);
  });

  test('cannot read what they were not granted, nor reach the network', async () => {
    const code = `import { readFileSync } from 'node:fs';
      const of = async (work) => { try { return String(await work()); } catch (fault) { return 'no: ' + fault.message; } };
      export const P = async () => ({ tool: { probe: { description: 'x', args: {}, execute: async ({ path }) =>
        [await of(() => readFileSync(path, 'utf8')), await of(() => fetch('http://127.0.0.1:1'))].join(' | ') } } });`;
    const seen = await world({ '~/.config/opencode/plugin/p.js': code, '~/private.txt': 'private' });
    await seen.agent.prompt('go');
    const path = join(seen.home, 'private.txt');
    const tool = await seen.kernel.read(tools).resolve('probe');
    const signal = new AbortController().signal;
    const scope = { session: seen.agent.session.id, cwd: seen.cwd };
    const result = await tool.execute({ path }, { id: '1', signal, scope, update: async () => undefined });
    expect(JSON.stringify(result)).toMatch(/no: [^|]*ENOENT[^|]* \| no: /);
  });

  test('are told what Tenon does not have, at `check` and when they use it', async () => {
    const code = `export const P = async ({ client }) => ({
      "chat.params": async () => {}, auth: { provider: "x", methods: [] },
      event: async () => { await client.session.prompt({ path: { id: "1" } }); },
    });`;
    const seen = await world({ '~/.config/opencode/plugins/p.ts': code });
    const { out } = await seen.run('opencode check', { name: 'p' });
    expect(out).toContain('not supported: chat.params, auth');
    await seen.agent.prompt('go');
    await until(() => seen.reports().some(({ message }) => message.includes('client.session.prompt()')), 'the report');
    expect(
      seen
        .reports()
        .map(({ message }) => message)
        .join('\n'),
    ).toContain('chat.params');
  });

  test('that fail while Tenon ends do not keep it from ending cleanly', async () => {
    const code = `let n = 0; export const P = async () => ({
      event: async () => { await new Promise((done) => setTimeout(done, 300)); throw new Error("late " + n++); } });`;
    const seen = await world({ '~/.config/opencode/plugins/p.ts': code });
    await seen.agent.prompt('go');
    await seen.agent.dispose();
    await seen.kernel.dispose();
  });

  test('that do not answer refuse the call they were asked about', async () => {
    const code = `export const P = async () => ({ "tool.execute.before": () => new Promise(() => {}) });`;
    const seen = await world(
      { '~/.config/opencode/plugins/p.ts': code, 'b.txt': 'shown' },
      calls({ name: 'read', arguments: { path: 'b.txt' } }),
      { settings: { 'opencode-compat': { handlerSeconds: 0.2 } } },
    );
    await seen.agent.prompt('go');
    expect(seen.texts()[0]).toContain('did not answer to tool.execute.before');
  });

  test('of packages run where OpenCode has installed them, and are named when they are missing', async () => {
    const manifest = JSON.stringify({
      name: 'op-hello',
      version: '1.0.0',
      type: 'module',
      exports: { '.': './dist/index.js' },
    });
    const code = `export const P = async (input, options) => ({ "chat.message": async (i, o) => { o.parts[0].text += options.word; } });`;
    const seen = await world({
      '~/.config/opencode/opencode.json': JSON.stringify({ plugin: [['op-hello@1.0.0', { word: '!' }], 'op-missing'] }),
      '~/.cache/opencode/node_modules/op-hello/package.json': manifest,
      '~/.cache/opencode/node_modules/op-hello/dist/index.js': code,
    });
    await seen.agent.prompt('go');
    expect(JSON.stringify(seen.requests[0]?.messages)).toContain('go!');
    const missing = seen.reports().find(({ code: name }) => name === 'OPENCODE_PACKAGE_MISSING');
    expect(missing?.message).toContain('op-missing');
  });

  test('of packages that a project names run only where the project is trusted', async () => {
    const files = {
      'opencode.json': JSON.stringify({ plugin: ['op-hello', './extra/local.ts'] }),
      '.opencode/node_modules/op-hello/package.json': '{"name":"op-hello","main":"index.js"}',
      '.opencode/node_modules/op-hello/index.js': `export const P = async () => ({ "chat.message": async (i, o) => { o.parts[0].text += " package"; } });`,
      'extra/local.ts': `export const P = async () => ({ "chat.message": async (i, o) => { o.parts[0].text += " local"; } });`,
    };
    const trusted = await world(files, [{ text: 'done' }], { trusts: true });
    await trusted.agent.prompt('go');
    expect(trusted.reports().map(({ message }) => message)).toEqual([]);
    expect(JSON.stringify(trusted.requests[0]?.messages)).toContain('go package local');
    const other = await world(files);
    await other.agent.prompt('go');
    expect(JSON.stringify(other.requests[0]?.messages)).not.toContain('package');
    expect(other.codes()).toEqual(['OPENCODE_UNTRUSTED']);
  });

  test('that cannot be loaded are reported with their file, and the others go on', async () => {
    const seen = await world(
      {
        '~/.config/opencode/plugin/a-bad.js': 'export const = 1;',
        '~/.config/opencode/plugin/b-needs.js': `import x from 'left-pad'; export const P = async () => ({});`,
        '~/.config/opencode/plugin/c-good.js': `export const P = async () => ({ tool: { ok: { description: 'x', args: {}, execute: async () => 'fine' } } });`,
      },
      calls({ name: 'ok' }),
    );
    await seen.agent.prompt('go');
    expect(seen.texts()).toEqual(['fine']);
    expect(seen.codes().sort()).toEqual(['OPENCODE_DEPENDENCY', 'OPENCODE_LOAD_FAILED']);
  });

  test('run in a trusted project only while they are what was trusted, also when their process starts anew', async () => {
    const code = (
      word: string,
    ) => `export const P = async () => ({ tool: { w: { description: 'x', args: {}, execute: async (args) => {
      if (args.crash) process.exit(1); return '${word}'; } } } });`;
    const file = '.opencode/plugin/p.js';
    const seen = await world(
      { [file]: code('first') },
      calls({ name: 'w' }, { name: 'w', arguments: { crash: true } }, { name: 'w' }),
      {
        trusts: true,
      },
    );
    seen.agent.subscribe((event) => {
      if (event.type === 'tool_execution_end' && event.isError) writeFileSync(join(seen.cwd, file), code('second'));
    });
    await seen.agent.prompt('go');
    const [first, , third] = seen.texts();
    expect(first).toBe('first');
    expect(third).toContain('not what you trusted');
    expect(await (await seen.kernel.find(workspaceTrust)).list()).toHaveLength(1);
  });
});
