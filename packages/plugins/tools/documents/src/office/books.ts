/** EPUB books and OpenDocument files. */
import { posix } from 'node:path';
import type { DocumentText } from '../api.ts';
import { errors } from '../errors.ts';
import { flowText } from './flow-text.ts';
import { openParts } from './parts.ts';
import { walkXml, type XmlAttributes } from './xml.ts';

const MAX_CHARS = 16 * 1024 * 1024;

/** The chapters of a book in reading order. */
export async function epubText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const parts = await openParts(bytes, name, signal);
  const refuse = (reason: string) => errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a book', reason });
  let main: string | undefined;
  const findMain = (element: string, attributes: XmlAttributes): void => {
    if (element === 'rootfile') main ??= attributes['full-path'];
  };
  await walkXml((await parts.text('META-INF/container.xml')) ?? '', { open: findMain }, signal);
  if (main === undefined) throw refuse('its table of parts is missing');
  const files = new Map<string, string>();
  const order: string[] = [];
  const list = (element: string, { id, href, idref }: XmlAttributes): void => {
    if (element === 'item' && id !== undefined && href !== undefined) files.set(id, href);
    if (element === 'itemref' && idref !== undefined) order.push(idref);
  };
  await walkXml((await parts.text(main)) ?? '', { open: list }, signal);
  const chapters: string[] = [];
  const notes: string[] = [];
  let chars = 0;
  for (const id of order) {
    const file = decodeURIComponent(files.get(id) ?? '');
    const text = await flowText((await parts.text(posix.join(posix.dirname(main), file))) ?? '', signal);
    chars += text.length;
    if (chars > MAX_CHARS) {
      notes.push(`only the first ${chapters.length} of ${order.length} chapters are shown`);
      break;
    }
    if (text !== '') chapters.push(text);
  }
  if (chapters.length === 0) throw refuse('it has no text');
  return {
    text: `${chapters.join('\n\n---\n\n')}\n`,
    notes: [`book, ${order.length} ${order.length === 1 ? 'part' : 'parts'}`, ...notes],
  };
}

/** Texts, sheets and presentations of OpenDocument. */
export async function openDocumentText(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<DocumentText> {
  const parts = await openParts(bytes, name, signal);
  const content = await parts.text('content.xml');
  if (content === undefined) {
    throw errors.create('DOCUMENTS_UNREADABLE', {
      name,
      kind: 'an OpenDocument file',
      reason: 'content.xml is missing',
    });
  }
  return { text: `${await flowText(content, signal)}\n`, notes: [] };
}
