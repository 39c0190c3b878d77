import { describe, expect, it } from 'vitest';
import { createKernel, definePlugin, hook, service, slot, TenonError } from '../src/index.ts';
import { inlineCandidate, registrySnapshot } from '../src/testing.ts';

interface Tool {
  readonly name: string;
}
const tools = slot<Tool>('tools');
const store = service<{ get(): string }>('store');
const clock = service<{ now(): number }>('clock');
const ping = hook<'notify', string>('ping', 'notify');

const toolPlugin = (id: string, key: string, extra: { priority?: number } = {}) =>
  inlineCandidate(
    { id, activate: (ctx) => void ctx.contribute(tools, key, { name: `${key} of ${id}` }) },
    { contributes: { tools: { [key]: { ...extra } } } },
  );

const codes = (kernel: ReturnType<typeof createKernel>) => kernel.diagnostics().map(({ error }) => error.code);

describe('installing', () => {
  it('shows what manifests declare before any code runs', async () => {
    const kernel = createKernel();
    let runs = 0;
    kernel.install(
      inlineCandidate(
        { id: 'lazy', activate: (ctx) => (runs++, void ctx.contribute(tools, 'hammer', { name: 'hammer' })) },
        { contributes: { tools: { hammer: { summary: 'hits' } } } },
      ),
    );
    expect(kernel.read(tools).list()).toMatchObject([{ key: 'hammer', data: { summary: 'hits' }, value: undefined }]);
    expect(runs).toBe(0);
    expect((await kernel.read(tools).resolve('hammer')).name).toBe('hammer');
    expect(runs).toBe(1);
  });

  it('refuses a plugin made for another kernel, and names range, version and file', () => {
    const kernel = createKernel();
    kernel.install(
      inlineCandidate({ id: 'old', activate: () => undefined }, { kernel: '^2' }),
      toolPlugin('good', 'saw'),
    );
    expect(kernel.diagnostics()[0]?.error.message).toContain('"^2"');
    expect(kernel.diagnostics()[0]?.error.message).toContain('old/package.json');
    expect(kernel.status().find(({ id }) => id === 'old')?.state).toBe('failed');
    expect(kernel.read(tools).get('saw')).toBeDefined();
  });

  it('reports a second plugin with the same id and keeps the first', () => {
    const kernel = createKernel();
    kernel.install(toolPlugin('twin', 'saw'), toolPlugin('twin', 'axe'));
    expect(codes(kernel)).toEqual(['KERNEL_PLUGIN_DUPLICATE']);
    expect(
      kernel
        .read(tools)
        .list()
        .map(({ key }) => key),
    ).toEqual(['saw']);
  });

  it('refuses a key that is taken at the same priority, and the rest still starts', async () => {
    const kernel = createKernel();
    kernel.install(toolPlugin('one', 'saw'), toolPlugin('two', 'saw'), toolPlugin('three', 'axe'));
    expect(codes(kernel)).toEqual(['KERNEL_KEY_TAKEN']);
    expect((await kernel.read(tools).resolve('saw')).name).toBe('saw of one');
    expect((await kernel.read(tools).resolve('axe')).name).toBe('axe of three');
  });

  it('lets a higher priority shadow an entry, keeps the shadowed one visible and restores it', async () => {
    const kernel = createKernel();
    kernel.install(toolPlugin('base', 'saw'), toolPlugin('better', 'saw', { priority: 10 }));
    expect((await kernel.read(tools).resolve('saw')).name).toBe('saw of better');
    expect(kernel.read(tools).all()).toMatchObject([
      { source: { plugin: 'better' }, shadowed: false },
      { source: { plugin: 'base' }, shadowed: true },
    ]);
    await kernel.uninstall('better');
    expect((await kernel.read(tools).resolve('saw')).name).toBe('saw of base');
  });

  it('names the whole circle when plugins need each other, and the rest still starts', async () => {
    const kernel = createKernel();
    const circular = (id: string, needs: string, provides: string) =>
      inlineCandidate({ id, activate: () => undefined }, { needs: [needs], provides: [provides] });
    kernel.install(
      circular('a', 'sb', 'sa'),
      circular('b', 'sc', 'sb'),
      circular('c', 'sa', 'sc'),
      toolPlugin('d', 'saw'),
    );
    const [first] = kernel.diagnostics();
    expect(first?.error.code).toBe('KERNEL_NEEDS_CYCLE');
    expect(first?.error.message).toContain('a -> b -> c -> a');
    await expect(kernel.activate('b')).rejects.toThrow(/circle/);
    await kernel.activate('d');
  });

  it('suggests the nearest name for an unknown key, plugin and service', async () => {
    const kernel = createKernel();
    kernel.install(toolPlugin('carpenter', 'hammer'));
    await expect(kernel.read(tools).resolve('hamer')).rejects.toThrow('Did you mean "hammer"?');
    await expect(kernel.activate('carpentr')).rejects.toThrow('Did you mean "carpenter"?');
    await expect(kernel.find(store)).rejects.toThrow('No installed plugin provides the service "store"');
  });
});

