/** Somebody removes a file, or puts something else in its place, after the model has read it and before it edits or writes it. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { anchorOf, openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { afterEach, describe, expect, it } from 'vitest';

const MODES = ['hashline', 'replace', 'patch', 'apply_patch', 'vim'] as const;
type Mode = (typeof MODES)[number];

/** An edit that replaces the second line of the file. */
function editOf(mode: Mode, anchor: string): Record<string, unknown> {
  const path = 'a.txt';
  if (mode === 'hashline') return { input: `@@ ${path}\n= ${anchor}..${anchor}\n~NEW\n` };
  if (mode === 'replace') return { path, edits: [{ old_text: 'two', new_text: 'NEW' }] };
  if (mode === 'patch') return { path, edits: [{ op: 'update', diff: '@@\n one\n-two\n+NEW\n' }] };
  if (mode === 'vim') return { file: path, steps: [{ kbd: [':2s/two/NEW/\n'] }] };
  return { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n one\n-two\n+NEW\n*** End Patch\n` };
}

let bench: Workbench | undefined;
afterEach(async () => bench?.dispose());

async function readThen(mode: Mode, happens: (bench: Workbench) => void) {
  bench = await openWorkbench(['file-tools', 'documents'], { settings: { 'file-tools': { edit: { mode } } } });
  bench.put('a.txt', 'one\ntwo\nthree\n');
  const listing = await bench.ok('read', { path: 'a.txt' }, 's');
  happens(bench);
  return { bench, anchor: mode === 'hashline' ? anchorOf(listing, 'two') : '' };
}

const namesIn = (root: string) => readdirSync(root).filter((name) => name !== '.git');

describe.each(MODES)('in the mode %s', (mode) => {
  it('an edit of a file that was removed is refused, and no file comes into being', async () => {
    const { bench, anchor } = await readThen(mode, (made) => rmSync(made.path('a.txt')));
    const result = await bench.run('edit', editOf(mode, anchor), { session: 's' });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(/a\.txt/)]);
    expect(namesIn(bench.root)).toEqual([]);
  });

  it('an edit of what has become a folder is refused, and nothing in it changes', async () => {
    const { bench, anchor } = await readThen(mode, (made) => {
      rmSync(made.path('a.txt'));
      mkdirSync(made.path('a.txt'));
      writeFileSync(made.path('a.txt/inner'), 'one\ntwo\nthree\n');
    });
    const result = await bench.run('edit', editOf(mode, anchor), { session: 's' });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(/folder|directory/i)]);
    expect(bench.get('a.txt/inner')).toBe('one\ntwo\nthree\n');
  });

  it('an edit of what has become a link to nothing is refused, and the link stays', async () => {
    const { bench, anchor } = await readThen(mode, (made) => {
      rmSync(made.path('a.txt'));
      symlinkSync(made.path('nowhere'), made.path('a.txt'));
    });
    const result = await bench.run('edit', editOf(mode, anchor), { session: 's' });
    expect(result.isError).toBe(true);
    expect(lstatSync(bench.path('a.txt')).isSymbolicLink()).toBe(true);
    expect(existsSync(bench.path('nowhere'))).toBe(false);
  });
});

it('a write to what has become a folder is refused, and nothing in it changes', async () => {
  const { bench } = await readThen('replace', (made) => {
    rmSync(made.path('a.txt'));
    mkdirSync(made.path('a.txt'));
  });
  expect(await bench.fails('write', { path: 'a.txt', content: 'x' }, 's')).toMatch(/folder|directory/i);
  expect(lstatSync(bench.path('a.txt')).isDirectory()).toBe(true);
});
