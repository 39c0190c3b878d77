/** `tenon undo` */
import type { CommandCall } from '@tenon/command-line/api';
import { byteText, counted, plainLine } from '@tenon/wording';
import type { Undo, UndoEntry, UndoOutcome, UndoPreview, UndoRequest } from './api.ts';
import { errors } from './errors.ts';

/** How many paths a preview shows for people. */
const SHOWN = 40;

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
  const outcome = await undo.restore(request);
  if (flags['json'] === true) await io.json({ ...outcome, done: outcome.id !== undefined });
  else await io.out(outcomeText(outcome, flags['redo'] === true));
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

function entryLine(entry: UndoEntry): string {
  const { created, changed, deleted } = entry.counts;
  const counts = [
    created > 0 ? `+${created}` : '',
    changed > 0 ? `~${changed}` : '',
    deleted > 0 ? `-${deleted}` : '',
    entry.notKept > 0 ? `(${entry.notKept} not kept)` : '',
  ].filter(Boolean);
  const notes = [
    entry.undoneBy === undefined ? '' : `undone by ${entry.undoneBy}`,
    entry.state === 'done' ? '' : entry.state,
    entry.shared === true ? 'beside another call' : '',
  ].filter(Boolean);
  const time = entry.at.slice(0, 19).replace('T', ' ');
  const words = [String(entry.id).padStart(4), time, plainLine(entry.tool).padEnd(6), counts.join(' ').padEnd(10)];
  const note = notes.length > 0 ? `  [${notes.join(', ')}]` : '';
  return `${words.join('  ')}  ${plainLine(entry.title)}${note}`;
}

/** What would change, or will, for people. */
function previewText(preview: UndoPreview, mood: 'would' | 'will'): string {
  const { entries, changes, workspace } = preview;
  const lines = [
    `In ${plainLine(workspace)}, this ${mood} take back:`,
    ...entries.map((entry) => `  ${entryLine(entry).trim()}`),
  ];
  if (changes.length > 0) lines.push(`${counted(changes.length, 'path')} ${mood} change:`);
  return `${[...lines, ...changeLines(preview), ...heldLines(preview), ...gitLines(preview)].join('\n')}\n`;
}

function outcomeText(outcome: UndoOutcome, isRedo: boolean): string {
  const { changes, id } = outcome;
  const what = isRedo ? 'Redone' : 'Undone';
  const back = isRedo ? '`tenon undo`' : '`tenon undo --redo`';
  const head =
    id === undefined
      ? 'Nothing was changed.'
      : `${what}: ${counted(changes.length, 'path')}. Take it back with ${back}.`;
  return `${[head, ...changeLines(outcome), ...heldLines(outcome), ...gitLines(outcome)].join('\n')}\n`;
}

function changeLines({ changes }: UndoPreview): string[] {
  const shown = changes.slice(0, SHOWN).map(({ action, path, kind, mode, size }) => {
    const facts = [
      kind === 'file' ? '' : kind,
      action === 'mode' && mode !== undefined ? mode : '',
      action !== 'delete' && size !== undefined && action !== 'mode' ? byteText(size) : '',
    ].filter(Boolean);
    return `  ${action.padEnd(8)} ${plainLine(path)}${facts.length > 0 ? `  (${facts.join(', ')})` : ''}`;
  });
  return changes.length > SHOWN ? [...shown, `  … and ${changes.length - SHOWN} more; --json lists all`] : shown;
}

function heldLines({ held }: UndoPreview): string[] {
  if (held.length === 0) return [];
  const shown = held.slice(0, SHOWN).map(({ path, text }) => `  keep     ${plainLine(path)}: ${plainLine(text)}`);
  const more = held.length > SHOWN ? [`  … and ${held.length - SHOWN} more`] : [];
  return [
    `${counted(held.length, 'path')} stays as it is:`.replace('paths stays as it is', 'paths stay as they are'),
    ...shown,
    ...more,
  ];
}

function gitLines({ git }: UndoPreview): string[] {
  if (git.length === 0) return [];
  const notes = git.map(
    ({ what, command }) => `  ${plainLine(what)}${command === undefined ? '' : `; to go back: ${plainLine(command)}`}`,
  );
  return ['The repository itself is yours; Tenon does not touch it:', ...notes];
}
