/** Many servers load a project with the first file of it that is opened: before that, they know nothing of the workspace. */
import { resolve } from 'node:path';
import type { LanguageServer } from '../servers/language-server.ts';

/** Opens a file of the project in a server that has none open. A project without such files stays as it is. */
export async function openFirstFile(server: LanguageServer, signal: AbortSignal): Promise<void> {
  if (server.hasOpenFiles) return;
  const { root, data } = server.identity;
  const names = Object.keys(data.languages).map((name) => (name.startsWith('.') ? `*${name}` : name));
  if (names.length === 0) return;
  const { loadAccelerator } = await import('@tenon/native');
  const scan = await loadAccelerator('scan');
  const pattern = `**/${names.length === 1 ? names[0] : `{${names.join(',')}}`}`;
  const { matches } = await scan.glob({ path: root, pattern, limit: 1, signal });
  const [first] = matches;
  if (first) await server.openFile(resolve(root, first.path));
}