describe('optional services', () => {
  const provider = (activate: Parameters<typeof inlineCandidate>[0]['activate'], disabled?: string) => ({
    ...inlineCandidate({ id: 'disk', activate }, { provides: ['store'] }),
    ...(disabled !== undefined && { disabled }),
  });
  const value = { get: () => 'kept' };

  it('are undefined where no plugin provides them, and where their provider is disabled or gone', async () => {
    const kernel = createKernel();
    expect(await kernel.findOptional(store)).toBeUndefined();
    kernel.install(provider((ctx) => void ctx.provide(store, value), 'switched off'));
    expect(await kernel.findOptional(store)).toBeUndefined();
    await kernel.uninstall('disk');
    kernel.install(provider((ctx) => void ctx.provide(store, value)));
    expect(await kernel.findOptional(store)).toBe(value);
    await kernel.uninstall('disk');
    expect(await kernel.findOptional(store)).toBeUndefined();
  });

  it('are errors when their provider fails, also when it fails for lack of another service', async () => {
    const kernel = createKernel();
    kernel.install(
      provider(async (ctx) => {
        await ctx.find(clock);
      }),
    );
    await expect(kernel.findOptional(store)).rejects.toMatchObject({
      code: 'KERNEL_SERVICE_MISSING',
      details: { service: 'clock' },
    });
    await expect(kernel.findOptional(store)).rejects.toBeInstanceOf(TenonError);
    const other = createKernel();
    other.install(
      provider(() => {
        throw new Error('no disk');
      }),
    );
    await expect(other.findOptional(store)).rejects.toMatchObject({ code: 'KERNEL_ACTIVATE_FAILED' });
  });

  it('throw from a context that was unloaded', async () => {
    const kernel = createKernel();
    let look: (() => Promise<unknown>) | undefined;
    kernel.install(inlineCandidate({ id: 'user', activate: (ctx) => void (look = () => ctx.findOptional(store)) }));
    await kernel.activate('user');
    expect(await look?.()).toBeUndefined();
    await kernel.unload('user');
    expect(() => look?.()).toThrow('used its context (findOptional) after it was unloaded');
  });
});

