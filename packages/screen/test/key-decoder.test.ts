import { COMMON_SEED } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { KeyDecoder, readKey, type TerminalInput } from '../src/index.ts';

/** A key as one word, modifiers first. */
function nameOf(data: string): string {
  const key = readKey(data);
  if (!key) return 'none';
  const held = (['ctrl', 'alt', 'shift', 'super'] as const).filter((name) => key[name]);
  return [...held, key.name, ...(key.event === 'press' ? [] : [key.event])].join('+');
}

const KEYS: Readonly<Record<string, string>> = {
  a: 'a',
  A: 'shift+a',
  é: 'é',
  日: '日',
  '😀': '😀',
  ' ': 'space',
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\0': 'ctrl+space',
  '\x01': 'ctrl+a',
  '\x03': 'ctrl+c',
  '\x1a': 'ctrl+z',
  '\x1c': 'ctrl+\\',
  '\x1f': 'ctrl+_',
  '\x1ba': 'alt+a',
  '\x1bA': 'alt+shift+a',
  '\x1b\r': 'alt+enter',
  '\x1b\x7f': 'alt+backspace',
  '\x1b\x03': 'ctrl+alt+c',
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b\x1b[A': 'alt+up',
  '\x1b[1;5C': 'ctrl+right',
  '\x1b[1;6D': 'ctrl+shift+left',
  '\x1b[1;3H': 'alt+home',
  '\x1b[3~': 'delete',
  '\x1b[3;5~': 'ctrl+delete',
  '\x1b[3^': 'ctrl+delete',
  '\x1b[3$': 'shift+delete',
  '\x1b[a': 'shift+up',
  '\x1bOa': 'ctrl+up',
  '\x1bO5C': 'ctrl+right',
  '\x1bO1;2P': 'shift+f1',
  '\x1bOM': 'shift+enter',
  '\x1b[Z': 'shift+tab',
  '\x1bOP': 'f1',
  '\x1b[[A': 'f1',
  '\x1b[1;2R': 'shift+f3',
  '\x1b[24~': 'f12',
  '\x1b[97;5u': 'ctrl+a',
  '\x1b[97:65;2u': 'shift+a',
  '\x1b[13;2u': 'shift+enter',
  '\x1b[65;30;97;1;0;1_': 'a',
  '\x1b[65;30;65;1;16;1_': 'shift+a',
  '\x1b[67;46;3;1;8;1_': 'ctrl+c',
  '\x1b[38;72;0;1;258;1_': 'alt+up',
  '\x1b[81;16;64;1;9;1_': '@',
  '\x1b[116;63;0;1;0;1_': 'f5',
  '\x1b[13;28;13;0;0;1_': 'enter+release',
  '\x1b[16;42;0;1;16;1_': 'none',
  '\x1b[27u': 'escape',
  '\x1b[97;5:3u': 'ctrl+a+release',
  '\x1b[97;1:2u': 'a+repeat',
  '\x1b[1;1:3A': 'up+release',
  '\x1b[57399u': '0',
  '\x1b[57414u': 'enter',
  '\x1b[27;5;99~': 'ctrl+c',
  '\x1b[27;2;13~': 'shift+enter',
  '\x1b[97;9u': 'super+a',
};

const REPORTS = [
  '\x1b[?12;3R',
  '\x1b[?62;22c',
  '\x1b]11;rgb:1e1e/1e1e/2e2e\x07',
  '\x1b]11;rgb:0/0/0\x1b\\',
  '\x1bP>|foot\x1b\\',
  '\x1b[?2026;2$y',
  '\x1b[?1u',
  '\x1b[57441u',
  '\x1b[I',
];

/** Everything that comes of these parts. */
function decode(parts: readonly Uint8Array[]): TerminalInput[] {
  const decoder = new KeyDecoder();
  return [...parts.flatMap((part, at) => decoder.push(part, at * 1000)), ...decoder.flush()];
}

describe('keys', () => {
  for (const [data, name] of Object.entries(KEYS)) {
    it(`reads ${JSON.stringify(data)} as ${name}`, () => {
      expect(nameOf(data)).toBe(name);
    });
  }

  it('knows what a key types', () => {
    const typed = (data: string) => readKey(data)?.text;
    expect(['a', 'A', 'é', '\x1b[97:65;2u', '\x1b[97;2u', '\x1b[101;;233u'].map(typed)).toEqual([
      'a',
      'A',
      'é',
      'A',
      'A',
      'é',
    ]);
    expect(['\x1b[97;5u', '\x1ba', '\r', '\x1b[A', '\x1b[97;1:3u'].map(typed)).toEqual(['', '', '', '', '']);
  });

  it('takes answers of the terminal for no keys', () => {
    for (const data of REPORTS) expect(decode([Buffer.from(data)])).toEqual([{ kind: 'report', data }]);
  });
});

describe('input in parts', () => {
  const PASTE = '\x1b[200~one\rtwo \x1b[31m\x1b[20 end\x1b[201~';
  const all = [...Object.keys(KEYS), ...REPORTS, PASTE];

  it('means the same wherever it is split', () => {
    for (const data of all) {
      const bytes = Buffer.from(data);
      const whole = decode([bytes]);
      expect(whole, JSON.stringify(data)).toHaveLength(1);
      for (let at = 1; at < bytes.length; at += 1) {
        expect(decode([bytes.subarray(0, at), bytes.subarray(at)]), `${JSON.stringify(data)} at ${at}`).toEqual(whole);
      }
      expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
    }
  });

  it(`means the same for any run of keys in any parts (seed ${COMMON_SEED})`, () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { maxLength: 12 }), fc.array(fc.nat(60)), (keys, cuts) => {
        const bytes = Buffer.from(keys.join(''));
        const borders = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
        const parts = borders.slice(1).map((end, at) => bytes.subarray(borders[at], end));
        const data = decode(parts).map((input) => input.data);
        expect(data.join('')).toBe(keys.join(''));
        expect(decode(parts)).toEqual(decode([...bytes].map((byte) => Uint8Array.of(byte))));
      }),
    );
  });

  it('gives any bytes back in order and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'\x1b[O]P;:?$~uRM019 aé\r\x07\\'), { maxLength: 30 }), (characters) => {
        const sent = characters.join('').replaceAll(/\r/g, 'r');
        const got = decode([Buffer.from(sent)]).map((input) => input.data);
        expect(got.join('')).toBe(sent);
      }),
    );
  });

  it('reads an escape that nothing follows as the Escape key', () => {
    const decoder = new KeyDecoder();
    expect(decoder.push(Buffer.from('\x1b'))).toEqual([]);
    expect(decoder.isWaiting).toBe(true);
    expect(decoder.flush().map(({ data }) => nameOf(data))).toEqual(['escape']);
    expect(decode([Buffer.from('\x1b\x1b[?1;1R')]).map(({ kind }) => kind)).toEqual(['key', 'report']);
    expect(decode([Buffer.from('\x1b\x1b')]).map(({ data }) => nameOf(data))).toEqual(['escape', 'escape']);
  });
});

