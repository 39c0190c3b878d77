import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { loadAccelerator } from '@tenon/native';
import { Lexer, Tokenizer } from 'marked';
import { describe, expect, it } from 'vitest';
import { BlockSplitter } from '../src/content/block-splitter.ts';
import { MarkdownStream, renderMarkdown } from '../src/content/markdown.ts';
import type { MarkdownStyle } from '../src/content/markdown-style.ts';
import { lexPart, noDefinitions, openFenceAtEnd, proseToken } from '../src/content/marked-lexer.ts';
import { BUILT_IN_THEMES, createHighlighter, createTheme } from '../src/index.ts';
import { hostileText, markdownText } from './support/markdown-text.ts';

const text = await loadAccelerator('text');
const highlighter = createHighlighter();
await highlighter.load('ts');
const style: MarkdownStyle = { text, highlighter, theme: createTheme(BUILT_IN_THEMES.dark, '16') };

/** Feeds pieces, draws a frame after each, and gives all rows that were taken. */
function streamed(pieces: readonly string[], width: number, own = style): string[] {
  const stream = new MarkdownStream(own);
  const rows: string[] = [];
  for (const piece of pieces) {
    stream.push(piece);
    rows.push(...stream.take(width));
    stream.open(width);
  }
  stream.end();
  return [...rows, ...stream.take(width)];
}

function parts(source: string): string[] {
  const splitter = new BlockSplitter(openFenceAtEnd);
  for (const line of source.split('\n')) splitter.line(line);
  splitter.end();
  return splitter.takeClosed().map((part) => part.text);
}

interface Tree {
  readonly type: string;
  readonly raw?: string;
  readonly text?: string;
  readonly items?: readonly Tree[];
  readonly tokens?: readonly Tree[];
}

/** Blocks without what the cuts may change: blank space, whether a list is loose, and which items stand in one list. */
function shape(tokens: readonly Tree[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'space' || token.type === 'checkbox') return [];
    if (token.type === 'list') return (token.items ?? []).map((item) => `item(${shape(item.tokens ?? []).join(' ')})`);
    if (token.type === 'blockquote') return [`quote(${shape(token.tokens ?? []).join(' ')})`];
    const type = token.type === 'text' ? 'paragraph' : token.type;
    return [`${type}:${(token.text ?? token.raw ?? '').trim().replace(/^\[[ xX]\]\s+/, '')}`];
  });
}

describe('plain words', () => {
  /** What the drawing looks at. */
  const drawn = (tokens: readonly Tree[] | undefined): unknown =>
    tokens?.map(({ type, raw, tokens: inner }) => ({ type, raw, ...(inner && { inner: drawn(inner) }) }));

  it('are read as the lexer reads them', () => {
    const words = fc.constantFrom(
      ...[
        'word',
        'Äpfel',
        'e\u0301t\u00e9',
        '3',
        '1.',
        '7)',
        '-',
        '--',
        '+',
        '=',
        '==',
        '(a',
        'b)',
        'it\u2019s',
        'a.b',
        '日本',
      ],
      ...['www.', 'WWW.a.b', 'http://a.b', 'x:y', 'ftp://', 'a/b', '…', '—', '"q"', '!', '100%', '  ', '. '],
      ...['*', '_', '`', '[', '<', '&', '\\', '|', '#', '>', '~', '@', '\n', '\t'],
    );
    const source = fc
      .tuple(fc.constantFrom('Words', 'a', 'É', ''), fc.array(fc.tuple(words, fc.constantFrom('', ' ', ' ', '  '))))
      .map(([start, rest]) => `${start} ${rest.flat().join('')}`);
    let plain = 0;
    fc.assert(
      fc.property(source, (text) => {
        const prose = proseToken(text);
        if (!prose) return;
        plain += 1;
        expect(drawn([prose as Tree])).toEqual(drawn(lexPart(text, noDefinitions()) as readonly Tree[]));
      }),
      { numRuns: caseCount(3_000) },
    );
    expect(plain).toBeGreaterThan(100);
  });
});

