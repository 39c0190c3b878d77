/** What other plugins may use of URLs: the slot for schemes, the service that goes through it, and the outputs of agents. */
import { service, slot } from '@tenon/kernel';

/** Where a URL is used: some schemes name things of one session. */
export interface UrlScope {
  readonly session: string;
  readonly cwd: string;
}

/** What reading and writing are told. */
export interface UrlCall {
  readonly signal: AbortSignal;
  readonly scope?: UrlScope;
  /** True when the content is wanted as it is, not made readable. */
  readonly raw?: boolean;
}

/** What stands behind a URL. */
export interface UrlContent {
  readonly content: string;
  /** The content itself when it is not text; `content` is then a short description. */
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  /** The file behind the URL, when there is one on this machine. */
  readonly file?: string;
  /** For the reader, beside the content. */
  readonly notes?: readonly string[];
  /** True when it never changes, so that it may be kept. */
  readonly immutable?: boolean;
  /** True when the URL already chose a part of something, so that lines must not be counted in it. */
  readonly isExtract?: boolean;
  /** Facts for programs: where the content really came from, how it was made. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What the data of an entry says about a scheme. */
export interface UrlSchemeData {
  readonly description?: string;
  readonly writable?: boolean;
  readonly immutable?: boolean;
}

/** Owns a scheme. A URL that cannot be read or written is an error whose text says what to do next. */
export interface UrlScheme {
  read(url: string, call: UrlCall): Promise<UrlContent>;
  /** Replaces the whole content. Absent for schemes that cannot be written. */
  write?(url: string, content: string, call: UrlCall): Promise<void>;
  /** The file that stands, or would stand, behind the URL; programs are given it in place of the URL. */
  locate?(url: string, call: UrlCall): Promise<string | undefined>;
}

/** Schemes by their name in lower case, without `://`. The data of an entry is a `UrlSchemeData`. */
export const urlSchemes = slot<UrlScheme>('url-schemes', { access: 'packs' });

/** Reads and writes URLs of schemes that plugins or the embedding program own. */
export interface UrlRouter {
  /** The scheme of a text, if it is a URL of a scheme that somebody owns. */
  schemeOf(text: string): string | undefined;
  read(url: string, call: UrlCall): Promise<UrlContent>;
  write(url: string, content: string, call: UrlCall): Promise<void>;
  /** The file behind a URL, existing or not, without reading it; undefined when no file of this machine is behind it. */
  locate(url: string, call: UrlCall): Promise<string | undefined>;
  list(): readonly ({ readonly scheme: string } & UrlSchemeData)[];
}

/** The way to every scheme. */
export const urlRouter = service<UrlRouter>('url-router');

/** What agents and jobs of a session gave back, kept with the session and readable as `agent://ID`. */
export interface AgentOutputs {
  /** Keeps an output; one of the same id is replaced. Ids have letters, digits, `.`, `_` and `-`. */
  put(session: string, id: string, text: string): Promise<void>;
  get(session: string, id: string): Promise<string | undefined>;
  /** The ids, oldest first. */
  list(session: string): Promise<readonly string[]>;
}

/** What agents and jobs gave back. */
export const agentOutputs = service<AgentOutputs>('agent-outputs');

export { errors } from './errors.ts';
export { extractJson } from './json-query.ts';
export { parseAddress, type Address } from './address.ts';
