import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildHost } from '@tenon/test-kit/built-program';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hook, type PluginContext, service, slot } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { tools, touchesOf } from '@tenon/tools/api';
import { RestartPolicy } from '../src/restart-policy.ts';
import { packsKernel, type PacksKernel } from './support/packs-kernel.ts';

// Processes are started and stopped all the time here; a busy machine takes its time.
interface Clock {
  now(): Promise<number>;
  ticks(count: number): Promise<AsyncIterable<number>>;
}

const clock = service<Clock>('clock', { access: 'packs' });
const secret = service<() => string>('secret');
const sizes = slot<{ size: number; grow?(): number }>('sizes', { access: 'packs' });
const notified = hook<'notify', { n: number }>('t.notify', 'notify', { access: 'packs' });
const first = hook<'first', { n: number }, string>('t.first', 'first', { access: 'packs' });
const reduced = hook<'reduce', { n: number }>('t.reduce', 'reduce', { access: 'packs' });
const gate = hook<'gate', { n: number }>('t.gate', 'gate', { access: 'packs' });
const tokens = [clock, secret, sizes, notified, first, reduced, gate];

let program: string;
let packs: PacksKernel;

beforeAll(async () => {
  program = await buildHost('pack-host');
});
beforeEach(async () => {
  packs = await packsKernel(program, { tokens });
});
afterEach(() => packs?.end());

/** Installs a pack with this activate() and this manifest. */
async function install(manifest: Record<string, unknown>, activate: string, more = ''): Promise<void> {
  const code = `import { definePlugin, hook, service, slot } from '@tenon/kernel';
    import { tools } from '@tenon/tools/api';
    const tool = (run) => ({ description: 'x', parameters: {}, execute: async (input, call) => ({ content: [], details: await run(input, call) }) });
    ${more}
    export default definePlugin({ id: 'crossing', ${activate} });`;
  await packs.install(
    packs.writePack({ id: 'crossing', entry: 'plugin.ts', ...manifest } as never, { 'plugin.ts': code }),
  );
}

const toolsOf = (...names: string[]) => ({
  contributes: { tools: Object.fromEntries(names.map((name) => [name, { summary: name }])) },
});
const detailsOf = async (name: string, input = {}, signal?: AbortSignal) =>
  (await packs.runTool(name, input, signal)).result.details;

