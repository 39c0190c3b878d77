import { urlRouter } from '@tenon/urls/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapAddress, parseQuestion } from '../src/address.ts';

const FILES = {
  'src/core.ts': 'export class CoreEngine {\n  startEngine(): void {}\n}\n',
  'src/one.ts': "import { CoreEngine } from './core';\nexport function useFirst() { new CoreEngine(); }\n",
  'src/two.ts': "import { CoreEngine } from './core';\nexport function useSecond() { new CoreEngine(); }\n",
  'lib/far.py': 'class FarAway:\n    pass\n',
  'docs/notes.md': '# CoreEngine\n',
};

let bench: Workbench;
beforeAll(async () => void (bench = await openWorkbench(['code-map', 'command-line'], { files: FILES })));
afterAll(() => bench.dispose());

const read = async (url: string) => {
  const router = await bench.kernel.find(urlRouter);
  const { signal } = new AbortController();
  return router.read(url, { signal, scope: { session: 'one', cwd: bench.root } });
};
const run = (args: Record<string, string>, flags: Record<string, string | boolean | string[]> = {}) =>
  runCommand(bench.kernel, 'map', { args, flags, cwd: bench.root });

describe('outline://', () => {
  it('shows what most of the code refers to first', async () => {
    const { content, notes } = await read('outline://');
    expect(content).toMatch(/^src\/core\.ts\n {2}1: export class CoreEngine\n/);
    expect(notes?.[0]).toContain('of 4 by importance, within 2000 tokens');
  });

  it('shows a part, within a budget, from the point of view of files', async () => {
    expect((await read('outline://lib')).content).toBe('lib/far.py\n  1: class FarAway:\n');
    const small = await read('outline://src?budget=50&focus=src/one.ts,nowhere.ts');
    expect(small.details).toMatchObject({ unknownFocus: ['nowhere.ts'] });
    expect(small.details?.['tokens']).toBeLessThanOrEqual(50);
  });

  it('sees a change at once', async () => {
    bench.put('src/core.ts', 'export class CoreEngine {}\nexport function freshlyMade() {}\n');
    expect((await read('outline://src/core.ts')).content).toContain('2: export function freshlyMade() {}');
  });

  it('says what to do about an address that cannot be used', async () => {
    await expect(read('outline://docs')).rejects.toMatchObject({ code: 'CODE_MAP_NOTHING' });
    await expect(read('outline://?budget=many')).rejects.toMatchObject({ code: 'CODE_MAP_BUDGET' });
    await expect(read('outline://?tokens=400')).rejects.toMatchObject({ code: 'CODE_MAP_QUERY' });
    await expect(read('outline://../x')).rejects.toMatchObject({ code: 'URLS_INVALID' });
  });

  it('has addresses that come back as they were asked', () => {
    const question = { scope: 'src/a b/c#.ts', budget: 300, focus: ['src/x&y.ts', 'lib'] };
    expect(parseQuestion(mapAddress(question))).toEqual(question);
  });
});

describe('tenon map', () => {
  it('writes the map for people and for programs', async () => {
    const { out, err } = await run({ path: 'src' }, { budget: '500' });
    expect(out).toContain('src/core.ts\n');
    expect(out).not.toContain('far.py');
    expect(err).toContain('in src of 4 by importance');
    expect((await run({}, { json: true, focus: ['lib/far.py'] })).json).toMatchObject({
      totals: { files: 4 },
      files: expect.arrayContaining([expect.objectContaining({ path: 'lib/far.py' })]),
    });
  });

  it('refuses what lies elsewhere', async () => {
    await expect(run({ path: '..' })).rejects.toMatchObject({ code: 'CODE_MAP_OUTSIDE' });
  });
});
