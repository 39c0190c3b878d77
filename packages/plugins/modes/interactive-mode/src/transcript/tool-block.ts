/** A call of a tool, from the model's first word of it to its result. */
import type { ToolResult } from '@tenon/tools/api';
import type { ToolRenderer, ToolView } from '@tenon/screen-slots/api';
import { renderCard } from '../cards/index.ts';
import { Block, type DrawStyle } from './block.ts';

/** The key that shows what is folded: rows that are finished do not change any more, and are whole elsewhere. */
export type UnfoldKey = (isFinished: boolean) => string;

/** Shows one call. */
export class ToolBlock extends Block {
  readonly #renderer: ToolRenderer;
  #began: number;
  readonly #unfoldKey: UnfoldKey | undefined;
  #view: ToolView;
  #elapsedMs: number | undefined;

  constructor(renderer: ToolRenderer, view: ToolView, unfoldKey?: UnfoldKey, now: number = Date.now()) {
    super();
    this.#renderer = renderer;
    this.#view = view;
    this.#unfoldKey = unfoldKey;
    this.#began = now;
  }

  get isFinished(): boolean {
    return this.#view.state === 'done' || this.#view.state === 'failed';
  }

  /** What the model gave so far. */
  get input(): ToolView['input'] {
    return this.#view.input;
  }

  get name(): string {
    return this.#view.name;
  }

  get state(): ToolView['state'] {
    return this.#view.state;
  }

  /** Sets what is known of the call. */
  set(
    view: Partial<Pick<ToolView, 'input' | 'state'>> & { readonly result?: ToolResult },
    now: number = Date.now(),
  ): void {
    // The time in which the user thinks is not the call's.
    if (this.#view.state === 'waiting' && view.state !== undefined) this.#began = now;
    this.#view = { ...this.#view, ...view };
    if (this.isFinished) this.#elapsedMs ??= now - this.#began;
    this.changed();
  }

  /** The call will not run: the answer was cut off, or the user stopped it. */
  giveUp(reason: string): void {
    if (this.isFinished) return;
    this.set({ state: 'failed', result: { content: [{ type: 'text', text: reason }], isError: true } });
  }

  protected draw(style: DrawStyle): readonly string[] {
    const elapsed = this.#elapsedMs === undefined ? {} : { elapsedMs: this.#elapsedMs };
    const key = this.#unfoldKey?.(this.isFinished);
    const frame = { ...elapsed, ...(key !== undefined && { expandKey: key }) };
    return ['', ...renderCard(this.#view, this.#renderer, style, frame)];
  }
}
