import type { Stats } from 'node:fs';
import type { DocumentText } from '@tenon/documents/api';

const MAX_DOCUMENTS = 4;
const MAX_CHARS = 8 * 1024 * 1024;

/** Keeps the text of the documents that were read last, so that the next page does not need another conversion. */
export function createDocumentCache(): {
  get(path: string, stats: Stats, convert: () => Promise<DocumentText | undefined>): Promise<DocumentText | undefined>;
} {
  const kept = new Map<string, { readonly stamp: string; readonly document: DocumentText }>();
  return {
    async get(path, { size, mtimeMs, ino }, convert) {
      const stamp = `${ino}/${size}/${mtimeMs}`;
      const entry = kept.get(path);
      kept.delete(path);
      const document = entry?.stamp === stamp ? entry.document : await convert();
      if (document && document.text.length <= MAX_CHARS) kept.set(path, { stamp, document });
      for (const oldest of kept.keys()) if (kept.size > MAX_DOCUMENTS) kept.delete(oldest);
      return document;
    },
  };
}
