/** The service that makes text and small images of what is not text. Each format's code is loaded when it is met. */
import { TenonError } from '@tenon/kernel';
import type { Documents, DocumentText } from './api.ts';
import { errors } from './errors.ts';
import { type DocumentKind, kindOf } from './kinds.ts';

/** Documents above this are not read: nobody could read the text either. */
const MAX_BYTES = 64 * 1024 * 1024;

type Converter = (bytes: Uint8Array, name: string, signal: AbortSignal) => Promise<DocumentText>;

const CONVERTERS: Partial<Record<DocumentKind, () => Promise<Converter>>> = {
  pdf: async () => (await import('./pdf.ts')).pdfText,
  docx: async () => (await import('./office/docx.ts')).docxText,
  xlsx: async () => (await import('./office/xlsx.ts')).xlsxText,
  pptx: async () => (await import('./office/pptx.ts')).pptxText,
  epub: async () => (await import('./office/books.ts')).epubText,
  opendocument: async () => (await import('./office/books.ts')).openDocumentText,
  rtf: async () => {
    const { rtfText } = await import('./office/rtf.ts');
    return async (bytes) => ({ text: rtfText(bytes), notes: [] });
  },
  notebook: async () => {
    const { notebookText } = await import('./notebook.ts');
    return async (bytes, name) => notebookText(bytes, name);
  },
};

/** Makes the service. */
export function createDocuments(): Documents {
  return {
    kindOf,
    async toText(bytes, { name, contentType, signal }) {
      const kind = kindOf(name, bytes, contentType);
      if (kind === 'old-office') throw errors.create('DOCUMENTS_OLD_OFFICE', { name });
      const load = kind && CONVERTERS[kind];
      if (!load) return undefined;
      if (bytes.byteLength > MAX_BYTES) {
        throw errors.create('DOCUMENTS_TOO_LARGE', { name, reason: 'the limit is 64 MB' });
      }
      const convert = await load();
      signal.throwIfAborted();
      try {
        return await convert(bytes, name, signal);
      } catch (fault) {
        // What an archive says about itself means little to the reader of a document.
        if (fault instanceof TenonError && fault.code.startsWith('DOCUMENTS_ARCHIVE')) {
          const reason = fault.message.replace(/\.$/, '');
          throw errors.create('DOCUMENTS_UNREADABLE', { name, kind, reason }, fault);
        }
        throw fault;
      }
    },
    cells: async (bytes, name) => (await import('./notebook-cells.ts')).notebookCells(bytes, name),
    image: async (bytes, { signal }) => (await import('./image.ts')).fitImage(bytes, signal),
  };
}
