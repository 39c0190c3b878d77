/** What other plugins may use of URLs: the slot for schemes, and the service that reads and writes through it. */
import { service, slot } from '@tenon/kernel';

/** What stands behind a URL. */
export interface UrlContent {
  readonly content: string;
  readonly contentType?: string;
  /** For the reader, beside the content. */
  readonly notes?: readonly string[];
  /** True when it never changes, so that it may be kept. */
  readonly immutable?: boolean;
}

/** What the data of an entry says about a scheme. */
export interface UrlSchemeData {
  readonly description?: string;
  readonly writable?: boolean;
  readonly immutable?: boolean;
}

/** Owns a scheme. A URL that cannot be read or written is an error whose text says what to do next. */
export interface UrlScheme {
  read(url: string, call: { readonly signal: AbortSignal }): Promise<UrlContent>;
  /** Replaces the whole content. Absent for schemes that cannot be written. */
  write?(url: string, content: string, call: { readonly signal: AbortSignal }): Promise<void>;
}

/** Schemes by their name in lower case, without `://`. The data of an entry is a `UrlSchemeData`. */
export const urlSchemes = slot<UrlScheme>('url-schemes', { access: 'packs' });

/** Reads and writes URLs of schemes that plugins or the embedding program own. */
export interface UrlRouter {
  /** The scheme of a text, if it is a URL of a scheme that somebody owns. */
  schemeOf(text: string): string | undefined;
  read(url: string, signal: AbortSignal): Promise<UrlContent>;
  write(url: string, content: string, signal: AbortSignal): Promise<void>;
  list(): readonly ({ readonly scheme: string } & UrlSchemeData)[];
}

/** The way to every scheme. */
export const urlRouter = service<UrlRouter>('url-router');

export { errors } from './errors.ts';
