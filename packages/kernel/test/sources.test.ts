import { describe, expect, it } from 'vitest';
import { createKernel, type LoadContext, plugins, slot, type SlotSource, Type } from '../src/index.ts';
import { inlineCandidate } from '../src/testing.ts';

interface Skill {
  readonly name: string;
}
const skills = slot<Skill>('skills', { schema: Type.Object({ name: Type.String({ minLength: 1 }) }) });
const context: LoadContext = { cwd: '/w', home: '/h', trusted: false };

const finder = (id: string, source: Partial<SlotSource<Skill>> & Pick<SlotSource<Skill>, 'load'>) =>
  inlineCandidate(
    { id, activate: (ctx) => void ctx.source(skills, { id: `${id}-files`, ...source }) },
    { sources: ['skills'] },
  );

const found = (key: string, name = key) => ({ key, value: { name }, file: `/w/${key}.md`, level: 'project' });

describe('loading from sources', () => {
  it('merges contributed and discovered entries, first by priority, and shows what is shadowed and where it stands', async () => {
    const kernel = createKernel();
    kernel.install(
      finder('low', { priority: 10, load: async () => ({ items: [found('a', 'low'), found('b')] }) }),
      finder('high', { priority: 80, load: async () => ({ items: [found('a', 'high')] }) }),
      inlineCandidate(
        { id: 'builtin', activate: (ctx) => void ctx.contribute(skills, 'c', { name: 'c' }) },
        { contributes: { skills: { c: {} } } },
      ),
    );
    const { entries, shadowed, problems } = await kernel.read(skills).load(context);
    expect(entries.map(({ key, value }) => [key, value?.name])).toEqual([
      ['a', 'high'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(shadowed).toMatchObject([
      { key: 'a', shadowed: true, source: { plugin: 'low', source: 'low-files', file: '/w/a.md', level: 'project' } },
    ]);
    expect(problems).toEqual([]);
  });

  it('reads the other sources when one fails, hangs or warns, and names each', async () => {
    const kernel = createKernel();
    kernel.install(
      finder('broken', { load: () => Promise.reject(new Error('no folder')) }),
      finder('hung', { deadlineMs: 20, load: () => new Promise(() => undefined) }),
      finder('wary', { load: async () => ({ items: [found('ok')], warnings: ['odd file /w/x.md'] }) }),
    );
    const { entries, problems } = await kernel.read(skills).load(context);
    expect(entries.map(({ key }) => key)).toEqual(['ok']);
    const text = problems.map(({ message }) => message).join('\n');
    expect(text).toContain('"broken-files" of slot "skills" (plugin "broken") failed: no folder');
    expect(text).toContain('"hung-files"');
    expect(text).toContain('odd file /w/x.md');
  });

  it('drops an invalid item with its source, file and key, and keeps the valid ones', async () => {
    const kernel = createKernel();
    kernel.install(
      finder('mixed', {
        load: async () => ({ items: [found('good'), { key: 'bad', value: {} as Skill, file: '/w/bad.md' }] }),
      }),
    );
    const { entries, problems } = await kernel.read(skills).load(context);
    expect(entries.map(({ key }) => key)).toEqual(['good']);
    expect(problems[0]?.message).toBe(
      'Entry "bad" of slot "skills", from "mixed-files" (/w/bad.md), is invalid: lacks the key "name"',
    );
  });

  it('asks the sources once per context until the result is invalidated', async () => {
    const kernel = createKernel();
    let loads = 0;
    kernel.install(finder('counted', { load: async () => (loads++, { items: [] }) }));
    const registry = kernel.read(skills);
    await Promise.all([registry.load(context), registry.load(context)]);
    expect(loads).toBe(1);
    await registry.load({ ...context, trusted: true });
    expect(loads).toBe(2);
    registry.invalidate();
    await registry.load(context);
    expect(loads).toBe(3);
  });

  it('does not remember a load that was aborted', async () => {
    const kernel = createKernel();
    let loads = 0;
    kernel.install(
      finder('slow', { load: async () => (loads++ === 0 ? new Promise(() => undefined) : { items: [found('a')] }) }),
    );
    const controller = new AbortController();
    const first = kernel.read(skills).load(context, controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await expect(first).rejects.toThrow('enough');
    expect((await kernel.read(skills).load(context)).entries).toHaveLength(1);
  });

  it('loads all sources at the same time', async () => {
    const kernel = createKernel();
    let waiting = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    const load = async () => {
      if (++waiting === 2) release();
      await both;
      return { items: [] };
    };
    kernel.install(finder('a', { load }), finder('b', { load }));
    await kernel.read(skills).load(context);
    expect(waiting).toBe(2);
  });
});

describe('discovering plugins', () => {
  it('installs what sources of the slot `plugins` find, and reports what they could not read', async () => {
    const kernel = createKernel();
    const packed = inlineCandidate({ id: 'packed', activate: () => undefined });
    kernel.install(
      inlineCandidate(
        {
          id: 'finder',
          activate: (ctx) =>
            void ctx.source(plugins, {
              id: 'folder',
              load: async () => ({ items: [{ key: 'packed', value: packed }], warnings: ['/p/bad is unreadable'] }),
            }),
        },
        { sources: ['plugins'] },
      ),
    );
    await kernel.discover(context);
    await kernel.activate('packed');
    expect(
      kernel
        .diagnostics()
        .map(({ error }) => error.message)
        .join(),
    ).toContain('/p/bad is unreadable');
    await kernel.discover(context);
    expect(kernel.diagnostics()).toHaveLength(1);
  });
});
