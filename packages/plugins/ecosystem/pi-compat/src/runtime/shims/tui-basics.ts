/** The simple components of pi-tui: text, boxes, and what holds others. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from './text-width.ts';

/** What can be drawn, as extensions write it. */
export interface Drawable {
  render(width: number): string[];
  handleInput?(data: string): void;
  invalidate?(): void;
  dispose?(): void;
  focused?: boolean;
  readonly wantsKeyRelease?: boolean;
}

/** Gives a text a look. */
export type Style = (text: string) => string;

/** Where an editor shows its cursor. */
export const CURSOR_MARKER = '\u001b_pi:c\u0007';

/** What all components have. */
export class Part implements Drawable {
  wantsKeyRelease = false;
  render(_width: number): string[] {
    return [];
  }
  invalidate(): void {}
  handleInput(_data: string): void {}
  dispose(): void {}
}

/** Components one below the other. */
export class Container extends Part {
  children: Drawable[] = [];
  addChild(child: Drawable): void {
    this.children.push(child);
  }
  removeChild(child: Drawable): void {
    this.children = this.children.filter((other) => other !== child);
  }
  clear(): void {
    this.children = [];
  }
  override invalidate(): void {
    for (const child of this.children) child.invalidate?.();
  }
  override render(width: number): string[] {
    return this.children.flatMap((child) => child.render(width));
  }
}

/** A container with room around it, and perhaps a colour behind it. */
export class Box extends Container {
  #paddingX: number;
  #paddingY: number;
  #background: Style | undefined;
  constructor(paddingX = 1, paddingY = 1, background?: Style) {
    super();
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }
  setBgFn(background?: Style): void {
    this.#background = background;
  }
  setPaddingX(padding: number): void {
    this.#paddingX = padding;
  }
  setPaddingY(padding: number): void {
    this.#paddingY = padding;
  }
  override render(width: number): string[] {
    const inside = super.render(Math.max(1, width - 2 * this.#paddingX));
    if (inside.length === 0) return [];
    return painted(padded(inside, this.#paddingX, this.#paddingY), width, this.#background);
  }
}

/** Text, wrapped. */
export class Text extends Part {
  #text: string;
  readonly #paddingX: number;
  readonly #paddingY: number;
  #background: Style | undefined;
  constructor(text = '', paddingX = 1, paddingY = 1, background?: Style) {
    super();
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }
  setText(text: string): void {
    this.#text = String(text);
  }
  getText(): string {
    return this.#text;
  }
  setCustomBgFn(background?: Style): void {
    this.#background = background;
  }
  /** The lines between the padding. */
  protected lines(width: number): string[] {
    return wrapTextWithAnsi(this.#text, width);
  }
  override render(width: number): string[] {
    if (this.#text.trim() === '') return [];
    const inside = this.lines(Math.max(1, width - 2 * this.#paddingX));
    return painted(padded(inside, this.#paddingX, this.#paddingY), width, this.#background);
  }
}

/** Text on one line. */
export class TruncatedText extends Part {
  readonly #text: string;
  readonly #paddingX: number;
  readonly #paddingY: number;
  constructor(text = '', paddingX = 0, paddingY = 0) {
    super();
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
  }
  override render(width: number): string[] {
    const [first = ''] = this.#text.split('\n');
    const line = truncateToWidth(first, Math.max(1, width - 2 * this.#paddingX));
    return padded([line], this.#paddingX, this.#paddingY);
  }
}

/** Empty lines. */
export class Spacer extends Part {
  #lines: number;
  constructor(lines = 1) {
    super();
    this.#lines = lines;
  }
  setLines(lines: number): void {
    this.#lines = lines;
  }
  override render(): string[] {
    return Array.from({ length: Math.max(0, this.#lines) }, () => '');
  }
}

/** An image, of which only its type can be shown. */
export class Image extends Part {
  readonly #type: string;
  readonly #color: Style;
  constructor(_data: unknown, type = 'image', theme?: { readonly fallbackColor?: Style }) {
    super();
    this.#type = String(type);
    this.#color = theme?.fallbackColor ?? String;
  }
  override render(width: number): string[] {
    return [this.#color(truncateToWidth(`[${this.#type}]`, width))];
  }
}

/** Lines with blanks before them and empty lines around them. */
export function padded(lines: readonly string[], x: number, y: number): string[] {
  const margin = ' '.repeat(Math.max(0, x));
  const empty = Array.from({ length: Math.max(0, y) }, () => '');
  return [...empty, ...lines.map((line) => margin + line), ...empty];
}

function painted(lines: string[], width: number, background: Style | undefined): string[] {
  if (!background) return lines;
  return lines.map((line) => background(line + ' '.repeat(Math.max(0, width - visibleWidth(line)))));
}
