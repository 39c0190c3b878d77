import type { CommandCall } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import type { Session, SessionStore } from '@tenon/sessions/api';
import { errors } from './errors.ts';
import { exporter } from './exporter.ts';
import { limitIn } from './limit.ts';

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `tenon session list` */
export async function listSessions(store: SessionStore, { flags, io, cwd }: CommandCall): Promise<void> {
  const limit = limitIn(flags);
  const all = flags['all'] === true;
  const sessions = await store.list({ limit, ...(!all && { cwd }) });
  if (flags['json']) return io.json(sessions);
  if (sessions.length === 0) {
    const hint = 'Conversations of other agents: tenon session import';
    return io.err(`There is no session${all ? '' : ' of this folder; --all shows those of other folders'}.\n${hint}\n`);
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
    // What is missing shows when it is read, so the entries come first.
    if (flags['json']) {
      const { header, leafId } = session;
      const entries = [...session.entries()];
      return io.json({ header, leafId, repairs: session.repairs, entries });
    }
    const { transcript, treeText } = await import('./transcript.ts');
    const text = flags['tree'] === true ? treeText(session) : transcript(session);
    await (text === '' ? io.err('Nothing was said in this session.\n') : io.out(text));
    for (const repair of session.repairs) await io.err(`Session ${session.id}: ${plainLine(repair)}\n`);
  });
}

/** `tenon session tree` */
export function showTree(store: SessionStore, { args, flags, io }: CommandCall): Promise<void> {
  return reading(store, asText(args['session']), async (session) => {
    const { treeEntries, treeText } = await import('./transcript.ts');
    if (flags['json']) await io.json({ id: session.id, leafId: session.leafId, entries: treeEntries(session) });
    else await io.out(treeText(session));
  });
}

/** `tenon session label` */
export function labelEntry(store: SessionStore, { args, flags, io }: CommandCall): Promise<void> {
  return writing(store, asText(args['session']), async (session) => {
    const targetId = asText(args['entry']);
    if (!session.entry(targetId)) throw errors.create('SESSION_EXPORT_ENTRY', { session: session.id, entry: targetId });
    const label = asText(args['label']).trim();
    await session.append('label', { targetId, ...(label !== '' && { label }) });
    if (flags['json']) await io.json({ id: session.id, entry: targetId, label: label || null });
    else await io.out(label === '' ? `Removed the label of ${targetId}.\n` : `${targetId}: ${plainLine(label)}\n`);
  });
}

/** `tenon session rename` */
export function renameSession(store: SessionStore, { args, flags, io }: CommandCall): Promise<void> {
  return writing(store, asText(args['session']), async (session) => {
    const title = asText(args['title']).trim();
    if (title === '') throw errors.create('SESSION_EXPORT_TITLE', { session: session.id });
    await session.setTitle(title, 'user');
    if (flags['json']) await io.json({ id: session.id, title });
    else await io.out(`${session.id}: ${plainLine(title)}\n`);
  });
}

/** `tenon session export` */
export function exportSession(store: SessionStore, { args, flags, io, cwd }: CommandCall): Promise<void> {
  const file = asText(args['file']);
  return reading(store, asText(args['session']), async (session) => {
    if (file === '-') return io.out(await exporter.html(session));
    const path = await exporter.write(session, { cwd, ...(file !== '' && { file }) });
    if (flags['json']) await io.json({ id: session.id, path });
    else await io.out(`${path}\n`);
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
  if (flags['json']) await io.json({ id, removed: true });
  else await io.out(`Removed ${id}.\n`);
}

/** Opens a session for reading only, so that one that is in use can be looked at. */
async function reading<T>(store: SessionStore, wanted: string, work: (session: Session) => Promise<T>): Promise<T> {
  return using(await store.open(wanted, { readOnly: true }), work);
}

/** Opens a session that nobody else writes. */
async function writing<T>(store: SessionStore, wanted: string, work: (session: Session) => Promise<T>): Promise<T> {
  return using(await store.open(wanted), work);
}

async function using<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
