/** What happens when a tool has written files: servers are told, files are formatted, and new problems go into the result. */
import { realpath } from 'node:fs/promises';
import type { FilesWritten, WrittenFile } from '@tenon/file-tools/api';
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { LspHost } from '../host.ts';
import type { ServerDesk } from '../servers/desk.ts';
import { languageOf } from '../servers/fit.ts';

/** What the handler works with. */
export interface WritingHost {
  readonly host: LspHost;
  /** Loads what starts servers. */
  desk(): Promise<ServerDesk>;
}

/** The most files of one call that are looked at. */
const MAX_FILES = 5;

/** Handles `file.written`. Where no server fits, nothing is loaded and nothing changes. */
export async function afterWriting(
  { host, desk }: WritingHost,
  written: FilesWritten,
  signal: AbortSignal,
): Promise<FilesWritten | undefined> {
  const { diagnosticsOnEdit, formatOnWrite } = host.config;
  if (!diagnosticsOnEdit && !formatOnWrite) return undefined;
  try {
    if (!(await mayFit(host, written))) return undefined;
    const { checkWritten } = await import('./check-written.ts');
    const files = await Promise.all(written.files.map(withRealPath));
    const results = await checkWritten({ host, desk: await desk() }, { ...written, files }, MAX_FILES, signal);
    const changed = written.files.map((file, index) => {
      const content = results.formatted.get(files[index]?.path ?? '');
      return content ? { ...file, after: content } : file;
    });
    if (results.notices.length === 0 && results.formatted.size === 0) return undefined;
    return { ...written, files: changed, notices: [...written.notices, ...results.notices] };
  } catch (fault) {
    signal.throwIfAborted();
    // The edit is made. That nothing is known about it is no failure of the edit.
    host.log.warn(`no diagnostics after an edit: ${plainLine(messageOf(fault))}`);
    return undefined;
  }
}

/** Whether a server that is known has files with such a name: a look at data. */
async function mayFit({ servers, found, config }: LspHost, { cwd, files }: FilesWritten): Promise<boolean> {
  const fits = (data: { readonly languages?: unknown }) => {
    const { languages } = data;
    if (typeof languages !== 'object' || languages === null) return false;
    return files.some(({ path }) => languageOf({ languages: languages as Record<string, string> }, path) !== undefined);
  };
  if (servers.list().some(({ data }) => fits(data)) || Object.values(config.servers).some(fits)) return true;
  return (await found.find(cwd)).some(({ data }) => fits(data));
}

async function withRealPath(file: WrittenFile): Promise<WrittenFile> {
  // What is deleted has no real path any more; servers are told the name that was used.
  return { ...file, path: await realpath(file.path).catch(() => file.path) };
}
