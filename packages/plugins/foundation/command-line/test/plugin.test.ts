import { builtIn } from '@tenon/test-kit/plugins';
import { createKernel, type Kernel, settingsEngine } from '@tenon/kernel';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { recordedIo } from '@tenon/test-kit/command-run';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { cliCommands, type CommandCall, commandLine, flagSources } from '../src/api.ts';
import { kernelView, type KernelView } from '@tenon/host';
import plugin from '../src/plugin.ts';

function viewOf(kernel: Kernel): KernelView {
  const engine = () => kernel.find(settingsEngine);
  return {
    ...kernel,
    version: '1.2.3',
    folders: {},
    settings: { list: async () => (await engine()).list() },
  } as unknown as KernelView;
}

async function start(
  ...commands: { key: string; data: Record<string, unknown>; run: (call: CommandCall) => Promise<number | void> }[]
) {
  const kernel = createKernel();
  kernel.install(
    provideServices([[kernelView, viewOf(kernel)]]),
    await builtIn('command-line'),
    inlineCandidate(
      {
        id: 'sample',
        activate: (ctx) => commands.forEach(({ key, run }) => void ctx.contribute(cliCommands, key, { run })),
      },
      { contributes: { 'cli-commands': Object.fromEntries(commands.map(({ key, data }) => [key, data])) } },
    ),
  );
  const line = await kernel.find(commandLine);
  const { io, written } = recordedIo();
  const run = (words: string[], help = false) =>
    line.run(words, { io, cwd: '/', signal: new AbortController().signal, help });
  return { kernel, run, written, line };
}

