/** Replaces secrets by placeholders. The same secret has the same placeholder in every session. */
import { createHash } from 'node:crypto';
import { variety } from './credentials.ts';
import { detectedSecrets } from './detected-secrets.ts';
import { encodedForms } from './encodings.ts';
import { found, foundInLines } from './found-values.ts';
import { KnownValues } from './known-values.ts';
import type { SecretRule } from './secret-list.ts';

/** Where a placeholder may begin. Nothing is consumed: in `#000A#XVZT#` the first five characters may be plain text. */
const PLACEHOLDER_START = /#(?=[A-Z0-9]{4}#)/g;
const PLACEHOLDER_LENGTH = 6;
/** Patterns can meet many values; only so many are remembered for undoing, besides those that are known by a rule. */
const MAX_REMEMBERED = 10_000;
/** Shorter values are found as they are, but their encodings would fit other texts by chance. */
const MIN_ENCODED = 8;

/** A name of three letters, a sign and six characters: a text that is shorter holds nothing that looks like a secret. */
const SHORTEST_DETECTED = 10;

/** Detected secrets that are known from then on; the oldest make room, so that a file full of fakes hides none that come later. */
const MAX_LEARNED = 500;

/** What a masker looks for. */
export interface MaskerOptions {
  /** Whether texts that look like credentials are secrets. */
  readonly detect?: boolean;
}

/** A part of a text to mask, and by which rule; without one it can be undone. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly rule?: SecretRule;
}

/** A placeholder in a text that stands for a secret. */
export interface KnownPlaceholder {
  readonly at: number;
  readonly placeholder: string;
  readonly secret: string;
}

/** Masks and restores. */
export class Masker {
  readonly #detect: boolean;
  readonly #patterns: readonly SecretRule[];
  readonly #values = new Map<string, SecretRule>();
  readonly #placeholders = new Map<string, string>();
  readonly #secrets = new Map<string, string>();
  /** Known secrets that have no placeholder yet, in their order. Making one needs Node's cryptography, which most starts can do without. */
  #unnamed: string[] = [];
  /** Values of the user, and all values: a project's list never touches what Tenon itself says. */
  #own = new KnownValues([]);
  readonly #learned = new Map<string, SecretRule>();
  /** What was met and is in no list, the oldest first. */
  readonly #met = new Set<string>();
  #all = new KnownValues([]);

  constructor(rules: readonly SecretRule[], { detect = false }: MaskerOptions = {}) {
    this.#detect = detect;
    this.#patterns = rules.filter(({ match }) => typeof match !== 'string');
    this.add(rules);
  }

