/** Edits of servers change exactly what they say, and nothing when they make no sense. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { editBytes, type TextEdit } from '../src/edits/text-edits.ts';
import { planMove, planWorkspaceEdit } from '../src/edits/workspace-edit.ts';
import { uriOfPath } from '../src/uris.ts';

let root: string;
const place = () => ({ server: 'fake', workspace: [root], versionOf: () => 3 });
const uri = (name: string) => uriOfPath(join(root, name));
const edit = (line: number, from: number, to: number, newText: string): TextEdit => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});
const plan = (documentChanges: unknown[]) => planWorkspaceEdit({ documentChanges }, place());
const texts = async (documentChanges: unknown[]) =>
  Object.fromEntries(
    (await plan(documentChanges)).files.map(({ path, after }) => [path.slice(root.length + 1), after?.toString()]),
  );

beforeEach(() => {
  root = temporaryFolder('edits');
  putFiles(root, { 'a.ts': 'one\ntwo\n', 'dir/b.ts': 'three\n', 'dir/deep/c.ts': 'four\n' });
});

describe('text edits', () => {
  it('count in UTF-16, keep the byte order mark, CRLF and odd line ends', () => {
    const bytes = (text: string) => Buffer.from(text);
    expect(editBytes(bytes('\uFEFFa😀b\r\nx\r\n'), [edit(0, 3, 4, 'c'), edit(1, 0, 1, 'y\nz')]).toString()).toBe(
      '\uFEFFa😀c\r\ny\r\nz\r\n',
    );
    expect(editBytes(bytes('a\rb\nc\r\nd'), [edit(1, 0, 1, 'B\n'), edit(3, 0, 1, 'D')]).toString()).toBe(
      'a\rB\n\nc\r\nD',
    );
    expect(editBytes(bytes('abc'), [edit(0, 1, 99, 'x'), edit(7, 0, 0, '!')]).toString()).toBe('ax!');
  });

  it('that overlap, run backwards or hit bytes that are no text are refused', async () => {
    expect(() => editBytes(Buffer.from('abcdef'), [edit(0, 0, 3, 'x'), edit(0, 2, 4, 'y')])).toThrow('overlap');
    expect(() => editBytes(Buffer.from('abcdef'), [edit(0, 3, 1, 'x')])).toThrow('before it starts');
    expect(() => editBytes(Buffer.from('abc'), [edit(0, -1, 1, 'x')])).toThrow('valid range');
    expect(() => editBytes(Buffer.from([0x66, 0xff, 0x66]), [edit(0, 0, 1, 'x')])).toThrow('UTF-8');
  });

  const text = fc
    .array(fc.constantFrom('a', 'bc', ' ', 'é', '😀', '\n', '\r\n', '\r', '\t', 'ß'), { maxLength: 30 })
    .map((parts) => parts.join(''));

  it('give what replacing by hand from the end gives', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(fc.nat(60), fc.nat(8), fc.constantFrom('', 'X', 'YY', 'é')), { maxLength: 6 }),
        fc.boolean(),
        (source, cuts, hasBom) => {
          // The model: offsets in a plain string, never two that touch the same characters.
          const offsets = positionsOf(source);
          let free = 0;
          const spans: { start: number; end: number; text: string }[] = [];
          for (const [skip, length, inserted] of cuts) {
            const start = Math.min(free + (skip % 7), offsets.length - 1);
            const end = Math.min(start + length, offsets.length - 1);
            spans.push({ start, end, text: inserted });
            free = end;
          }
          const at = (index: number) => offsets[index] ?? { line: 0, character: 0, offset: 0 };
          const edits = spans.map(({ start, end, text: newText }) => ({
            range: { start: pick(at(start)), end: pick(at(end)) },
            newText,
          }));
          let expected = source;
          for (const span of [...spans].reverse())
            expected = expected.slice(0, at(span.start).offset) + span.text + expected.slice(at(span.end).offset);
          const bom = hasBom ? '\uFEFF' : '';
          expect(editBytes(Buffer.from(bom + source), edits).toString()).toBe(bom + expected);
        },
      ),
    );
  });
});

/** Every place in a text that a position can name, in order. */
function positionsOf(source: string): { line: number; character: number; offset: number }[] {
  const places: { line: number; character: number; offset: number }[] = [];
  let [line, start] = [0, 0];
  for (const match of [...source.matchAll(/\r\n|\r|\n/g), undefined]) {
    const end = match?.index ?? source.length;
    for (let offset = start; offset <= end; offset++) {
      // Between the halves of one character nobody edits: the result would be no text.
      if (/^[\uDC00-\uDFFF]/.test(source.slice(offset, offset + 1))) continue;
      places.push({ line, character: offset - start, offset });
    }
    line++;
    start = end + (match?.[0].length ?? 0);
  }
  return places;
}

function pick({ line, character }: { line: number; character: number }) {
  return { line, character };
}

