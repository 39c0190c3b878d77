/** Builds results whose facts stand in `details.meta` and whose notices all read the same. */
import type { ToolContent, ToolResult } from './api.ts';

/** What was left out of a text. */
export interface Truncation {
  readonly direction: 'head' | 'tail';
  readonly truncatedBy: 'lines' | 'bytes';
  readonly totalLines: number;
  readonly totalBytes?: number;
  /** From 1, both included. */
  readonly shownRange: { readonly start: number; readonly end: number };
  /** Where the next page starts. */
  readonly nextOffset?: number;
  /** The part of `artifact://ID` after the slashes: where the whole text is. */
  readonly artifactId?: string;
}

/** Facts about a result, under `details.meta`. */
export interface ResultMeta {
  readonly source?: { readonly type: 'path' | 'url' | 'internal'; readonly value: string };
  readonly truncation?: Truncation;
  /** Limits that were reached, by name. */
  readonly limits?: Readonly<Record<string, number>>;
  /** What a checker said about the thing that was worked on. */
  readonly diagnostics?: { readonly summary: string; readonly messages: readonly string[] };
}

const SHOWN_DIAGNOSTICS = 20;

/** The facts as lines for the model; none when there is nothing to say. */
export function noticesOf({ truncation, limits = {}, diagnostics }: ResultMeta): string[] {
  const notices: string[] = [];
  if (truncation) notices.push(truncationNotice(truncation));
  for (const [name, limit] of Object.entries(limits)) {
    notices.push(`[The limit of ${limit} (${name}) was reached; narrow the request to see the rest.]`);
  }
  if (diagnostics && diagnostics.messages.length > 0) {
    const more = diagnostics.messages.length - SHOWN_DIAGNOSTICS;
    notices.push(
      `[${diagnostics.summary}]`,
      ...diagnostics.messages.slice(0, SHOWN_DIAGNOSTICS).map((message) => `- ${message}`),
      ...(more > 0 ? [`- … ${more} more`] : []),
    );
  }
  return notices;
}

function truncationNotice({ shownRange, totalLines, truncatedBy, nextOffset, artifactId }: Truncation): string {
  const why = truncatedBy === 'bytes' ? ', cut at the size limit' : '';
  const next = nextOffset === undefined ? '' : ` Go on at line ${nextOffset}.`;
  const whole = artifactId === undefined ? '' : ` Everything: artifact://${artifactId}.`;
  return `[Lines ${shownRange.start}-${shownRange.end} of ${totalLines} shown${why}.${next}${whole}]`;
}

/** Collects a result. `done()` writes the facts into `details.meta` and the notices after the text. */
export class ResultBuilder {
  readonly #content: ToolContent[] = [];
  readonly #details: Record<string, unknown>;
  readonly #notices: string[] = [];
  #meta: ResultMeta = {};
  #isError = false;

  constructor(details: Readonly<Record<string, unknown>> = {}) {
    this.#details = { ...details };
  }

  text(text: string): this {
    this.#content.push({ type: 'text', text });
    return this;
  }

  image(data: string, mimeType: string): this {
    this.#content.push({ type: 'image', data, mimeType });
    return this;
  }

  details(details: Readonly<Record<string, unknown>>): this {
    Object.assign(this.#details, details);
    return this;
  }

  source(type: 'path' | 'url' | 'internal', value: string): this {
    this.#meta = { ...this.#meta, source: { type, value } };
    return this;
  }

  truncation(truncation: Truncation | undefined): this {
    if (truncation) this.#meta = { ...this.#meta, truncation };
    return this;
  }

  limit(name: string, limit: number): this {
    this.#meta = { ...this.#meta, limits: { ...this.#meta.limits, [name]: limit } };
    return this;
  }

  diagnostics(summary: string, messages: readonly string[]): this {
    if (messages.length > 0) this.#meta = { ...this.#meta, diagnostics: { summary, messages } };
    return this;
  }

  /** A line of its own after the text, in brackets. */
  notice(text: string): this {
    this.#notices.push(`[${text}]`);
    return this;
  }

  /** The call failed in an expected way; the text says what to do next. */
  failed(): this {
    this.#isError = true;
    return this;
  }

  done(): ToolResult {
    const notices = [...this.#notices, ...noticesOf(this.#meta)];
    const at = this.#content.findLastIndex(({ type }) => type === 'text');
    const last = this.#content[at];
    const tail = notices.join('\n');
    if (tail !== '' && last?.type === 'text') {
      this.#content[at] = { type: 'text', text: last.text === '' ? tail : `${last.text}\n\n${tail}` };
    } else if (tail !== '') this.#content.push({ type: 'text', text: tail });
    const details = { ...this.#details, ...(Object.keys(this.#meta).length > 0 && { meta: this.#meta }) };
    return {
      content: this.#content,
      ...(Object.keys(details).length > 0 && { details }),
      ...(this.#isError && { isError: true }),
    };
  }
}

/** Begins a result. */
export function buildResult(details?: Readonly<Record<string, unknown>>): ResultBuilder {
  return new ResultBuilder(details);
}
