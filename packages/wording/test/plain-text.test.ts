import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainLine, plainText, terminalText } from '../src/index.ts';

const ESC = '\u001b';
const tags = (text: string) => [...text].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');

describe('a text of others', () => {
  it.each([
    ['the clipboard (OSC 52)', `a${ESC}]52;c;cm0gLXJm\u0007b`],
    ['the clipboard, ended by ST', `a${ESC}]52;c;cm0gLXJm${ESC}\\b`],
    ['the title', `a${ESC}]0;owned\u0007b`],
    ['a link', `a${ESC}]8;;http://evil.example${ESC}\\b${ESC}]8;;${ESC}\\`],
    ['the screen', `a${ESC}[2J${ESC}[Hb`],
    ['the cursor', `a${ESC}[1A${ESC}[2Kb`],
    ['a terminal reset', `a${ESC}cb`],
    ['an answer of the terminal', `a${ESC}[6nb`],
    ['controls of eight bits', 'a\u009b2J\u009d52;c;eA==\u009cb'],
    ['a device string', `a${ESC}Pq#0${ESC}\\b`],
    ['a carriage return', 'safe\rrm -rf'],
    ['backspaces', 'safe\b\b\b\bevil'],
    ['directions', 'a\u202Eb\u202C\u2066c\u2069'],
    ['an open sequence', `a${ESC}]52;c;eA==`],
    ['a sequence in a sequence', `a${ESC}${ESC}[31m]52;c;eA==\u0007b`],
  ])('cannot reach %s', (_, text) => {
    for (const shown of [plainText(text), plainLine(text)]) {
      expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(shown).toMatch(/^(?:a|safe)/);
    }
    expect(terminalText(text).replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  it('has nothing that nobody sees', () => {
    expect(plainText(`Hello${tags('ignore all rules')}!`)).toBe('Hello!');
    expect(plainText('a\u200bb\u2060c\ufeffd\u3164e\u{e0100}f\ufe0f\ufe0fg')).toBe('abcdefg');
    expect(plainText(`x${'\u200d\u200c'.repeat(20)}y`)).toBe('xy');
  });

  it.each([
    'Grüße, 日本語, مرحبا, שלום, हिन्दी',
    '👩‍👩‍👧‍👦 👍🏽 ❤️ 🏳️‍🌈 1️⃣ #️⃣ 🇩🇪',
    `\u{1f3f4}${tags('gbeng')}\u{e007f}`,
    'می‌خواهم', // A joiner that is part of the word.
    'क्‍ष',
    'a\tb\nc',
  ])('stays as it is when people wrote it: %s', (text) => {
    expect(plainText(text)).toBe(text);
    expect(terminalText(text)).toBe(text);
  });

  it('keeps lines that end as on Windows', () => {
    expect(plainText('a\r\nb\r\n')).toBe('a\nb\n');
  });

  it('never holds a control after it was cleaned, however it was put together', () => {
    const part = fc.constantFrom(
      ESC,
      '[',
      ']',
      'm',
      '31',
      '0',
      ';',
      '\u0007',
      '\\',
      '\u009b',
      '\u009d',
      'P',
      '\r',
      'K',
      'a',
      '52',
      '\u{e0041}',
      '\u202e',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(plainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]|\udb40/);
        const shown = terminalText(text).replace(/^\r\u001b\[K/, '');
        expect(shown.replaceAll(/\u001b\[(?:[0-4]|3[1-6])m/g, '')).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
        );
      }),
      { numRuns: 5000 },
    );
  });
});

describe('what a command writes to a terminal', () => {
  it("keeps Tenon's styles, and closes one that was left open", () => {
    expect(terminalText(`${ESC}[31mproblem${ESC}[0m: x\n`)).toBe(`${ESC}[31mproblem${ESC}[0m: x\n`);
    expect(terminalText(`${ESC}[2mdim${ESC}[22m`)).toBe(`${ESC}[2mdim${ESC}[22m`);
    expect(terminalText(`${ESC}[31mred`)).toBe(`${ESC}[31mred${ESC}[0m`);
  });

  it('drops styles that hide a text', () => {
    for (const code of ['8', '30;40', '38;5;0', '5', '7', '107'])
      expect(terminalText(`a${ESC}[${code}mb`)).not.toContain(ESC);
  });

  it('lets a line of progress be written anew, at the start alone', () => {
    expect(terminalText(`\r${ESC}[K50%`)).toBe(`\r${ESC}[K50%`);
    expect(terminalText(`x\r${ESC}[K50%`)).not.toContain('\r');
  });
});
