/** What stands behind URLs, by the page like a file. */
import { stat } from 'node:fs/promises';
import { cleanPath, resolvePath, type ToolResult, type ToolScope, type Touches } from '@tenon/tools/api';
import type { UrlContent } from '@tenon/urls/api';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { archiveView } from './archive-view.ts';
import { fileChunks, readWhole } from './file-bytes.ts';
import { kindOf } from '@tenon/documents/api';
import { displayOf, presentBytes } from './present.ts';
import type { Reading, Subject } from './reading.ts';
import { type Selector, splitUrlSelector } from './selector.ts';
import { MAX_MEMORY_BYTES, streamResultOf, textResultOf } from './text-result.ts';

/** Pages that were read last, so that a line range does not fetch them again. */
export interface UrlPages {
  get(key: string): UrlContent | undefined;
  keep(key: string, content: UrlContent): void;
}

const MAX_PAGES = 8;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Keeps a few pages. */
export function createUrlPages(): UrlPages {
  const pages = new Map<string, UrlContent>();
  return {
    get: (key) => pages.get(key),
    keep(key, page) {
      pages.delete(key);
      if (page.content.length + (page.bytes?.byteLength ?? 0) <= MAX_PAGE_BYTES) pages.set(key, page);
      for (const oldest of pages.keys()) if (pages.size > MAX_PAGES) pages.delete(oldest);
    },
  };
}

/** True for what is a URL and not a path. */
export function isUrl(given: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.[^/\s]+\.[^/\s]+)/i.test(given) && !/^file:\/\//i.test(given);
}

/** What opening a URL touches. Where a scheme of Tenon leads is a matter of the scheme, which keeps to its own folder. */
export function urlTouches(given: string, cwd: string): Touches {
  const url = urlOf(cleanPath(given));
  if (/^https?:/i.test(url)) return { hosts: [url] };
  // Whoever owns the scheme may take the rest for a path.
  return url.split(/[\\/]/).includes('..') ? { reads: [resolvePath(cwd, url)] } : {};
}

function urlOf(written: string): string {
  return /^www\./i.test(written) ? `https://${written}` : written;
}

/** Shows a URL; what schemes give cannot be edited, so it has numbers but no anchors. */
export async function urlView(reading: Reading, pages: UrlPages, given: string): Promise<ToolResult> {
  const { url: written, selector } = splitUrlSelector(cleanPath(given));
  const url = urlOf(written);
  const subject: Subject = {
    shownPath: url,
    selector,
    source: { type: 'url', value: url },
    details: { kind: 'url', url },
  };
  const artifact = await artifactFile(url, reading.scope);
  if (artifact !== undefined) return fileBehind(reading, subject, artifact);
  const page = await fetchPage(reading, pages, url, selector);
  const noted: Subject = {
    ...subject,
    notes: page.notes ?? [],
    details: {
      ...subject.details,
      ...(page.contentType !== undefined && { contentType: page.contentType }),
      ...(page.file !== undefined && { resolvedPath: page.file }),
      ...(page.notes && { notes: page.notes }),
    },
  };
  if (page.bytes) return bytesBehind(reading, noted, page, page.bytes);
  return textResultOf(reading, noted, Buffer.from(page.content), { isEditable: false });
}

/** The file of an artifact of this session; other ways to artifacts are a matter of their scheme. */
async function artifactFile(url: string, scope: ToolScope): Promise<string | undefined> {
  const artifact = /^artifact:\/\/([^/?#]+)$/i.exec(url)?.[1];
  return artifact === undefined ? undefined : scope.artifactPath?.(artifact);
}

async function fileBehind(reading: Reading, subject: Subject, file: string): Promise<ToolResult> {
  const stats = await stat(file);
  if (stats.size > MAX_MEMORY_BYTES) {
    const chunks = fileChunks(file, stats, reading.signal);
    return streamResultOf(reading, subject, chunks, { bytes: stats.size, isEditable: false });
  }
  const content = await readWhole(file, stats, reading);
  return textResultOf(reading, subject, content, { isEditable: false });
}

async function bytesBehind(
  reading: Reading,
  subject: Subject,
  { content, contentType }: UrlContent,
  bytes: Uint8Array,
): Promise<ToolResult> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = new URL(subject.shownPath).pathname;
  const display = displayOf(kindOf(name, buffer, contentType), subject.selector.raw);
  if (display === 'archive') return archiveView(reading, subject, buffer, '');
  const isShown = display === 'image' || display === 'document';
  // Nobody here knows the format; the scheme has described it.
  if (!isShown) return textResultOf(reading, subject, Buffer.from(content), { isEditable: false });
  return presentBytes(reading, subject, buffer, { name, ...(contentType !== undefined && { contentType }) });
}

async function fetchPage(reading: Reading, pages: UrlPages, url: string, selector: Selector): Promise<UrlContent> {
  const { host, scope, signal } = reading;
  const router = await host.urls();
  if (!router?.schemeOf(url)) throw await unknownScheme(host, url);
  const key = `${scope.session} ${selector.raw ? 'raw' : 'shown'} ${url}`;
  const isWeb = /^https?:/i.test(url);
  // The first look is always a fresh one; going on in the same page is not.
  const kept = isWeb && selector.first !== undefined ? pages.get(key) : undefined;
  if (kept) return kept;
  const page = await router.read(url, {
    signal,
    scope: { session: scope.session, cwd: scope.cwd },
    ...(selector.raw && { raw: true }),
  });
  if (isWeb) pages.keep(key, page);
  return page;
}

/** The error for a URL that nobody owns. */
export async function unknownScheme(host: FileToolsHost, url: string): Promise<Error> {
  const router = await host.urls();
  const schemes = router?.list().map(({ scheme }) => scheme) ?? [];
  return errors.create('FILE_TOOLS_URL', { url, schemes: schemes.length > 0 ? schemes : 'none' });
}
