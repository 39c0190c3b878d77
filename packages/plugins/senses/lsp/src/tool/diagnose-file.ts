/** What one server says about a file as it is on the disk. */
import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { LanguageServer } from '../servers/language-server.ts';

/** How long a published answer is waited for. */
const WAIT_MS = 3_000;
/** A server that has only just started needs longer for its first answer. */
const FIRST_WAIT_MS = 15_000;
/** How long the check after saving may take until it shows progress. */
const CHECK_BEGINS_MS = 400;

/** The diagnostics of a file; undefined when the server has not answered in time. `firstWaitMs` is for a file that it did not know. */
export async function diagnoseFile(
  server: LanguageServer,
  path: string,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<readonly Diagnostic[] | undefined> {
  const known = server.versionOf(path);
  const serial = server.diagnostics.serial;
  await server.openFile(path);
  const since = known !== undefined && server.versionOf(path) === known ? -1 : serial;
  if (server.identity.data.checksOnSave) await checkAfterSave(server, path, signal);
  const limit = AbortSignal.timeout(known === undefined ? firstWaitMs : WAIT_MS);
  const isPull = server.can('diagnosticProvider');
  return server.diagnose(path, since, isPull ? signal : AbortSignal.any([signal, limit]));
}

async function checkAfterSave(server: LanguageServer, path: string, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(FIRST_WAIT_MS)]);
  await server.progress.idle(limit);
  const { begun } = server.progress;
  server.saved(path);
  await server.progress.beginAfter(begun, AbortSignal.any([signal, AbortSignal.timeout(CHECK_BEGINS_MS)]));
  await server.progress.idle(limit);
}
