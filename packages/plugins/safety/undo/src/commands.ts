/** `tenon undo` */
import type { CommandCall } from '@tenon/command-line/api';
import type { Undo, UndoEntry, UndoRequest } from './api.ts';
import { errors } from './errors.ts';
import { entryLine, outcomeText, previewText } from './texts.ts';

/** Runs `tenon undo` in all its forms. */
export async function runUndo(undo: Undo, call: CommandCall): Promise<number> {
  const { flags, io, cwd } = call;
  const session = typeof flags['session'] === 'string' ? { session: flags['session'] } : {};
  if (flags['list'] === true) return showList(await undo.list({ cwd, ...session }), call);
  const request = requestOf(call);
  const preview = await undo.preview(request);
  if (flags['dry-run'] === true) {
    if (flags['json'] === true) await io.json({ ...preview, done: false });
    else await io.out(previewText(preview, 'would'));
    return 0;
  }
  if (preview.changes.length === 0) {
    if (flags['json'] === true) await io.json({ ...preview, done: false });
    else await io.out(`${previewText(preview, 'would')}Nothing was changed.\n`);
    return preview.held.length > 0 ? 1 : 0;
  }
  if (flags['yes'] !== true) {
    if (!io.interactive || !io.ask || flags['json'] === true) throw errors.create('UNDO_NEEDS_YES');
    await io.err(previewText(preview, 'will'));
    const answer = await io.ask(`${flags['redo'] === true ? 'Redo' : 'Undo'} this? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) {
      await io.err('Nothing was changed.\n');
      return 1;
    }
  }
  const isRedo = flags['redo'] === true;
  const outcome = await undo.restore(request);
  if (flags['json'] === true) await io.json({ ...outcome, done: outcome.id !== undefined });
  else await io.out(outcomeText(outcome, isRedo, isRedo ? 'tenon undo' : 'tenon undo --redo'));
  return outcome.held.some(({ reason }) => reason === 'failed') ? 1 : 0;
}

function requestOf({ args, flags, cwd, signal }: CommandCall): UndoRequest {
  const number = (text: string) => {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw errors.create('UNDO_COUNT', { count: text });
    return Number(text);
  };
  const { count } = args;
  const { to, session } = flags;
  if (typeof count === 'string' && typeof to === 'string') {
    throw errors.create('UNDO_FLAGS', { one: 'A number of calls', other: '--to' });
  }
  return {
    cwd,
    signal,
    ...(typeof count === 'string' && { count: number(count) }),
    ...(typeof to === 'string' && { to: number(to) }),
    ...(typeof session === 'string' && { session }),
    ...(flags['redo'] === true && { redo: true }),
    ...(flags['force'] === true && { force: true }),
  };
}

async function showList(entries: readonly UndoEntry[], { flags, io }: CommandCall): Promise<number> {
  if (flags['json'] === true) await io.json(entries);
  else if (entries.length === 0) await io.err('Nothing is kept for this folder yet.\n');
  else for (const entry of entries) await io.out(`${entryLine(entry)}\n`);
  return 0;
}
