/** A start with extensions whose registrations are known does not wait for their process. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { flagSources } from '@tenon/command-line/api';
import { piExtensions } from '@tenon/pi-compat/api';
import { slashCommandProviders } from '@tenon/slash-commands/api';
import { until } from '@tenon/test-kit/waiting';
import { freshnessOf } from '../src/host/freshness.ts';
import { toolTexts, world, type World, type WorldOptions, type Written } from './support/world.ts';

let base = '';
const ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-lazy-')));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  rmSync(base, { recursive: true, force: true });
});

type Answers = Parameters<typeof world>[1];

async function begin(
  modules: Readonly<Record<string, Written | string>>,
  answers: Answers = [{ text: 'done' }],
  options: WorldOptions = {},
): Promise<World & { end(): Promise<void>; running(): Promise<boolean> }> {
  const made = await world(modules, answers, { ...options, base });
  const extensions = await made.kernel.find(piExtensions);
  // Resolves when the extensions of the folder are there: loaded, or known.
  await (await made.kernel.read(slashCommandProviders).resolve('pi-extensions')).list({ cwd: made.cwd });
  let isOver = false;
  const end = async () => {
    if (!isOver) await made.end();
    isOver = true;
  };
  ends.push(end);
  return { ...made, end, running: async () => extensions.list(made.cwd).some(({ process }) => process !== undefined) };
}

const TOOL = (extra = '') => `
  export default (pi) => {
    pi.registerTool({ name: 'shout', description: 'Shouts', parameters: { type: 'object' },
      execute: async () => ({ content: [{ type: 'text', text: 'HELLO' }] }) });
    pi.registerCommand('greet', { handler: (_args, ctx) => ctx.ui.notify('greetings') });
    pi.registerFlag('loud', { type: 'boolean', description: 'Shout louder' });
    ${extra}
  };`;

describe('an extension whose files are as they were', () => {
  test('offers its tools without a process, which starts with the first call', async () => {
    const first = await begin({ shouter: TOOL() });
    expect(await first.running()).toBe(true);
    await first.end();
    const second = await begin({ shouter: TOOL() }, [{ calls: [{ name: 'shout' }] }, { text: 'done' }]);
    expect(second.agent.state.tools.map(({ name }) => name)).toContain('shout');
    expect(await second.running()).toBe(false);
    await second.agent.prompt('shout');
    expect(toolTexts(second)).toEqual(['HELLO']);
    expect(await second.running()).toBe(true);
  });

  test('never starts for a session that does not use it, not even for its end', async () => {
    await (await begin({ shouter: TOOL(`pi.on('session_shutdown', () => undefined);`) })).end();
    const second = await begin({ shouter: TOOL(`pi.on('session_shutdown', () => undefined);`) });
    await second.agent.prompt('say nothing');
    expect(await second.running()).toBe(false);
  });

  test('runs its command after a lazy start', async () => {
    await (await begin({ shouter: TOOL() })).end();
    const second = await begin({ shouter: TOOL() });
    await second.command('greet');
    expect(second.notices).toEqual(['greetings']);
  });

  test('that hears of sessions is started behind the start, and the first prompt has what it registered there', async () => {
    const code = `
      export default (pi) => pi.on('session_start', async (_event, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        pi.registerTool({ name: 'late', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });
        ctx.ui.notify('started');
      });`;
    await (await begin({ starter: code })).end();
    const second = await begin({ starter: code });
    await second.agent.prompt('go');
    expect(second.notices).toEqual(['started']);
    expect(second.requests[0]?.tools.map(({ name }) => name)).toContain('late');
  });

  test('that acts by itself is started with the session', async () => {
    const code = TOOL(`setInterval(() => undefined, 1000);`);
    await (await begin({ ticking: code })).end();
    const second = await begin({ ticking: code });
    await until(() => second.running(), 'the process');
  });

  test('that judges calls is started by the first call, and refuses it', async () => {
    const code = `export default (pi) => pi.on('tool_call', () => ({ block: true, reason: 'not today' }));`;
    const tools = { open: async () => ({ content: [{ type: 'text' as const, text: 'opened' }] }) };
    await (await begin({ guard: code }, undefined, { tools })).end();
    const second = await begin({ guard: code }, [{ calls: [{ name: 'open' }] }, { text: 'done' }], { tools });
    expect(await second.running()).toBe(false);
    await second.agent.prompt('open');
    expect(toolTexts(second).join()).toContain('not today');
  });

  test('hears the bus of the others though it does not run', async () => {
    const modules = {
      ears: `export default (pi) => pi.events.on('news', (text) => pi.ui.notify('heard ' + text));`,
      mouth: {
        code: `export default (pi) => pi.registerCommand('tell', { handler: () => pi.events.emit('news', 'it') });`,
        granted: { env: ['SOMETHING'] },
      },
    };
    await (await begin(modules)).end();
    const second = await begin(modules);
    await second.command('tell');
    await until(() => second.notices.includes('heard it'), 'the news');
  });
});

describe('an extension is loaded as ever', () => {
  test('when its files changed', async () => {
    await (await begin({ shouter: TOOL() })).end();
    const second = await begin({ shouter: TOOL(`pi.registerCommand('more', { handler: () => undefined });`) });
    expect(await second.running()).toBe(true);
  });

  test('when it registers something else with the same files, from then on', async () => {
    const code = TOOL(`pi.registerCommand('at' + Math.random(), { handler: () => undefined });`);
    await (await begin({ moody: code })).end();
    const second = await begin({ moody: code });
    expect(await second.running()).toBe(false);
    await second.command('greet');
    await second.end();
    const third = await begin({ moody: code });
    expect(await third.running()).toBe(true);
  });

  test('when it might judge calls and did not say so', async () => {
    const code = TOOL(`if (process.argv.includes('never')) pi.on('tool_call', () => ({ block: true }));`);
    await (await begin({ sly: code })).end();
    expect(await (await begin({ sly: code })).running()).toBe(true);
  });

  test('when it brings providers, whose keys are kept nowhere', async () => {
    const code = TOOL(
      `pi.registerProvider('p', { baseUrl: 'https://p.example', apiKey: 'a-secret', api: 'x', models: [{ id: 'm' }] });`,
    );
    await (await begin({ provider: code })).end();
    const kept = readdirSync(join(base, 'cache', 'extensions')).map((name) =>
      readFileSync(join(base, 'cache', 'extensions', name), 'utf8'),
    );
    expect(kept).toHaveLength(1);
    expect(kept.join()).not.toContain('a-secret');
    expect(await (await begin({ provider: code })).running()).toBe(true);
  });

  test('when it runs without a sandbox', async () => {
    const free = { code: TOOL(), trust: 'unconfined' as const };
    await (await begin({ free })).end();
    expect(await (await begin({ free })).running()).toBe(true);
  });
});

test('the flags of extensions are known for help without a process, as long as their files are as they were', async () => {
  await (await begin({ shouter: TOOL() })).end();
  const second = await begin({ shouter: TOOL() }, [{ text: 'done' }], {
    flags: { extensions: [], noExtensions: false, values: { loud: true } },
  });
  // With another value of its flag it may register something else.
  expect(await second.running()).toBe(true);
  const source = await second.kernel.read(flagSources).resolve('pi-extensions');
  const known = { loud: { type: 'boolean', summary: 'Shout louder (extension shouter)' } };
  expect(await source.known?.({ cwd: second.cwd })).toEqual(known);
  writeFileSync(second.file('shouter'), TOOL('// changed'));
  expect(await source.known?.({ cwd: second.cwd })).toEqual({});
});

test('freshness follows the files beside a module, the variables it sees and its settings in the folder', () => {
  const folder = join(base, 'extensions');
  mkdirSync(folder);
  const file = join(folder, 'one.ts');
  const seen = {
    cwd: base,
    home: join(base, 'home'),
    permissions: { env: ['LAZY_TEST'] },
    trust: 'isolated',
    flags: {},
  };
  const module = { kind: 'extension' as const, name: 'one', file, level: 'user' as const, from: 'pi' };
  const key = () => freshnessOf(module, seen)?.key;
  writeFileSync(file, `import './two.ts'`);
  writeFileSync(join(folder, 'two.ts'), '1');
  const first = key();
  expect(first).toBeDefined();
  expect(key()).toBe(first);
  writeFileSync(join(folder, 'two.ts'), '2');
  const second = key();
  process.env['LAZY_TEST'] = 'x';
  const third = key();
  delete process.env['LAZY_TEST'];
  expect(new Set([first, second, third]).size).toBe(3);
  expect(freshnessOf(module, { ...seen, trust: 'unconfined' })?.key).not.toBe(second);
});