describe('starting', () => {
  it('starts what a plugin needs first and hands the services over', async () => {
    const kernel = createKernel();
    const order: string[] = [];
    kernel.install(
      inlineCandidate({
        id: 'reader',
        needs: { store },
        activate: (ctx) => void order.push(`reader got ${(ctx.needs as { store: { get(): string } }).store.get()}`),
      }),
      inlineCandidate(
        { id: 'keeper', activate: (ctx) => (order.push('keeper'), void ctx.provide(store, { get: () => 'gold' })) },
        { provides: ['store'] },
      ),
    );
    await kernel.activate('reader');
    expect(order).toEqual(['keeper', 'reader got gold']);
  });

  it('publishes all entries together, and watchers hear of them once', async () => {
    const kernel = createKernel();
    const seen: number[] = [];
    kernel.install(
      inlineCandidate(
        {
          id: 'many',
          async activate(ctx) {
            ctx.contribute(tools, 'a', { name: 'a' });
            await Promise.resolve();
            expect(ctx.read(tools).get('a')).toBeUndefined();
            ctx.contribute(tools, 'b', { name: 'b' });
          },
        },
        { contributes: { tools: { '*': {} } } },
      ),
    );
    kernel.read(tools).watch(({ added }) => seen.push(added.length));
    await kernel.activate('many');
    expect(seen).toEqual([2]);
  });

  it('rolls a failing plugin back whole', async () => {
    const kernel = createKernel();
    const cleaned: string[] = [];
    kernel.install(
      inlineCandidate(
        {
          id: 'broken',
          activate(ctx) {
            ctx.contribute(tools, 'saw', { name: 'saw' });
            ctx.on(ping, () => undefined);
            ctx.provide(store, { get: () => '' });
            ctx.defer(() => void cleaned.push('deferred'));
            throw new Error('no wood');
          },
        },
        { contributes: { tools: { saw: {} } }, handles: ['ping'], provides: ['store'] },
      ),
    );
    await expect(kernel.activate('broken')).rejects.toThrow(
      /"broken" \(broken\/package.json\) failed to start: no wood/,
    );
    expect(kernel.registrations()).toEqual([]);
    expect(kernel.read(tools).get('saw')?.value).toBeUndefined();
    expect(kernel.status().find(({ id }) => id === 'broken')).toMatchObject({ state: 'failed' });
  });

  it('names a registration that the manifest does not declare, and one that activate() forgot', async () => {
    const kernel = createKernel();
    kernel.install(
      inlineCandidate({ id: 'sneaky', activate: (ctx) => void ctx.contribute(tools, 'secret', { name: '' }) }),
      inlineCandidate({ id: 'lazy', activate: () => undefined }, { contributes: { tools: { promised: {} } } }),
    );
    await expect(kernel.activate('sneaky')).rejects.toThrow('the entry "secret" of slot "tools"');
    await expect(kernel.activate('lazy')).rejects.toThrow('the entry "promised" of slot "tools"');
  });

  it('names code that does not fit its manifest', async () => {
    const kernel = createKernel();
    const misfit = inlineCandidate({ id: 'misfit', needs: { clock }, activate: () => undefined }, { needs: [] });
    kernel.install(misfit, {
      ...inlineCandidate({ id: 'empty', activate: () => undefined }),
      load: async () => ({}) as never,
    });
    await expect(kernel.activate('misfit')).rejects.toThrow('needs are [clock] in the code and [] in the manifest');
    await expect(kernel.activate('empty')).rejects.toThrow('not made by definePlugin()');
  });

  it('ends with a named circle instead of waiting forever when plugins start each other at run time', async () => {
    const kernel = createKernel();
    const starter = (id: string, own: string, other: string) =>
      inlineCandidate(
        {
          id,
          async activate(ctx) {
            ctx.contribute(tools, own, { name: own });
            await ctx.read(tools).resolve(other);
          },
        },
        { contributes: { tools: { [own]: {} } } },
      );
    kernel.install(starter('left', 'l', 'r'), starter('right', 'r', 'l'));
    await expect(kernel.activate('left')).rejects.toThrow(/left -> right -> left|right -> left -> right/);
  });

  it('gives up on a start that takes too long, and names the plugin', async () => {
    const kernel = createKernel({ limits: { activateMs: 20 } });
    kernel.install(inlineCandidate({ id: 'slow', activate: () => new Promise<never>(() => undefined) }));
    await expect(kernel.activate('slow')).rejects.toThrow('activate() of plugin "slow" did not finish within 20 ms');
  });

  it('imports a plugin once, however many ask for it at the same time', async () => {
    const kernel = createKernel();
    let loads = 0;
    const candidate = toolPlugin('shared', 'saw');
    kernel.install({ ...candidate, load: () => (loads++, candidate.load()) });
    await Promise.all([kernel.activate('shared'), kernel.read(tools).resolve('saw'), kernel.activate('shared')]);
    expect(loads).toBe(1);
  });
});

