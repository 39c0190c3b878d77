import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { kindOf } from '@tenon/documents/api';
import { Type } from '@tenon/kernel';
import {
  cleanPath,
  displayPath,
  explainFailures,
  resolvePath,
  scopeOf,
  textResult,
  type Tool,
  type ToolResult,
  type ToolScope,
} from '@tenon/tools/api';
import { foreignForm } from './edit/editable-text.ts';
import { errors } from './errors.ts';
import type { FileToolsHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { readHead, readWhole } from './read/file-bytes.ts';
import { saveUnsaved } from './unsaved.ts';
import { isUrl, unknownScheme, urlTouches } from './read/url-view.ts';
import { withFilesLocked } from '@tenon/state-files';
import { byteText } from '@tenon/wording';
import { type Destination, plainDestinationOf } from './write/destination.ts';
import { writeRows } from './write/rows.ts';
import { inFormOf } from './write/text-form.ts';

/** A file above this is replaced without a look at what it was. */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

interface Writing {
  readonly host: FileToolsHost;
  readonly scope: ToolScope;
  readonly signal: AbortSignal;
  readonly content: string;
  /** There is no session that could have seen anything. */
  readonly byHand: boolean;
}

/** The tool that writes whole files, also inside of archives, and rows of databases. */
export function createWriteTool(host: FileToolsHost): Tool {
  return explainFailures({
    description: prompts.write(),
    parameters: Type.Object(
      {
        path: Type.String({ description: 'The file' }),
        content: Type.String({ description: 'Its whole new content' }),
      },
      { additionalProperties: false },
    ),
    touches(input, call) {
      const { cwd } = scopeOf(call, host.folders);
      const inputPath = cleanPath(String(input['path'] ?? ''));
      if (call.partial && inputPath === '') return { writes: [] };
      if (isUrl(inputPath)) return { ...urlTouches(inputPath, cwd), writes: [] };
      const path = resolvePath(cwd, String(input['path']));
      // Only behind a colon there can be something inside of an archive or a database.
      if (call.partial || !inputPath.includes(':')) return { writes: [path] };
      return plainDestinationOf(String(input['path']), cwd, host.places).then((place) => ({
        writes: 'path' in place ? [place.path] : [],
      }));
    },
    async execute(input, call) {
      const scope = scopeOf(call, host.folders);
      const byHand = call.scope === undefined;
      const writing: Writing = { host, scope, signal: call.signal, content: String(input['content']), byHand };
      const destination = await plainDestinationOf(String(input['path']), scope.cwd, host.places);
      call.signal.throwIfAborted();
      if ('path' in destination && call.touches?.writes?.includes(destination.path) === false)
        throw errors.create('FILE_TOOLS_UNDECLARED', { path: displayPath(scope.cwd, destination.path) });
      if (destination.kind === 'url') return writeUrl(writing, destination.url);
      if (destination.kind === 'file') return writeFile(writing, destination);
      return destination.kind === 'archive' ? writeArchive(writing, destination) : writeDatabase(writing, destination);
    },
  });
}

async function writeUrl({ host, scope, signal, content }: Writing, url: string): Promise<ToolResult> {
  const router = await host.urls();
  if (!router?.schemeOf(url)) throw await unknownScheme(host, url);
  await router.write(url, content, { signal, scope: { session: scope.session, cwd: scope.cwd } });
  const meta = { source: { type: 'url', value: url } };
  return textResult(`Wrote ${url} (${sizeText(Buffer.from(content))})`, { op: 'update', meta });
}

async function writeFile(
  { host, scope, signal, byHand, content: written }: Writing,
  { path, stats: seen }: Extract<Destination, { kind: 'file' }>,
): Promise<ToolResult> {
  const { session, cwd } = scope;
  const stats = seen && (await saveUnsaved(host.views, session, path, signal)) ? await stat(path) : seen;
  const shown = displayPath(cwd, path);
  if (stats?.isDirectory()) throw errors.create('FILE_TOOLS_IS_DIRECTORY', { path: shown });
  const before = await current(path, stats, signal, shown);
  const view = host.views.find(session, path);
  if (before === 'any' && stats) refuseForeignTarget(path, shown, await readHead(path, stats), written);
  if (before instanceof Buffer) {
    refuseForeignTarget(path, shown, before, written);
    const isNew = view === undefined || before.equals(view) || before.equals(Buffer.from(written));
    if (!isNew) throw errors.create('FILE_TOOLS_WRITE_STALE', { path: shown });
  }
  const { content, kept } = inFormOf(before === 'any' ? undefined : before, written);
  const size = [sizeText(content, Buffer.from(written)), ...kept].join(', ');
  const details = { resolvedPath: path, meta: { source: { type: 'path', value: path } } };
  if (before instanceof Buffer && before.equals(content)) {
    host.views.record(session, path, content);
    return textResult(`Unchanged ${shown} (${size}): it already had this content.`, details);
  }
  await host.changes.apply(session, [{ path, before, after: content }]);
  const [verb, op] = before === undefined ? ['Created', 'create'] : ['Updated', 'update'];
  const file = { path, before: before === 'any' ? undefined : before, after: content };
  const { files, notices } = await host.written({ session, cwd, files: [file], notices: [] }, signal);
  const after = files[0]?.after;
  const now = after === undefined || content.equals(after) ? size : `${sizeText(Buffer.from(after))}, formatted`;
  const replaced = view === undefined && !byHand ? unreadNotes(before, stats) : [];
  return textResult([`${verb} ${shown} (${now})`, ...replaced, ...notices].join('\n'), { ...details, op });
}

/** Whoever has not read what was there should know that there was something. */
function unreadNotes(before: Buffer | undefined | 'any', stats: Stats | undefined): string[] {
  if (before === undefined || !stats || stats.size === 0) return [];
  const size = before === 'any' ? byteText(stats.size) : sizeText(before);
  return [`[This replaced what was there, ${size}, which was not read in this session.]`];
}

/** Text in place of something else is hardly meant. */
function refuseForeignTarget(path: string, shown: string, before: Buffer, written: string): void {
  const isLostNotebook = kindOf(path, before) === 'notebook' && isNotebook(before.toString()) && !isNotebook(written);
  const foreign = isLostNotebook ? 'a notebook' : foreignForm(path, before);
  // Nobody wrote a file with a zero byte by hand, wherever that is.
  const kind = foreign ?? (before.includes(0) ? 'a binary file' : undefined);
  if (kind === undefined || kind === 'UTF-16 text') return;
  const how =
    kind === 'a database'
      ? `Rows are written as ${shown}:TABLE or ${shown}:TABLE:KEY.`
      : kind === 'an archive'
        ? `Files inside of it are written as ${shown}:PATH.`
        : kind === 'a notebook'
          ? 'Change its cells with edit, or write all of its JSON.'
          : 'Write to another name.';
  throw errors.create('FILE_TOOLS_WRITE_OVER', { path: shown, kind, how });
}

function isNotebook(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'cells' in parsed && Array.isArray(parsed.cells);
  } catch {
    // What is no JSON is no notebook.
    return false;
  }
}

