/** Small components: text, one row, a sign of life. */
import type { Component } from '@tenon/screen';
import { type ContentText, fitted, wrapped } from './text-tools.ts';

/** Styled text that is wrapped; nothing is computed twice for one width. The text must be clean but for styles. */
export class TextBlock implements Component {
  readonly #text: ContentText;
  #value: string;
  #known: { readonly width: number; readonly rows: string[] } | undefined;

  constructor(text: ContentText, value = '') {
    this.#text = text;
    this.#value = value;
  }

  /** Other text. */
  set(value: string): void {
    if (value === this.#value) return;
    this.#value = value;
    this.#known = undefined;
  }

  render(width: number): string[] {
    if (this.#known?.width === width) return this.#known.rows;
    const clean = this.#text.sanitize(this.#value, { keepStyle: true });
    const rows = clean === '' ? [] : wrapped(this.#text, clean, Math.max(width, 1));
    this.#known = { width, rows };
    return rows;
  }

  invalidate(): void {
    this.#known = undefined;
  }
}

/** Rows that are there already; too wide ones are cut. */
export class Rows implements Component {
  readonly #text: ContentText;
  #rows: readonly string[];

  constructor(text: ContentText, rows: readonly string[] = []) {
    this.#text = text;
    this.#rows = rows;
  }

  /** Other rows. */
  set(rows: readonly string[]): void {
    this.#rows = rows;
  }

  render(width: number): string[] {
    return this.#rows.map((row) => fitted(this.#text, row, Math.max(width, 1)));
  }
}

/** One row that ends with `…` where it does not fit. */
export class TruncatedRow implements Component {
  readonly #text: ContentText;
  #value: string;

  constructor(text: ContentText, value = '') {
    this.#text = text;
    this.#value = value;
  }

  /** Other text; line feeds become spaces. */
  set(value: string): void {
    this.#value = value;
  }

  render(width: number): string[] {
    const line = this.#text.sanitize(this.#value, { keepStyle: true }).replace(/\s*[\n\t]\s*/g, ' ');
    return line === '' ? [] : [fitted(this.#text, this.#text.truncate(line, Math.max(width, 1)), Math.max(width, 1))];
  }
}
