/** A part of the transcript: live while it changes, then finished rows that are the terminal's. */
import type { CardStyle } from '@tenon/screen-slots/api';

/** What blocks draw with. */
export type DrawStyle = CardStyle;

/** One part of the transcript. */
export abstract class Block {
  #version = 0;
  #drawn: { readonly version: number; readonly style: DrawStyle; readonly rows: readonly string[] } | undefined;

  /** True when its rows never change again. */
  abstract readonly isFinished: boolean;

  /** The rows that may still change. */
  rows(style: DrawStyle): readonly string[] {
    const before = this.#drawn;
    if (before?.version === this.#version && isSame(before.style, style)) return before.rows;
    const rows = this.draw(style);
    this.#drawn = { version: this.#version, style, rows };
    return rows;
  }

  /** Rows that are final though the block is not; each is given once. Only the first block of the transcript is asked. */
  takeFinished(_style: DrawStyle): readonly string[] {
    return [];
  }

  /** Nobody waits any more: what it holds back for a better look is final as it is. */
  hurry(): void {}

  /** Something looks different. */
  protected changed(): void {
    this.#version += 1;
  }

  protected abstract draw(style: DrawStyle): readonly string[];
}

function isSame(a: DrawStyle, b: DrawStyle): boolean {
  return a.theme === b.theme && a.width === b.width && a.isExpanded === b.isExpanded;
}

/** Rows that are final from the beginning. */
export class StillBlock extends Block {
  readonly isFinished = true;
  readonly #make: (style: DrawStyle) => readonly string[];

  constructor(make: (style: DrawStyle) => readonly string[]) {
    super();
    this.#make = make;
  }

  protected draw(style: DrawStyle): readonly string[] {
    return this.#make(style);
  }
}
