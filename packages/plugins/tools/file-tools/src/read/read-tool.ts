import { messageOf, Type } from '@tenon/kernel';
import { displayPath, explainFailures, scopeOf, type Tool, type ToolResult } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';
import { prompts } from '../prompts/index.ts';
import { createDocumentCache } from './document-cache.ts';
import { fileView } from './file-view.ts';
import { folderView } from './folder-view.ts';
import { type Located, locate, touchedByReading } from './locate.ts';
import { translateRead } from './other-agents.ts';
import type { Reading, Subject } from './reading.ts';
import { createUrlPages, isUrl, urlTouches, urlView } from './url-view.ts';

/** What keeps a file from being read and is no defect. */
const UNREADABLE = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENXIO', 'EAGAIN', 'EIO', 'EISDIR', 'ELOOP', 'EINVAL']);

/** The tool that reads everything that has a path or a URL. */
export function createReadTool(host: FileToolsHost): Tool {
  const cache = createDocumentCache();
  const pages = createUrlPages();
  return explainFailures({
    description: prompts.read({ limit: host.config.read.defaultLimit, summaryFrom: host.config.read.summaryFromLines }),
    parameters: Type.Object(
      {
        path: Type.String({ description: 'Path or URL, with an optional selector such as :50-100 or :raw' }),
      },
      { additionalProperties: false },
    ),
    translate: translateRead,
    touches(input, call) {
      const target = String(input['path'] ?? '');
      const { cwd } = scopeOf(call, host.folders);
      if (isUrl(target.trim())) return urlTouches(target, cwd);
      if (call.partial && target === '') return {};
      const reads = touchedByReading(target, cwd, () => host.accelerator('scan'), call);
      return reads instanceof Promise ? reads.then((paths) => ({ reads: paths })) : { reads };
    },
    async execute(input, call) {
      const reading: Reading = { host, scope: scopeOf(call, host.folders), signal: call.signal };
      const target = String(input['path']);
      if (isUrl(target.trim())) return urlView(reading, pages, target);
      const located = await locate(target, reading.scope.cwd, () => host.accelerator('scan'), call.signal);
      if (call.touches?.reads?.includes(located.path) === false)
        throw errors.create('FILE_TOOLS_UNDECLARED', { path: displayPath(reading.scope.cwd, located.path) });
      return readLocated(reading, target, located, cache);
    },
  });
}

async function readLocated(
  reading: Reading,
  given: string,
  located: Located,
  cache: ReturnType<typeof createDocumentCache>,
): Promise<ToolResult> {
  const { path, stats, selector, isTrimmed, suffixResolution } = located;
  const shownPath = displayPath(reading.scope.cwd, path);
  const subject: Subject = {
    shownPath,
    selector,
    source: { type: 'path', value: path },
    details: { resolvedPath: path, ...(suffixResolution && { suffixResolution }) },
    ...(isTrimmed && {
      notes: [`There is no ${JSON.stringify(given)} with the blanks at its ends; this is ${JSON.stringify(shownPath)}`],
    }),
    ...(suffixResolution && {
      notes: [`Path '${suffixResolution.from}' not found; resolved to '${suffixResolution.to}' via suffix match`],
    }),
  };
  try {
    if (stats.isDirectory()) return await folderView(reading, subject, path);
    return await fileView(reading, subject, located, cache);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === undefined || !UNREADABLE.has(code)) throw fault;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: messageOf(fault) }, fault);
  }
}