describe('pastes', () => {
  it('come whole, with line feeds, whatever they contain', () => {
    const [input] = decode([Buffer.from('\x1b[200~a\r\nb\rc\x1b[A\x03\x1b[201~')]);
    expect(input).toMatchObject({ kind: 'paste', text: 'a\nb\nc\x1b[A\x03' });
  });

  it('of a megabyte are one, in parts of any size', () => {
    const body = 'line of text é\r'.repeat(70_000);
    const bytes = Buffer.from(`\x1b[200~${body}\x1b[201~`);
    const parts = Array.from({ length: Math.ceil(bytes.length / 1021) }, (_, at) =>
      bytes.subarray(at * 1021, (at + 1) * 1021),
    );
    expect(decode(parts)).toEqual([expect.objectContaining({ kind: 'paste', text: body.replaceAll('\r', '\n') })]);
  });

  it('without brackets send nothing: their line ends are no Enter keys', () => {
    const decoder = new KeyDecoder();
    const first = decoder.push(Buffer.from('a long line that nobody types at once\rand the next'), 0);
    const rest = decoder.push(Buffer.from('.\r'), 2);
    expect([first, rest, decoder.isWaiting]).toEqual([[], [], true]);
    const text = 'a long line that nobody types at once\nand the next.\n';
    expect(decoder.flush()).toMatchObject([{ kind: 'paste', text }]);
    expect(decoder.push(Buffer.from('\r'), 500)).toMatchObject([{ kind: 'key', key: { name: 'enter' } }]);
  });

  it('without brackets are one paste, wherever they are split and however long the parts take', () => {
    const line = fc.string({ unit: fc.constantFrom(...'abcdefghij äöü表🙂-_.'), minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(5000), fc.nat(200)), { maxLength: 8 }),
        (lines, cuts) => {
          // The first part shows what it is; a terminal sends many bytes at once.
          const head = 'a long line that nobody types at once\rand the next\r';
          const text = head + lines.join('\r');
          const bytes = Buffer.from(text);
          const places = cuts.map(([place]) => head.length + (place % (bytes.length - head.length + 1)));
          const sorted = [...new Set([...places, bytes.length])].sort((a, b) => a - b);
          const decoder = new KeyDecoder();
          let [from, now] = [0, 0];
          for (const [index, to] of sorted.entries()) {
            now += cuts[index]?.[1] ?? 1;
            expect(decoder.push(bytes.subarray(from, to), now)).toEqual([]);
            from = to;
          }
          expect(decoder.flush()).toMatchObject([{ kind: 'paste', text: text.replaceAll('\r', '\n') }]);
          expect(decoder.isWaiting).toBe(false);
        },
      ),
    );
  });

  it('without brackets stay one paste where an answer of the terminal comes before it or in the middle, wherever that is cut', () => {
    const answers = ['\x1b[28;100R', '\x1b[?1;2c', '\x1b[?2026;2$y'];
    const head = 'a long line that nobody types at once\rand the next\r';
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of a text that is pasted\r`).join('');
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(lines.length), fc.constantFrom(...answers)), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(5000), { maxLength: 8 }),
        (isFirst, places, cuts) => {
          let [text, at] = [head, 0];
          for (const [place, answer] of [...places].sort(([a], [b]) => a - b)) {
            text += lines.slice(at, place) + answer;
            at = place;
          }
          const first = isFirst ? '\x1b[4;100R' : '';
          const bytes = Buffer.from(first + text + lines.slice(at));
          const least = first.length + head.length;
          const ends = cuts.map((cut) => least + (cut % (bytes.length - least + 1)));
          const decoder = new KeyDecoder();
          const inputs: TerminalInput[] = [];
          let from = 0;
          for (const to of [...new Set([...ends, bytes.length])].sort((a, b) => a - b)) {
            inputs.push(...decoder.push(bytes.subarray(from, to), from));
            from = to;
          }
          inputs.push(...decoder.flush());
          const all = (kind: string) => inputs.filter((input) => input.kind === kind);
          expect(all('key')).toEqual([]);
          expect(all('report')).toHaveLength(places.length + (isFirst ? 1 : 0));
          expect(all('paste')).toMatchObject([{ text: (head + lines).replaceAll('\r', '\n') }]);
        },
      ),
    );
  });

  it('without brackets end where a key with a sequence follows', () => {
    const decoder = new KeyDecoder();
    decoder.push(Buffer.from('a long line that nobody types at once\rand the next'), 0);
    const [paste, key] = decoder.push(Buffer.from('\x1b[A'), 3);
    expect([paste?.kind, key]).toMatchObject(['paste', { kind: 'key', key: { name: 'up' } }]);
  });
});
