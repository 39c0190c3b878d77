/** Formats files that were written, when the user wants that. */
import type { FileChange, FilesWritten } from '@tenon/file-tools/api';
import { TenonError } from '@tenon/kernel';
import { applyReplacements, EditProblem, replacementsOf, type TextEdit } from '../edits/text-edits.ts';
import type { LspHost } from '../host.ts';
import { uriOfPath } from '../uris.ts';
import { byPath, type Check, setNow } from './check.ts';

/** Formats each file with the first server that can, and writes what came out. */
export async function formatAll(
  host: Pick<LspHost, 'changes'>,
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
