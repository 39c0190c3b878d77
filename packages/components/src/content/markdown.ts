/** Markdown as rows: whole texts, and texts that are still being written. */
import type { Token } from 'marked';
import { type BlockPart, BlockSplitter } from './block-splitter.ts';
import { InlineMemo } from './inline-memo.ts';
import { type Above, blockRows, codeLabel, fenceLanguage, nothingAbove, plainRows } from './markdown-blocks.ts';
import { type MarkdownStyle, plain } from './markdown-style.ts';
import { type LinkDefinitions, lexPart, noDefinitions, openFenceAtEnd, proseToken } from './marked-lexer.ts';
import { wrapped } from './text-tools.ts';

/** A part longer than this is shown as it is: it would take too long to take apart. */
const MOST_CHARACTERS = 100_000;
/** The same for the open part, which is taken apart for every frame. */
const MOST_OPEN_CHARACTERS = 20_000;
/** So many signs of emphasis are no emphasis. */
const MOST_SIGNS = 4_000;
const MOST_OPEN_SIGNS = 1_500;
/** Deeper nesting is shown as it is. */
const DEEP = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){24}|^[ \t]{160}/m;
const FENCE_START = /^[\s>*+\-\d.)]*(?:```+|~~~+)(.*)$/;
const OWN_FENCE = /^( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)/;

const RETURN = 13;
const HIGH_SURROGATE = 0xd800;

/** What a code block consists of. */
interface FencedCode {
  readonly text: string;
  readonly lang: string;
}

/** Rows of code lines that will not change while their block is open. */
interface OpenCode {
  readonly first: string;
  readonly width: number;
  readonly rows: string[];
  lines: number;
}

/** Nobody waits longer for colours. */
const WAIT_MS = 1_000;
const FENCE = /(?:^|\n)[\s>*+\-\d.)]*(?:```|~~~)/;

/**
 * Markdown that arrives in pieces. `take` gives rows that are final, each once; `open` gives the rows of what may still change.
 *
 * A reference `[text][label]` is a link if its definition stands before it or in the same block; with a definition that
 * comes later it stays as text, because its rows may be in the scrollback by then.
 */
export class MarkdownStream {
  readonly #style: MarkdownStyle;
  readonly #splitter: BlockSplitter;
  readonly #links: LinkDefinitions = noDefinitions();
  readonly #above: Above = nothingAbove();
  #waiting: BlockPart[] = [];
  /** The line that is not complete, as it came. */
  #partial = '';
  #held = '';
  #lexed = 0;
  #version = 0;
  #shown: { readonly version: number; readonly width: number; readonly rows: string[] } | undefined;
  #openCode: OpenCode | undefined;
  #memo = new InlineMemo();
  /** Languages that are being loaded, for code that is not drawn before. */
  #loading = 0;
  readonly #onReady: (() => void) | undefined;

