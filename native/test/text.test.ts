import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';

const available = await implementations('text');

describe('the text implementations', () => {
  it('include the JavaScript twin unless another kind is forced', () => {
    expect(available.map((entry) => entry.kind)).toContain(process.env['TENON_ACCEL'] === 'native' ? 'native' : 'js');
  });
});

describe.each(available)('text served by $kind', ({ implementation: text }) => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['🇩🇪🇫🇷', 4],
    ['1\ufe0f\u20e3', 2],
    ['❤', 1],
    ['❤\ufe0f', 2],
    ['한', 2],
    ['\x1b[31mred\x1b[0m', 3],
    ['\x1b]8;;http://a\x07link\x1b]8;;\x07', 4],
    ['\ud83d', 1],
  ])('gives %j %i columns', (value, width) => {
    expect(text.width(value)).toBe(width);
  });

  it('cuts text that is too wide and marks it, without leaving a style open', () => {
    expect(text.truncate('hello world', 8)).toBe('hello w…');
    expect(text.truncate('hello', 5)).toBe('hello');
    expect(text.truncate('日本語', 4)).toBe('日 …');
    expect(text.truncate('\x1b[31mhello world', 6, '...')).toBe('\x1b[31mhel\x1b[0m...');
    expect(text.truncate('hello', 2, '...')).toBe('..');
  });

  it('slices by columns, with spaces for halves of wide characters and the style in force', () => {
    expect(text.slice('hello', 1, 3)).toBe('el');
    expect(text.slice('日本語', 1, 5)).toBe(' 本 ');
    expect(text.slice('\x1b[1mab\x1b[31mcd\x1b[0mef', 2, 5)).toBe('\x1b[1;31mcd\x1b[0me');
    expect(text.slice('ab', 5, 9)).toBe('');
  });

  it('wraps at spaces, breaks long words, and keeps styles per line', () => {
    expect(text.wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(text.wrap('a verylongword b', 6)).toEqual(['a', 'verylo', 'ngword', 'b']);
    expect(text.wrap('\x1b[31mred words here\x1b[0m plain', 9)).toEqual([
      '\x1b[31mred words\x1b[0m',
      '\x1b[31mhere\x1b[0m',
      'plain',
    ]);
    expect(text.wrap('a\tb\n\nc', 20, { tabWidth: 8 })).toEqual(['a       b', '', 'c']);
  });

  it('takes control sequences out of output and keeps styles only on request', () => {
    const output = Buffer.from('\x1b]0;title\x07\x1b[1;31mred\x1b[0m\x1b[2K\rdone\r\n\x1b[?25h\0');
    expect(text.sanitize(output)).toBe('red\ndone\n');
    expect(text.sanitize(output, { keepStyle: true })).toBe('\x1b[1;31mred\x1b[0m\ndone\n');
    expect(text.sanitize(output.toString())).toBe('red\ndone\n');
  });

  it('keeps safe links on request, and takes hostile ones out without their text', () => {
    const link = (url: string, end = '\x1b\\') => `\x1b]8;;${url}${end}word\x1b]8;;${end}`;
    const clean = (output: string) => text.sanitize(output, { keepLinks: true });
    expect(text.sanitize(link('https://a/b'))).toBe('word');
    expect(text.sanitize(link('https://a/b'), { keepStyle: true })).toBe('word');
    for (const url of ['https://a/b?c=d;e', 'HTTP://a', 'mailto:a@b', 'file:///tmp/a'])
      for (const end of ['\x1b\\', '\x07', '\x9c']) expect(clean(link(url, end))).toBe(link(url));
    for (const url of [
      'javascript:alert(1)',
      'ssh://a',
      'https://a b',
      'https://é',
      'https://a\nb',
      'https:',
      `https://${'x'.repeat(3000)}`,
    ])
      expect(clean(link(url))).not.toContain(`]8;;${url}`);
    expect(clean(link('data:text/html,x'))).toBe('word\x1b]8;;\x1b\\');
  });

  it('slices, truncates and wraps links so that each row opens and closes its own', () => {
    const open = '\x1b]8;id=1;https://a/b\x1b\\';
    const close = '\x1b]8;;\x1b\\';
    const row = `see ${open}the \x1b[1mlong\x1b[0m page${close} now`;
    expect(text.width(row)).toBe(21);
    expect(text.slice(row, 5, 10)).toBe(`${open}he \x1b[1mlo${close}\x1b[0m`);
    expect(text.slice(row, 18, 21)).toBe('now');
    expect(text.truncate(row, 7)).toBe(`see ${open}th${close}…`);
    expect(text.wrap(row, 8)).toEqual([
      `see ${open}the${close}`,
      `${open}\x1b[1mlong\x1b[0m${close}`,
      `${open}page${close} now`,
    ]);
  });

  it('hides nothing behind a sequence that never ends', () => {
    expect(text.sanitize(Buffer.from('a\x1b]0;secret\nrm -rf'))).toBe('a0;secret\nrm -rf');
  });

  it('cleans output in parts as it cleans the whole, wherever it is cut', () => {
    const output = Buffer.from('é\x1b[31mré\r\nd\x1b]0;t\x1b\\x\x1b(By👍\r\nz');
    for (let cut = 0; cut <= output.length; cut++) {
      const parts = text.sanitizer();
      const clean = parts.push(output.subarray(0, cut)) + parts.push(output.subarray(cut)) + parts.end();
      expect(clean).toBe(text.sanitize(output));
    }
  });

  it('does not hold back more than a limit for a sequence that stays open', () => {
    const parts = text.sanitizer();
    parts.push(Buffer.from('\x1b]0;'));
    const shown = parts.push(Buffer.alloc(200_000, 'x'));
    expect(shown.length).toBeGreaterThan(100_000);
  });

  it('estimates tokens near what a tokenizer counts', () => {
    // Counted with o200k_base.
    expect(Math.abs(text.estimateTokens('The quick brown fox jumps over the lazy dog.') - 10)).toBeLessThanOrEqual(2);
    expect(text.estimateTokens('')).toBe(0);
    const source = 'const value = compute(1234, "text");\n'.repeat(200);
    expect(text.estimateTokens(Buffer.from(source))).toBe(text.estimateTokens(source));
  });

  it('stays linear on input made to be slow', () => {
    for (const nasty of ['\x1b]', '\x9d', '\r', '\x1b[1', '\x1bP', '\xc2', '\x1b']) {
      expect(text.sanitize(Buffer.from(nasty.repeat(200_000)))).toBeTypeOf('string');
      const parts = text.sanitizer();
      for (let part = 0; part < 20; part++) parts.push(Buffer.from(nasty.repeat(10_000)));
      expect(parts.end()).toBeTypeOf('string');
    }
  });
});
