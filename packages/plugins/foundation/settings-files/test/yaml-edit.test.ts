import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { editSettings } from '../src/yaml-edit.ts';

const edit = async (text: string, path: string, value?: unknown) =>
  editSettings(text, [{ path: path.split('.'), ...(value !== undefined && { value }) }], 'settings.yml');

const SAMPLE = `# My settings
# (second line)

theme:
    dark: nord   # at night
    light: "paper"


packs:   # what packs may use
    memory: 512
    hosts: [a, b]   # both

# the end
`;

describe('changing settings in a text', () => {
  it('changes one value and not one other byte', async () => {
    expect(await edit(SAMPLE, 'packs.memory', 1024)).toBe(SAMPLE.replace('512', '1024'));
    expect(await edit(SAMPLE, 'theme.dark', 'gruvbox')).toBe(SAMPLE.replace('nord', 'gruvbox'));
    expect(await edit(SAMPLE, 'theme.light', 'sand')).toBe(SAMPLE.replace('"paper"', 'sand'));
    expect(await edit(SAMPLE, 'packs.hosts', ['c'])).toBe(SAMPLE.replace('[a, b]', '[ c ]'));
  });

  it('adds a setting behind the last one of its section, indented like it', async () => {
    expect(await edit(SAMPLE, 'theme.dim', true)).toBe(SAMPLE.replace('"paper"\n', '"paper"\n    dim: true\n'));
    expect(await edit(SAMPLE, 'packs.limits.cpu', 2)).toBe(
      SAMPLE.replace('# both\n', '# both\n    limits:\n      cpu: 2\n'),
    );
  });

  it('adds a section behind the last one', async () => {
    expect(await edit(SAMPLE, 'new.key', 1)).toBe(SAMPLE.replace('# both\n', '# both\nnew:\n  key: 1\n'));
  });

  it('removes a setting with its line, and a section that would be empty', async () => {
    expect(await edit(SAMPLE, 'packs.memory')).toBe(SAMPLE.replace('    memory: 512\n', ''));
    const without = await edit(await edit(SAMPLE, 'theme.dark'), 'theme.light');
    expect(without).toBe(SAMPLE.replace('theme:\n    dark: nord   # at night\n    light: "paper"\n', ''));
  });

  it('leaves the text alone when there is nothing to remove', async () => {
    expect(await edit(SAMPLE, 'theme.nothing.here')).toBe(SAMPLE);
  });

  it('starts an empty file, a file of comments, and a file without a last line break', async () => {
    expect(await edit('', 'a.b', 1)).toBe('a:\n  b: 1\n');
    expect(await edit('# hello\n', 'a.b', 1)).toBe('# hello\na:\n  b: 1\n');
    expect(await edit('a:\n  b: 1', 'a.c', 2)).toBe('a:\n  b: 1\n  c: 2\n');
  });

  it('fills a section that stands there without values', async () => {
    expect(await edit('a:  # mine\nb: 1\n', 'a.c.d', 2)).toBe('a:  # mine\n  c:\n    d: 2\nb: 1\n');
    expect(await edit('a:\n  b:\nc: 1\n', 'a.b', 'x')).toBe('a:\n  b: x\nc: 1\n');
  });

  it('keeps Windows line breaks and the byte order mark', async () => {
    const text = '\uFEFFa:\r\n  b: 1 # one\r\n';
    expect(await edit(text, 'a.b', 2)).toBe('\uFEFFa:\r\n  b: 2 # one\r\n');
    expect(await edit(text, 'a.c', 3)).toBe('\uFEFFa:\r\n  b: 1 # one\r\n  c: 3\r\n');
  });

  it('keeps values text that would read as something else', async () => {
    for (const value of [
      'true',
      '1',
      'null',
      '- x',
      'a: b',
      '# no',
      '',
      ' x ',
      'two\nlines',
      '{',
      "it's",
      '\u001b[31m',
      '~',
    ]) {
      expect(parse(await edit(SAMPLE, 'theme.dark', value)).theme.dark).toBe(value);
    }
  });

  it('keeps block texts and flow sections readable', async () => {
    const text = 'note: |\n  one\n  two\nflow: {a: 1, b: 2}  # keep\nlast: x\n';
    expect(await edit(text, 'last', 'y')).toBe(text.replace('last: x', 'last: y'));
    expect(await edit(text, 'flow.a', 5)).toBe(text.replace('a: 1', 'a: 5'));
    expect(parse(await edit(text, 'flow.c', 3))).toEqual({ note: 'one\ntwo\n', flow: { a: 1, b: 2, c: 3 }, last: 'x' });
    expect(await edit(text, 'flow.c', 3)).toContain('# keep');
    expect(parse(await edit(text, 'note', 'short')).note).toBe('short');
  });

  it('keeps anchors, and does not change what an alias of a changed value stands for', async () => {
    const text = 'base: &base\n  a: 1 # one\nother: *base\nmerged:\n  <<: *base\n  b: 2\n';
    const changed = await edit(text, 'base.a', 5);
    expect(parse(changed, { merge: true })).toEqual({ base: { a: 5 }, other: { a: 1 }, merged: { a: 1, b: 2 } });
    expect(changed).toContain('a: 5 # one');
    const apart = await edit(text, 'other.a', 9);
    expect(parse(apart, { merge: true })).toEqual({ base: { a: 1 }, other: { a: 9 }, merged: { a: 1, b: 2 } });
    expect(apart).toContain('&base');
    expect(apart).toContain('# one');
    const overridden = await edit(text, 'merged.a', 7);
    expect(parse(overridden, { merge: true }).merged).toEqual({ a: 7, b: 2 });
    expect(overridden).toContain('<<: *base');
    const removed = await edit(text, 'base');
    expect(parse(removed, { merge: true })).toEqual({ other: { a: 1 }, merged: { a: 1, b: 2 } });
  });

  it('says that a merged setting cannot be removed alone', async () => {
    await expect(edit('base: &b\n  a: 1\nm:\n  <<: *b\n  c: 1\n', 'm.a')).rejects.toMatchObject({
      code: 'SETTINGS_FILES_BY_HAND',
    });
  });

  it('keeps the comment above a value that becomes a section', async () => {
    expect(await edit('# head\nd: 0\n# tail\n', 'd.a', 1)).toBe('# head\nd:\n  a: 1\n\n# tail\n');
  });

  it('reads back as asked, whatever the settings are (property)', async () => {
    const name = fc.stringMatching(/^[a-z]{1,4}$/);
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    const section = fc.dictionary(name, leaf, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, fc.oneof(section, leaf), { maxKeys: 4 }),
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.oneof(leaf, fc.constant(undefined)),
        async (values, path, value) => {
          const before = `# head\n${Object.keys(values).length > 0 ? stringify(values) : ''}# tail\n`;
          const after = editSettings(before, [{ path, ...(value !== undefined && { value }) }], 'f');
          expect(after).toContain('# head');
          expect(after).toContain('# tail');
          const at = path.reduce<unknown>(
            (node, key) => (node as Record<string, unknown> | null | undefined)?.[key],
            parse(after) ?? {},
          );
          if (value !== undefined) expect(at).toEqual(value);
          else expect(at).toBeUndefined();
        },
      ),
      { numRuns: caseCount(300) },
    );
  });
});