async function current(
  path: string,
  stats: Stats | undefined,
  signal: AbortSignal,
  shown: string,
): Promise<Buffer | undefined | 'any'> {
  if (!stats) return undefined;
  if (stats.size > MAX_COMPARED_BYTES) return 'any';
  try {
    return await readWhole(path, stats, { signal });
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === undefined) throw fault;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shown, reason: code }, fault);
  }
}

async function writeArchive(
  { host, scope, signal, content }: Writing,
  { path, inner }: Extract<Destination, { inner: string }>,
): Promise<ToolResult> {
  const bytes = Buffer.from(content);
  const name = inner.slice(1);
  const { created } = await (await host.archives()).put(path, { name, content: bytes }, { signal });
  (await host.accelerator('scan')).invalidate(path);
  const shown = displayPath(scope.cwd, path);
  const details = {
    resolvedPath: path,
    op: created ? 'create' : 'update',
    meta: { source: { type: 'path', value: path } },
  };
  return textResult(`${created ? 'Created' : 'Wrote'} ${shown}:${name} (${sizeText(bytes)})`, details);
}

async function writeDatabase(
  { host, scope, signal, content }: Writing,
  { path, inner }: Extract<Destination, { inner: string }>,
): Promise<ToolResult> {
  const databases = await host.databases();
  const change = async () => {
    const db = await databases.open(path, { signal, access: 'write' });
    try {
      return await writeRows(db, inner, content, displayPath(scope.cwd, path));
    } finally {
      await db.close();
    }
  };
  // SQLite would make several processes wait too, but gives up after seconds.
  const { text, op } = await withFilesLocked([path], change, { signal });
  return textResult(text, { resolvedPath: path, op, meta: { source: { type: 'path', value: path } } });
}

function sizeText(content: Buffer, text: Buffer = content): string {
  let count = text.length > 0 && text.at(-1) !== 10 ? 1 : 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) count++;
  return `${count} ${count === 1 ? 'line' : 'lines'}, ${byteText(content.length)}`;
}