describe('what crosses between Tenon and an isolated pack', () => {
  it('is what a tool declares that it touches, as a claim', async () => {
    await install(
      toolsOf('open', 'odd', 'silent'),
      `activate(ctx) {
        ctx.contribute(tools, 'open', { ...tool(() => 1), touches: ({ path }, { scope }) => ({ reads: [scope.cwd + '/' + path], anything: false }) });
        ctx.contribute(tools, 'odd', { ...tool(() => 1), touches: () => ({ reads: 'all' }) });
        ctx.contribute(tools, 'silent', tool(() => 1));
      }`,
    );
    const call = { signal: new AbortController().signal, scope: { session: 's', cwd: '/w' } };
    const touched = async (name: string) =>
      touchesOf(await packs.kernel.read(tools).resolve(name), { path: 'a' }, call);
    expect(await touched('open')).toEqual({ reads: ['/w/a'], anything: true });
    expect(await touched('silent')).toEqual({ anything: true });
    await expect(touched('odd')).rejects.toThrow('"reads" in a form that cannot be read');
  });

  it('are hooks of all four modes, with their signal', async () => {
    await install(
      { handles: ['t.notify', 't.first', 't.reduce', 't.gate'], ...toolsOf('seen') },
      `activate(ctx) {
        const seen = [];
        ctx.on(hook('t.notify', 'notify'), ({ n }) => void seen.push(n));
        ctx.on(hook('t.first', 'first'), ({ n }) => n > 1 ? 'big' : undefined);
        ctx.on(hook('t.reduce', 'reduce'), ({ n }, { signal }) => ({ n: n + 1, aborted: signal.aborted }));
        ctx.on(hook('t.gate', 'gate'), ({ n }) => n > 1 ? { deny: 'too big' } : undefined, { priority: 5 });
        ctx.contribute(tools, 'seen', tool(() => seen));
      }`,
    );
    const { kernel } = packs;
    await kernel.run(notified, { n: 7 });
    expect(await detailsOf('seen')).toEqual([7]);
    expect(await kernel.run(first, { n: 1 })).toBeUndefined();
    expect(await kernel.run(first, { n: 2 })).toBe('big');
    expect(await kernel.run(reduced, { n: 1 })).toEqual({ n: 2, aborted: false });
    expect(await kernel.run(gate, { n: 1 })).toEqual({ allowed: true });
    expect(await kernel.run(gate, { n: 2 })).toMatchObject({
      allowed: false,
      by: 'crossing',
      reason: 'too big',
      fault: false,
    });
  });

  it('are services in both directions, with async iterables', async () => {
    async function* count(to: number) {
      for (let n = 1; n <= to; n++) yield n;
    }
    const provider = {
      id: 'clock',
      activate: (ctx: PluginContext) =>
        void ctx.provide(clock, { now: async () => 42, ticks: async (to) => count(to) }),
    };
    packs.kernel.install(inlineCandidate(provider, { provides: ['clock'] }));
    await install(
      { needs: ['clock'], provides: ['adder'], defines: { services: ['adder'] }, ...toolsOf('time') },
      `needs: { watch: service('clock') }, defines: [adder],
      async activate(ctx) {
        const { watch } = ctx.needs;
        ctx.provide(adder, { total: 0, add(a, b) { return a + b; } });
        ctx.contribute(tools, 'time', tool(async () => {
          const ticks = [];
          for await (const tick of await watch.ticks(3)) ticks.push(tick);
          return { now: await watch.now(), ticks };
        }));
      }`,
      `const adder = service('adder', { access: 'packs' });`,
    );
    expect(await detailsOf('time')).toEqual({ now: 42, ticks: [1, 2, 3] });
    const adder = await packs.kernel.find(
      service<{ total: number; add(a: number, b: number): Promise<number> }>('adder'),
    );
    expect(adder.total).toBe(0);
    expect(await adder.add(2, 3)).toBe(5);
    expect(await packs.kernel.token('service', 'adder')).toMatchObject({ access: 'packs' });
  });

  it('are optional services: missing and undefined ones are undefined, failing and internal ones are errors', async () => {
    const offer = (id: string, activate: (ctx: PluginContext) => void) =>
      packs.kernel.install(inlineCandidate({ id, activate }, { provides: ['clock'] }));
    await install(
      toolsOf('look'),
      `activate(ctx) {
        const look = async ({ id }) => {
          try {
            const found = await ctx.findOptional(service(id));
            return found === undefined ? 'missing' : await found.now();
          } catch (fault) {
            return fault.code;
          }
        };
        ctx.contribute(tools, 'look', tool(look));
      }`,
    );
    const look = (id: string) => detailsOf('look', { id });
    expect(await look('nobody-defines-this')).toBe('missing');
    expect(await look('clock')).toBe('missing');
    offer('broken', () => {
      throw new Error('no battery');
    });
    expect(await look('clock')).toBe('KERNEL_ACTIVATE_FAILED');
    await packs.kernel.uninstall('broken');
    offer(
      'works',
      (ctx) => void ctx.provide(clock, { now: async () => 7, ticks: async () => (async function* () {})() }),
    );
    expect(await look('clock')).toBe(7);
    expect(await look('secret')).toBe('PACK_HOST_TOKEN_INTERNAL');
  });

  it('are slots: reading at once, watching, values that are data, and sources', async () => {
    const other = {
      id: 'other',
      activate(ctx: PluginContext) {
        ctx.contribute(sizes, 'plain', { size: 1 });
        ctx.contribute(sizes, 'live', { size: 2, grow: () => 3 });
      },
    };
    packs.kernel.install(inlineCandidate(other, { contributes: { sizes: { plain: { a: 1 }, live: {} } } }));
    await install(
      {
        sources: ['sizes'],
        ...toolsOf('look'),
        contributes: { tools: { look: { summary: 'x' } }, sizes: { '*': {} } },
      },
      `activate(ctx) {
        const sizes = slot('sizes');
        const changes = [];
        ctx.read(sizes).watch((change) => changes.push(change.added.map((entry) => entry.key)));
        ctx.source(sizes, { id: 'found', load: async ({ cwd }) => ({ items: [{ key: 'found', value: { size: cwd.length } }], warnings: ['look out'] }) });
        ctx.contribute(tools, 'look', tool(async () => {
          const registry = ctx.read(sizes);
          const late = ctx.contribute(sizes, 'late', { size: 9 });
          const during = registry.list().map((entry) => entry.key);
          await late.dispose();
          return {
            get: registry.get('plain'), during, after: registry.list().map((entry) => entry.key),
            plain: await registry.resolve('plain'),
            live: await registry.resolve('live').catch((fault) => fault.code),
            missing: registry.get('missing'), changes,
          };
        }));
      }`,
    );
    const seen = (await detailsOf('look')) as Record<string, unknown>;
    expect(seen).toMatchObject({
      get: { key: 'plain', data: { a: 1 }, source: { plugin: 'other' }, priority: 0, shadowed: false },
      plain: { size: 1 },
      live: 'PACK_HOST_NOT_OWN',
      changes: expect.arrayContaining([['late']]),
    });
    expect(seen['missing']).toBeUndefined();
    expect(seen['during']).toContain('late');
    expect(seen['after']).not.toContain('late');
    const loaded = await packs.kernel.read(sizes).load({ cwd: '/four', home: '/', trusted: false });
    expect(loaded.entries.find(({ key }) => key === 'found')?.value).toEqual({ size: 5 });
    expect(loaded.problems.map(({ message }) => message)).toEqual([expect.stringContaining('look out')]);
  });

  it('is cancellation, as it happens', async () => {
    await install(
      toolsOf('wait'),
      `activate(ctx) {
        ctx.contribute(tools, 'wait', tool((_input, { signal, update }) => new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          void update({ content: [] });
        })));
      }`,
    );
    const controller = new AbortController();
    const tool = await packs.kernel.read(tools).resolve('wait');
    const waiting = tool.execute(
      {},
      { id: '1', signal: controller.signal, update: async () => controller.abort(new Error('enough')) },
    );
    await expect(waiting).rejects.toThrow('enough');
  });

  it('is its configuration, its log, its reports and its own errors', async () => {
    await install(
      { ...toolsOf('fail'), settings: { type: 'object', properties: { size: { type: 'number', default: 4 } } } },
      `activate(ctx) {
        ctx.log.warn('careful', { size: ctx.config.size });
        ctx.contribute(tools, 'fail', tool(() => {
          const fault = odd.create('ODD_SIZE', { size: ctx.config.size });
          ctx.report(fault, 'warning');
          throw fault;
        }));
      }`,
      `import { defineErrors } from '@tenon/kernel';
       const odd = defineErrors('crossing', { ODD_SIZE: { summary: 'The size {size} is odd.', next: 'Choose another.' } });`,
    );
    await expect(packs.runTool('fail')).rejects.toMatchObject({
      code: 'ODD_SIZE',
      owner: 'crossing',
      message: 'The size 4 is odd.',
      next: 'Choose another.',
    });
    expect(packs.log).toContainEqual(
      expect.objectContaining({ owner: 'crossing', level: 'warn', message: 'careful', fields: { size: 4 } }),
    );
    expect(packs.kernel.diagnostics()).toContainEqual(
      expect.objectContaining({ severity: 'warning', error: expect.objectContaining({ code: 'ODD_SIZE' }) }),
    );
  });

  it('is not what is internal: neither services nor slots', async () => {
    packs.kernel.install(
      inlineCandidate(
        { id: 'keeper', activate: (ctx) => void ctx.provide(secret, () => 'x') },
        { provides: ['secret'] },
      ),
    );
    await install({ needs: ['secret'] }, `needs: { secret: service('secret') }, activate() {}`);
    await expect(packs.kernel.activate('crossing')).rejects.toMatchObject({ code: 'PACK_HOST_TOKEN_INTERNAL' });
  });

  it('is the kernel’s opinion about registrations that the manifest does not declare', async () => {
    await install({}, `activate(ctx) { ctx.contribute(tools, 'stowaway', tool(() => 1)); }`);
    await expect(packs.kernel.activate('crossing')).rejects.toMatchObject({ code: 'KERNEL_KEY_UNDECLARED' });
    expect(packs.kernel.registrations('crossing')).toEqual([]);
  });

  it('is the end: clean-ups run newest first, their faults are told, and the context is dead', async () => {
    await install(
      toolsOf('x'),
      `activate(ctx) {
        ctx.contribute(tools, 'x', tool(() => 1));
        ctx.defer(() => { ctx.log.info('first'); try { ctx.contribute(tools, 'x', {}); } catch (fault) { console.log('AFTER', fault.code); } });
        ctx.defer(() => { throw new Error('bad clean-up'); });
        ctx.defer(() => ctx.log.info('last'));
      }`,
    );
    await packs.kernel.activate('crossing');
    await expect(packs.kernel.unload('crossing')).rejects.toThrow('bad clean-up');
    const messages = packs.log.filter(({ owner }) => owner === 'crossing').map(({ message }) => message);
    expect(messages.filter((message) => ['first', 'last'].includes(message))).toEqual(['last', 'first']);
    expect(messages.join()).toContain('AFTER KERNEL_CONTEXT_UNLOADED');
    expect(packs.kernel.registrations('crossing')).toEqual([]);
  });

  it('is a restart: after a crash the same tool works again, in a new process', async () => {
    await install(
      { ...toolsOf('pid', 'die'), handles: ['t.gate'] },
      `activate(ctx) {
        ctx.contribute(tools, 'pid', tool(() => ({ pid: process.pid, started })));
        ctx.contribute(tools, 'die', tool(() => process.abort()));
        ctx.on(hook('t.gate', 'gate'), () => undefined);
      }`,
      'const started = process.hrtime.bigint();',
    );
    const tool = await packs.kernel.read(tools).resolve('pid');
    const call = { id: '1', signal: new AbortController().signal, update: async () => undefined };
    const before = (await tool.execute({}, call)).details as { started: bigint };
    await expect(packs.runTool('die')).rejects.toMatchObject({ code: 'PACK_HOST_STOPPED' });
    const after = (await tool.execute({}, call)).details as { started: bigint };
    expect(after.started).not.toBe(before.started);
    expect(await packs.kernel.run(gate, { n: 1 })).toEqual({ allowed: true });
    expect(packs.kernel.registrations('crossing').filter(({ kind }) => kind !== 'cleanup')).toHaveLength(3);
    expect(packs.hosts.status('crossing')).toMatchObject({ state: 'running', failures: 1 });
  });

  it('ends when a pack keeps failing, until it is reloaded', async () => {
    await packs.end();
    packs = await packsKernel(program, {
      tokens,
      restarts: () => new RestartPolicy({ firstWaitMs: 1, limit: 2 }),
    });
    await install(
      toolsOf('die', 'live'),
      `activate(ctx) {
      ctx.contribute(tools, 'die', tool(() => process.exit(9)));
      ctx.contribute(tools, 'live', tool(() => 'alive'));
    }`,
    );
    for (const code of ['PACK_HOST_STOPPED', 'PACK_HOST_STOPPED', 'PACK_HOST_GAVE_UP']) {
      await expect(packs.runTool('die')).rejects.toMatchObject({ code });
    }
    await expect(packs.runTool('live')).rejects.toThrow(/was stopped 2 times within 10 minutes.*exit code 9/);
    expect(packs.hosts.status('crossing')).toMatchObject({ state: 'gave up', failures: 2 });
    await packs.kernel.reload('crossing');
    expect(await detailsOf('live')).toBe('alive');
  });

  it('starts no process any more once it is unloaded, not even one that was waiting to start again', async () => {
    await packs.end();
    packs = await packsKernel(program, { tokens, restarts: () => new RestartPolicy({ firstWaitMs: 300 }) });
    await install(toolsOf('die'), `activate(ctx) { ctx.contribute(tools, 'die', tool(() => process.exit(9))); }`);
    const tool = await packs.kernel.read(tools).resolve('die');
    const call = { id: '1', signal: new AbortController().signal, update: async () => undefined };
    await expect(tool.execute({}, call)).rejects.toMatchObject({ code: 'PACK_HOST_STOPPED' });
    const waiting = tool.execute({}, call);
    waiting.catch(() => undefined);
    await packs.kernel.unload('crossing');
    await expect(waiting).rejects.toThrow('it was unloaded');
    await expect(tool.execute({}, call)).rejects.toThrow('it was unloaded');
    expect(packs.hosts.status('crossing')).toMatchObject({ state: 'stopped' });
  });

  it('is the reason why a pack does not start', async () => {
    for (const [id, code, reason] of [
      [
        'throws',
        `export default definePlugin({ id: 'throws', activate() { throw new Error('no luck'); } });`,
        /no luck/,
      ],
      ['syntax', 'export default definePlugin({', /syntax|Unexpected/i],
      [
        'other',
        `export default definePlugin({ id: 'somebody-else', activate() {} });`,
        /its id is "somebody-else" in the code/,
      ],
      ['none', 'export const x = 1;', /has no plugin as its default export/],
      ['exits', 'process.exit(3);', /exit code 3/],
      ['missing', `import 'not-there'; export default 1;`, /not-there/],
    ] as const) {
      await packs.install(
        packs.writePack({ id, entry: 'plugin.ts' } as never, {
          'plugin.ts': `import { definePlugin } from '@tenon/kernel';\n${code}`,
        }),
      );
      await expect(packs.kernel.activate(id), id).rejects.toThrow(reason);
    }
  });

  it('is TypeScript with several files, JSON and packages of the pack’s own', async () => {
    const folder = packs.writePack({ id: 'crossing', entry: 'src/main.ts', ...toolsOf('x') } as never, {
      'src/main.ts': `import { definePlugin } from '@tenon/kernel';
        import { tools } from '@tenon/tools/api';
        import { enumValue } from './part';
        import facts from '../facts.json';
        import { leftPad } from 'left-padder';
        export default definePlugin({ id: 'crossing', activate(ctx) {
          ctx.contribute(tools, 'x', { description: 'x', parameters: {}, execute: async () => ({ content: [], details: [enumValue, facts.size, leftPad('x')] }) });
        } });`,
      'src/part.ts': `enum Size { Small = 3 }\nexport const enumValue: number = Size.Small;`,
      'facts.json': '{"size": 4}',
      'node_modules/left-padder/package.json': '{"name": "left-padder", "main": "index.js"}',
      'node_modules/left-padder/index.js': `exports.leftPad = (text) => ' ' + text;`,
    });
    writeFileSync(join(folder, 'README.md'), '');
    await packs.install(folder);
    expect(await detailsOf('x')).toEqual([3, 4, ' x']);
  });
});
