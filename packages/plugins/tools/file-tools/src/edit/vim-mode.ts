import { counted } from '@tenon/wording';
import type { Accelerators } from '@tenon/native';
import type { EditFile, EditPlan } from '../api.ts';
import { errors } from '../errors.ts';
import { lineChanges } from './line-changes.ts';
import type { ModeWork } from './modes.ts';
import { EditedText } from './carry.ts';
import { applyLineEdits, type LineEdit, overlapOf } from './text-lines.ts';
import type { Position, VimBuffer } from './vim/vim-buffer.ts';
import { VimEngine } from './vim/vim-engine.ts';
import { VimError } from './vim/vim-error.ts';
import { readKeys, textKeys } from './vim/vim-keys.ts';
import { detectShift, openState, type VimState } from './vim/vim-state.ts';

interface VimStep {
  readonly kbd?: readonly string[];
  readonly insert?: string;
}

/** Buffers that stay open, of all sessions. */
const MAX_BUFFERS = 16;
/** Longer files are shown around the cursor only. */
const MAX_WHOLE = 200;
const SHOWN_AROUND = 60;

/** Edits as keys of vim. */
export function createVimMode(hashline: () => Promise<Accelerators['hashline']>): ModeWork {
  // The newest is last.
  const buffers = new Map<string, VimState>();
  return {
    touches: (input) => ({ writes: typeof input['file'] === 'string' ? [input['file']] : [] }),
    async plan(input, call) {
      const { file: path, steps = [] } = input as unknown as { file: string; steps?: readonly VimStep[] };
      const file = await call.file(path);
      if (!file.content && steps.length === 0) throw errors.create('FILE_TOOLS_NOT_FOUND', { path: file.shownPath });
      // Numbers of lines mean nothing in a file that was never seen.
      if (file.content && file.seen.length === 0 && steps.length > 0)
        throw errors.create('FILE_TOOLS_UNSEEN', { path: file.shownPath });
      const text = new EditedText(file, file.content ?? Buffer.alloc(0), await hashline());
      const key = `${call.session}\n${file.path}`;
      const state = openBuffer(buffers.get(key), text);
      runSteps(state, steps);
      return planBuffer(file, text, state, () => {
        buffers.delete(key);
        buffers.set(key, state);
        for (const oldest of buffers.keys()) if (buffers.size > MAX_BUFFERS) buffers.delete(oldest);
      });
    },
    completePart(input) {
      const steps = Array.isArray(input['steps']) ? (input['steps'] as VimStep[]) : [];
      const whole = steps.filter(
        (step) => Array.isArray(step?.kbd) && step.kbd.every((keys) => typeof keys === 'string'),
      );
      return typeof input['file'] === 'string' && whole.length > 0 ? { ...input, steps: whole } : undefined;
    },
  };
}

/** The buffer that is open, if it still holds the text that keys speak about; its past is copied, so that a refused call leaves it alone. */
function openBuffer(open: VimState | undefined, text: EditedText): VimState {
  const { texts } = text.seen;
  const fresh = openState(texts, detectShift(texts));
  if (!open) return fresh;
  const isSame = open.buffer.lines.join('\n') === fresh.buffer.lines.join('\n');
  if (!isSame) return { ...fresh, registers: new Map(open.registers) };
  return { ...open, buffer: open.buffer.copy(), registers: new Map(open.registers) };
}

function runSteps(state: VimState, steps: readonly VimStep[]): void {
  const engine = new VimEngine(state);
  for (const [index, { kbd = [], insert }] of steps.entries()) {
    const fail = (reason: string, fault?: unknown) =>
      errors.create('FILE_TOOLS_VIM', { step: index + 1, reason }, fault);
    try {
      for (const keys of kbd) engine.run(readKeys(keys));
      if (insert !== undefined) {
        if (engine.mode !== 'INSERT' && engine.mode !== 'REPLACE') {
          throw new VimError(
            `"insert" needs keys that end in insert mode (i, a, o, O, cc, …), but ${JSON.stringify(kbd.at(-1) ?? '')} ends in ${engine.mode} mode.`,
          );
        }
        engine.run(textKeys(insert));
      }
      engine.escape();
    } catch (fault) {
      if (fault instanceof VimError) throw fail(fault.message, fault);
      throw fault;
    }
  }
}

function planBuffer(file: EditFile, text: EditedText, state: VimState, keep: () => void): EditPlan {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  const edits = changedLines(text.seen.texts, buffer);
  if (edits.length === 0)
    return viewOf(
      file,
      text,
      text.hasDrifted ? { line: 0, col: 0 } : buffer.cursor,
      text.hasDrifted ? undefined : keep,
    );
  const carried = text.carry(edits);
  if (overlapOf(carried.edits)) {
    const details = {
      path: file.shownPath,
      what: 'the lines to change',
      reason: 'cannot be told apart any more',
      now: '',
    };
    throw errors.create('FILE_TOOLS_EDIT_STALE', details);
  }
  const after = text.encode(applyLineEdits(text.now, carried.edits));
  return {
    edits: [{ file, after, warnings: carried.warnings }],
    rows: text.hasDrifted
      ? ['Line numbers have changed: look at the file before you name lines again.']
      : [`Cursor at ${line + 1}:${col + 1}.`],
    ...(!text.hasDrifted && { written: keep }),
  };
}

/** The file as it is: all of it, or the part around the cursor. */
function viewOf(file: EditFile, text: EditedText, { line, col }: Position, keep: (() => void) | undefined): EditPlan {
  const { length } = text.now.texts;
  const first = length <= MAX_WHOLE ? 0 : Math.max(0, line - SHOWN_AROUND);
  const last = length <= MAX_WHOLE ? length : Math.min(length, line + SHOWN_AROUND);
  const part = last - first < length ? `, lines ${first + 1}-${last}` : '';
  const head = `${file.shownPath}, ${counted(length, 'line')}${part}, cursor at ${line + 1}:${col + 1}`;
  return {
    edits: [],
    rows: [head, ...text.show(first, last).split('\n')],
    shown: [file],
    ...(keep && { written: keep }),
  };
}

/**
 * The lines that the keys changed, as edits of the old ones. The buffer knows which lines are still the old ones; a diff would have to guess where lines
 * repeat, and an edit would claim other lines than the keys named.
 */
function changedLines(old: readonly string[], buffer: VimBuffer): LineEdit[] {
  const isUntouched = old.length === 0 && buffer.lines.length === 1 && buffer.lines[0] === '';
  const now = buffer.isEmptied || isUntouched ? [] : buffer.lines;
  const edits: { start: number; end: number; lines: string[] }[] = [];
  let next = 0;
  let added: string[] = [];
  const close = (until: number) => {
    const isSame = added.length === until - next && added.every((line, index) => line === old[next + index]);
    if (!isSame) edits.push({ start: next, end: until, lines: added });
    added = [];
  };
  for (const [at, text] of now.entries()) {
    const origin = buffer.idOf(at);
    if (old[origin] !== text) {
      added.push(text);
      continue;
    }
    // Lines were moved: what moved and what stayed is for a diff to say.
    if (origin < next) return lineChanges(old, now);
    close(origin);
    next = origin + 1;
  }
  close(old.length);
  return edits;
}
