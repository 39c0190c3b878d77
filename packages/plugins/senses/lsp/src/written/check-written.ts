/** Formats what was written and finds the problems that it has brought. */
import type { FileChange, FilesWritten, WrittenFile } from '@tenon/file-tools/api';
import { messageOf, TenonError } from '@tenon/kernel';
import { counted, plainLine } from '@tenon/wording';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import { applyReplacements, EditProblem, replacementsOf, type TextEdit } from '../edits/text-edits.ts';
import type { LspHost } from '../host.ts';
import type { AvailableServer, ServerDesk, Workplace } from '../servers/desk.ts';
import { hasMarker } from '../servers/fit.ts';
import { type LanguageServer, MAX_FILE_BYTES } from '../servers/language-server.ts';
import { TextDocument } from '../text-document.ts';
import { waitFor } from '../tool/call-context.ts';
import { diagnosticRow, notable, summaryOf } from '../tool/diagnostic-text.ts';
import { uriOfPath } from '../uris.ts';
import { newDiagnostics } from './new-diagnostics.ts';

/** What came of it. */
export interface WrittenResults {
  /** The new content of files that were formatted. */
  readonly formatted: ReadonlyMap<string, Buffer>;
  readonly notices: readonly string[];
}

interface Parts {
  readonly host: LspHost;
  readonly desk: ServerDesk;
}

/** The most problems that the result of an edit shows. */
const SHOWN = 20;
const WARNING = 2;

/** Works on the first `most` files; servers are told about all of them. */
export async function checkWritten(
  parts: Parts,
  written: FilesWritten,
  most: number,
  signal: AbortSignal,
): Promise<WrittenResults> {
  const { host, desk } = parts;
  const place = await desk.workplace(written.cwd);
  await tellServers(desk, written.files);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(host.config.waitMs)]);
  const work = await Promise.all(written.files.slice(0, most).map((file) => prepare(parts, file, place, limit)));
  const checks = work.flat();
  // All texts first: a file must not be judged while the one that it needs is still the old one for the server.
  for (const check of checks) setNow(check, check.text);
  const formatted = new Map<string, Buffer>();
  if (host.config.formatOnWrite) await formatAll(parts, written, checks, formatted, limit);
  if (!host.config.diagnosticsOnEdit) return { formatted, notices: [] };
  const found = await Promise.all(checks.map((check) => newItems(check, limit)));
  signal.throwIfAborted();
  const problems = [...byPath(found)].map(([path, all]) => ({
    path,
    // Remarks are for those who ask.
    items: notable(all.flatMap(({ items }) => items)).filter(({ severity = 1 }) => severity <= WARNING),
  }));
  return { formatted, notices: noticesOf(problems, place) };
}

/** One file in one server. */
interface Check {
  readonly server: LanguageServer;
  readonly path: string;
  readonly document: TextDocument;
  readonly before: string;
  readonly itemsBefore: readonly Diagnostic[];
  /** The text now. */
  text: string;
  /** What the server had published when it was given the text. */
  since: number;
}

/** What changed outside of a document matters to all servers of the project. */
async function tellServers(desk: ServerDesk, files: readonly WrittenFile[]): Promise<void> {
  const type = ({ before, after }: WrittenFile) => (after === undefined ? 3 : before ? 2 : 1);
  for (const server of desk.pool.all()) {
    // An open document is told by its new text; told twice, servers would look at it twice.
    const closed = files.filter((file) => file.after === undefined || server.versionOf(file.path) === undefined);
    server.filesChanged(closed.map((file) => ({ path: file.path, type: type(file) })));
    for (const { path, after } of files) if (after === undefined) server.close(path);
    // What shells and editors have done to other open files since.
    await server.refresh(files.map(({ path }) => path));
  }
}

async function prepare(parts: Parts, file: WrittenFile, place: Workplace, limit: AbortSignal): Promise<Check[]> {
  const { path, after } = file;
  if (after === undefined || after.length > MAX_FILE_BYTES) return [];
  const document = TextDocument.ofBytes(after);
  if (!document) return [];
  const before = file.before && TextDocument.ofBytes(file.before)?.text;
  const servers = await serversFor(parts, path, place, limit);
  const { diagnosticsOnEdit } = parts.host.config;
  return Promise.all(
    servers.map(async (server) => {
      const items = diagnosticsOnEdit ? await itemsBefore(server, path, before, limit) : [];
      return { server, path, document, before: before ?? '', itemsBefore: items, text: document.text, since: 0 };
    }),
  );
}

/** The servers that answer in time. One that is still starting goes on, for the next edit. */
async function serversFor(
  { host, desk }: Parts,
  path: string,
  place: Workplace,
  limit: AbortSignal,
): Promise<LanguageServer[]> {
  const open = async (fitting: AvailableServer): Promise<LanguageServer | undefined> => {
    const running = desk.pool.running(fitting);
    if (running || !host.config.startOnEdit || !hasMarker(fitting.root, fitting.data.rootMarkers ?? [])) return running;
    try {
      return await waitFor(desk.open(fitting), limit);
    } catch (fault) {
      if (!limit.aborted) host.log.debug(`${fitting.name}: ${plainLine(messageOf(fault))}`);
      return undefined;
    }
  };
  const servers = await Promise.all((await desk.forFile(path, place)).map(open));
  return servers.filter((server) => server !== undefined);
}

