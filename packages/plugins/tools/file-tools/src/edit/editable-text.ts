/** What can be edited by the line. Everything else would come out damaged. */
import { type DocumentKind, kindOf } from '@tenon/documents/api';
import { errors } from '../errors.ts';
import { isBinary } from '../read/file-bytes.ts';

/** Kinds that are text, whatever else they are. */
const TEXTUAL: ReadonlySet<DocumentKind> = new Set<DocumentKind>(['rtf', 'notebook']);

/** What a file is that holds no text of single bytes; undefined for text. */
export function foreignForm(path: string, content: Uint8Array): string | undefined {
  // The mark of UTF-32 begins like that of UTF-16.
  if (content[0] === 0xff && content[1] === 0xfe && content[2] === 0 && content[3] === 0) return 'a binary file';
  if (content[0] === 0xff && content[1] === 0xfe) return 'UTF-16 text';
  if (content[0] === 0xfe && content[1] === 0xff) return 'UTF-16 text';
  const kind = kindOf(path, content);
  if (kind === 'sqlite') return 'a database';
  if (kind === 'zip' || kind === 'tar' || kind === 'gzip') return 'an archive';
  if (kind !== undefined && !TEXTUAL.has(kind)) return kind === 'image' ? 'an image' : 'a document';
  return isBinary(content) ? 'a binary file' : undefined;
}

/** Refuses to edit what is no text. */
export function refuseForeign(path: string, shownPath: string, content: Uint8Array): void {
  const kind = foreignForm(path, content);
  if (kind === undefined) return;
  const how =
    kind === 'UTF-16 text'
      ? 'Replace it as a whole with write, which keeps the encoding, or convert it with the bash tool (iconv).'
      : kind === 'a database'
        ? 'Change rows with write: DB:TABLE:KEY.'
        : kind === 'an archive'
          ? 'Put files into it with write: ARCHIVE:PATH.'
          : 'Use a program that knows its format, e.g. through the bash tool.';
  throw errors.create('FILE_TOOLS_EDIT_BINARY', { path: shownPath, kind, how });
}
