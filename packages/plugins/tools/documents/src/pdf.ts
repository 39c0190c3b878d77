/** The text of PDF files, page by page. */
import type * as Unpdf from 'unpdf';
import type { DocumentText } from './api.ts';
import { errors } from './errors.ts';
import { isHelperError, startHelper } from './helper-process.ts';
import { type PdfItem, pageText } from './pdf-layout.ts';

/** Keeps the package's version and this program together. */
type Document = Awaited<ReturnType<typeof Unpdf.getDocumentProxy>>;

const TIMEOUT_MS = 60_000;
const MAX_PAGES = 2000;
const MAX_CHARS = 16 * 1024 * 1024;

const PROGRAM = `
handle = async ({ bytes, maxPages, maxChars }, emit) => {
  const { getDocumentProxy } = await import(require('node:url').pathToFileURL(library).href);
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, disableFontFace: true, stopAtErrors: false, verbosity: 0 });
  let chars = 0, number = 0;
  while (number < Math.min(pdf.numPages, maxPages) && chars < maxChars) {
    const page = await pdf.getPage(++number);
    const { items } = await page.getTextContent();
    const texts = items.filter((item) => 'str' in item);
    for (const item of texts) chars += item.str.length;
    emit({ number, items: texts.map((item) => [item.str, item.transform[4], item.transform[5], item.width, item.height || Math.abs(item.transform[3]), item.hasEOL]) });
    page.cleanup();
  }
  return { pages: pdf.numPages, read: number };
};
`;

/** The text of all pages; pages of pictures only are named. */
export async function pdfText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const helper = await startHelper({
    what: `Reading ${name}`,
    program: PROGRAM,
    library: 'unpdf',
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  const pages: string[] = [];
  const empty: number[] = [];
  const onPart = (part: unknown) => {
    const { number, items } = part as { number: number; items: readonly PdfItem[] };
    const text = pageText(items);
    if (text === '') empty.push(number);
    else pages.push(`## Page ${number}\n\n${text}`);
  };
  let stopped: string | undefined;
  let total: Document['numPages'] = 0;
  try {
    const request = { bytes, maxPages: MAX_PAGES, maxChars: MAX_CHARS };
    const { pages: count, read } = await helper.ask<{ pages: number; read: number }>(request, onPart);
    total = count;
    if (read < count) stopped = `only the first ${read} of ${count} pages were read`;
  } catch (fault) {
    signal.throwIfAborted();
    if (isHelperError(fault)) throw explain(fault.failure, name, fault);
    if (pages.length === 0) throw fault;
    stopped = `reading was stopped after page ${pages.length + empty.length}, it took too long or too much memory`;
  } finally {
    helper.close();
  }
  const notes = [
    ...(total > 0 ? [`PDF, ${total} ${total === 1 ? 'page' : 'pages'}`] : []),
    ...(stopped ? [stopped] : []),
  ];
  if (empty.length > 0) notes.push(`no text on ${pageList(empty)}: pictures or a scan`);
  return { text: `${pages.join('\n\n')}\n`, notes };
}

function explain(failure: { readonly name: string; readonly message: string }, name: string, cause: unknown): Error {
  if (failure.name === 'PasswordException') return errors.create('DOCUMENTS_PASSWORD', { name }, cause);
  return errors.create(
    'DOCUMENTS_UNREADABLE',
    { name, kind: 'PDF', reason: failure.message.replace(/\.$/, '') },
    cause,
  );
}

/** 1, 2, 3 and 7 become "pages 1-3, 7". */
function pageList(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, 20).map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return `${numbers.length === 1 ? 'page' : 'pages'} ${shown.join(', ')}${ranges.length > 20 ? ', …' : ''}`;
}
