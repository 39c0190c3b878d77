import { builtIn } from '@tenon/test-kit/plugins';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKernel, defineErrors, type PluginContext, Type } from '@tenon/kernel';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { explainFailures, type Tool, toolCall, toolResult, toolRunner, tools } from '../src/api.ts';
import { resultText } from '../src/commands.ts';
import plugin from '../src/plugin.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const greet: Tool = {
  description: 'Greets',
  parameters: Type.Object(
    { name: Type.String(), loud: Type.Boolean({ default: false }) },
    { additionalProperties: false },
  ),
  execute: async ({ name, loud }, call) => {
    await call.update(text('thinking'));
    return text(loud ? `HELLO ${String(name)}` : `hello ${String(name)}`);
  },
};

async function start(
  tool: Partial<Tool> = {},
  more: (ctx: PluginContext) => void = () => undefined,
  handles: string[] = [],
) {
  const kernel = createKernel();
  const sample = inlineCandidate(
    {
      id: 'sample',
      activate(ctx) {
        ctx.contribute(tools, 'greet', { ...greet, ...tool });
        more(ctx as PluginContext);
      },
    },
    { contributes: { tools: { greet: { summary: 'Greets someone', risk: 'read' } } }, handles },
  );
  kernel.install(await builtIn('tools'), sample);
  return { kernel, runner: await kernel.find(toolRunner) };
}

const said = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe('the tools plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source: manifest, plugin });
  });
});

describe('running a tool', () => {
  it('fills defaults, passes updates on and gives the result', async () => {
    const { runner } = await start();
    const updates: string[] = [];
    const result = await runner.run(
      'greet',
      { name: 'Ada' },
      { onUpdate: (partial) => void updates.push(said(partial)) },
    );
    expect(result).toEqual(text('hello Ada'));
    expect(updates).toEqual(['thinking']);
  });

  it.each([
    ['an unknown tool', 'gret', {}, /no tool "gret"\. Did you mean "greet"\?/],
    ['input that is not an object', 'greet', [1], /must be a JSON object/],
    ['a missing member', 'greet', {}, /lacks the key "name".*call the tool again/],
    ['a value that means nothing', 'greet', { name: 'x', loud: 'maybe' }, /loud: must be boolean/],
    ['any of these', 'greet', {}, /Expected: \{ name: string, loud: boolean \}/],
  ])('answers %s with an error that says what to do', async (_, name, input, message) => {
    const { runner } = await start();
    const result = await runner.run(name, input);
    expect(result.isError).toBe(true);
    expect(said(result)).toMatch(message);
  });

  it('does not run what the gate refuses', async () => {
    let ran = false;
    const { runner } = await start(
      { execute: async () => ((ran = true), text('x')) },
      (ctx) => void ctx.on(toolCall, ({ input }) => ({ deny: `not for ${String(input['name'])}` })),
      ['tool.call'],
    );
    const result = await runner.run('greet', { name: 'Eve' });
    expect(result).toMatchObject({ ...text('The call of "greet" was refused by sample: not for Eve'), isError: true });
    expect(ran).toBe(false);
  });

  it('does not run when a handler of the gate fails', async () => {
    let ran = false;
    const { runner } = await start(
      { execute: async () => ((ran = true), text('x')) },
      (ctx) =>
        void ctx.on(toolCall, () => {
          throw new Error('broken gate');
        }),
      ['tool.call'],
    );
    expect(said(await runner.run('greet', { name: 'x' }))).toContain('broken gate');
    expect(ran).toBe(false);
  });

  it('gives the tool the input that was checked, not what a handler made of it', async () => {
    const { runner } = await start(
      {},
      (ctx) =>
        void ctx.on(toolCall, ({ input }) => {
          (input as Record<string, unknown>)['name'] = 'Mallory';
        }),
      ['tool.call'],
    );
    expect(await runner.run('greet', { name: 'Ada' })).toEqual(text('hello Ada'));
  });

  it('lets handlers change the result', async () => {
    const { runner } = await start(
      {},
      (ctx) => void ctx.on(toolResult, (event) => ({ ...event, result: text(`${said(event.result)}!`) })),
      ['tool.result'],
    );
    expect(said(await runner.run('greet', { name: 'Ada' }))).toBe('hello Ada!');
  });

  it('turns a failure of the tool into a result, and a value that is no result too', async () => {
    const failing = await start({ execute: () => Promise.reject(new Error('disk full')) });
    expect(await failing.runner.run('greet', { name: 'x' })).toEqual({ ...text('disk full'), isError: true });
    const silent = await start({ execute: async () => undefined as never });
    expect((await silent.runner.run('greet', { name: 'x' })).isError).toBe(true);
  });

  it('puts what to do on a line of its own where the failure ends with words of somebody else', async () => {
    const { create } = defineErrors('sample', {
      SAMPLE_SENTENCE: { summary: 'There is no {what}.', next: 'Make one.' },
      SAMPLE_WORDS: { summary: 'Cannot open {what}', next: 'Name another.' },
      SAMPLE_ALONE: { summary: 'Cannot open {what}', next: '' },
    });
    const fails = async (fault: Error, wrap: (tool: Tool) => Tool = (tool) => tool) => {
      const { runner } = await start(wrap({ ...greet, execute: () => Promise.reject(fault) }));
      return said(await runner.run('greet', { name: 'x' }));
    };
    for (const wrap of [explainFailures, undefined]) {
      expect(await fails(create('SAMPLE_SENTENCE', { what: 'cell' }), wrap)).toBe('There is no cell. Make one.');
      // A full stop would look like a part of the address.
      expect(await fails(create('SAMPLE_WORDS', { what: 'docs://x' }), wrap)).toBe(
        'Cannot open docs://x\nName another.',
      );
      expect(await fails(create('SAMPLE_ALONE', { what: 'docs://x' }), wrap)).toBe('Cannot open docs://x');
    }
  });

  it('rejects when it is cancelled, and drops what comes too late', async () => {
    const controller = new AbortController();
    const updates: unknown[] = [];
    let late: (() => Promise<void>) | undefined;
    const { runner } = await start({
      execute: (_, call) => {
        late = () => call.update(text('late'));
        return new Promise((_resolve, reject) =>
          call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
        );
      },
    });
    const running = runner.run(
      'greet',
      { name: 'x' },
      { signal: controller.signal, onUpdate: (partial) => void updates.push(partial) },
    );
    setTimeout(() => controller.abort(new Error('stop')), 10);
    await expect(running).rejects.toThrow('stop');
    await late?.();
    expect(updates).toEqual([]);
  });
});

