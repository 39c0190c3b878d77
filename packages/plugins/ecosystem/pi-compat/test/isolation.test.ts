/** What a bad extension can do to a session: nothing that lasts. */
import { createHook } from 'node:async_hooks';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, until, world, type World } from './support/world.ts';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);
const codes = ({ reports }: World) => reports().map(({ code }) => code);

/** A tool that does what its input says. */
const ACTOR = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { execFileSync } from 'node:child_process';
  const acts = {
    crash: () => process.exit(3),
    throwLater: () => setTimeout(() => { throw new Error('later'); }, 10),
    rejectLater: () => void Promise.reject(new Error('nobody waits')),
    hang: () => { for (;;); },
    eat: () => { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); },
    read: (path) => readFileSync(path, 'utf8'),
    write: (path) => writeFileSync(path, 'x'),
    run: () => execFileSync('/bin/ls').toString(),
    fetch: async (url) => (await fetch(url)).status,
    env: () => JSON.stringify(Object.keys(process.env)),
    fine: () => 'fine',
  };
  let calls = 0;
  export default (pi) => {
    pi.registerTool({
      name: 'act', description: 'Acts.', parameters: { type: 'object', properties: { what: { type: 'string' }, on: { type: 'string' } } },
      async execute(id, { what, on }) {
        calls++;
        const text = await acts[what](on);
        return { content: [{ type: 'text', text: String(text) + ' ' + calls }] };
      },
    });
    pi.on('session_start', (event) => { calls = event.reason === 'reload' ? 100 : 0; });
  };`;

const acts = (...steps: readonly { what: string; on?: string }[]) => [
  ...steps.map((step) => ({ calls: [{ name: 'act', arguments: step }] })),
  { text: 'done' },
];

describe('an extension that misbehaves', () => {
  test('crashes: its call fails, the session goes on, and it starts again and is told about the session', async () => {
    const seen = await world({ actor: ACTOR }, acts({ what: 'fine' }, { what: 'crash' }, { what: 'fine' }));
    await seen.agent.prompt('go');
    const [first, second, third] = toolTexts(seen);
    expect(first).toBe('fine 1');
    expect(second).toMatch(/stopped|ended/);
    expect(third).toBe('fine 101');
    expect(codes(seen)).toContain('PI_COMPAT_STOPPED');
    expect(seen.events.at(-1)).toMatchObject({ type: 'agent_end' });
  });

  test('forgets to catch: a rejection is reported, and an exception outside of a call costs only its process', async () => {
    const seen = await world({ actor: ACTOR }, acts({ what: 'rejectLater' }, { what: 'throwLater' }));
    await seen.agent.prompt('go');
    expect(toolTexts(seen)[0]).toBe('undefined 1');
    await until(() => codes(seen).includes('PI_COMPAT_STOPPED'), 'the report about the crash');
    expect(
      seen
        .reports()
        .map(({ message }) => message)
        .join('\n'),
    ).toContain('nobody waits');
  });

  test('hangs: it is stopped, and the next call finds it anew', async () => {
    const seen = await world({ actor: ACTOR }, acts({ what: 'hang' }, { what: 'fine' }), {
      packHost: { hangSeconds: 1 },
    });
    await seen.agent.prompt('go');
    const [first, second] = toolTexts(seen);
    expect(first).toContain('did not answer');
    expect(second).toMatch(/^fine/);
  });

  test('eats memory: it is stopped', async () => {
    const seen = await world({ actor: ACTOR }, acts({ what: 'eat' }, { what: 'fine' }), {
      packHost: { memoryMb: 64, hangSeconds: 30 },
    });
    await seen.agent.prompt('go');
    expect(toolTexts(seen)[0]).toMatch(/memory|crashed/);
    expect(toolTexts(seen)[1]).toMatch(/^fine/);
  });

  test('never answers to an event: the run goes on without it, but a call that it guards is refused', async () => {
    const seen = await world(
      {
        silent: `
          export default (pi) => {
            pi.on('context', () => new Promise(() => undefined));
            pi.on('tool_call', (event) => event.input.slow ? new Promise(() => undefined) : undefined);
          };`,
      },
      [{ calls: [{ name: 'work', arguments: { slow: true } }] }, { text: 'done' }],
      {
        config: { handlerSeconds: 0.3 },
        tools: { work: async () => ({ content: [{ type: 'text', text: 'worked' }] }) },
      },
    );
    await seen.agent.prompt('go');
    expect(toolTexts(seen)[0]).toContain('did not answer to tool_call');
    expect(codes(seen)).toContain('PI_COMPAT_DEADLINE');
    expect(seen.requests).toHaveLength(2);
  });

  test('asks a person for long: the clock stands still meanwhile', async () => {
    const seen = await world(
      {
        asker: `export default (pi) => pi.on('tool_call', async (event, ctx) => (await ctx.ui.confirm('Sure?', '')) ? undefined : { block: true });`,
      },
      [{ calls: [{ name: 'work' }] }, { text: 'done' }],
      {
        config: { handlerSeconds: 0.2 },
        tools: { work: async () => ({ content: [{ type: 'text', text: 'worked' }] }) },
        ui: { canAsk: () => true, confirm: () => new Promise((resolve) => setTimeout(() => resolve(true), 900)) },
      },
    );
    await seen.agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['worked']);
  });

  test('cannot be loaded: it is reported with its reason, and the others run', async () => {
    const seen = await world(
      {
        broken: `import nothing from 'no-such-package'; export default () => nothing;`,
        wrong: `export const x = 1;`,
        eager: `export default (pi) => pi.sendMessage({ customType: 'x', content: 'too early' });`,
        good: `export default (pi) => pi.registerTool({ name: 'good', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'good' }] }) });`,
      },
      [{ calls: [{ name: 'good' }] }, { text: 'done' }],
    );
    await seen.agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['good']);
    expect(seen.reports().find(({ code }) => code === 'PI_COMPAT_DEPENDENCY')?.message).toContain('"no-such-package"');
    const reasons = seen
      .reports()
      .filter(({ code }) => code === 'PI_COMPAT_LOAD_FAILED')
      .map(({ message }) => message);
    expect(reasons).toHaveLength(2);
    expect(reasons.join('\n')).toContain('not a function');
    expect(reasons.join('\n')).toContain('pi.sendMessage()');
  });
});

describe('the sandbox', () => {
  test('shows the folder of the project and nothing else of the user, and allows no programs, changes or connections', async () => {
    const seen = await world(
      { actor: ACTOR },
      acts(
        { what: 'read', on: './notes.txt' },
        { what: 'read', on: '../home/.ssh/id' },
        { what: 'write', on: './new.txt' },
        { what: 'run' },
        { what: 'fetch', on: 'http://127.0.0.1:9/' },
      ),
    );
    writeFileSync(join(seen.cwd, 'notes.txt'), 'notes');
    mkdirSync(join(seen.home, '.ssh'));
    writeFileSync(join(seen.home, '.ssh', 'id'), 'the key');
    await seen.agent.prompt('go');
    const [notes, key, written, ran, fetched] = toolTexts(seen);
    expect(notes).toBe('notes 1');
    // What bubblewrap does not show is not there; Landlock shows and refuses.
    expect(key).toMatch(/ENOENT|EACCES/);
    expect(written).toMatch(/EROFS|EACCES/);
    expect(ran).toMatch(/EPERM|ENOENT|EACCES/);
    expect(fetched).toContain('may not connect');
  });

  test.each(['auto', 'landlock'])(
    'lets through what was granted, and the risk of its tools follows from that (%s)',
    async (sandbox) => {
      const seen = await world(
        { actor: { code: ACTOR, granted: { fs: { write: ['./out/**'] } } } },
        acts({ what: 'write', on: './out/new.txt' }),
        { packHost: { sandbox } },
      );
      await seen.agent.prompt('go');
      expect(toolTexts(seen)).toEqual(['undefined 1']);
      const { tools } = await import('@tenon/tools/api');
      expect(seen.kernel.read(tools).get('act')?.data).toMatchObject({ risk: 'write' });
    },
  );

  test.each(['auto', 'landlock'])(
    'opens a whole project only where parts of it can be kept unchanged (%s)',
    async (sandbox) => {
      const seen = await world(
        { actor: { code: ACTOR, granted: { fs: { write: ['./**'] } } } },
        acts({ what: 'write', on: './new.txt' }),
        { packHost: { sandbox } },
      );
      const { packHosts } = await import('@tenon/pack-host/api');
      const { mechanism } = await (await seen.kernel.find(packHosts)).sandbox();
      await seen.agent.prompt('go');
      if (mechanism !== 'landlock') return expect(toolTexts(seen)).toEqual(['undefined 1']);
      // Landlock only allows: Tenon's own folder could be made. The extension does not start, and the report says what to do.
      expect(toolTexts(seen)).toEqual([expect.stringContaining('There is no tool "act"')]);
      expect(seen.reports().map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /cannot keep .*\.tenon from being made.*install bubblewrap, or let it write only to folders/,
        ),
      ]);
    },
  );

  test('does not hold those that the user trusts, in a process of their own or inside Tenon', async () => {
    const which = (trust: 'unconfined' | 'in-process', name: string) => ({
      trust,
      code: `
        import { readFileSync } from 'node:fs';
        export default (pi) => pi.registerTool({
          name: '${name}', description: 'x', parameters: pi.zod.object({}),
          execute: async (id, params, signal, update, ctx) => {
            pi.appendEntry('from', '${name}');
            const key = await ctx.modelRegistry.getApiKey(ctx.model);
            return { content: [{ type: 'text', text: [process.pid, readFileSync('../home/key', 'utf8').trim(), key, ctx.isIdle()].join(' ') }] };
          },
        });`.replace("'../home/key'", "ctx.cwd + '/../home/key'"),
    });
    const seen = await world({ apart: which('unconfined', 'apart'), inside: which('in-process', 'inside') }, [
      { calls: [{ name: 'apart' }, { name: 'inside' }] },
      { text: 'done' },
    ]);
    writeFileSync(join(seen.home, 'key'), 'opened');
    await seen.agent.prompt('go');
    const texts = toolTexts(seen);
    expect(texts).toContain(`${process.pid} opened the-real-key false`);
    const apart = texts.find((text) => !text.startsWith(String(process.pid))) ?? '';
    expect(apart).toMatch(/^\d+ opened the-real-key false$/);
    const { tools } = await import('@tenon/tools/api');
    expect(seen.kernel.read(tools).get('inside')?.data).toMatchObject({ risk: 'exec' });
  });
});

describe('extensions of a project', () => {
  /** Processes that were started since. */
  function countSpawns(): () => number {
    let count = 0;
    const hook = createHook({ init: (_id, type) => void (type === 'PROCESSWRAP' && count++) }).enable();
    return () => (hook.disable(), count);
  }

  const project = {
    own: {
      level: 'project' as const,
      trust: 'in-process' as const,
      code: `export default (pi) => { globalThis.ranInside = true; pi.on('tool_call', () => ({ block: true, reason: 'mine' })); };`,
    },
    tool: {
      level: 'project' as const,
      kind: 'tool' as const,
      code: `export default () => ({ name: 'own', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });`,
    },
    hook: {
      level: 'project' as const,
      kind: 'hook' as const,
      code: `export default (pi) => pi.on('input', () => ({ handled: true }));`,
    },
  };

  test('start no process at all where the folder is not trusted', async () => {
    const spawns = countSpawns();
    const seen = await world(project, [{ calls: [{ name: 'work' }] }, { text: 'done' }], {
      tools: { work: async () => ({ content: [{ type: 'text', text: 'worked' }] }) },
    });
    await seen.agent.prompt('go');
    expect(spawns()).toBe(0);
    expect(toolTexts(seen)).toEqual(['worked']);
    expect(codes(seen)).toContain('PI_COMPAT_UNTRUSTED');
    expect('ranInside' in globalThis).toBe(false);
  });

  test('of a folder above do not run because the folder inside of it is trusted', async () => {
    const seen = await world(
      { own: { ...project.own, above: true } },
      [{ calls: [{ name: 'work' }] }, { text: 'done' }],
      {
        tools: { work: async () => ({ content: [{ type: 'text', text: 'worked' }] }) },
        trusts: true,
      },
    );
    await seen.agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['worked']);
    const report = seen.reports().find(({ code }) => code === 'PI_COMPAT_UNTRUSTED');
    expect(report?.next).toContain(`tenon trust add ${dirname(seen.cwd)}`);
  });

  test('run isolated where it is, whatever a record says', async () => {
    const seen = await world({ own: project.own }, [{ calls: [{ name: 'work' }] }, { text: 'done' }], {
      tools: { work: async () => ({ content: [] }) },
      trusts: true,
    });
    await seen.agent.prompt('go');
    expect(toolTexts(seen)[0]).toContain('mine');
    expect('ranInside' in globalThis).toBe(false);
  });
});
