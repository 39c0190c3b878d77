/** Bytes of whatever kind, shown in the way that suits them. */
import { basename } from 'node:path';
import { type DocumentKind, type DocumentText, kindOf } from '@tenon/documents/api';
import type { ToolResult } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import { byteText } from '@tenon/wording';
import { isBinary } from './file-bytes.ts';
import { type Reading, type Subject, subjectResult } from './reading.ts';
import { textResultOf } from './text-result.ts';

/** Kinds that become text. */
const TEXTUAL: ReadonlySet<DocumentKind> = new Set<DocumentKind>([
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'opendocument',
  'epub',
  'rtf',
  'notebook',
  'old-office',
]);

/** How a kind is shown. RTF and notebooks are text by themselves, which `:raw` shows. */
export function displayOf(
  kind: DocumentKind | undefined,
  raw: boolean,
): 'image' | 'document' | 'archive' | 'database' | 'text' {
  if (kind === 'image') return 'image';
  if (kind === 'zip' || kind === 'tar' || kind === 'gzip') return 'archive';
  if (kind === 'sqlite') return 'database';
  const isTextInside = kind === 'rtf' || kind === 'notebook';
  return kind !== undefined && TEXTUAL.has(kind) && !(raw && isTextInside) ? 'document' : 'text';
}

/** Shows bytes that are not a file which could be edited: from an archive or from a URL. */
export async function presentBytes(
  reading: Reading,
  subject: Subject,
  bytes: Buffer,
  about: { readonly name: string; readonly contentType?: string },
): Promise<ToolResult> {
  const kind = kindOf(about.name, bytes, about.contentType);
  const display = displayOf(kind, subject.selector.raw);
  if (display === 'image') return imageResult(reading, subject, bytes);
  if (display === 'document') return documentResult(reading, subject, () => documentText(reading, bytes, about));
  if (display !== 'text' || isBinary(bytes)) {
    throw errors.create('FILE_TOOLS_BINARY', { path: subject.shownPath, size: byteText(bytes.length) });
  }
  return textResultOf(reading, subject, bytes, { isEditable: false, outlineAs: about.name });
}

/** Shows an image, made fit for a conversation. */
export async function imageResult({ host, signal }: Reading, subject: Subject, bytes: Uint8Array): Promise<ToolResult> {
  const image = await (await host.documents()).image(bytes, { signal });
  const facts = [image.mimeType, `${image.width}x${image.height}`, byteText(Buffer.byteLength(image.data, 'base64'))];
  const text = `[Image ${subject.shownPath}: ${[...facts, ...image.notes].join(', ')}]`;
  const result = subjectResult(subject, text);
  return { ...result, content: [...result.content, { type: 'image', data: image.data, mimeType: image.mimeType }] };
}

/** The text of a document. */
export async function documentText(
  { host, signal }: Reading,
  bytes: Uint8Array,
  { name, contentType }: { readonly name: string; readonly contentType?: string },
): Promise<DocumentText | undefined> {
  const about = { name: basename(name), signal, ...(contentType !== undefined && { contentType }) };
  return (await host.documents()).toText(bytes, about);
}

/** Shows the text of a document by the page, like that of any other file. */
export async function documentResult(
  reading: Reading,
  subject: Subject,
  convert: () => Promise<DocumentText | undefined>,
  { isEditable = false }: { readonly isEditable?: boolean } = {},
): Promise<ToolResult> {
  const document = await convert();
  if (!document) throw errors.create('FILE_TOOLS_BINARY', { path: subject.shownPath, size: 'no text in it' });
  const noted = { ...subject, notes: [...(subject.notes ?? []), ...document.notes] };
  if (document.text.trim() === '') return subjectResult(noted, '(no text)');
  return textResultOf(reading, noted, Buffer.from(document.text), { isEditable });
}