  /** With `onReady`, closed code waits a moment for its language: it is called when `take` gives what was held back. */
  constructor(style: MarkdownStyle, onReady?: () => void) {
    this.#style = style;
    this.#onReady = onReady;
    this.#splitter = new BlockSplitter((text) => {
      this.#lexed += text.length;
      return openFenceAtEnd(text);
    });
  }

  /** How many characters were lexed so far; grows with the text, not with its square. */
  get lexedCharacters(): number {
    return this.#lexed;
  }

  /** More text. */
  push(delta: string): void {
    if (delta === '') return;
    this.#version++;
    // A carriage return and half of a character wait for what follows them.
    const text = this.#held + delta;
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === RETURN) end--;
    if (end === text.length && (text.charCodeAt(end - 1) & 0xfc00) === HIGH_SURROGATE) end--;
    this.#held = text.slice(end);
    this.#feed(text.slice(0, end));
  }

  /** The text is over: everything is closed. */
  end(): void {
    this.#version++;
    this.#feed(this.#held);
    this.#held = '';
    if (this.#partial !== '') this.#line(this.#partial);
    this.#partial = '';
    this.#splitter.end();
    this.#collect();
  }

  /** True when closed blocks are held back until a language is loaded. */
  get isWaiting(): boolean {
    return this.#loading > 0 && this.#waiting.length > 0;
  }

  /** Waits for no language any more. */
  hurry(): void {
    this.#loading = 0;
  }

  /** The rows of the blocks that were closed since the last call. They never change. */
  take(width: number): string[] {
    const held = this.#loading > 0 ? this.#waiting.findIndex(({ text }) => FENCE.test(text)) : -1;
    const parts = held < 0 ? this.#waiting : this.#waiting.slice(0, held);
    if (parts.length === 0) return [];
    this.#waiting = held < 0 ? [] : this.#waiting.slice(held);
    this.#shown = undefined;
    return parts.flatMap((part) => this.#rows(part, Math.max(width, 1), this.#above, false));
  }

  /** The rows of what is not closed, and of closed blocks that were not taken. */
  open(width: number): string[] {
    const own = Math.max(width, 1);
    if (this.#shown?.version === this.#version && this.#shown.width === own) return this.#shown.rows;
    const above = { ...this.#above };
    const rows = this.#waiting.flatMap((part) => this.#rows(part, own, above, true));
    const part = this.#splitter.openPart(this.#style.text.sanitize(this.#partial));
    if (part)
      rows.push(
        ...(this.#splitter.insideFence ? this.#fenceRows(part, own, above) : this.#rows(part, own, above, true)),
      );
    this.#shown = { version: this.#version, width: own, rows };
    return rows;
  }

  #feed(text: string): void {
    const lines = text.replace(/\r+\n?/g, '\n').split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#line(this.#partial + line);
      this.#partial = '';
    }
    this.#partial += last;
    this.#splitter.partial(this.#partial);
    this.#collect();
  }

  #collect(): void {
    const closed = this.#splitter.takeClosed();
    if (closed.length === 0) return;
    this.#waiting.push(...closed);
    // They may hold definitions, which change what text is read as.
    this.#memo = new InlineMemo();
  }

  #line(raw: string): void {
    const line = this.#style.text.sanitize(raw);
    this.#splitter.line(line);
    const info = line.includes('```') || line.includes('~~~') ? FENCE_START.exec(line)?.[1] : undefined;
    if (info) this.#load(fenceLanguage(info));
  }

  /** It is ready when the block closes; or the block waits for it, or is drawn without colours. */
  #load(language: string): void {
    const { highlighter, theme } = this.#style;
    if (!highlighter) return;
    const loading = highlighter.load(language);
    const onReady = this.#onReady;
    if (!onReady || highlighter.highlight('', language, theme)) return;
    this.#loading += 1;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS)));
    void Promise.race([loading, late]).then(() => {
      clearTimeout(timer);
      if (this.#loading === 0) return;
      this.#loading -= 1;
      this.#version++;
      if (this.#loading === 0) onReady();
    });
  }

  #rows(part: BlockPart, width: number, above: Above, open: boolean): string[] {
    if (part.blankBefore) above.blank = true;
    above.carried = part.continuesList ? above.next : 0;
    const tokens = this.#tokens(part.text, open);
    if (tokens) return blockRows(tokens, width, { style: this.#style, open }, this.#style.base ?? plain, above);
    return this.#withGap(plainRows(part.text, width, this.#style), 'paragraph', above);
  }

  #withGap(rows: string[], kind: string, above: Above): string[] {
    const gap = above.kind !== undefined && above.blank ? [''] : [];
    above.kind = kind;
    above.blank = false;
    return [...gap, ...rows];
  }

  /** The part taken apart; nothing if that would cost too much. */
  #tokens(text: string, open: boolean): readonly Token[] | undefined {
    const code = fencedCode(text);
    if (code) return [{ type: 'code', raw: text, ...code }];
    if (tooCostly(text, open)) return undefined;
    this.#lexed += text.length;
    const prose = proseToken(text);
    if (prose) return [prose];
    try {
      if (!open) return lexPart(text, this.#links);
      const defines = text.includes(']:');
      this.#memo.nextFrame();
      return lexPart(text, Object.assign(noDefinitions(), this.#links), defines ? undefined : this.#memo);
    } catch (error) {
      // The lexer calls itself for nested text; what is nested too deep for the stack is shown as it is.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** An open code block: lines that are complete are wrapped once. */
  #fenceRows(part: BlockPart, width: number, above: Above): string[] {
    const lines = this.#splitter.openLines;
    const [, inset = '', marker = '', info = ''] = OWN_FENCE.exec(lines[0] ?? '') ?? [];
    const paint = (line: string): string[] =>
      wrapped(this.#style.text, this.#style.theme.fg('mdCodeBlock', outdented(line, inset.length)), width);
    let known = this.#openCode;
    if (!known || known.width !== width || known.lines > lines.length || known.first !== part.text.slice(0, 200)) {
      known = { first: part.text.slice(0, 200), width, rows: codeLabel(info, width, this.#style), lines: 1 };
    }
    for (; known.lines < lines.length; known.lines++) known.rows.push(...paint(lines[known.lines] ?? ''));
    this.#openCode = known;
    const partial = this.#style.text.sanitize(this.#partial);
    // What may become the closing fence would only flash.
    const hidden = partial.trim() === marker.slice(0, 1).repeat(partial.trim().length);
    const rows = hidden ? [...known.rows] : [...known.rows, ...paint(partial)];
    if (above.kind !== undefined) rows.unshift('');
    return rows;
  }
}

/** Emphasis costs the square of its signs; nesting costs the stack. */
function tooCostly(text: string, open: boolean): boolean {
  if (text.length > (open ? MOST_OPEN_CHARACTERS : MOST_CHARACTERS)) return true;
  const most = open ? MOST_OPEN_SIGNS : MOST_SIGNS;
  return DEEP.test(text) || (text.length > most && (text.match(/[*_~]/g)?.length ?? 0) > most);
}

/** A part that is one code fence, read without the lexer, so that long code costs little. */
function fencedCode(text: string): FencedCode | undefined {
  const match = OWN_FENCE.exec(text);
  if (!match) return undefined;
  const [whole, inset = '', marker = '', info = ''] = match;
  const lines = text.slice(whole.length).split('\n');
  const last = (lines.at(-1) ?? '').replace(/^ {0,3}/, '').replace(/ +$/, '');
  if (last.length >= marker.length && last === marker.charAt(0).repeat(last.length)) lines.pop();
  return { text: lines.map((line) => outdented(line, inset.length)).join('\n'), lang: info.trim() };
}

function outdented(line: string, inset: number): string {
  if (inset === 0) return line;
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(spaces, inset));
}

/** The rows of a whole text: what a stream of it gives in the end. */
export function renderMarkdown(text: string, width: number, style: MarkdownStyle): string[] {
  const stream = new MarkdownStream(style);
  stream.push(text);
  stream.end();
  return stream.take(width);
}
