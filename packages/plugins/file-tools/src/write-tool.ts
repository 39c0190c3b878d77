import { readFile, stat } from 'node:fs/promises';
import { Type } from '@tenon/kernel';
import type { Tool } from '@tenon/tools/api';
import { errors } from './errors.ts';
import type { FileToolsHost } from './host.ts';
import { cleanPath, displayPath, resolvePath } from './paths.ts';
import { prompts } from './prompts/index.ts';
import { scopeOf } from './scope.ts';
import { byteText, explainFailures, textResult } from './tool-output.ts';

/** The tool that writes whole files. */
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
    async execute(input, call) {
      const { session, cwd } = scopeOf(call, host.folders);
      const given = cleanPath(String(input['path']));
      const content = Buffer.from(String(input['content']));
      const size = `${lineCount(content)} lines, ${byteText(content.length)}`;
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
        const router = await host.urls().catch(() => undefined);
        if (!router?.schemeOf(given)) {
          const schemes = router?.list().map(({ scheme }) => scheme) ?? [];
          throw errors.create('FILE_TOOLS_URL', { url: given, schemes: schemes.length > 0 ? schemes : 'none' });
        }
        await router.write(given, content.toString('utf8'), call.signal);
        return textResult(`Wrote ${given} (${size})`, { op: 'update' });
      }
      const path = resolvePath(cwd, given);
      const shown = displayPath(cwd, path);
      const before = await current(path, shown);
      if (before?.equals(content)) {
        host.views.record(session, path, content);
        return textResult(`Unchanged ${shown} (${size}): it already had this content.`, { resolvedPath: path });
      }
      call.signal.throwIfAborted();
      await host.changes.apply(session, [{ path, before: before ?? undefined, after: content }]);
      const op = before ? 'update' : 'create';
      return textResult(`${before ? 'Updated' : 'Created'} ${shown} (${size})`, { resolvedPath: path, op });
    },
  });
}

async function current(path: string, shown: string): Promise<Buffer | undefined> {
  const stats = await stat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shown, reason: fault.code ?? fault.message }, fault);
  });
  if (!stats) return undefined;
  if (stats.isDirectory()) throw errors.create('FILE_TOOLS_IS_DIRECTORY', { path: shown });
  if (!stats.isFile()) throw errors.create('FILE_TOOLS_NOT_REGULAR', { path: shown, kind: 'no regular file' });
  return readFile(path);
}

function lineCount(content: Buffer): number {
  let count = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++;
  return count;
}
