/** What other plugins may use of formats that are not text: documents, images, archives and databases. */
import { service } from '@tenon/kernel';
import type { DocumentKind } from './kinds.ts';

/** A document as text. */
export interface DocumentText {
  /** Markdown. */
  readonly text: string;
  /** What the reader should know: pages without text, what was left out. */
  readonly notes: string[];
}

/** An image that fits into a conversation. */
export interface DocumentImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  /** What was done to it: made smaller, turned, first frame of several. */
  readonly notes: string[];
}

/** A notebook as the text of its cells, and back. */
export interface NotebookCells {
  /** The text that `toText` gives. */
  readonly text: string;
  /** The file with another text; cells that stay as they are, and all else, stay byte for byte. */
  withText(text: string): Uint8Array;
}

/** Makes text and small images of what is not text. Work is bounded in time and memory; hostile files cost a child process. */
export interface Documents {
  /** See the function of the same name. */
  kindOf(name: string, head: Uint8Array, contentType?: string): DocumentKind | undefined;
  /** Undefined for kinds that are not made of text: images, archives, databases, unknown ones. */
  toText(
    bytes: Uint8Array,
    about: { readonly name: string; readonly contentType?: string; readonly signal: AbortSignal },
  ): Promise<DocumentText | undefined>;
  /** Opens a notebook to change its cells. */
  cells(bytes: Uint8Array, name: string): Promise<NotebookCells>;
  /** Upright and small enough for every model. Refuses what is no image with an error that says what to do. */
  image(bytes: Uint8Array, call: { readonly signal: AbortSignal }): Promise<DocumentImage>;
}

/** Makes text and small images of what is not text. */
export const documents = service<Documents>('documents');

/** One thing in an archive. */
export interface ArchiveEntry {
  /** With `/`, without a leading one; never leads out of the archive. */
  readonly name: string;
  /** Unpacked, as the archive says. */
  readonly size: number;
  readonly kind: 'file' | 'folder' | 'link';
  readonly modified?: Date;
}

/** An archive that is open for reading. Only what is asked for is unpacked. */
export interface Archive {
  /** `gz` is a single packed file, which is the only entry. */
  readonly kind: 'zip' | 'tar' | 'tgz' | 'gz';
  /** In the order of the archive; of several with one name the last. */
  readonly entries: readonly ArchiveEntry[];
  /** What is not in `entries`, and why. */
  readonly notes: readonly string[];
  /** The content in pieces. Fails when there is more of it than the archive said. */
  read(entry: ArchiveEntry, signal: AbortSignal): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Opens and changes archives: zip, tar, tar.gz, whatever they are called. */
export interface Archives {
  open(source: string | Uint8Array, call: { readonly signal: AbortSignal }): Promise<Archive>;
  /** Adds or replaces one file. The archive is written anew beside the old one, which it then replaces; a missing one is made. */
  put(
    file: string,
    entry: { readonly name: string; readonly content: Uint8Array },
    call: { readonly signal: AbortSignal },
  ): Promise<{ readonly created: boolean }>;
}

/** Opens and changes archives. */
export const archives = service<Archives>('archives');

/** A value of a database. Long ones come cut. */
export type SqlValue = string | number | bigint | null | SqlBlob;

/** Bytes in a database. */
export interface SqlBlob {
  readonly bytes: number;
  /** The first of them. */
  readonly head: Uint8Array;
}

/** What a query gave. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** True when there were more rows. */
  readonly more: boolean;
}

/** A database in a process of its own, which ends with `close` or when a statement takes too long. */
export interface SqlDatabase {
  query(sql: string, values?: readonly SqlValue[], options?: { readonly maxRows?: number }): Promise<SqlRows>;
  /** Runs statements as one transaction. Only in a database that was opened to be written. */
  change(
    statements: readonly { readonly sql: string; readonly values: readonly SqlValue[] }[],
  ): Promise<{ readonly changes: number; readonly lastRowId: bigint }>;
  close(): Promise<void>;
}

/** Opens SQLite databases, by default for reading, which leaves no trace and does not disturb who writes. */
export interface Databases {
  open(file: string, call: { readonly signal: AbortSignal; readonly access?: 'read' | 'write' }): Promise<SqlDatabase>;
}

/** Opens SQLite databases. */
export const databases = service<Databases>('databases');

export { type DocumentKind, kindOf } from './kinds.ts';
export { errors } from './errors.ts';
