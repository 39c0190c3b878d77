/** Messages are cut to each service's size, and nothing in them does anything. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../src/channel.ts';
import { blocksOf } from '../src/message/blocks.ts';
import { chunksOf, type Measure } from '../src/message/chunks.ts';
import {
  discordMarkdown,
  discordText,
  plainBlocks,
  slackRichText,
  slackText,
  telegramText,
} from '../src/message/written.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        '@everyone',
        '<@1>',
        '<!channel>',
        '```',
        '`',
        '**',
        '[a](https://b.c)',
        'https://x.y/a_b',
        '\n',
        ' ',
        '\\',
        '> ',
        '# ',
        '1. ',
        '😀',
        'word',
        '_',
        '||',
        '@name',
        '&lt;',
        '~~~',
      ),
      { maxLength: 80 },
    )
    .map((parts) => parts.join('')),
);
const block = fc.record({
  kind: fc.constantFrom<Block['kind']>('text', 'code'),
  text: hostile.filter((text) => text !== ''),
});
const measures: Readonly<Record<string, (limit: number) => Measure>> = {
  discord: (limit) => ({ limit, size: (blocks) => discordMarkdown(blocks).length }),
  telegram: (limit) => ({ limit, size: (blocks) => telegramText(blocks).text.length }),
  slack: (limit) => ({ limit, size: (blocks) => plainBlocks(blocks).length }),
  ntfy: (limit) => ({ limit, size: (blocks) => Buffer.byteLength(plainBlocks(blocks)) }),
};

/** The text of one kind, whatever the blocks are. */
const textOf = (blocks: readonly Block[], kind: Block['kind']) =>
  blocks
    .filter((one) => one.kind === kind)
    .map(({ text }) => text)
    .join('');

/** What a reader of Discord's Markdown takes for code, and the rest. Fences must pair up. */
function readDiscord(content: string): { readonly outside: string; readonly isClosed: boolean } {
  const parts = content.split(/^```$/m);
  return { outside: parts.filter((_, index) => index % 2 === 0).join(''), isClosed: parts.length % 2 === 1 };
}

describe('cutting', () => {
  test.each(Object.keys(measures))(
    'for %s every message fits, none tears a character, and together they say the same',
    (name) => {
      fc.assert(
        fc.property(fc.array(block, { maxLength: 6 }), fc.integer({ min: 40, max: 400 }), (blocks, limit) => {
          const measure = measures[name]?.(limit) as Measure;
          const chunks = chunksOf(blocks, measure);
          for (const chunk of chunks) {
            expect(measure.size(chunk)).toBeLessThanOrEqual(limit);
            // A lone half of a pair appears only where the text had one.
            for (const { text } of chunk)
              if (blocks.every((one) => one.text.isWellFormed())) expect(text.isWellFormed()).toBe(true);
          }
          for (const kind of ['text', 'code'] as const) expect(textOf(chunks.flat(), kind)).toBe(textOf(blocks, kind));
        }),
      );
    },
  );

  test('text is cut between lines, then between words; code stays code on both sides', () => {
    const measure = { limit: 60, size: (blocks: readonly Block[]) => discordMarkdown(blocks).length };
    const lines = Array.from({ length: 8 }, (_, index) => `line number ${index}`).join('\n');
    const chunks = chunksOf([{ kind: 'code', text: lines }], measure).map((chunk) => discordMarkdown(chunk));
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expect(chunk).toMatch(/^```\n(?:line number \d\n)+```$/);
    const words = chunksOf([{ kind: 'text', text: 'word '.repeat(40) }], measure).map(plainBlocks);
    for (const message of words) expect(message).toMatch(/^(?:word )+$/);
  });

  test('a limit that is smaller than one character ends all the same', () => {
    const measure = { limit: 1, size: (blocks: readonly Block[]) => Buffer.byteLength(plainBlocks(blocks)) };
    expect(plainBlocks(chunksOf([{ kind: 'text', text: '😀😀' }], measure).flat())).toContain('😀');
  });
});

describe('Markdown', () => {
  test('fences make code; a fence that is never closed reaches to the end', () => {
    expect(blocksOf('Look:\n\n```ts\nlet a = 1;\n```\n\nand\n~~~\n``` inside\n~~~\n```\nopen')).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'code', text: 'let a = 1;' },
      { kind: 'text', text: 'and' },
      { kind: 'code', text: '``` inside' },
      { kind: 'code', text: 'open' },
    ]);
    expect(blocksOf('a\u001b[31mred\u202e\u200b')).toEqual([{ kind: 'text', text: 'ared' }]);
  });
});

describe('what agents write does nothing', () => {
  test('in Discord: no ping, no formatting, no hidden address, and no way out of a code block', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
        const content = discordMarkdown(blocks);
        const { outside, isClosed } = readDiscord(content);
        expect(isClosed).toBe(true);
        const bare = outside.replace(/https?:\/\/[^\s<>[\]()`*|\\]+/g, '').replace(/\\[\\*_~`|>#[\]()<+=.)-]/g, '');
        expect(bare).not.toMatch(/[*_~`|>#[\]<]/);
        expect(bare).not.toMatch(/@(?:everyone|here)/i);
      }),
    );
    expect(discordText('[pay](https://evil.example/a_b) <@42> @here')).toBe(
      String.raw`\[pay\]\(https://evil.example/a_b\) \<@42\> ` + '@\u200bhere',
    );
  });

  test('in Telegram: nothing is parsed but what we mark, and no name is mentioned', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
        const { text, entities } = telegramText(blocks);
        const code = blocks.filter(({ kind }) => kind === 'code');
        expect(entities.map(({ offset, length }) => text.slice(offset, offset + length))).toEqual(
          code.map((one) => one.text),
        );
        let outside = text;
        for (const { offset, length } of entities.toReversed())
          outside = outside.slice(0, offset) + outside.slice(offset + length);
        expect(outside).not.toMatch(/@\w/);
      }),
    );
  });

  test('in Slack: text is data of rich text, and the notification is escaped', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(slackText(text)).not.toMatch(/[<>]/);
        expect(slackText(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(text);
      }),
    );
    expect(slackRichText([{ kind: 'text', text: '<!channel> *x*' }])).toEqual({
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '<!channel> *x*' }] }],
    });
  });
});
