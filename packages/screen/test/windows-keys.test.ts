/** Keys as ConPTY sends them, against a model of Windows' KEY_EVENT_RECORD. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { KeyDecoder, readKey, type TerminalInput } from '../src/index.ts';

/** What Windows knows about a key that is pressed or let go. */
interface KeyEvent {
  readonly virtual: number;
  readonly scan: number;
  readonly character: number;
  readonly isDown: boolean;
  readonly state: number;
  readonly repeats: number;
}

const sequence = ({ virtual, scan, character, isDown, state, repeats }: KeyEvent): string =>
  `\x1b[${virtual};${scan};${character};${isDown ? 1 : 0};${state};${repeats}_`;

/** Caps lock, num lock, scroll lock, and the mark of the keys beside the numbers: none of them changes what a key means. */
const LOCKS = fc.subarray([0x20, 0x40, 0x80, 0x100]).map((bits) => bits.reduce((sum, bit) => sum | bit, 0));
const SIDES = { ctrl: [4, 8], alt: [1, 2], shift: [0x10] } as const;
const NAMED: Readonly<Record<string, readonly [virtual: number, character: number]>> = {
  ...{ backspace: [8, 8], tab: [9, 9], enter: [13, 13], escape: [27, 27], pageup: [33, 0], pagedown: [34, 0] },
  ...{ end: [35, 0], home: [36, 0], left: [37, 0], up: [38, 0], right: [39, 0], down: [40, 0] },
  ...{ insert: [45, 0], delete: [46, 0], f1: [112, 0], f5: [116, 0], f12: [123, 0] },
};

const held = fc.record({
  ctrl: fc.option(fc.constantFrom(...SIDES.ctrl)),
  alt: fc.option(fc.constantFrom(...SIDES.alt)),
  shift: fc.option(fc.constantFrom(...SIDES.shift)),
});

/** A key with a name, and what it must be read as. */
const namedKey = fc
  .record({ name: fc.constantFrom(...Object.keys(NAMED)), held, locks: LOCKS, isDown: fc.boolean(), scan: fc.nat(255) })
  .map(({ name, held: { ctrl, alt, shift }, locks, isDown, scan }) => {
    const [virtual = 0, character = 0] = NAMED[name] ?? [];
    const state = locks | (ctrl ?? 0) | (alt ?? 0) | (shift ?? 0);
    const flags = { ctrl: ctrl !== null, alt: alt !== null, shift: shift !== null, super: false };
    return {
      data: sequence({ virtual, scan, character, isDown, state, repeats: 1 }),
      key: { name, ...flags, event: isDown ? 'press' : 'release', text: '' },
    };
  });

/** A letter: typed, with shift, with Ctrl, or with Alt. */
const letterKey = fc
  .record({ letter: fc.constantFrom(...'abcxyz'), how: fc.constantFrom('plain', 'shift', 'ctrl', 'alt'), locks: LOCKS })
  .map(({ letter, how, locks }) => {
    const virtual = letter.toUpperCase().charCodeAt(0);
    const typed = how === 'shift' ? letter.toUpperCase() : letter;
    const character = how === 'ctrl' ? virtual - 64 : typed.charCodeAt(0);
    const state = locks | { plain: 0, shift: 0x10, ctrl: 8, alt: 2 }[how];
    const flags = { ctrl: how === 'ctrl', alt: how === 'alt', shift: how === 'shift', super: false };
    const text = how === 'plain' || how === 'shift' ? typed : '';
    return {
      data: sequence({ virtual, scan: 30, character, isDown: true, state, repeats: 1 }),
      key: { name: letter, ...flags, event: 'press', text },
    };
  });

/** A character of any keyboard, some of them typed with AltGr. */
const typedKey = fc
  .record({ typed: fc.constantFrom(...'äß€@{}漢é~'), isAltGr: fc.boolean(), locks: LOCKS })
  .map(({ typed, isAltGr, locks }) => ({
    // Virtual codes of such keys depend on the keyboard; 0xE5 is what input methods send.
    data: sequence({
      virtual: 0xe5,
      scan: 0,
      character: typed.charCodeAt(0),
      isDown: true,
      state: locks | (isAltGr ? 9 : 0),
      repeats: 1,
    }),
    key: { name: typed, ctrl: false, alt: false, shift: false, super: false, event: 'press', text: typed },
  }));

const anyKey = fc.oneof(namedKey, letterKey, typedKey);

describe('keys of Windows', () => {
  it('are read as they were pressed, wherever their sequences are split', () => {
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 12 }), fc.array(fc.nat(500), { maxLength: 12 }), (keys, cuts) => {
        const bytes = Buffer.from(keys.map(({ data }) => data).join(''));
        const places = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
          (a, b) => a - b,
        );
        const decoder = new KeyDecoder();
        const inputs: TerminalInput[] = [];
        let from = 0;
        for (const to of places) {
          inputs.push(...decoder.push(bytes.subarray(from, to)));
          from = to;
        }
        expect(inputs.map((input) => (input.kind === 'key' ? input.key : input.kind))).toEqual(
          keys.map(({ key }) => key),
        );
        expect(decoder.isWaiting).toBe(false);
      }),
    );
  });

  it('never type controls, and never fail, whatever numbers come', () => {
    const number = fc.oneof(
      fc.nat(300),
      fc.nat(),
      fc.constantFrom(0x7f, 0x9b, 0xd800, 0xdfff, 0x10000, 0x110000, 1e21),
    );
    fc.assert(
      fc.property(fc.array(fc.option(number), { maxLength: 9 }), (numbers) => {
        const data = `\x1b[${numbers.map((value) => value ?? '').join(';')}_`;
        const inputs = new KeyDecoder().push(Buffer.from(data));
        for (const input of inputs)
          if (input.kind === 'key') expect(input.key.text + input.key.name).toMatch(/^[^\p{Cc}\p{Cs}]*$/u);
      }),
    );
  });

  it('that only hold something down are none', () => {
    for (const virtual of [16, 17, 18, 20, 91, 92, 144, 160, 165])
      expect(readKey(sequence({ virtual, scan: 0, character: 0, isDown: true, state: 0, repeats: 1 }))).toBeUndefined();
  });
});
