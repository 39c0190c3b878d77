import { type CommandCall, plainLine } from '@tenon/command-line/api';
import type { Session, SessionStore } from '@tenon/sessions/api';
import { errors } from './errors.ts';
import { exporter } from './exporter.ts';

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `tenon session list` */
export async function listSessions(store: SessionStore, { flags, io, cwd }: CommandCall): Promise<void> {
  const limit = Number(asText(flags['limit']) || '20');
  if (!Number.isInteger(limit) || limit < 1)
    throw errors.create('SESSION_EXPORT_LIMIT', { limit: asText(flags['limit']) });
  const all = flags['all'] === true;
  const sessions = await store.list({ limit, ...(!all && { cwd }) });
  if (flags['json']) return io.json(sessions);
  if (sessions.length === 0) {
    return io.err(`There is no session${all ? '' : ' of this folder; --all shows those of other folders'}.\n`);
  }
  const lines = sessions.map(({ id, modified, title, firstPrompt, cwd: folder }) => {
    const name = plainLine(title ?? firstPrompt ?? '(nothing was said)');
    return `${id}  ${modified.slice(0, 16).replace('T', ' ')}  ${all ? `${plainLine(folder)}  ` : ''}${name}`.slice(
      0,
      Math.max(60, io.width),
    );
  });
  await io.out(`${lines.join('\n')}\n`);
}

/** `tenon session show` */
export function showSession(store: SessionStore, { args, flags, io }: CommandCall): Promise<void> {
  return reading(store, asText(args['session']), async (session) => {
    if (flags['json'])
      return io.json({ header: session.header, leafId: session.leafId, entries: [...session.entries()] });
    const { transcript, treeText } = await import('./transcript.ts');
    await io.out(flags['tree'] === true ? treeText(session) : transcript(session));
  });
}

/** `tenon session export` */
export function exportSession(store: SessionStore, { args, io, cwd }: CommandCall): Promise<void> {
  const file = asText(args['file']);
  return reading(store, asText(args['session']), async (session) => {
    if (file === '-') return io.out(await exporter.html(session));
    await io.out(`${await exporter.write(session, { cwd, ...(file !== '' && { file }) })}\n`);
  });
}

/** `tenon session fork` */
export function forkSession(store: SessionStore, { args, flags, io, cwd }: CommandCall): Promise<void> {
  const entryId = asText(flags['at']);
  return reading(store, asText(args['session']), async (session) => {
    const copy = await store.fork(session, { cwd, ...(entryId !== '' && { entryId }) });
    await copy.close();
    if (flags['json']) await io.json({ id: copy.id, file: copy.file });
    else await io.out(`${copy.id}\n`);
  });
}

/** `tenon session remove` */
export async function removeSession(store: SessionStore, { args, flags, io }: CommandCall): Promise<void> {
  const wanted = asText(args['session']);
  const { id, file } = await reading(store, wanted, (session) =>
    Promise.resolve({ id: session.id, file: session.file }),
  );
  if (flags['yes'] !== true) {
    const answer = (await io.ask?.(`Remove session ${id} for good? (yes/no) `)) ?? '';
    if (!/^y(es)?$/i.test(answer.trim())) throw errors.create('SESSION_EXPORT_CONFIRM', { session: id });
  }
  await store.remove(file ?? id);
  await io.out(`Removed ${id}.\n`);
}

/** Opens a session for reading only, so that one that is in use can be looked at. */
async function reading<T>(store: SessionStore, wanted: string, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await store.open(wanted, { readOnly: true });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