describe('stopping', () => {
  it('stops dependents first and cleans up newest first', async () => {
    const kernel = createKernel();
    const order: string[] = [];
    kernel.install(
      inlineCandidate(
        {
          id: 'keeper',
          activate(ctx) {
            ctx.provide(store, { get: () => '' });
            ctx.defer(() => void order.push('keeper 1'));
            ctx.defer(() => void order.push('keeper 2'));
          },
        },
        { provides: ['store'] },
      ),
      inlineCandidate({
        id: 'reader',
        needs: { store },
        activate: (ctx) => ctx.defer(() => void order.push('reader')),
      }),
    );
    await kernel.activate('reader');
    await kernel.unload('keeper');
    expect(order).toEqual(['reader', 'keeper 2', 'keeper 1']);
    expect(kernel.status().filter(({ state }) => state === 'active')).toEqual([]);
  });

  it('finishes all clean-ups when some fail, and reports the faults together', async () => {
    const kernel = createKernel();
    let reached = false;
    kernel.install(
      inlineCandidate({
        id: 'messy',
        activate(ctx) {
          ctx.defer(() => void (reached = true));
          ctx.defer(() => Promise.reject(new Error('first mess')));
          ctx.defer(() => {
            throw new Error('second mess');
          });
        },
      }),
    );
    await kernel.activate('messy');
    const fault = await kernel.unload('messy').catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(TenonError);
    expect(String(fault)).toContain('second mess; first mess');
    expect(reached).toBe(true);
    expect(kernel.registrations()).toEqual([]);
  });

  it('names the handler that hangs while its plugin is unloaded', async () => {
    const kernel = createKernel({ limits: { unloadGraceMs: 20 } });
    kernel.install(
      inlineCandidate(
        { id: 'hung', activate: (ctx) => void ctx.on(ping, () => new Promise<never>(() => undefined)) },
        { handles: ['ping'] },
      ),
    );
    await kernel.activate('hung');
    void kernel.run(ping, 'now');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(kernel.pending()).toMatchObject([{ hook: 'ping', plugin: 'hung' }]);
    await expect(kernel.unload('hung')).rejects.toThrow('its handler for hook "ping" hangs');
  });

  it('refuses a context that is used after the unload, and aborts its signal', async () => {
    const kernel = createKernel();
    let use: (() => unknown) | undefined;
    let signal: AbortSignal | undefined;
    kernel.install(
      inlineCandidate({
        id: 'ghost',
        activate(ctx) {
          signal = ctx.signal;
          use = () => ctx.contribute(tools, 'late', { name: 'late' });
        },
      }),
    );
    await kernel.activate('ghost');
    await kernel.unload('ghost');
    expect(signal?.aborted).toBe(true);
    expect(() => use?.()).toThrow('after it was unloaded');
  });

  it('reloads a plugin together with those that need it, from freshly imported code', async () => {
    const kernel = createKernel();
    let version = 0;
    kernel.install(
      {
        ...inlineCandidate({ id: 'keeper', activate: () => undefined }, { provides: ['store'] }),
        load: async () => {
          const mine = ++version;
          return definePlugin({ id: 'keeper', activate: (ctx) => void ctx.provide(store, { get: () => `v${mine}` }) });
        },
      },
      inlineCandidate(
        {
          id: 'reader',
          needs: { store },
          activate: (ctx) =>
            void ctx.contribute(tools, 'r', { name: (ctx.needs as { store: { get(): string } }).store.get() }),
        },
        { contributes: { tools: { r: {} } } },
      ),
    );
    expect((await kernel.read(tools).resolve('r')).name).toBe('v1');
    await kernel.reload('keeper');
    expect((await kernel.read(tools).resolve('r')).name).toBe('v2');
  });

  it('leaves the registries as they were before the start', async () => {
    const kernel = createKernel();
    kernel.install(toolPlugin('one', 'saw'), toolPlugin('two', 'saw', { priority: 5 }));
    const before = registrySnapshot(kernel);
    await kernel.activate('one');
    await kernel.activate('two');
    await kernel.dispose();
    expect(registrySnapshot(kernel)).toEqual(before);
  });
});