describe('tenon tool', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tenon-tool-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function tool(
    command: string,
    args: Record<string, string>,
    flags: Record<string, string | boolean> = {},
    interactive = false,
  ) {
    const { kernel } = await start();
    return runCommand(kernel, `tool ${command}`, {
      args,
      flags: { input: '{}', ...flags },
      cwd: folder,
      io: { interactive },
    });
  }

  it('list shows name, risk, summary and plugin, without starting the plugin', async () => {
    expect((await tool('list', {})).out).toBe(
      'greet             read  Greets someone (sample)\n' +
        'search_tool_bm25  read  Find and activate tools that are not offered yet (tools)\n',
    );
  });

  it('list --json describes each tool as a model sees it', async () => {
    const [first] = JSON.parse((await tool('list', {}, { json: true })).out) as object[];
    expect(first).toEqual({
      name: 'greet',
      summary: 'Greets someone',
      risk: 'read',
      plugin: 'sample',
      discoverable: false,
      exclusive: false,
      description: 'Greets',
      parameters: JSON.parse(JSON.stringify(greet.parameters)) as object,
    });
  });

  it('run takes its input from the flag or from a file', async () => {
    expect(await tool('run', { name: 'greet' }, { input: '{"name": "Ada"}' })).toEqual({
      out: 'hello Ada\n',
      err: '',
      code: 0,
    });
    writeFileSync(join(folder, 'input.json'), '{"name": "Bob", "loud": true}');
    expect((await tool('run', { name: 'greet' }, { input: '@input.json', json: true })).json).toEqual(
      text('HELLO Bob'),
    );
  });

  it('run exits with 1 when the tool refuses its input', async () => {
    const { code, err, out } = await tool('run', { name: 'greet' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('lacks the key "name"');
  });

  it('run names what is wrong with the input before any tool runs', async () => {
    await expect(tool('run', { name: 'greet' }, { input: '{name: 1}' })).rejects.toMatchObject({
      code: 'TOOLS_INPUT_NOT_JSON',
    });
    await expect(tool('run', { name: 'greet' }, { input: '@nowhere.json' })).rejects.toMatchObject({
      code: 'TOOLS_INPUT_UNREADABLE',
    });
  });

  it('run shows progress on standard error and wipes it away, for a person only', async () => {
    const { out, err } = await tool('run', { name: 'greet' }, { input: '{"name": "Ada"}' }, true);
    expect(out).toBe('hello Ada\n');
    expect(err).toBe('\r\u001b[Kthinking\r\u001b[K');
  });

  it('shows text without control sequences', () => {
    expect(resultText(text('a\u001b[31mb\u001b]0;title\u0007c\td\re\n'))).toBe('abc\td e\n');
  });

  it('describes images instead of printing them', () => {
    expect(resultText({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] })).toBe(
      '[image/png, 3 bytes]\n',
    );
  });
});
