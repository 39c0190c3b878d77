import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { CommandCall } from '@tenon/command-line/api';
import { plainText } from '@tenon/wording';
import { messageOf } from '@tenon/kernel';
import type { SessionStore } from '@tenon/sessions/api';
import type { UrlRouter, UrlScope } from './api.ts';
import { errors } from './errors.ts';

/** What the commands work with. */
export interface CommandParts {
  readonly router: UrlRouter;
  sessionStore(): Promise<SessionStore | undefined>;
}

/** `tenon url list` */
export async function listSchemes({ router }: CommandParts, { io, flags }: CommandCall): Promise<void> {
  const rows = router.list();
  if (flags['json']) return io.json(rows);
  const width = Math.max(...rows.map(({ scheme }) => scheme.length)) + 3;
  const lines = rows.map(({ scheme, description = '', writable }) => {
    const use = writable ? 'read, write' : 'read';
    return `${`${scheme}://`.padEnd(width)}  ${use.padEnd(11)}  ${plainText(description)}`.trimEnd();
  });
  await io.out(`${lines.join('\n')}\n`);
}

/** `tenon url read` */
export async function readUrl(parts: CommandParts, call: CommandCall): Promise<void> {
  const { args, flags, io, signal } = call;
  const scope = await scopeOf(parts, call);
  const resource = await parts.router.read(String(args['url']), { signal, scope, raw: flags['raw'] === true });
  const { content, bytes, notes = [] } = resource;
  if (flags['json']) return io.json({ ...resource, ...(bytes && { bytes: Buffer.from(bytes).toString('base64') }) });
  for (const note of notes) await io.err(`${plainText(note)}\n`);
  const text = plainText(content);
  await io.out(text.endsWith('\n') || text === '' ? text : `${text}\n`);
}

/** `tenon url write` */
export async function writeUrl(parts: CommandParts, call: CommandCall): Promise<void> {
  const { args, flags, io, signal } = call;
  const url = String(args['url']);
  const content = await contentOf(call);
  const scope = await scopeOf(parts, call);
  await parts.router.write(url, content, { signal, scope });
  const file = await parts.router.locate(url, { signal, scope });
  const bytes = Buffer.byteLength(content);
  if (flags['json']) return io.json({ url, bytes, ...(file !== undefined && { file }) });
  await io.err(`Wrote ${bytes} bytes to ${url}.\n`);
}

/** By hand there is no session unless one is named; such calls share their files with `tenon tool run`. */
async function scopeOf({ sessionStore }: CommandParts, { flags, cwd }: CommandCall): Promise<UrlScope> {
  const wanted = flags['session'];
  if (typeof wanted !== 'string') return { session: 'by-hand', cwd };
  const store = await sessionStore();
  const newest = wanted === 'last' ? (await store?.list({ cwd, limit: 1 }))?.[0]?.file : undefined;
  const session = await store?.open(newest ?? wanted, { readOnly: true });
  if (!session) return { session: wanted, cwd };
  try {
    return { session: session.id, cwd: session.header.cwd };
  } finally {
    await session.close();
  }
}

async function contentOf({ flags, cwd, signal }: CommandCall): Promise<string> {
  const { text, from } = flags;
  if (typeof text === 'string') return text;
  const origin = typeof from === 'string' ? from : 'standard input';
  try {
    return typeof from === 'string'
      ? await readFile(resolve(cwd, from), { encoding: 'utf8', signal })
      : await readStdin(signal);
  } catch (fault) {
    signal.throwIfAborted();
    throw errors.create('URLS_INPUT', { origin, reason: messageOf(fault) }, fault);
  }
}

/** Ctrl-C must end the wait for a pipe that never closes. */
async function readStdin(signal: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) throw new Error('it is a terminal');
  const stop = () => process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await readAll(process.stdin);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