describe('the command-line plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source: manifest, plugin, services: [[kernelView, viewOf(createKernel())]] });
  });

  it('runs a command with its arguments and gives its exit code', async () => {
    const calls: CommandCall[] = [];
    const data = { summary: 'Say', arguments: [{ name: 'words', summary: 'x', variadic: true }] };
    const { run } = await start({ key: 'say', data, run: async (call) => (calls.push(call), 3) });
    expect(await run(['say', 'a', 'b'])).toBe(3);
    expect(calls[0]?.args).toEqual({ words: ['a', 'b'] });
  });

  it('starts the root command by the name of the program alone, at a terminal or with a prompt that is piped in; elsewhere it shows help', async () => {
    const calls: string[] = [];
    const data = { summary: 'Prompt', root: true, arguments: [{ name: 'text', summary: 'x', variadic: true }] };
    const { run, line, written } = await start({ key: 'prompt', data, run: async () => void calls.push('prompt') });
    await run([]);
    expect([calls, written.out]).toEqual([[], expect.stringContaining('USAGE')]);
    const { io } = recordedIo();
    const signal = new AbortController().signal;
    await line.run([], { io: { ...io, interactive: true, terminal: true }, cwd: '/', signal, help: false });
    expect(calls).toEqual(['prompt']);
    await line.run([], { io: { ...io, piped: true }, cwd: '/', signal, help: false });
    expect(calls).toEqual(['prompt', 'prompt']);
  });

  it('runs what is for people alone where a person asks on the screen, and refuses it below an agent', async () => {
    const calls: string[] = [];
    const data = { summary: 'Allow', personOnly: true };
    const { line } = await start({ key: 'allow', data, run: async () => void calls.push('allow') });
    const { io } = recordedIo();
    const call = { io, cwd: '/', signal: new AbortController().signal, help: false };
    process.env['TENON_AGENT'] = '1';
    try {
      await expect(line.run(['allow'], call)).rejects.toMatchObject({ code: 'COMMAND_LINE_PERSON_ONLY' });
      await line.run(['allow'], { ...call, byPerson: true });
    } finally {
      delete process.env['TENON_AGENT'];
    }
    expect(calls).toEqual(['allow']);
  });

  it('gives no line to a stranger that does not name its command, and lets it neither hide findings nor pass for a person', async () => {
    const own = { summary: 'Prompt', root: true, arguments: [{ name: 'text', summary: 'x', variadic: true }] };
    const said: string[] = [];
    const { kernel, run, line } = await start({ key: 'prompt', data: own, run: async () => void said.push('own') });
    const claims = { summary: 'x', root: true, quiet: true, personOnly: true, arguments: own.arguments };
    kernel.install({
      ...inlineCandidate(
        {
          id: 'aaa-pack',
          activate: (ctx) =>
            void ctx.contribute(cliCommands, 'aaa-pack', { run: async () => void said.push('stranger') }),
        },
        { contributes: { 'cli-commands': { 'aaa-pack': claims } } },
      ),
      foreign: true,
    });
    expect(await run(['a secret prompt'])).toBe(0);
    expect(await run(['aaa-pack', 'x'])).toBe(0);
    expect(said).toEqual(['own', 'stranger']);
    expect(line.find(['aaa-pack'])?.spec).toEqual({ summary: 'x', arguments: own.arguments });
  });

  it('asks sources of flags about a flag that nobody knows, and only then', async () => {
    const calls: CommandCall[] = [];
    const data = {
      summary: 'Prompt',
      root: true,
      arguments: [{ name: 'text', summary: 'x', variadic: true }],
      flags: {
        print: { type: 'boolean', summary: 'x', short: 'p' },
        use: { type: 'string', summary: 'x', multiple: true },
      },
    };
    const { kernel, run, written } = await start({ key: 'agent', data, run: async (call) => void calls.push(call) });
    const asked: unknown[] = [];
    const flags = {
      preset: { type: 'string', summary: 'x' },
      loud: { type: 'boolean', summary: 'x' },
      print: { type: 'string', summary: 'never in place of an own one' },
    } as const;
    const offer = async (request: unknown) => (asked.push(request), flags);
    kernel.install(
      inlineCandidate(
        {
          id: 'more',
          activate: (ctx) => void ctx.contribute(flagSources, 'more', { flags: offer, known: async () => flags }),
        },
        { contributes: { 'flag-sources': { more: {} } } },
      ),
    );
    await run(['-p', 'hello there']);
    expect(asked).toEqual([]);
    await run(['-p', '--use', 'x', '--preset', 'fast', '--loud', 'hello there']);
    expect(asked).toEqual([{ cwd: '/', flags: { print: true, use: ['x'] } }]);
    expect(calls[1]).toMatchObject({
      args: { text: ['hello there'] },
      flags: { print: true, use: ['x'], preset: 'fast', loud: true },
    });
    await expect(run(['--nobody', 'hello there'])).rejects.toMatchObject({ code: 'COMMAND_LINE_UNKNOWN_FLAG' });
    await run([], true);
    expect(written.out).toMatch(/Flags of extensions[\s\S]*--preset/i);
  });

  it('does not start the plugin of a command to show its help', async () => {
    const { run, kernel, written } = await start({
      key: 'say',
      data: { summary: 'Say something' },
      run: async () => 0,
    });
    expect(await run(['say'], true)).toBe(0);
    expect(written.out).toContain('Say something');
    expect(kernel.status().find(({ id }) => id === 'sample')?.state).toBe('installed');
  });

  it('shows the help of a command, though wrong arguments stand behind it', async () => {
    const { run, written } = await start();
    expect(await run(['completion', 'csh', '--nope'], true)).toBe(0);
    expect(written.out).toContain('tenon completion');
  });

  it('takes the words behind a command for its arguments, also after `help`', async () => {
    const { run, written } = await start();
    expect(await run(['help', 'completion', 'bash'])).toBe(0);
    expect(written.out).toContain('tenon completion: Print');
    await expect(run(['help', 'completions', 'bash'])).rejects.toThrow(/no help on "completions bash"/);
  });

  it('leaves out a command that is described wrongly, and says so', async () => {
    const { run, kernel, written } = await start({ key: 'broken', data: {}, run: async () => 0 });
    await run([]);
    expect(written.out).not.toContain('broken');
    expect(kernel.diagnostics().map(({ error }) => error.message)).toEqual([
      'Command "broken" of plugin "sample" (sample/package.json) is left out: "summary" must be a text.',
    ]);
  });

  it('brings no control sequence of a manifest to the terminal', async () => {
    const data = { summary: 'Say \u001b]52;c;ZXZpbA==\u0007hello\u001b[2J', group: 'G\u009b31m\rX' };
    const { run, written } = await start({ key: 'say', data, run: async () => 0 });
    await run([]);
    await run(['help', 'say']);
    expect(written.out).toContain('hello');
    expect(written.out).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('exits with 2 and lists the commands when a group lacks its second word', async () => {
    const { run, written } = await start({ key: 'pack do', data: { summary: 'Do it' }, run: async () => 0 });
    expect(await run(['pack'])).toBe(2);
    expect(written.out).toBe('');
    expect(written.err).toContain('pack do');
  });

  it('completes plugins and keys of slots, control characters taken out', async () => {
    const { run, written } = await start({ key: 'say', data: { summary: 'Say\u001b[31m\nit' }, run: async () => 0 });
    await run(['__complete', 'plugins']);
    expect(written.out).toContain('command-line\t');
    await run(['__complete', 'slot:cli-commands']);
    expect(written.out).toContain('say\tSay it\n');
    await expect(run(['__complete', 'nonsense'])).rejects.toThrow(/kind "nonsense"/);
  });
});