/** What the server says about the text before the edit; known already when it was asked after the last one. */
async function itemsBefore(
  server: LanguageServer,
  path: string,
  before: string | undefined,
  limit: AbortSignal,
): Promise<readonly Diagnostic[]> {
  if (before === undefined) return [];
  const known = lastKnown.get(server)?.get(path);
  if (known?.text === before && server.textOf(path) === before) return known.items;
  const since = server.diagnostics.serial;
  const isNews = server.setText(path, before);
  return (await diagnose(server, path, isNews ? since : -1, limit)) ?? [];
}

function setNow(check: Check, text: string): void {
  check.since = check.server.diagnostics.serial;
  check.text = text;
  check.server.setText(check.path, text);
}

async function newItems(check: Check, limit: AbortSignal): Promise<{ path: string; items: readonly Diagnostic[] }> {
  const { server, path, before, itemsBefore: old, text, since } = check;
  const { checksOnSave } = server.identity.data;
  if (checksOnSave) server.saved(path);
  const found = await diagnose(server, path, before === text ? -1 : since, limit);
  // Others only look at the text again; that must not come before the answer.
  if (!checksOnSave) server.saved(path);
  if (!found) return { path, items: [] };
  remember(server, path, { text, items: found });
  return { path, items: newDiagnostics({ text: before, items: old }, { text, items: found }) };
}

/** Undefined when the time is over or the server fails: the edit stands, and nothing is said about it. */
async function diagnose(
  server: LanguageServer,
  path: string,
  since: number,
  limit: AbortSignal,
): Promise<readonly Diagnostic[] | undefined> {
  try {
    return await server.using(() => server.diagnose(path, since, limit));
  } catch (fault) {
    if (!(fault instanceof TenonError)) limit.throwIfAborted();
    return undefined;
  }
}

interface Known {
  readonly text: string;
  readonly items: readonly Diagnostic[];
}

const lastKnown = new WeakMap<LanguageServer, Map<string, Known>>();
const MAX_KNOWN = 100;

function remember(server: LanguageServer, path: string, known: Known): void {
  const files = lastKnown.get(server) ?? new Map<string, Known>();
  lastKnown.set(server, files);
  files.delete(path);
  files.set(path, known);
  const [oldest] = files.keys();
  if (files.size > MAX_KNOWN && oldest !== undefined) files.delete(oldest);
}

/** Formats each file with the first server that can, and writes what came out. */
async function formatAll(
  { host }: Parts,
  { session }: FilesWritten,
  checks: readonly Check[],
  formatted: Map<string, Buffer>,
  limit: AbortSignal,
): Promise<void> {
  const changes: FileChange[] = [];
  for (const [path, all] of byPath(checks)) {
    const check = all.find(({ server }) => server.can('documentFormattingProvider'));
    const text = check && (await formattedText(check, limit));
    if (!check || text === undefined || text === check.text) continue;
    const [before, after] = [check.document.bytesWith(check.text), check.document.bytesWith(text)];
    changes.push({ path, before, after });
    formatted.set(path, after);
    for (const one of all) setNow(one, text);
  }
  if (changes.length > 0) await (await host.changes()).apply(session, changes);
}

/** Undefined when the server cannot or does not answer in time: the file stays as it was written. */
async function formattedText({ server, path, document, text }: Check, limit: AbortSignal): Promise<string | undefined> {
  const options = { ...indentOf(text), trimTrailingWhitespace: true, insertFinalNewline: true };
  const params = { textDocument: { uri: uriOfPath(path) }, options };
  try {
    const edits = await server.request('textDocument/formatting', params, limit);
    if (!Array.isArray(edits) || edits.length === 0) return undefined;
    return applyReplacements(document.text, replacementsOf(document, edits as TextEdit[]));
  } catch (fault) {
    if (!(fault instanceof TenonError || fault instanceof EditProblem)) limit.throwIfAborted();
    return undefined;
  }
}

/** How the file is indented: servers without settings of their own follow that. */
function indentOf(text: string): { tabSize: number; insertSpaces: boolean } {
  const indents = [...text.matchAll(/^(\t| {2,8})\S/gm)].slice(0, 1_000).map(([, indent = '']) => indent);
  if (indents.some((indent) => indent === '\t')) return { tabSize: 4, insertSpaces: false };
  return { tabSize: Math.min(...indents.map(({ length }) => length), 4), insertSpaces: true };
}

function noticesOf(
  problems: readonly { readonly path: string; readonly items: readonly Diagnostic[] }[],
  { cwd }: Workplace,
): string[] {
  const all = problems.flatMap(({ items }) => items);
  if (all.length === 0) return [];
  const rows = problems.flatMap(({ path, items }) => items.map((item) => diagnosticRow(item, path, cwd)));
  const more = rows.length - SHOWN;
  return [
    `New problems after this change (${summaryOf(all)}):`,
    ...rows.slice(0, SHOWN),
    ...(more > 0 ? [`… ${counted(more, 'more problem')}`] : []),
  ];
}

function byPath<T extends { readonly path: string }>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) groups.set(one.path, [...(groups.get(one.path) ?? []), one]);
  return groups;
}
