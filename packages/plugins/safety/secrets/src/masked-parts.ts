/** The whole conversation is sent again with every request; what was masked once is not searched again. */
import type { ModelTool } from '@tenon/models/api';
import type { Masker } from './masker.ts';

interface MaskedTool {
  readonly from: ModelTool;
  readonly to: ModelTool;
}

/** Masks the parts of requests and entries, and remembers them as long as the originals live. */
export class MaskedParts {
  readonly #masker: Masker;
  readonly #messages = new WeakMap<object, object>();
  /** By their parameters: descriptions are made anew for every request, and are mostly the same text. */
  readonly #tools = new WeakMap<object, MaskedTool>();
  #text = { from: '', to: '' };

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /** A text that seldom changes from one request to the next. */
  text(from: string): string {
    if (from !== this.#text.from) this.#text = { from, to: this.#masker.mask(from) };
    return this.#text.to;
  }

  /** A message. Messages are never changed in place. */
  message<T extends object>(message: T): T {
    const known = this.#messages.get(message) ?? this.#masker.mask(message);
    this.#messages.set(message, known);
    return known as T;
  }

  /** A tool, as the model is told about it. */
  tool(tool: ModelTool): ModelTool {
    const known = this.#tools.get(tool.parameters);
    if (known?.from.name === tool.name && known.from.description === tool.description) return known.to;
    const to = this.#masker.mask(tool);
    this.#tools.set(tool.parameters, { from: tool, to });
    return to;
  }

  /** An entry of a session. The message in it is the one that will be sent as well. */
  entry<T extends object>(entry: T): T {
    const masked = Object.entries(entry).map(([key, value]: [string, unknown]) => {
      const isMessage = key === 'message' && typeof value === 'object' && value !== null;
      return [key, isMessage ? this.message(value) : this.#masker.mask(value)];
    });
    return Object.fromEntries(masked) as T;
  }
}
