import type { Stats } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { messageOf, Type } from '@tenon/kernel';
import type { Tool, ToolResult, ToolScope } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { cleanPath, displayPath } from '../paths.ts';
import { prompts } from '../prompts/index.ts';
import { scopeOf } from '../scope.ts';
import { byteText, explainFailures, fitLines, type OutputMeta, textResult } from '../tool-output.ts';
import { HEAD_BYTES, type ImageInfo, imageInfo, isBinary } from './file-kind.ts';
import { folderTree } from './folder-tree.ts';
import { largeFileView } from './large-file.ts';
import { type Located, locate } from './locate.ts';
import { outlineView } from './outline-view.ts';
import { splitSelector } from './selector.ts';
import { textView, type ViewOptions } from './text-view.ts';

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Larger files are read through, not into memory. */
const MAX_MEMORY_BYTES = 16 * 1024 * 1024;

/** The tool that reads files, folders and images. */
export function createReadTool(host: FileToolsHost): Tool {
  return explainFailures({
    description: prompts.read({ limit: host.config.read.defaultLimit, summaryFrom: host.config.read.summaryFromLines }),
    parameters: Type.Object(
      {
        path: Type.String({ description: 'Path, with an optional selector such as :50-100 or :raw' }),
      },
      { additionalProperties: false },
    ),
    async execute(input, call) {
      const { signal } = call;
      const scope = scopeOf(call, host.folders);
      const given = String(input['path']);
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) && !given.startsWith('file://')) {
        return readUrl(host, given, scope, signal);
      }
      const located = await locate(given, scope.cwd, () => host.accelerator('scan'), signal);
      const result = await readLocated(host, located, scope, signal);
      return located.suffixResolution ? withNote(result, located.suffixResolution) : result;
    },
  });
}

async function readLocated(
  host: FileToolsHost,
  located: Located,
  scope: ToolScope,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { path, stats, suffixResolution } = located;
  const details = { resolvedPath: path, ...(suffixResolution && { suffixResolution }) };
  const source = { type: 'path' as const, value: path };
  try {
    if (stats.isDirectory()) return await readFolder(path, details, source);
    const head = await readHead(path, stats, scope.cwd);
    const image = imageInfo(head);
    if (image) return await readImage(path, stats, image, { ...details, meta: { source } }, scope.cwd);
    if (isBinary(head)) {
      throw errors.create('FILE_TOOLS_BINARY', { path: displayPath(scope.cwd, path), size: byteText(stats.size) });
    }
    return await readText(host, located, scope, { details, source }, signal);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOENT') throw fault;
    throw errors.create(
      'FILE_TOOLS_UNREADABLE',
      { path: displayPath(scope.cwd, path), reason: messageOf(fault) },
      fault,
    );
  }
}

type Source = NonNullable<OutputMeta['source']>;

async function readFolder(path: string, details: object, source: Source): Promise<ToolResult> {
  const { lines, hidden } = await folderTree(path);
  const fitted = fitLines(lines);
  const left = hidden + lines.length - fitted.lines.length;
  const text = [
    ...fitted.lines,
    ...(fitted.isCut ? [`[${lines.length - fitted.lines.length} more lines; read a subfolder]`] : []),
  ];
  const meta = { source, ...(left > 0 && { limits: { hiddenEntries: left } }) };
  return textResult(text.join('\n') || '(empty directory)', { ...details, isDirectory: true, meta });
}

