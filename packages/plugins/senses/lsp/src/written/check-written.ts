/** Formats what was written and finds the problems that it has brought. */
import type { FilesWritten, WrittenFile } from '@tenon/file-tools/api';
import { messageOf, TenonError } from '@tenon/kernel';
import { counted, plainLine } from '@tenon/wording';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { LspHost } from '../host.ts';
import type { AvailableServer, ServerDesk, Workplace } from '../servers/desk.ts';
import { hasMarker } from '../servers/fit.ts';
import { type LanguageServer, MAX_FILE_BYTES } from '../servers/language-server.ts';
import { TextDocument } from '../text-document.ts';
import { waitFor } from '../tool/call-context.ts';
import { diagnosticRow, notable, summaryOf } from '../tool/diagnostic-text.ts';
import { byPath, type Check, setNow } from './check.ts';
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
  const limit = AbortSignal.any([signal, AbortSignal.timeout(host.config.waitMs)]);
  await tellServers(desk, written.files);
  const asked = askAtOnce(parts, written.files, limit);
  const place = await desk.workplace(written.cwd);
  const files = written.files.slice(0, most);
  const checks = (await Promise.all(files.map((file) => prepare(parts, file, place, asked, limit)))).flat();
  // All texts first: a file must not be judged while the one that it needs is still the old one for the server.
  for (const check of checks) if (!check.answer) setNow(check, check.text);
  const formatted = new Map<string, Buffer>();
  if (host.config.formatOnWrite) {
    const { formatAll } = await import('./format-written.ts');
    await formatAll(host, written, checks, formatted, limit);
  }
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

/** What a server was asked before anything else was looked at. */
type Asked = ReadonlyMap<LanguageServer, Pick<Check, 'itemsBefore' | 'since'> & Required<Pick<Check, 'answer'>>>;

/**
 * Asks the servers that know the file as it was, so that they work while the rest is looked up: which servers fit, where their
 * programs are, what the user trusts. Only for one file: several must all be known to a server before it judges one.
 */
function askAtOnce({ host, desk }: Parts, files: readonly WrittenFile[], limit: AbortSignal): Asked {
  const asked = new Map<LanguageServer, Pick<Check, 'itemsBefore' | 'since'> & Required<Pick<Check, 'answer'>>>();
  const [file, another] = files;
  const { diagnosticsOnEdit, formatOnWrite } = host.config;
  if (!file?.after || !file.before || another || formatOnWrite || !diagnosticsOnEdit) return asked;
  const { path } = file;
  const servers = desk.pool.all().filter((server) => server.versionOf(path) !== undefined);
  const text = servers.length === 0 || file.after.length > MAX_FILE_BYTES ? undefined : textIn(file.after);
  const before = text === undefined ? undefined : textIn(file.before);
  if (text === undefined || before === undefined) return asked;
  for (const server of servers) {
    const known = knownItems(server, path, before);
    // After saving such a server checks once more; that has an order of its own.
    if (!known || server.identity.data.checksOnSave) continue;
    const since = server.diagnostics.serial;
    const isNews = server.setText(path, text);
    const answer = diagnose(server, path, isNews ? since : -1, limit);
    answer.catch(() => undefined); // Whoever waits for it is told; nobody may.
    asked.set(server, { itemsBefore: known, since, answer });
  }
  return asked;
}

function textIn(bytes: Uint8Array): string | undefined {
  return TextDocument.ofBytes(bytes)?.text;
}

/** What changed outside of a document matters to all servers of the project. */
async function tellServers(desk: ServerDesk, files: readonly WrittenFile[]): Promise<void> {
  const type = ({ before, after }: WrittenFile) => (after === undefined ? 3 : before ? 2 : 1);
  const tell = async (server: LanguageServer) => {
    // An open document is told by its new text; told twice, servers would look at it twice.
    const closed = files.filter((file) => file.after === undefined || server.versionOf(file.path) === undefined);
    server.filesChanged(closed.map((file) => ({ path: file.path, type: type(file) })));
    for (const { path, after } of files) if (after === undefined) server.close(path);
    // What shells and editors have done to other open files since.
    await server.refresh(files.map(({ path }) => path));
  };
  await Promise.all(desk.pool.all().map(tell));
}

async function prepare(
  parts: Parts,
  file: WrittenFile,
  place: Workplace,
  asked: Asked,
  limit: AbortSignal,
): Promise<Check[]> {
  const { path, after } = file;
  if (after === undefined || after.length > MAX_FILE_BYTES) return [];
  const document = TextDocument.ofBytes(after);
  if (!document) return [];
  const before = file.before && textIn(file.before);
  const servers = await serversFor(parts, path, place, limit);
  const { diagnosticsOnEdit } = parts.host.config;
  return Promise.all(
    servers.map(async (server) => {
      const early = asked.get(server);
      if (early) return { server, path, document, before: before ?? '', text: document.text, ...early };
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
  const known = knownItems(server, path, before);
  if (known) return known;
  const since = server.diagnostics.serial;
  const isNews = server.setText(path, before);
  return (await diagnose(server, path, isNews ? since : -1, limit)) ?? [];
}

/** What the server said about this text, if that is what it has now. */
function knownItems(server: LanguageServer, path: string, text: string): readonly Diagnostic[] | undefined {
  const known = lastKnown.get(server)?.get(path);
  return known?.text === text && server.textOf(path) === text ? known.items : undefined;
}

async function newItems(check: Check, limit: AbortSignal): Promise<{ path: string; items: readonly Diagnostic[] }> {
  const { server, path, before, itemsBefore: old, text, since } = check;
  const { checksOnSave } = server.identity.data;
  if (checksOnSave) server.saved(path);
  const found = await (check.answer ?? diagnose(server, path, before === text ? -1 : since, limit));
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
