/** Tools of extensions that somebody names or lists before a session has loaded them. */
import { type CommandCall } from '@tenon/command-line/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { runCommand } from '@tenon/test-kit/command-run';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, until, world, type World } from './support/world.ts';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);

const greeter = (name = 'greet') => `
  export default (pi) => pi.registerTool({
    name: '${name}', label: 'Greet', description: 'Greets somebody.', parameters: pi.zod.object({ name: pi.zod.string() }),
    execute: async (id, { name }) => ({ content: [{ type: 'text', text: 'Hello, ' + name }] }),
  });`;

const command = ({ kernel, cwd }: World, words: string, args: CommandCall['args'], flags: CommandCall['flags']) =>
  runCommand(kernel, words, { args, flags, cwd, io: { width: 100 } });

describe('a session with tools that are named', () => {
  test('has those of extensions, and no others', async () => {
    const { agent, requests, ...seen } = await world(
      { one: greeter(), two: greeter('shout') },
      [{ calls: [{ name: 'greet', arguments: { name: 'Ada' } }] }, { text: 'done' }],
      { named: ['greet', 'noop'], tools: { noop: async () => ({ content: [] }), more: async () => ({ content: [] }) } },
    );
    await agent.prompt('go');
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['greet', 'noop'],
      ['greet', 'noop'],
    ]);
    expect(toolTexts(seen)).toEqual(['Hello, Ada']);
  });

  test('takes patterns', async () => {
    const { agent } = await world({ one: greeter('say_hello'), two: greeter('say_bye') }, [], { named: ['say_*'] });
    expect(agent.state.tools.map(({ name }) => name).sort()).toEqual(['say_bye', 'say_hello']);
  });

  test('is refused with the nearest name, and with the extension that could not be loaded', async () => {
    const broken = { one: greeter(), broken: `import 'no-such-package'; export default () => {};` };
    await expect(world(broken, [], { named: ['gret'] })).rejects.toMatchObject({
      code: 'AGENT_TOOL_UNKNOWN',
      message: expect.stringMatching(/^There is no tool "gret"\. Did you mean "greet"\? .*"broken".*no-such-package/s),
    });
  });

  test('is refused where the folder that brings the extension is not trusted', async () => {
    const modules = { theirs: { level: 'project' as const, code: greeter() } };
    await expect(world(modules, [], { named: ['greet'] })).rejects.toMatchObject({
      message: expect.stringMatching(/^There is no tool "greet"\..*tenon trust add/s),
    });
    const { agent } = await world(modules, [], { named: ['greet'], trusts: true });
    expect(agent.state.tools.map(({ name }) => name)).toEqual(['greet']);
  });
});

test('naming tools asks nobody whether a folder is trusted; the start of the session does', async () => {
  const asked: string[] = [];
  const { agent, notices } = await world(
    {
      mine: greeter(),
      theirs: {
        level: 'project',
        code: `export default (pi) => pi.on('agent_start', (_, ctx) => ctx.ui.notify('here'));`,
      },
    },
    [{ text: 'done' }],
    {
      named: ['greet'],
      ui: {
        canAsk: () => true,
        select: async (title, options) => {
          asked.push(title);
          return options.find((option) => option.startsWith('Trust'));
        },
      },
    },
  );
  expect(asked).toEqual([]);
  await agent.prompt('go');
  await until(() => notices.includes('here'), 'the notice');
  expect(asked).toHaveLength(1);
  expect(agent.state.tools.map(({ name }) => name)).toEqual(['greet']);
});

describe('tenon tools', () => {
  test('list has the tools of extensions, and run calls one', async () => {
    const made = await world({ one: greeter() }, [], { named: [] });
    const { json } = await command(made, 'tools list', {}, { json: true });
    expect(json).toContainEqual(
      expect.objectContaining({
        name: 'greet',
        plugin: 'pi-compat',
        description: 'Greets somebody.',
        origin: { kind: 'extension', name: 'one', file: made.file('one') },
      }),
    );
    const ran = await command(made, 'tool run', { name: 'greet' }, { input: '{"name": "Ada"}' });
    expect(ran).toMatchObject({ code: 0, out: 'Hello, Ada\n' });
  });
});