describe('a workspace edit', () => {
  it('makes, renames, edits and deletes files in order, and plans nothing twice', async () => {
    const done = await texts([
      { kind: 'create', uri: uri('new.ts') },
      { textDocument: { uri: uri('new.ts'), version: null }, edits: [edit(0, 0, 0, 'hello')] },
      { kind: 'rename', oldUri: uri('a.ts'), newUri: uri('moved/a.ts') },
      { textDocument: { uri: uri('moved/a.ts'), version: null }, edits: [edit(0, 0, 3, 'ONE')] },
      { kind: 'delete', uri: uri('dir/b.ts') },
    ]);
    expect(done).toEqual({ 'new.ts': 'hello', 'a.ts': undefined, 'moved/a.ts': 'ONE\ntwo\n', 'dir/b.ts': undefined });
  });

  it('honours what to do about files that exist or do not', async () => {
    await expect(plan([{ kind: 'create', uri: uri('a.ts') }])).rejects.toThrow('exists already');
    expect(await texts([{ kind: 'create', uri: uri('a.ts'), options: { ignoreIfExists: true } }])).toEqual({});
    expect(await texts([{ kind: 'create', uri: uri('a.ts'), options: { overwrite: true } }])).toEqual({ 'a.ts': '' });
    await expect(plan([{ kind: 'rename', oldUri: uri('a.ts'), newUri: uri('dir/b.ts') }])).rejects.toThrow(
      'exists already',
    );
    await expect(plan([{ kind: 'delete', uri: uri('none') }])).rejects.toThrow('does not exist');
    expect(await texts([{ kind: 'delete', uri: uri('none'), options: { ignoreIfNotExists: true } }])).toEqual({});
  });

  it('moves and deletes whole folders', async () => {
    const moved = await planMove(join(root, 'dir'), join(root, 'other'), [], place());
    expect(moved.files.map(({ path, after }) => [path.slice(root.length + 1), after?.toString()]).sort()).toEqual([
      ['dir/b.ts', undefined],
      ['dir/deep/c.ts', undefined],
      ['other/b.ts', 'three\n'],
      ['other/deep/c.ts', 'four\n'],
    ]);
    await expect(planMove(join(root, 'dir'), join(root, 'dir/in'), [], place())).rejects.toThrow('into itself');
    expect(
      Object.keys(await texts([{ kind: 'delete', uri: uri('dir'), options: { recursive: true } }])).sort(),
    ).toEqual(['dir/b.ts', 'dir/deep/c.ts']);
  });

  it('for another version of a document is refused', async () => {
    await expect(
      plan([{ textDocument: { uri: uri('a.ts'), version: 2 }, edits: [edit(0, 0, 1, 'x')] }]),
    ).rejects.toThrow('has changed since');
    expect(await texts([{ textDocument: { uri: uri('a.ts'), version: 3 }, edits: [edit(0, 0, 1, 'x')] }])).toEqual({
      'a.ts': 'xne\ntwo\n',
    });
  });

  it('outside of the workspace, through links, into git or to no file is refused', async () => {
    const outside = temporaryFolder('outside');
    putFiles(outside, { 'x.ts': 'x\n' });
    symlinkSync(outside, join(root, 'link'));
    mkdirSync(join(root, '.git'));
    const targets = [
      uriOfPath(join(outside, 'x.ts')),
      uri('link/x.ts'),
      uri('link/new.ts'),
      uri('../up.ts'),
      uri('.git/config'),
    ];
    for (const target of targets)
      await expect(plan([{ kind: 'create', uri: target, options: { overwrite: true } }]), target).rejects.toMatchObject(
        { code: 'LSP_EDIT_OUTSIDE' },
      );
    for (const target of ['http://x/a.ts', 'untitled:a', 'file://host/a', 7, undefined])
      await expect(plan([{ kind: 'create', uri: target }])).rejects.toMatchObject({ code: 'LSP_EDIT_INVALID' });
    expect(await readFile(join(outside, 'x.ts'), 'utf8')).toBe('x\n');
  });

  it('of any shape either is refused in words or changes files of the workspace only', async () => {
    const name = fc.constantFrom('a.ts', 'dir/b.ts', 'dir', 'new.ts', '../out.ts', '.git/hooks/x', 'a.ts/x');
    const anyEdit = fc.oneof(
      fc.record({ range: fc.anything(), newText: fc.anything() }),
      fc
        .tuple(fc.nat(4), fc.nat(6), fc.nat(6), fc.string())
        .map(([line, from, to, newText]) => edit(line, from, to, newText)),
    );
    const change = fc.oneof(
      fc.anything(),
      name.chain((one) =>
        fc.record({
          textDocument: fc.constant({ uri: uri(one), version: null }),
          edits: fc.array(anyEdit, { maxLength: 3 }),
        }),
      ),
      fc.record({
        kind: fc.constantFrom('create', 'delete', 'odd'),
        uri: name.map((one) => uri(one)),
        options: fc.constantFrom({}, { overwrite: true }),
      }),
      fc.record({
        kind: fc.constant('rename'),
        oldUri: name.map((one) => uri(one)),
        newUri: name.map((one) => uri(one)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), async (changes) => {
        try {
          const { files } = await plan(changes);
          for (const { path } of files) expect(path.startsWith(`${root}/`) && !path.includes('/.git/')).toBe(true);
        } catch (fault) {
          expect(fault).toMatchObject({ owner: 'lsp', next: expect.any(String) as string });
        }
      }),
    );
  });
});
