/** What `tenon undo` and `/undo` say. */
import { byteText, counted, plainLine } from '@tenon/wording';
import type { UndoEntry, UndoOutcome, UndoPreview } from './api.ts';

/** How many paths are shown to people. */
const SHOWN = 40;

/** A call or an undo, on one line. */
export function entryLine(entry: UndoEntry): string {
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
export function previewText(preview: UndoPreview, mood: 'would' | 'will'): string {
  const { entries, changes, workspace } = preview;
  const lines = [
    `In ${plainLine(workspace)}, this ${mood} take back:`,
    ...entries.map((entry) => `  ${entryLine(entry).trim()}`),
  ];
  if (changes.length > 0) lines.push(`${counted(changes.length, 'path')} ${mood} change:`);
  return `${[...lines, ...changeLines(preview), ...heldLines(preview), ...gitLines(preview)].join('\n')}\n`;
}

/** What was taken back. `back` is the command that does the opposite. */
export function outcomeText(outcome: UndoOutcome, isRedo: boolean, back: string): string {
  const { changes, id } = outcome;
  const what = isRedo ? 'Redone' : 'Undone';
  const head =
    id === undefined
      ? 'Nothing was changed.'
      : `${what}: ${counted(changes.length, 'path')}. Take it back with \`${back}\`.`;
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
