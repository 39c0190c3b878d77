/** What the model says, as it comes: text and thoughts. */
import type { MarkdownModule, MarkdownStyle } from '@tenon/components';
import { counted } from '@tenon/wording';
import { Block, type DrawStyle } from './block.ts';

/** A block for an answer that begins. With `onReady`, code waits a moment for its colours: it is called when they are there. */
export function newAnswerBlock(
  { MarkdownStream }: Pick<MarkdownModule, 'MarkdownStream'>,
  style: MarkdownStyle,
  onReady?: () => void,
): AnswerBlock {
  return new AnswerBlock(new MarkdownStream(style, onReady));
}

type MarkdownStream = InstanceType<MarkdownModule['MarkdownStream']>;

/** The text of an answer. Blocks of Markdown that are closed are final at once. */
export class AnswerBlock extends Block {
  readonly #stream: MarkdownStream;
  #hasBegun = false;
  #isEnded = false;

  constructor(stream: MarkdownStream) {
    super();
    this.#stream = stream;
  }

  get isFinished(): boolean {
    return this.#isEnded && !this.#stream.isWaiting;
  }

  /** Waits for no colours any more. */
  override hurry(): void {
    this.#stream.hurry();
    this.changed();
  }

  push(delta: string): void {
    this.#stream.push(delta);
    this.changed();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#stream.end();
    this.#isEnded = true;
    this.changed();
  }

  override takeFinished({ width }: DrawStyle): readonly string[] {
    const rows = this.#stream.take(width);
    if (rows.length === 0) return rows;
    this.changed();
    const before = this.#hasBegun ? [] : [''];
    this.#hasBegun = true;
    return [...before, ...rows];
  }

  protected draw({ width }: DrawStyle): readonly string[] {
    const rows = this.#stream.open(width);
    return rows.length === 0 || this.#hasBegun ? rows : ['', ...rows];
  }
}

/** How much of the model's thoughts is shown. */
export type ThoughtsShown = 'all' | 'folded' | 'none';

/** How many rows of thoughts are shown while they come. */
const LIVE_ROWS = 4;

/** What the model thinks: the last rows while it does, then one row, unless everything is wanted. */
export class ThoughtsBlock extends Block {
  readonly #shown: ThoughtsShown;
  readonly #began: number;
  #text = '';
  #seconds: number | undefined;

  constructor(shown: ThoughtsShown, now: number = Date.now()) {
    super();
    this.#shown = shown;
    this.#began = now;
  }

  get isFinished(): boolean {
    return this.#seconds !== undefined;
  }

  /** All of it, as far as it has come. */
  get text(): string {
    return this.#text.trim();
  }

  /** Whether anything of it is shown. */
  get isShown(): boolean {
    return this.#shown !== 'none' && this.text !== '';
  }

  push(delta: string): void {
    this.#text += delta;
    this.changed();
  }

  end(now: number = Date.now()): void {
    this.#seconds ??= Math.round((now - this.#began) / 1000);
    this.changed();
  }

  protected draw(style: DrawStyle): readonly string[] {
    const { theme, width } = style;
    if (!this.isShown) return [];
    const wrapped = () => style.wrap(style.plain(this.text), Math.max(1, width - 2));
    const paint = (row: string) => `  ${theme.italic(theme.fg('thinkingText', row))}`;
    if (this.#shown === 'all' || style.isExpanded) return ['', ...wrapped().map(paint)];
    if (this.#seconds !== undefined)
      return [
        '',
        theme.fg(
          'thinkingText',
          this.#seconds === 0 ? '✻ Thought briefly' : `✻ Thought for ${counted(this.#seconds, 'second')}`,
        ),
      ];
    return ['', ...wrapped().slice(-LIVE_ROWS).map(paint)];
  }
}