  /** Adds values that became known later. False when all of them were known. */
  add(rules: readonly SecretRule[], { remember = true } = {}): boolean {
    let isNew = false;
    for (const rule of rules) {
      if (typeof rule.match !== 'string' || isSame(rule, this.#values.get(rule.match))) continue;
      isNew = true;
      if (rule.mode === 'obfuscate' && remember) this.#unnamed.push(rule.match);
      const isEncoded = rule.match.length >= MIN_ENCODED;
      // The user's rule for a value wins over one of the project.
      for (const form of [rule.match, ...(isEncoded ? encodedForms(rule.match) : [])])
        if (!this.#values.has(form) || rule.fromProject !== true) this.#values.set(form, rule);
    }
    if (!isNew) return false;
    const entries = [...this.#values];
    const own = entries.filter(([, rule]) => rule.fromProject !== true);
    this.#all = new KnownValues(entries.map(([value]) => value));
    this.#own = own.length === entries.length ? this.#all : new KnownValues(own.map(([value]) => value));
    return true;
  }

  /** A copy of any value in which no text holds a secret. Values without one come back as they are. */
  mask<T>(value: T): T {
    return walk(value, (text) => this.maskText(text)) as T;
  }

  /** The same for what Tenon says itself, to which a project's list does not apply. */
  maskOwn<T>(value: T): T {
    return walk(value, (text) => this.#masked(text, this.#own)) as T;
  }

  /** A text without secrets. */
  maskText(text: string): string {
    return this.#masked(text, this.#all);
  }

  /** The placeholders of a text that stand for something, from left to right. */
  placeholdersIn(text: string): KnownPlaceholder[] {
    const hits: KnownPlaceholder[] = [];
    if (!text.includes('#')) return hits;
    let from = 0;
    for (const { index: at } of text.matchAll(PLACEHOLDER_START)) {
      this.#nameAll();
      const placeholder = text.slice(at, at + PLACEHOLDER_LENGTH);
      const secret = at < from ? undefined : this.#secrets.get(placeholder);
      if (secret === undefined) continue;
      hits.push({ at, placeholder, secret });
      from = at + PLACEHOLDER_LENGTH;
    }
    return hits;
  }

  /** A copy of any value with those placeholders replaced by their secrets that `isAllowed` says. */
  restore<T>(value: T, isAllowed: (secret: string) => boolean = () => true): T {
    return walk(value, (text) => this.#restoreText(text, isAllowed)) as T;
  }

  #masked(text: string, values: KnownValues): string {
    const isShort = text.length < Math.min(SHORTEST_DETECTED, values.shortest) && this.#patterns.length === 0;
    if (text === '' || isShort) return text;
    const spans: Span[] = [];
    for (const { start, end, value } of [...found(values, text), ...foundInLines(values, text)]) {
      const rule = this.#values.get(value);
      spans.push({ start, end, ...(rule && { rule }) });
    }
    for (const rule of this.#patterns)
      for (const match of text.matchAll(rule.match as RegExp))
        if (match[0] !== '') spans.push({ start: match.index, end: match.index + match[0].length, rule });
    const detected = this.#detect ? detectedSecrets(text) : [];
    for (const { start, text: value } of detected) spans.push({ start, end: start + value.length });
    if (spans.length === 0) return text;
    this.#learn(detected.map(({ text: value }) => value));
    let masked = '';
    let from = 0;
    for (const { start, end, rule } of joined(spans)) {
      masked += text.slice(from, start) + this.#substitute(text.slice(start, end), rule);
      from = end;
    }
    return masked + text.slice(from);
  }

  /** What was seen once is known from then on, encoded or turned around as well: `base64 .env` shows no more than `cat .env`. */
  #learn(detected: readonly string[]): void {
    const fresh = new Set(detected.filter((value) => !this.#values.has(value) && isUnmistakable(value)));
    if (fresh.size === 0) return;
    // Files of a project can hold anything, so what was learned from them counts as the project's.
    const rules = [...fresh]
      .slice(-MAX_LEARNED)
      .map((match): SecretRule & { match: string } => ({ match, mode: 'obfuscate', fromProject: true }));
    for (const rule of rules) this.#learned.set(rule.match, rule);
    const old = new Set([...this.#learned.values()].slice(0, Math.max(0, this.#learned.size - MAX_LEARNED)));
    if (old.size > 0) for (const [form, rule] of this.#values) if (old.has(rule)) this.#values.delete(form);
    for (const { match } of old) this.#learned.delete(String(match));
    this.add(rules, { remember: false });
  }

  #substitute(secret: string, rule: SecretRule | undefined): string {
    if (rule?.mode === 'replace') return rule.replacement ?? '*'.repeat(secret.length);
    return this.#placeholderFor(secret);
  }

  /** In the order in which they became known: two may want the same placeholder. */
  #nameAll(): void {
    const unnamed = this.#unnamed;
    this.#unnamed = [];
    for (const secret of unnamed) {
      this.#placeholderFor(secret);
      this.#met.delete(secret);
    }
  }

  #placeholderFor(secret: string): string {
    if (this.#unnamed.length > 0) this.#nameAll();
    const known = this.#placeholders.get(secret);
    if (known !== undefined) {
      // Used again: it is not the oldest any more.
      if (this.#met.delete(secret)) this.#met.add(secret);
      return known;
    }
    for (let salt = 0; ; salt++) {
      const number = createHash('sha256').update(`${salt}:${secret}`).digest().readUInt32BE(0) % 36 ** 4;
      const placeholder = `#${number.toString(36).toUpperCase().padStart(4, '0')}#`;
      const other = this.#secrets.get(placeholder);
      if (other !== undefined && other !== secret) continue;
      this.#placeholders.set(secret, placeholder);
      this.#secrets.set(placeholder, secret);
      this.#met.add(secret);
      if (this.#met.size > MAX_REMEMBERED) this.#forgetOldest();
      return placeholder;
    }
  }

  #forgetOldest(): void {
    const [oldest = ''] = this.#met;
    this.#met.delete(oldest);
    this.#secrets.delete(this.#placeholders.get(oldest) ?? '');
    this.#placeholders.delete(oldest);
  }

  #restoreText(text: string, isAllowed: (secret: string) => boolean): string {
    let restored = '';
    let from = 0;
    for (const { at, secret } of this.placeholdersIn(text)) {
      if (!isAllowed(secret)) continue;
      restored += text.slice(from, at) + secret;
      from = at + PLACEHOLDER_LENGTH;
    }
    return restored + text.slice(from);
  }
}

/** True for a rule that says nothing new. */
function isSame(rule: SecretRule, known: SecretRule | undefined): boolean {
  return (
    known?.match === rule.match &&
    known.mode === rule.mode &&
    known.replacement === rule.replacement &&
    known.fromProject === rule.fromProject &&
    known.restore === rule.restore
  );
}

/** A password that is a word stays readable where it is a word. */
function isUnmistakable(secret: string): boolean {
  const isLong = secret.length >= 10 && secret.length <= 512;
  return isLong && variety(secret) >= 8 && /\d/.test(secret) && /[a-z]/i.test(secret);
}

/** Spans from left to right; those that overlap become one, so that no end of a secret is left over. */
function joined(spans: Span[]): Span[] {
  const sorted = spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const list: Span[] = [];
  for (const span of sorted) {
    const last = list.at(-1);
    if (last === undefined || span.start >= last.end) list.push(span);
    else if (span.end > last.end) list[list.length - 1] = { start: last.start, end: span.end };
  }
  return list;
}

/** Names of fields are shorter, mostly; what is longer may be anything. */
const MIN_KEY = 16;

/** Nothing that people read is nested so deeply; a server that sends such data could otherwise keep all of it from being masked. */
const MAX_NESTED = 500;

/** A copy of a value with every text changed; what has nothing to change is the same object. */
export function walk(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (depth === MAX_NESTED) return '[nested too deeply]';
  if (Array.isArray(value)) return each(value, (item) => walk(item, change, depth + 1));
  const { type, data } = value as { type?: unknown; data?: unknown };
  // Pictures are base64: nothing in them is a secret, and a chance match would break them.
  const skip = type === 'image' && typeof data === 'string' ? 'data' : undefined;
  let changed = false;
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    // Names of files and variables stand as keys, too.
    const key = name.length < MIN_KEY ? name : change(name);
    copy[key] = name === skip ? item : walk(item, change, depth + 1);
    changed ||= key !== name || copy[key] !== item;
  }
  return changed ? copy : value;
}

function each(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const copy = list.map(change);
  return copy.some((item, index) => item !== list[index]) ? copy : list;
}
