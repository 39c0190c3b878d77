/** The files of a plugin as a list, and the fingerprints made from it. */
import { createHash } from 'node:crypto';

/** One file or link of a plugin. */
export interface FileRecord {
  readonly path: string;
  /** `file`, `program` (may be executed) or `link`. */
  readonly mode: 'file' | 'program' | 'link';
  readonly size: number;
  /** SHA-256 of its bytes, or of where the link leads, in hex. */
  readonly sha256: string;
}

/** The list in its one order: by the bytes of the paths. */
export function sortFiles(files: readonly FileRecord[]): FileRecord[] {
  return files
    .map((file) => ({ file, bytes: Buffer.from(file.path) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ file }) => file);
}

/** Paths have no line breaks and the other parts no spaces, so that no two lists have the same text. */
function listText(files: readonly FileRecord[]): string {
  return sortFiles(files)
    .map(({ path, mode, size, sha256 }) => `${mode} ${sha256} ${size} ${path}\n`)
    .join('');
}

/** The fingerprint of the files alone: what authors sign. */
export function filesHash(files: readonly FileRecord[]): string {
  return `sha256-${sha256(`tenon files 1\n${listText(files)}`)}`;
}

/** The fingerprint of an installed plugin: its files, and what its catalogue said about it. */
export function contentHash(definition: unknown, files: readonly FileRecord[]): string {
  return `sha256-${sha256(`tenon plugin 1\n${canonicalJson(definition)}\n${listText(files)}`)}`;
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** JSON with the keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
