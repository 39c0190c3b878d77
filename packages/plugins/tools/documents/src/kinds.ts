/** What bytes are, told by how they start and, where that is not enough, by their name. */

/** Formats that are not plain text, or more than that. */
export type DocumentKind =
  | 'image'
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'opendocument'
  | 'epub'
  | 'rtf'
  | 'notebook'
  | 'old-office'
  | 'zip'
  | 'tar'
  | 'gzip'
  | 'sqlite';

/** How many bytes from the start tell what something is. */
const TELLING_BYTES = 64 * 1024;

const CONTENT_TYPES: Readonly<Record<string, DocumentKind>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/epub+zip': 'epub',
  'application/x-ipynb+json': 'notebook',
};

const STARTS: readonly (readonly [pattern: RegExp, kind: DocumentKind])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image'],
  [/^\xff\xd8\xff/, 'image'],
  [/^GIF8[79]a/, 'image'],
  [/^RIFF[^]{4}WEBP/, 'image'],
  [/^(?:II\*\0|MM\0\*)/, 'image'],
  [/^[^]{4}ftyp(?:avif|avis|heic|heix|mif1|msf1)/, 'image'],
  [/^SQLite format 3\0/, 'sqlite'],
  [/^\{\\rtf1/, 'rtf'],
  [/^\x1f\x8b\x08/, 'gzip'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'old-office'],
  // Some programs put a few bytes of their own in front of a PDF.
  [/^[^]{0,1024}?%PDF-\d/, 'pdf'],
];

/** Gives the kind, or undefined for plain text and for what nobody here knows. `head` are the first bytes, 64 kB if there are as many. */
export function kindOf(name: string, head: Uint8Array, contentType?: string): DocumentKind | undefined {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, TELLING_BYTES)).toString('latin1');
  for (const [pattern, kind] of STARTS) if (pattern.test(start)) return kind;
  if (/^PK(?:\x03\x04|\x05\x06)/.test(start)) return zipKind(start, CONTENT_TYPES[mediaType(contentType)]);
  if (isTarHeader(head)) return 'tar';
  if (/\.ipynb$/i.test(name) || CONTENT_TYPES[mediaType(contentType)] === 'notebook') {
    return /^(?:\xef\xbb\xbf)?\s*\{/.test(start) ? 'notebook' : undefined;
  }
  return undefined;
}

function mediaType(contentType = ''): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Office files are zip files whose first names tell what they are. */
function zipKind(start: string, declared: DocumentKind | undefined): DocumentKind {
  if (/^PK\x03\x04[^]{26,40}?mimetypeapplication\/epub\+zip/.test(start)) return 'epub';
  if (/^PK\x03\x04[^]{26,40}?mimetypeapplication\/vnd\.oasis\.opendocument\./.test(start)) return 'opendocument';
  const isOffice = start.includes('[Content_Types].xml') || start.includes('_rels/.rels');
  if (!isOffice) return declared ?? 'zip';
  if (start.includes('word/')) return 'docx';
  if (start.includes('xl/')) return 'xlsx';
  if (start.includes('ppt/')) return 'pptx';
  return declared ?? 'zip';
}

/** The sum of a header's bytes, with its own field counted as blanks, stands in the header; text does not pass by chance. */
function isTarHeader(head: Uint8Array): boolean {
  if (head.byteLength < 512) return false;
  const header = Buffer.from(head.buffer, head.byteOffset, 512);
  const written = /^[ 0]*([0-7]+)[\0 ]/.exec(header.toString('latin1', 148, 156))?.[1];
  if (written === undefined || header[0] === 0) return false;
  let sum = 8 * 32;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum === Number.parseInt(written, 8);
}
