/** The whole conversation is sent again with every request; what was masked once is not searched again. */
import type { ModelTool } from '@tenon/models/api';
import type { Masker } from './masker.ts';

interface MaskedTool {
  readonly from: ModelTool;
  readonly to: ModelTool;
}

/**
 * What holds a message together: names that others look things up by, and a provider's own data, which goes back byte for
 * byte. None of it is written by people or read from files, and a mask in it would break the conversation.
 */
const FRAME = new Set([
  'api',
  'id',
  'mimeType',
  'model',
  'name',
  'parentId',
  'provider',
  'role',
  'stopReason',
  'textSignature',
  'thinkingSignature',
  'thoughtSignature',
  'timestamp',
  'toolCallId',
  'toolName',
  'type',
  'usage',
]);

/** Masks the parts of requests and entries, and remembers them as long as the originals live. */
export class MaskedParts {
  readonly #masker: Masker;
  #messages = new WeakMap<object, object>();
  /** By their parameters: descriptions are made anew for every request, and are mostly the same text. */
  #tools = new WeakMap<object, MaskedTool>();
  #text = { from: '', to: '' };

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /** Forgets what was masked: there are more secrets now. */
  forget(): void {
    this.#messages = new WeakMap();
    this.#tools = new WeakMap();
    this.#text = { from: '', to: '' };
  }

  /** A text of Tenon's that seldom changes from one request to the next. */
  text(from: string): string {
    if (from !== this.#text.from) this.#text = { from, to: this.#masker.maskOwn(from) };
    return this.#text.to;
  }

  /** A message. Messages are never changed in place. */
  message<T extends object>(message: T): T {
    const known = this.#messages.get(message) ?? this.#framed(message, (value) => this.#content(value));
    this.#messages.set(message, known);
    return known as T;
  }

  /** A tool, as the model is told about it. */
  tool(tool: ModelTool): ModelTool {
    const known = this.#tools.get(tool.parameters);
    if (known?.from.name === tool.name && known.from.description === tool.description) return known.to;
    const to = { ...this.#masker.maskOwn(tool), name: tool.name };
    this.#tools.set(tool.parameters, { from: tool, to });
    return to;
  }

  /** An entry of a session. The message in it is the one that will be sent as well. */
  entry<T extends object>(entry: T): T {
    return this.#framed(entry, (value, key) => {
      const isMessage = key === 'message' && typeof value === 'object' && value !== null;
      return isMessage ? this.message(value) : this.#content(value);
    });
  }

  /** The content of a message is a text or a list of blocks, which have a frame of their own. */
  #content(value: unknown): unknown {
    if (!Array.isArray(value)) return this.#masker.mask(value);
    const blocks = value.map((block: unknown) =>
      isBlock(block) && block.type !== 'image'
        ? this.#framed(block, (part) => this.#masker.mask(part))
        : this.#masker.mask(block),
    );
    return blocks.some((block, index) => block !== value[index]) ? blocks : value;
  }

  /** A copy with all but the frame changed, or the same object. */
  #framed<T extends object>(from: T, change: (value: unknown, key: string) => unknown): T {
    let changed = false;
    const copy = Object.entries(from).map(([key, value]: [string, unknown]) => {
      const to = FRAME.has(key) ? value : change(value, key);
      changed ||= to !== value;
      return [key, to];
    });
    return changed ? (Object.fromEntries(copy) as T) : from;
  }
}

function isBlock(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
