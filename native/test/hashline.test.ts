import { beforeAll, describe, expect, it } from 'vitest';

import type { Section } from '../src/hashline/contract.ts';
import { implementations } from '../src/index.ts';

const available = await implementations('hashline');

describe('the hashline implementations', () => {
  it('include the JavaScript twin unless another kind is forced', () => {
    expect(available.map((entry) => entry.kind)).toContain(process.env['TENON_ACCEL'] === 'native' ? 'native' : 'js');
  });
});

describe.each(available)('hashline served by $kind', ({ implementation: hashline }) => {
  let code: Buffer;

  beforeAll(() => {
    code = Buffer.from('fn one() {\n  return 1;\n}\n\nfn two() {\n  return 2;\n}\n');
  });

  /** Writes `{3}` in a patch as the anchor of line 3 of `file`. */
  function section(file: Uint8Array, patch: string): Section {
    const anchors = hashline
      .format(file)
      .toString('latin1')
      .split('\n')
      .map((row) => row.split('|')[0]!);
    const written = patch.replace(/\{(\d+)\}/g, (_, number: string) => anchors[Number(number) - 1]!);
    const parsed = hashline.parse(`@@ a.rs\n${written}`);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.sections[0]!;
  }

  function edit(file: Uint8Array | string, patch: string, snapshot?: Uint8Array): string {
    const bytes = Buffer.from(file);
    const read = snapshot ?? bytes;
    const result = hashline.apply(bytes, section(read, patch), snapshot ? { snapshot } : {});
    return result.ok ? result.content.toString() : `refused (${result.code}): ${result.message}`;
  }

  it('shows each line as its number, two letters, a bar and the text', () => {
    const rows = hashline.format(code).toString().split('\n').slice(0, -1);
    expect(rows).toHaveLength(7);
    for (const [index, row] of rows.entries()) {
      expect(row).toMatch(new RegExp(`^${index + 1}[a-z]{2}\\|`));
      const text = row.slice(row.indexOf('|') + 1);
      expect(row.startsWith(`${hashline.anchor(text, index + 1)}|`)).toBe(true);
    }
    expect(hashline.format(code, { first: 2, last: 3 }).toString()).toBe(`${rows[1]}\n${rows[2]}\n`);
    expect(hashline.format(code, { first: -3, last: Infinity }).toString()).toBe(`${rows.join('\n')}\n`);
    expect(hashline.format(code, { first: 9 })).toHaveLength(0);
  });

  it('gives the anchors that are written down here, so that a change of the hash cannot go unnoticed', () => {
    expect(hashline.anchor('fn one() {', 1)).toBe(GOLDEN.text);
    expect(hashline.anchor('}', 3)).toBe(GOLDEN.brace);
    expect(hashline.anchor('const a = "a line that is longer than sixteen bytes";', 120)).toBe(GOLDEN.long);
    expect(hashline.anchor('日本語のコメント', 7)).toBe(GOLDEN.other);
  });

  it('hashes all lines as it hashes one', () => {
    const codes = [...hashline.hashLines(code)];
    const shown = hashline.format(code).toString().split('\n').slice(0, -1);
    const letters = codes.map((value) => String.fromCharCode(97 + Math.floor(value / 26), 97 + (value % 26)));
    expect(letters).toEqual(shown.map((row) => /[a-z]{2}/.exec(row)![0]));
  });

  it('replaces, inserts and deletes lines named in the file as read', () => {
    expect(edit(code, '= {2}..{2}\n~  return 10;\n- {5}..{7}\n+ {4}\n~// end')).toBe(
      'fn one() {\n  return 10;\n}\n\n// end\n',
    );
    expect(edit('', '+ EOF\n~first')).toBe('first\n');
  });

  it('leaves every byte that it was not asked to change', () => {
    const odd = Buffer.concat([
      Buffer.from('\ufeffone\r\n\ttwo\0\n'),
      Buffer.from([0xed, 0xa0, 0x80, 0xff, 0x0d, 0x0a]),
      Buffer.from('edit me\nlast'),
    ]);
    const result = hashline.apply(odd, section(odd, '= {4}..{4}\n~edited'));
    expect(result.ok && result.content.toString('latin1')).toBe(odd.toString('latin1').replace('edit me', 'edited'));
  });

  it('refuses a stale anchor and shows the lines there now with anchors that work', () => {
    const now = Buffer.from(code.toString().replace('return 1', 'return 11'));
    const refused = hashline.apply(now, section(code, '= {2}..{2}\n~  return 100;'));
    if (refused.ok) throw new Error('a stale edit was applied');
    expect(refused.code).toBe('stale');
    const fresh = /^\*(\d+[a-z]{2})\| {2}return 11;$/m.exec(refused.message)![1]!;
    const again = hashline.parse(`@@ a.rs\n= ${fresh}..${fresh}\n~  return 100;`);
    expect(again.ok && hashline.apply(now, again.sections[0]!).ok).toBe(true);
  });

  it('names the line and the remedy when a patch is malformed', () => {
    expect(hashline.parse('@@ a.rs\n- 4fb')).toMatchObject({ ok: false, line: 2 });
    expect(hashline.parse('@@ a.rs\n+ 4fb|text\n~x')).toMatchObject({
      message: expect.stringContaining('left of "|"'),
    });
  });

  it('refuses a patch string with half of a surrogate pair instead of writing a replacement character', () => {
    const parsed = hashline.parse('@@ a.rs\n+ EOF\n~ok\n~\ud83d');
    expect(parsed).toMatchObject({ ok: false, line: 4, message: expect.stringContaining('surrogate pair') });
    expect(hashline.parse('@@ a.rs\n+ EOF\n~\u{1f600}').ok).toBe(true);
  });

  it('refuses overlapping operations and names both', () => {
    expect(edit(code, '- {1}..{3}\n= {2}..{2}\n~x')).toMatch(/^refused \(overlap\).*lines 2 and 3 of the patch/);
  });

  it('places an edit in a file that changed elsewhere, and says so', () => {
    const now = Buffer.from(`// header\n${code.toString()}// footer\n`);
    expect(edit(now, '= {6}..{6}\n~  return 20;', code)).toBe(now.toString().replace('return 2;', 'return 20;'));
    const result = hashline.apply(now, section(code, '- {2}..{2}'), { snapshot: code });
    expect(result).toMatchObject({ ok: true, recovered: true, warnings: [expect.stringContaining('changed since')] });
  });

  it('refuses to place an edit whose surroundings changed or repeat', () => {
    const changed = Buffer.from(`// header\n${code.toString().replace('fn two', 'fn 2')}// footer\n`);
    expect(edit(changed, '= {6}..{6}\n~  return 20;', code)).toMatch(/^refused \(stale\).*\n.*have changed/);
    const twice = Buffer.from(`x\n${code.toString()}y\n${code.toString()}z\n`);
    expect(edit(twice, '= {6}..{6}\n~  return 20;', code)).toMatch(/^refused \(stale\).*\n.*more than once/);
  });

  it('does not trust letters that fit by chance when it knows what was read', () => {
    // `}` on the same line number has the same letters whatever block it closes.
    const now = Buffer.from('fn two() {\n  return 2;\n}\n\nfn one() {\n  return 1;\n}\n');
    expect(edit(now, '+ {3}\n~// one ends here', code)).toMatch(/^refused \(stale\)/);
    const without = hashline.apply(now, section(code, '+ {3}\n~// one ends here'));
    expect(without.ok).toBe(true);
  });

  it('writes nothing for a payload that a caller cut in the middle of a line', () => {
    const whole = section(code, '+ {1}\n~inserted');
    const cut = { ...whole, ops: whole.ops.map((op) => ({ ...op, payloadEnd: op.payloadEnd - 1 })) };
    expect(hashline.apply(code, cut)).toMatchObject({ ok: false, code: 'no-change' });
  });

  it('answers on a million lines', () => {
    const big = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => `line ${n}`).join('\n'));
    expect(hashline.hashLines(big)).toHaveLength(1_000_000);
    const anchor = hashline.anchor('line 999999', 1_000_000);
    const parsed = hashline.parse(`@@ big\n= ${anchor}..${anchor}\n~end`);
    const result = parsed.ok && hashline.apply(big, parsed.sections[0]!);
    expect(result && result.ok && result.content.subarray(-15).toString()).toBe('line 999998\nend');
  });
});

/** Anchors that were computed once and must never change: sessions hold them. */
const GOLDEN = { text: '1nz', brace: '3zc', long: '120tt', other: '7nt' };