/** The first bytes; also the place where devices and pipes are turned away before anything blocks. */
async function readHead(path: string, stats: Stats, cwd: string): Promise<Buffer> {
  if (!stats.isFile()) {
    const kind = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device';
    throw errors.create('FILE_TOOLS_NOT_REGULAR', { path: displayPath(cwd, path), kind });
  }
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(HEAD_BYTES, Math.max(1, stats.size))),
      position: 0,
    });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function readImage(
  path: string,
  { size }: Stats,
  { mimeType, width, height }: ImageInfo,
  details: object,
  cwd: string,
): Promise<ToolResult> {
  if (size > MAX_IMAGE_BYTES) {
    throw errors.create('FILE_TOOLS_IMAGE_TOO_LARGE', { path: displayPath(cwd, path), size: byteText(size) });
  }
  const dimensions = width && height ? `, ${width}x${height}` : '';
  const text = `[Image ${displayPath(cwd, path)}: ${mimeType}${dimensions}, ${byteText(size)}]`;
  const data = (await readFile(path)).toString('base64');
  return {
    content: [
      { type: 'text', text },
      { type: 'image', data, mimeType },
    ],
    details,
  };
}

async function readText(
  host: FileToolsHost,
  { path, stats, selector }: Located,
  { session, cwd }: ToolScope,
  { details, source }: { readonly details: object; readonly source: Source },
  signal: AbortSignal,
): Promise<ToolResult> {
  const hashline = await host.accelerator('hashline');
  const shownPath = displayPath(cwd, path);
  const { defaultLimit, summaryFromLines } = host.config.read;
  const view: ViewOptions = { selector, shownPath, defaultLimit, anchors: true };
  if (stats.size > MAX_MEMORY_BYTES) {
    const { text, meta } = await largeFileView(hashline, path, stats.size, view, signal);
    return textResult(text, { ...details, meta: { source, ...meta } });
  }
  const content = await readFile(path, { signal });
  host.views.record(session, path, content);
  if (!selector.raw && selector.first === undefined) {
    const syntax = await host.accelerator('syntax');
    const outline = await outlineView(
      { hashline, syntax },
      content,
      { path, shownPath, fromLines: summaryFromLines },
      signal,
    );
    if (outline) return textResult(outline.text, { ...details, summary: outline.summary, meta: { source } });
  }
  const { text, meta } = textView(hashline, content, view);
  return textResult(text, { ...details, meta: { source, ...meta } });
}

/** Addresses of schemes that plugins own; what they give cannot be edited, so it has numbers but no anchors. */
async function readUrl(host: FileToolsHost, given: string, scope: ToolScope, signal: AbortSignal): Promise<ToolResult> {
  const { path: url, selector } = splitSelector(cleanPath(given));
  const { content, notes = [] } = await urlContent(host, url, scope, signal);
  const hashline = await host.accelerator('hashline');
  const { defaultLimit } = host.config.read;
  const view = textView(hashline, content, { selector, shownPath: url, defaultLimit, anchors: false });
  const text = [...notes.map((note) => `[${note}]`), view.text].join('\n');
  return textResult(text, { kind: 'url', url, meta: { source: { type: 'url', value: url }, ...view.meta } });
}

async function urlContent(
  host: FileToolsHost,
  url: string,
  scope: ToolScope,
  signal: AbortSignal,
): Promise<{ content: Buffer; notes?: readonly string[] }> {
  const artifact = /^artifact:\/\/([^/?#]+)$/i.exec(url)?.[1];
  const file = artifact === undefined ? undefined : await scope.artifactPath?.(artifact);
  if (file !== undefined) return { content: await readFile(file, { signal }) };
  const router = await host.urls().catch(() => undefined);
  if (!router?.schemeOf(url)) {
    const schemes = router?.list().map(({ scheme }) => scheme) ?? [];
    throw errors.create('FILE_TOOLS_URL', { url, schemes: schemes.length > 0 ? schemes : 'none' });
  }
  const { content, notes } = await router.read(url, signal);
  return { content: Buffer.from(content), ...(notes && { notes }) };
}

function withNote(result: ToolResult, { from, to }: { readonly from: string; readonly to: string }): ToolResult {
  const note = `[Path '${from}' not found; resolved to '${to}' via suffix match]`;
  const [first, ...rest] = result.content;
  if (first?.type !== 'text') return { ...result, content: [{ type: 'text', text: note }, ...result.content] };
  return { ...result, content: [{ type: 'text', text: `${note}\n${first.text}` }, ...rest] };
}