describe('the splitter', () => {
  it('cuts only where marked, reading the whole, ends a block or a list item', () => {
    fc.assert(
      fc.property(markdownText, (source) => {
        const whole = lexPart(source, noDefinitions()) as readonly Tree[];
        const cut = parts(source).flatMap((part) => lexPart(part, noDefinitions()) as readonly Tree[]);
        expect(shape(cut)).toEqual(shape(whole));
      }),
      { numRuns: caseCount(2000) },
    );
  });

  it.each([
    ['a number behind an empty item and text, which belongs to the text', '1.\ntwo spaces  \n1.'],
    ['indented code behind a rule, which goes on behind a blank line', '___\n\ttab in\n\n    ```'],
    ['a fence that ended a list', '- a\n ```\n# b\n\nc\n ```\nd'],
    ['a delimiter row that looks like an item', 'a | b\n- | -\n\nc'],
  ])('does not cut %s', (_, source) => {
    const whole = lexPart(source, noDefinitions()) as readonly Tree[];
    expect(shape(parts(source).flatMap((part) => lexPart(part, noDefinitions()) as readonly Tree[]))).toEqual(
      shape(whole),
    );
  });

  it('reads as marked does where HTML stands in a line', () => {
    const source = 'a <b>c</b> d\n\n- e\n- f\n';
    const plain = new Lexer({ gfm: true, tokenizer: new Tokenizer() }).lex(source) as readonly Tree[];
    expect(shape(lexPart(source, noDefinitions()) as readonly Tree[])).toEqual(shape(plain));
  });

  it.each([
    ['a paragraph at the blank line behind it', 'one\ntwo\n\n', 1],
    ['a heading at its line feed', '# one\n', 1],
    ['a fence at the fence that closes it', '```\na\n\nb\n```\n', 1],
    ['a paragraph at the fence that follows', 'text:\n```\n', 1],
    ['a list item at the next one', '- one\n\n  more\n- two\n', 1],
    ['a list at text at the left edge behind a blank line', '- one\n- two\n\nText', 2],
    ['no list at a blank line', '- one\n\n', 0],
    ['no paragraph before a blank line, for a setext line may follow', 'one\n', 0],
    ['no fence at a shorter fence', '````\na\n```\n', 0],
    ['no indented code at a blank line', '    code\n\n', 0],
    ['no table before a blank line', '| a |\n|---|\n| b |\n', 0],
    ['no quote before a blank line, for its text may go on without a mark', '> a\n', 0],
  ])('closes %s', (_, source, closed) => {
    const stream = new MarkdownStream(style);
    stream.push(source);
    const splitter = new BlockSplitter(openFenceAtEnd);
    const lines = source.split('\n');
    for (const line of lines.slice(0, -1)) splitter.line(line);
    splitter.partial(lines.at(-1) ?? '');
    expect(splitter.takeClosed()).toHaveLength(closed);
    expect(stream.take(40).length > 0).toBe(closed > 0);
  });
});

