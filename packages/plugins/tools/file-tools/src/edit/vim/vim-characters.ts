/** Commands that work on characters under the cursor, and typing. */
import { VimError } from './vim-error.ts';
import { caseChange, operate, type Region } from './vim-operators.ts';
import type { VimState } from './vim-state.ts';

/** `x`, `X` and the first half of `s`. */
export function deleteChars(
  state: VimState,
  isBack: boolean,
  times: number,
  register: string,
  isForInsert = false,
): void {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  let other = col;
  for (let left = times; left > 0; left--) {
    const next = isBack ? buffer.left({ line, col: other }) : buffer.right({ line, col: other });
    if (next > buffer.line().length) break;
    other = next;
  }
  if (other === col) throw new VimError(`there is nothing to delete at line ${line + 1}.`);
  const [start, end] = isBack ? [other, col] : [col, other];
  operate(state, 'd', { start: { line, col: start }, end: { line, col: end }, isLinewise: false }, { register });
  if (isForInsert) buffer.cursor = { line, col: start };
}

/** `r`. */
export function replaceChars(state: VimState, times: number, key: string): void {
  const { buffer } = state;
  if (key === '<Esc>') return;
  const { line, col } = buffer.cursor;
  let end = col;
  for (let left = times; left > 0; left--) end = buffer.right({ line, col: end });
  if (end > buffer.line().length) throw new VimError(`there are not ${times} characters to replace.`);
  if (key === '<CR>') {
    buffer.replaceBetween(buffer.cursor, { line, col: end }, ['', '']);
    return buffer.moveTo({ line: line + 1, col: buffer.firstNonBlank(line + 1) });
  }
  if (key.length > 1 && key.startsWith('<')) throw new VimError(`"r${key}" is not supported.`);
  buffer.replaceBetween(buffer.cursor, { line, col: end }, [key.repeat(times)]);
  buffer.moveTo({ line, col: col + key.length * (times - 1) });
}

/** `~`. */
export function swapCase(state: VimState, times: number): void {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  let end = col;
  const { length } = buffer.line();
  for (let left = times; left > 0 && end < length; left--) end = buffer.right({ line, col: end });
  if (end === col) throw new VimError(`line ${line + 1} is empty.`);
  buffer.replaceBetween(buffer.cursor, { line, col: end }, [caseChange('g~')(buffer.line().slice(col, end))]);
  buffer.moveTo({ line, col: end });
}

/** `r` on a selection. */
export function replaceSelection(state: VimState, region: Region, key: string): void {
  const { buffer } = state;
  if (key.length > 2) throw new VimError(`"r${key}" is not supported on a selection.`);
  const whole = {
    start: { line: region.start.line, col: 0 },
    end: { line: region.end.line, col: buffer.line(region.end.line).length },
  };
  const { start, end } = region.isLinewise ? whole : region;
  const lines = buffer.textBetween(start, end).map((text) => Array.from(text, () => key).join(''));
  buffer.replaceBetween(start, end, lines);
  buffer.moveTo(start);
}

/** `p` on a selection. */
export function putOver(state: VimState, region: Region, register: string): void {
  const held = state.registers.get(register.toLowerCase());
  if (!held) throw new VimError(`register "${register}" is empty.`);
  if (held.isLinewise !== region.isLinewise)
    throw new VimError('putting lines over a part of a line (or the other way round) is not supported.');
  const { buffer } = state;
  if (region.isLinewise) buffer.splice(region.start.line, region.end.line - region.start.line + 1, held.lines);
  else buffer.replaceBetween(region.start, region.end, held.lines);
  buffer.moveTo(
    region.isLinewise ? { line: region.start.line, col: buffer.firstNonBlank(region.start.line) } : region.start,
  );
}

/** A key in insert or replace mode. */
export function typeKey(state: VimState, key: string, replaces: boolean): void {
  const { buffer } = state;
  const { cursor } = buffer;
  const text = buffer.line();
  if (key === '<CR>') {
    buffer.cursor = buffer.replaceBetween(cursor, cursor, ['', '']);
    return;
  }
  if (key === '<BS>' || key === '<C-w>' || key === '<C-u>') {
    if (replaces) throw new VimError(`${key} in replace mode is not supported.`);
    if (cursor.col === 0) throw new VimError(`${key} at the start of a line is not supported in insert mode.`);
    const head = text.slice(0, cursor.col);
    const to =
      key === '<BS>'
        ? buffer.left(cursor)
        : key === '<C-u>'
          ? 0
          : head.replace(/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|)\s*$/u, '').length;
    buffer.cursor = buffer.replaceBetween({ line: cursor.line, col: to }, cursor, []);
    buffer.cursor = { line: cursor.line, col: to };
    return;
  }
  if (key.length > 2 && key.startsWith('<') && key.endsWith('>'))
    throw new VimError(`${key} in insert mode is not supported; press <Esc> first.`);
  const end = replaces && cursor.col < text.length ? { line: cursor.line, col: buffer.right(cursor) } : cursor;
  buffer.cursor = buffer.replaceBetween(cursor, end, [key]);
}
