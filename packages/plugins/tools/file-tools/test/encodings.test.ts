/** Files whose text is not UTF-8: they stay what they are, in every mode of edit and for write. */
import { readFileSync } from 'node:fs';
import { caseCount } from '@tenon/test-kit/properties';
import { anchorOf, openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { decoded, encoded, encodingOf } from '../src/text-encoding.ts';

let bench: Workbench;
const open = async (mode: string, files: Record<string, Uint8Array>) =>
  (bench = await openWorkbench(['file-tools', 'documents'], {
    files,
    settings: { 'file-tools': { edit: { mode } } },
  }));
afterEach(() => bench?.dispose());

const latin = (text: string) => Buffer.from(text, 'latin1');
/** Windows-1252 with its own quotes. */
const windows = (text: string) => latin(text.replaceAll('“', '\x93').replaceAll('”', '\x94').replaceAll('€', '\x80'));
const bytes = (name: string) => readFileSync(bench.path(name));

/** The second line, “naïve”, becomes other text. */
const INPUTS: Readonly<Record<string, (line: string, anchor: string) => Record<string, unknown>>> = {
  hashline: (line, anchor) => ({ input: `@@ a.txt\n= ${anchor}..${anchor}\n~${line}\n` }),
  replace: (line) => ({ path: 'a.txt', edits: [{ old_text: 'naïve', new_text: line }] }),
  patch: (line) => ({ path: 'a.txt', edits: [{ diff: `@@\n café\n-naïve\n+${line}\n` }] }),
  apply_patch: (line) => ({
    input: `*** Begin Patch\n*** Update File: a.txt\n@@\n café\n-naïve\n+${line}\n*** End Patch`,
  }),
  vim: (line) => ({ file: 'a.txt', steps: [{ kbd: ['2GS'], insert: line }] }),
};

describe.each(Object.entries(INPUTS))('edit (%s) of text that is not UTF-8', (mode, input) => {
  it('writes new characters as the file has its own, and shows anchors that hold', async () => {
    await open(mode, { 'a.txt': latin('café\nnaïve\nend\n') });
    const shown = await bench.ok('read', { path: 'a.txt' });
    expect(shown).toContain('|café');
    const first = await bench.ok('edit', input('Zoë', anchorOf(shown, 'naïve')));
    expect(bytes('a.txt')).toEqual(latin('café\nZoë\nend\n'));
    if (mode !== 'hashline') return;
    await bench.ok('edit', { input: `@@ a.txt\n= ${anchorOf(first, 'Zoë')}..${anchorOf(first, 'Zoë')}\n~Noël\n` });
    expect(bytes('a.txt')).toEqual(latin('café\nNoël\nend\n'));
  });

  it('keeps Windows-1252', async () => {
    await open(mode, { 'a.txt': windows('café\nnaïve\n“end”\n') });
    await bench.ok('edit', input('“5 €”', anchorOf(await bench.ok('read', { path: 'a.txt' }), 'naïve')));
    expect(bytes('a.txt')).toEqual(windows('café\n“5 €”\n“end”\n'));
  });

  it('refuses a character that the file cannot have, and says which', async () => {
    const before = latin('café\nnaïve\nend\n');
    await open(mode, { 'a.txt': before });
    const anchor = anchorOf(await bench.ok('read', { path: 'a.txt' }), 'naïve');
    expect(await bench.fails('edit', input('日本', anchor))).toMatch(
      /a\.txt is Latin-1 text, which has no "日".*UTF-8/s,
    );
    expect(bytes('a.txt')).toEqual(before);
  });

  it('carries the edit over when the file has changed since it was read', async () => {
    await open(mode, { 'a.txt': latin('café\nnaïve\nend\n') });
    const anchor = anchorOf(await bench.ok('read', { path: 'a.txt' }), 'naïve');
    bench.put('a.txt', latin('été\ncafé\nnaïve\nend\n'));
    if (mode === 'vim') await bench.ok('read', { path: 'a.txt' });
    const result = await bench.run('edit', input('Zoë', anchor));
    const lines = mode === 'vim' ? 'été\nZoë\nnaïve\nend\n' : 'été\ncafé\nZoë\nend\n';
    expect(result.isError ?? false).toBe(false);
    expect(bytes('a.txt')).toEqual(latin(lines));
  });
});

describe('write over text that is not UTF-8', () => {
  it('keeps the encoding where the new text fits it, and says when it does not', async () => {
    await open('hashline', { 'a.txt': latin('café\n'), 'b.txt': windows('“x”\n'), 'c.txt': latin('café\n') });
    expect(await bench.ok('write', { path: 'a.txt', content: 'Zoë\n' })).toContain('Latin-1 kept');
    expect(bytes('a.txt')).toEqual(latin('Zoë\n'));
    expect(await bench.ok('write', { path: 'b.txt', content: '“Zoë”\n' })).toContain('Windows-1252 kept');
    expect(bytes('b.txt')).toEqual(windows('“Zoë”\n'));
    expect(await bench.ok('write', { path: 'c.txt', content: '日本 Zoë\n' })).toContain(
      'UTF-8 now, because Latin-1 has no "日"',
    );
    expect(bytes('c.txt')).toEqual(Buffer.from('日本 Zoë\n'));
  });
});

describe('encodings', () => {
  it('give every byte back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
        const encoding = encodingOf(content);
        if (encoding === undefined) return;
        expect(encoded(decoded(content, encoding), encoding)).toEqual(Buffer.from(content));
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('take no text for Latin-1 of which a part is UTF-8', () => {
    expect(encodingOf(Buffer.concat([Buffer.from('é'), latin('é\n')]))).toBeUndefined();
    expect(encodingOf(latin('é\n'))).toBe('Latin-1');
    expect(encodingOf(windows('“é”'))).toBe('Windows-1252');
    expect(encodingOf(Buffer.from('é'))).toBe('UTF-8');
  });
});
