/** Replaces secrets by placeholders and back. The same secret has the same placeholder in every session. */
import { createHash } from 'node:crypto';
import type { SecretRule } from './secret-list.ts';

/** Where a placeholder may begin. Nothing is consumed: in `#000A#XVZT#` the first five characters may be plain text. */
const PLACEHOLDER_START = /#(?=[A-Z0-9]{4}#)/g;
const PLACEHOLDER_LENGTH = 6;
/** A beginning of a placeholder at the end of a text, which the next piece may complete. */
const OPEN_PLACEHOLDER = /#[A-Z0-9]{0,4}$/;
/** Patterns can meet many values; only so many are remembered for undoing. */
const MAX_REMEMBERED = 10_000;

/** Masks and restores. */
export class Masker {
  readonly #exact: SecretRule[];
  readonly #patterns: SecretRule[];
  readonly #placeholders = new Map<string, string>();
  readonly #secrets = new Map<string, string>();

  constructor(rules: readonly SecretRule[]) {
    // Longest first: a secret that contains another must not be left half open.
    const plain = rules.filter(({ match }) => typeof match === 'string');
    this.#exact = plain.sort((a, b) => String(b.match).length - String(a.match).length);
    this.#patterns = rules.filter(({ match }) => typeof match !== 'string');
    for (const rule of this.#exact) if (rule.mode === 'obfuscate') this.#placeholderFor(String(rule.match));
  }

  /** A copy of any value in which no text holds a secret. Values without one come back as they are. */
  mask<T>(value: T): T {
    return walk(value, (text) => this.#maskText(text)) as T;
  }

  /** A copy of any value with placeholders replaced by the secrets they stand for. */
  restore<T>(value: T): T {
    // Asked for at every event of every answer; mostly there is nothing to restore.
    if (this.#secrets.size === 0) return value;
    return walk(value, (text) => this.#restoreText(text)) as T;
  }

  #maskText(text: string): string {
    let masked = text;
    for (const rule of this.#exact) {
      if (masked.includes(String(rule.match)))
        masked = masked.replaceAll(String(rule.match), () => this.#substitute(rule, String(rule.match)));
    }
    for (const rule of this.#patterns)
      masked = masked.replace(rule.match, (secretText) => this.#substitute(rule, secretText));
    return masked;
  }

  #substitute({ mode, replacement }: SecretRule, secret: string): string {
    if (mode === 'replace') return replacement ?? '*'.repeat(secret.length);
    return this.#placeholderFor(secret);
  }

  #placeholderFor(secret: string): string {
    const known = this.#placeholders.get(secret);
    if (known !== undefined) return known;
    for (let salt = 0; ; salt++) {
      const number = createHash('sha256').update(`${salt}:${secret}`).digest().readUInt32BE(0) % 36 ** 4;
      const placeholder = `#${number.toString(36).toUpperCase().padStart(4, '0')}#`;
      const other = this.#secrets.get(placeholder);
      if (other !== undefined && other !== secret) continue;
      if (this.#placeholders.size < MAX_REMEMBERED) {
        this.#placeholders.set(secret, placeholder);
        this.#secrets.set(placeholder, secret);
      }
      return placeholder;
    }
  }

  #restoreText(text: string): string {
    if (!text.includes('#')) return text;
    let restored = '';
    let from = 0;
    for (const { at, secret } of this.#placeholdersIn(text)) {
      restored += text.slice(from, at) + secret;
      from = at + PLACEHOLDER_LENGTH;
    }
    return restored + text.slice(from);
  }

  /** The placeholders of a text that stand for something, from left to right. */
  #placeholdersIn(text: string): { at: number; secret: string }[] {
    const hits: { at: number; secret: string }[] = [];
    let from = 0;
    for (const { index: at } of text.matchAll(PLACEHOLDER_START)) {
      const secret = at < from ? undefined : this.#secrets.get(text.slice(at, at + PLACEHOLDER_LENGTH));
      if (secret === undefined) continue;
      hits.push({ at, secret });
      from = at + PLACEHOLDER_LENGTH;
    }
    return hits;
  }

  /** Restores a text that comes in pieces: what may be the beginning of a placeholder waits for the next piece. */
  restorer(): { push(piece: string): string; end(): string } {
    let waiting = '';
    return {
      push: (piece) => {
        const text = waiting + piece;
        // Only what follows the last complete placeholder can be the beginning of another one.
        const complete = this.#placeholdersIn(text).at(-1);
        const from = complete ? complete.at + PLACEHOLDER_LENGTH : 0;
        const open = OPEN_PLACEHOLDER.exec(text.slice(from));
        const end = open ? from + open.index : text.length;
        waiting = text.slice(end);
        return this.#restoreText(text.slice(0, end));
      },
      end: () => {
        const rest = this.#restoreText(waiting);
        waiting = '';
        return rest;
      },
    };
  }
}

function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return each(value, (item) => walk(item, change));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const { type, data } = value as { type?: unknown; data?: unknown };
  // Pictures are base64: nothing in them is a secret, and a chance match would break them.
  const skip = type === 'image' && typeof data === 'string' ? 'data' : undefined;
  let changed = false;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    copy[key] = key === skip ? item : walk(item, change);
    changed ||= copy[key] !== item;
  }
  return changed ? copy : value;
}

function each(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const copy = list.map(change);
  return copy.some((item, index) => item !== list[index]) ? copy : list;
}