describe('a stream', () => {
  it('gives the same rows however the text is cut into pieces', () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (source, width, at) => {
          const cuts = [...new Set([0, ...at.map((cut) => Math.min(cut, source.length)), source.length])].sort(
            (a, b) => a - b,
          );
          const pieces = cuts.slice(1).map((end, index) => source.slice(cuts[index], end));
          expect(streamed(pieces, width)).toEqual(renderMarkdown(source, width, style));
        },
      ),
      { numRuns: caseCount(1000) },
    );
  });

  it('gives the same rows character by character', () => {
    fc.assert(
      fc.property(hostileText, (source) => {
        expect(streamed(source.split(''), 30)).toEqual(renderMarkdown(source, 30, style));
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('shows in its last frame what it takes in the end, but for the colours of code', () => {
    const bare: MarkdownStyle = { text, theme: style.theme };
    fc.assert(
      fc.property(markdownText, (source) => {
        const stream = new MarkdownStream(bare);
        const taken: string[] = [];
        for (const line of `${source}\n`.split(/(?<=\n)/)) {
          stream.push(line);
          taken.push(...stream.take(40));
        }
        const shown = stream.open(40);
        stream.end();
        const rest = stream.take(40);
        const plainly = (rows: readonly string[]): string => text.sanitize(rows.join('\n')).trimEnd();
        expect(plainly([...taken, ...shown])).toEqual(plainly([...taken, ...rest]));
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('lexes the open block only: the cost of a long text grows with its length', () => {
    const lexed = (blocks: number): number => {
      const stream = new MarkdownStream(style);
      for (let block = 0; block < blocks; block++) {
        for (const word of 'Some words of a paragraph that goes on.\n\n- item\n- item two\n\n```ts\nlet a = 1;\n```\n\n'.split(
          /(?<= )/,
        )) {
          stream.push(word);
          stream.take(80);
          stream.open(80);
        }
      }
      return stream.lexedCharacters;
    };
    const [few, many] = [lexed(10), lexed(100)];
    expect(many).toBeLessThanOrEqual(few * 10);
    expect(few).toBeGreaterThan(0);
  });

  it('does not lex again for a frame in which nothing changed', () => {
    const stream = new MarkdownStream(style);
    stream.push('some text');
    stream.open(80);
    const before = stream.lexedCharacters;
    stream.open(80);
    expect(stream.lexedCharacters).toBe(before);
    stream.open(79);
    expect(stream.lexedCharacters).toBeGreaterThan(before);
  });

  it('links a reference whose definition stands before it or in its block, and leaves others as text', () => {
    const plain: MarkdownStyle = { text, theme: createTheme(BUILT_IN_THEMES.dark, 'none') };
    const source = '[a]: https://a.example\n\nSee [x][a] and [y][b].\n\n[b]: https://b.example\n\nNow [y][b].';
    expect(renderMarkdown(source, 80, plain)).toEqual([
      'See x (https://a.example) and [y][b].',
      '',
      'Now y (https://b.example).',
    ]);
  });

  it('colours a closed code block whose language was loaded while it was open, and draws the open block plain', async () => {
    const own = createHighlighter();
    const stream = new MarkdownStream({ ...style, highlighter: own });
    stream.push('```rs\nfn main() {}\n');
    const open = stream.open(40);
    expect(await own.load('rust')).toBe(true);
    stream.push('```\n');
    const taken = stream.take(40);
    expect(taken.map((row) => text.sanitize(row))).toEqual(open.map((row) => text.sanitize(row)));
    expect(taken[1]).not.toBe(open[1]);
  });

  it('draws a block plain whose language was not loaded in time', () => {
    const stream = new MarkdownStream({ ...style, highlighter: createHighlighter() });
    stream.push('```go\nvar a = 1\n```\n');
    expect(stream.take(40)).toEqual(
      renderMarkdown('```go\nvar a = 1\n```\n', 40, { ...style, highlighter: createHighlighter() }),
    );
  });

  it('numbers the items of a list that was taken in parts', () => {
    const plain: MarkdownStyle = { text, theme: createTheme(BUILT_IN_THEMES.dark, 'none') };
    expect(streamed(['3. a\n', '1. b\n', '1. c\n\nText\n\n', '1. d\n'], 20, plain)).toEqual([
      '3. a',
      '4. b',
      '5. c',
      '',
      'Text',
      '',
      '1. d',
    ]);
  });
});

describe('code whose language is not loaded yet', () => {
  const source = 'Before.\n\n```ts\nconst a = 1;\n```\n\nAfter.\n';
  const fresh = () => ({ ...style, highlighter: createHighlighter() });
  const colored = () => renderMarkdown(source, 40, style);

  it('is held back for a moment, with all that follows it, and then has its colours', async () => {
    const rows: string[] = [];
    await new Promise<void>((resolve) => {
      const stream = new MarkdownStream(fresh(), () => {
        rows.push(...stream.take(40));
        resolve();
      });
      stream.push(source);
      stream.end();
      rows.push(...stream.take(40));
      expect(rows).toEqual(['Before.']);
      expect(stream.isWaiting).toBe(true);
    });
    expect(rows).toEqual(colored());
  });

  it('is drawn without them when nobody waits, and each row is given once', () => {
    const stream = new MarkdownStream(fresh(), () => undefined);
    stream.push(source);
    stream.end();
    const rows = stream.take(40);
    stream.hurry();
    rows.push(...stream.take(40));
    expect(rows.map((row) => text.sanitize(row))).toEqual(colored().map((row) => text.sanitize(row)));
    expect(stream.isWaiting).toBe(false);
    // Somebody who cannot be told later gets everything at once.
    expect(streamed([source], 40, fresh()).map((row) => text.sanitize(row))).toEqual(
      colored().map((row) => text.sanitize(row)),
    );
  });
});
