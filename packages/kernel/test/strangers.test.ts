import { describe, expect, it } from 'vitest';
import { createKernel, definePlugin, type PluginCandidate, slot } from '../src/index.ts';

const things = slot<string>('things');
const context = { cwd: '/', home: '/', trusted: false };

function candidate(id: string, foreign: boolean, priority: number, keys: readonly string[]): PluginCandidate {
  const contributes = { things: Object.fromEntries(keys.map((key) => [key, { priority }])) };
  const plugin = definePlugin({
    id,
    activate(ctx) {
      for (const key of keys) ctx.contribute(things, key, id, { priority });
      ctx.source(things, {
        id: `${id}-files`,
        priority,
        load: async () => ({ items: [{ key: 'found', value: id, level: 'user', priority }] }),
      });
    },
  });
  return {
    manifest: { id, version: '1.0.0', kernel: '*', contributes, sources: ['things'] },
    file: `${id}.json`,
    checked: true,
    foreign,
    load: async () => plugin,
  };
}

describe('the plugin of a stranger', () => {
  it('gets no key that somebody has, whatever the priority, and the complaint names both', () => {
    const kernel = createKernel();
    kernel.install(candidate('ours', false, -5, ['a']), candidate('theirs', true, 1_000, ['a']));
    expect(kernel.read(things).get('a')?.source.plugin).toBe('ours');
    expect(kernel.diagnostics().map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/"theirs".*"a" to "things", where "ours" already has it/),
    ]);
  });

  it('cannot keep others from a key that it took first', async () => {
    const kernel = createKernel();
    kernel.install(candidate('theirs', true, 1_000, ['a']), candidate('ours', false, 0, ['a']));
    expect(kernel.diagnostics()).toEqual([]);
    expect(await kernel.read(things).resolve('a')).toBe('ours');
  });

  it('comes after all others in lists, and in what sources find', async () => {
    const kernel = createKernel();
    kernel.install(candidate('theirs', true, 1_000, ['x']), candidate('ours', false, -1_000, ['y']));
    expect(
      kernel
        .read(things)
        .list()
        .map(({ key }) => key),
    ).toEqual(['y', 'x']);
    const { entries, shadowed } = await kernel.read(things).load(context);
    const found = entries.find(({ key }) => key === 'found');
    expect(found?.value).toBe('ours');
    expect(shadowed).toMatchObject([{ value: 'theirs', source: { foreign: true } }]);
  });
});
