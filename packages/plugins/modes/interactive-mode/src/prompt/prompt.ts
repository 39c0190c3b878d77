/** The prompt: the editor, what it completes, and what is attached to the draft. */
import { type CompletionSource, Editor, type EditorOptions, type Theme, type ThemeColor } from '@tenon/components';
import type { ImageContent } from '@tenon/models/api';
import type { Component } from '@tenon/screen';

/** What kind of line the draft is by its first characters. */
export type DraftKind = 'prompt' | 'shell' | 'python' | 'command';

/** `!ls` is for the shell, `$ 1+1` for Python; `!!` and `$$` keep the model out of it. `$HOME` and `$5` are ordinary text. */
export function kindOf(draft: string): DraftKind {
  if (draft.startsWith('!')) return 'shell';
  if (/^\$\$?\s/.test(draft)) return 'python';
  return draft.startsWith('/') ? 'command' : 'prompt';
}

/** What the prompt works with. */
export interface PromptParts extends Required<Pick<EditorOptions, 'text' | 'keys' | 'searchHistory' | 'onError'>> {
  theme(): Theme;
  rows(): number;
  isPlanning(): boolean;
  readonly mode: 'plain' | 'vi';
  readonly placeholder: string;
  /** No lines above and below: for screen readers. */
  readonly isBare: boolean;
  readonly completions: readonly CompletionSource[];
  onSubmit(text: string, images: readonly ImageContent[]): void;
  requestFrame(): void;
}

/** What was typed and attached. */
export class Prompt implements Component {
  readonly editor: Editor;
  readonly #parts: PromptParts;
  #images = new Map<string, ImageContent>();
  #imageCount = 0;

  constructor(parts: PromptParts) {
    this.#parts = parts;
    this.editor = new Editor({
      text: parts.text,
      keys: parts.keys,
      searchHistory: parts.searchHistory,
      onError: parts.onError,
      theme: () => parts.theme(),
      maxRows: () => Math.max(3, Math.floor(parts.rows() / 3)),
      // The status line, and a row of the conversation.
      maxAllRows: () => parts.rows() - 2,
      ...(parts.isBare
        ? { hasBorders: false, marker: 'Prompt: ', completesOnlyAsked: true }
        : { borderColor: () => this.#borderColor() }),
      placeholder: parts.placeholder,
      sources: parts.completions,
      requestFrame: () => parts.requestFrame(),
      onSubmit: (text) => this.#submit(text),
    });
    this.editor.mode = parts.mode;
  }

  render(width: number): string[] {
    return this.editor.render(width);
  }

  spoken(): string | undefined {
    return this.editor.spoken();
  }

  handleInput(data: string): void {
    this.editor.handleInput(data);
  }

  /** The whole draft, with what pastes stand for. */
  get draft(): string {
    return this.editor.expandedText;
  }

  setDraft(text: string): void {
    this.editor.text = text;
    this.#parts.requestFrame();
  }

  /** Puts a draft back that could not be sent, with its images: their labels are in it. */
  restore(text: string, images: readonly ImageContent[]): void {
    const labels = [...new Set(text.match(/\[image \d+\]/g))].sort((a, b) => numberIn(a) - numberIn(b));
    for (const [at, label] of labels.entries()) {
      const image = images[at];
      if (image) this.#images.set(label, image);
    }
    this.setDraft(text);
  }

  /** Adds an image as one unit of the draft. */
  attach(image: ImageContent): void {
    this.#imageCount += 1;
    const label = `[image ${this.#imageCount}]`;
    this.#images.set(label, image);
    if (this.editor.insertUnit(label, label)) this.editor.insert(' ');
    this.#parts.requestFrame();
  }

  /** Takes the draft out of the editor: as it would be sent. */
  take(): { readonly text: string; readonly images: readonly ImageContent[] } {
    const text = this.draft;
    this.editor.setDraft('');
    return { text, images: this.#imagesIn(text) };
  }

  /** Plain keys, or those of vi; gives what it is now. */
  toggleVi(): 'plain' | 'vi' {
    this.editor.mode = this.editor.mode === 'vi' ? 'plain' : 'vi';
    this.#parts.requestFrame();
    return this.editor.mode;
  }

  /** Whether Escape is the editor's: it closes a list or a search, or ends vi's insert mode. */
  get wantsEscape(): boolean {
    return this.editor.wantsEscape;
  }

  #submit(text: string): void {
    this.#parts.onSubmit(text, this.#imagesIn(text));
  }

  /** An image whose label was deleted does not go along. */
  #imagesIn(text: string): readonly ImageContent[] {
    const images = [...this.#images].flatMap(([label, image]) => (text.includes(label) ? [image] : []));
    this.#images = new Map();
    return images;
  }

  #borderColor(): ThemeColor {
    const kind = kindOf(this.editor.text);
    if (kind === 'shell' || kind === 'python') return 'bashMode';
    return this.#parts.isPlanning() ? 'warning' : 'borderMuted';
  }
}

const numberIn = (label: string): number => Number(/\d+/.exec(label)?.[0] ?? 0);
