/** A guard that is loaded again: no call runs while it is away, and none if it does not come back. */
import { rmSync, writeFileSync } from 'node:fs';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, world } from './support/world.ts';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);

const guard = (more = '') => `
  export default (pi) => {
    ${more}
    pi.on('tool_call', (event) => (event.input.path === 'secret' ? { block: true, reason: 'guarded' } : undefined));
    pi.registerCommand('again', { handler: async (_words, ctx) => { await ctx.reload(); } });
  };`;
const runs: string[] = [];
const touchTool = {
  touch: async ({ path }: Readonly<Record<string, unknown>>) => {
    runs.push(String(path));
    return { content: [{ type: 'text' as const, text: 'ran' }] };
  },
};
const touches = (count: number) => [
  ...Array.from({ length: count }, () => ({ calls: [{ name: 'touch', arguments: { path: 'secret' } }] })),
  { text: 'done' },
];

describe('a guard extension that is loaded again', () => {
  test('refuses also during and right after the reload', async () => {
    runs.length = 0;
    const seen = await world({ guard: guard() }, touches(40), { tools: touchTool });
    await seen.command('again');
    await seen.agent.prompt('go');
    expect(runs).toEqual([]);
    const texts = toolTexts(seen);
    expect(texts).toHaveLength(40);
    for (const text of texts) expect(text).toContain('guarded');
    await seen.end();
  });

  test('refuses everything when it cannot be loaded again', async () => {
    runs.length = 0;
    const seen = await world({ guard: guard() }, touches(3), { tools: touchTool });
    await seen.command('nothing'); // loads them
    writeFileSync(seen.file('guard'), guard("throw new Error('broken now');"));
    await seen.command('again');
    await until(() => seen.reports().some(({ code }) => code === 'PI_COMPAT_LOAD_FAILED'));
    await seen.agent.prompt('go');
    expect(runs).toEqual([]);
    for (const text of toolTexts(seen)) expect(text).toContain('"guard" judges calls and could not be loaded again');
    await seen.end();
  });

  test('refuses everything when its file is gone', async () => {
    runs.length = 0;
    const seen = await world({ guard: guard(), other: 'export default () => {};' }, touches(2), { tools: touchTool });
    await seen.command('nothing'); // loads them
    rmSync(seen.file('guard'));
    await seen.command('again');
    await seen.agent.prompt('go');
    expect(runs).toEqual([]);
    expect(toolTexts(seen)[0]).toContain('could not be loaded again');
    await seen.end();
  });
});
