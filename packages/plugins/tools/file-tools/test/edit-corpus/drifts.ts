/** What happens to a file between reading and editing it. Lines are followed, so that the right result is known. */
import type { CorpusEdit, LineHunk } from './mutations.ts';
import type { Random } from './random.ts';

/** A line of the drifted file; `origin` is the line it was, undefined for one that came. */
interface Row {
  text: string;
  readonly origin: number | undefined;
}

interface Drifting {
  rows: Row[];
  readonly edit: CorpusEdit;
  readonly random: Random;
  ending: '\n' | '\r\n';
  /** How the drift rewrites every line, those of the edit too. */
  rewrite: (line: string) => string;
  /** The lines to change are not what they were: whatever the edit does would be wrong. */
  mustRefuse: boolean;
}

/** A drifted file and what the edit should make of it; undefined when it must be refused. */
export interface Drifted {
  readonly content: string;
  readonly expected: string | undefined;
}

/** Gives false when the file has no room for this drift. */
type Drift = (file: Drifting) => boolean;

/** Nothing closer than this to the edit is touched by a drift elsewhere. */
const DISTANCE = 3;

/** The drifts, by name. */
export const DRIFTS: Readonly<Record<string, Drift>> = {
  none: () => true,
  'lines inserted elsewhere': (file) => insertLines(file) && insertLines(file),
  'lines removed elsewhere': (file) => removeLines(file) && removeLines(file),
  'inserted and removed': (file) => insertLines(file) && removeLines(file),
  'one neighbour changed': (file) => changeNeighbours(file, file.random.below(2) === 0 ? 'above' : 'below'),
  'both neighbours changed': (file) => changeNeighbours(file, 'both'),
  reindented: reindent,
  'blanks at line ends': trailingBlanks,
  'other line endings': (file) => {
    file.ending = '\r\n';
    return true;
  },
  'block copied far away': (file) => copyBlock(file, 'far'),
  'block copied next to it': (file) => copyBlock(file, 'next'),
  'block copied next to it, changed above': (file) => copyBlock(file, 'next') && changeFar(file, 'above'),
  'block copied next to it, changed below': (file) => copyBlock(file, 'next') && changeFar(file, 'below'),
  'block copied next to it, changed on both sides': (file) =>
    copyBlock(file, 'next') && changeFar(file, 'above') && changeFar(file, 'below'),
  // The lines around an insert are what it is about: changed in the original alone they look like lines that came.
  'block copied next to it, neighbour changed': (file) =>
    file.edit.hunks.every(({ start, end }) => end > start) &&
    copyBlock(file, 'next') &&
    changeNeighbours(file, file.random.below(2) === 0 ? 'above' : 'below'),
  'block copied twice, changed elsewhere': (file) =>
    copyBlock(file, 'next') && copyBlock(file, file.random.below(2) === 0 ? 'far' : 'next') && insertLines(file),
  'block copied next to it, edge of the block changed': (file) => copyBlock(file, 'next') && changeEdge(file),
  'block moved': moveBlock,
  'several at once': (file) =>
    insertLines(file) && removeLines(file) && changeNeighbours(file, 'above') && insertLines(file),
  'target changed': changeTarget,
  'target removed': removeTarget,
  'target changed, block copied': (file) => copyBlock(file, 'far') && changeTarget(file),
  'target removed, block copied': (file) => copyBlock(file, 'far') && removeTarget(file),
  // A line of the edit that is copied alone and then changed looks like a line that came.
  'target changed, block copied next to it': (file) =>
    copyBlock(file, 'next') && hasCopiedNeighbour(file) && changeTarget(file),
  'target removed, block copied next to it': (file) =>
    copyBlock(file, 'next') && hasCopiedNeighbour(file) && removeTarget(file),
  'target changed, several at once': (file) =>
    insertLines(file) &&
    removeLines(file) &&
    changeTarget(file) &&
    changeNeighbours(file, 'above') &&
    removeLines(file),
  'target changed, lines inserted': (file) => insertLines(file) && changeTarget(file) && insertLines(file),
};

/** Applies a drift; undefined when the file has no room for it. */
export function drift(name: string, edit: CorpusEdit, random: Random): Drifted | undefined {
  const file: Drifting = {
    rows: edit.before.map((text, origin) => ({ text, origin })),
    edit,
    random,
    ending: '\n',
    rewrite: (line) => line,
    mustRefuse: false,
  };
  if (!DRIFTS[name]?.(file)) return undefined;
  const join = (lines: readonly string[]) => lines.map((line) => line + file.ending).join('');
  return {
    content: join(file.rows.map(({ text }) => text)),
    expected: file.mustRefuse ? undefined : expectedOf(file, join),
  };
}

/** The edit at the places where its lines are now. */
function expectedOf({ rows, edit, rewrite }: Drifting, join: (lines: readonly string[]) => string): string | undefined {
  const lines: string[] = [];
  let at = 0;
  const places = edit.hunks.map((hunk) => ({ hunk, at: placeOf(rows, hunk) }));
  if (places.some((place) => place.at === undefined)) return undefined;
  places.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  for (const { hunk, at: place = 0 } of places) {
    for (; at < place; at++) lines.push(rows[at]?.text ?? '');
    lines.push(...hunk.lines.map(rewrite));
    at = place + hunk.end - hunk.start;
  }
  for (; at < rows.length; at++) lines.push(rows[at]?.text ?? '');
  return join(lines);
}

/** Where the lines of a hunk are; for an insert, the gap that is still between the same lines. */
function placeOf(rows: readonly Row[], { start, end }: LineHunk): number | undefined {
  if (end > start) {
    const at = rows.findIndex(({ origin }) => origin === start);
    for (let line = start; line < end; line++) if (rows[at + line - start]?.origin !== line) return undefined;
    return at < 0 ? undefined : at;
  }
  if (start === 0) return rows[0]?.origin === 0 ? 0 : undefined;
  const above = rows.findIndex(({ origin }) => origin === start - 1);
  const below = rows.findIndex(({ origin }) => origin === start);
  if (above >= 0 && (below === above + 1 || (below < 0 && above === rows.length - 1))) return above + 1;
  return undefined;
}

/** Rows that are far enough from every hunk. */
function freeRows({ rows, edit }: Drifting, distance = DISTANCE): number[] {
  const near = (origin: number) =>
    edit.hunks.some(({ start, end }) => origin >= start - distance && origin < end + distance);
  return rows.flatMap(({ origin }, at) => {
    const isFree = [at - 1, at].every((row) => {
      const from = rows[row]?.origin;
      return from === undefined || !near(from);
    });
    return isFree && (origin === undefined || !near(origin)) ? [at] : [];
  });
}

function insertLines(file: Drifting): boolean {
  const free = freeRows(file);
  if (free.length === 0) return false;
  const at = file.random.pick(free);
  const count = 1 + file.random.below(4);
  const fresh = Array.from({ length: count }, (_, index): Row => {
    // Sometimes a line that the file has already: nothing may depend on lines being unique.
    const copied = file.random.below(3) === 0 ? file.random.pick(file.rows).text : undefined;
    return { text: copied ?? `inserted line ${at}.${index}`, origin: undefined };
  });
  file.rows.splice(at, 0, ...fresh);
  return true;
}

function removeLines(file: Drifting): boolean {
  const free = freeRows(file).filter((at) => file.rows[at]?.origin !== undefined);
  if (free.length === 0) return false;
  const at = file.random.pick(free);
  const count = free.includes(at + 1) ? 1 + file.random.below(2) : 1;
  file.rows.splice(at, count);
  return true;
}

function changeNeighbours({ rows, edit, random }: Drifting, which: 'above' | 'below' | 'both'): boolean {
  const isTarget = (origin: number) => edit.hunks.some(({ start, end }) => origin >= start && origin < end);
  const { start, end } = random.pick(edit.hunks);
  const wanted = [which === 'below' ? -1 : start - 1, which === 'above' ? -1 : end];
  let changed = false;
  for (const origin of wanted) {
    const row = rows.find((one) => one.origin === origin);
    if (!row || isTarget(origin)) continue;
    row.text = `${row.text} changed`;
    changed = true;
  }
  return changed;
}

/** Another unit of indentation in the whole file. */
function reindent(file: Drifting): boolean {
  const usesTabs = file.rows.some(({ text }) => text.startsWith('\t'));
  const isIndented = file.rows.some(({ text }) => /^[ \t]+\S/.test(text));
  if (!isIndented) return false;
  file.rewrite = (line) => {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    if (line.trim() === '') return line;
    const next = usesTabs ? indent.replaceAll('\t', '    ') : indent.replaceAll(' ', '  ');
    return next + line.slice(indent.length);
  };
  for (const row of file.rows) row.text = file.rewrite(row.text);
  return true;
}

function trailingBlanks({ rows, edit, random }: Drifting): boolean {
  const isTarget = (origin: number | undefined) =>
    origin !== undefined && edit.hunks.some(({ start, end }) => origin >= start && origin < end);
  for (const row of rows) if (!isTarget(row.origin) && random.below(3) === 0) row.text += '  ';
  return true;
}

/** The rows around the only hunk. */
function blockOf({ edit, rows, random }: Drifting): { first: number; last: number } | undefined {
  const [hunk] = edit.hunks;
  if (!hunk || edit.hunks.length > 1) return undefined;
  const at = placeOf(rows, hunk);
  if (at === undefined) return undefined;
  // Without a margin the block ends with the lines of the edit; the lines around an insert belong to it.
  const least = hunk.end > hunk.start ? 0 : 1;
  const first = Math.max(0, at - least - random.below(6));
  const last = Math.min(rows.length - 1, at + hunk.end - hunk.start - 1 + least + random.below(6));
  return { first, last };
}

function copyBlock(file: Drifting, where: 'far' | 'next'): boolean {
  const block = blockOf(file);
  if (!block) return false;
  const copies = file.rows.slice(block.first, block.last + 1).map(({ text }): Row => ({ text, origin: undefined }));
  if (where === 'next') {
    // Which of the two is the copy cannot be seen from the text.
    file.rows.splice(file.random.below(2) === 0 ? block.last + 1 : block.first, 0, ...copies);
    return true;
  }
  const far = file.rows.flatMap((_, at) => (at < block.first - 8 || at > block.last + 8 ? [at] : []));
  if (far.length === 0) return false;
  file.rows.splice(file.random.pick(far), 0, ...copies);
  return true;
}

/** Whether a line with words was copied along with those of the edit. */
function hasCopiedNeighbour({ rows, edit }: Drifting): boolean {
  const [hunk] = edit.hunks;
  if (!hunk) return false;
  const near = edit.before.slice(Math.max(0, hunk.start - 5), hunk.end + 5);
  const around = near.filter(
    (text) => /[\p{L}\p{N}]/u.test(text) && !edit.before.slice(hunk.start, hunk.end).includes(text),
  );
  return rows.some(({ text, origin }) => origin === undefined && around.includes(text));
}

/** A line on one side of the block: at the file's edge, or a few lines from the edit. */
function changeFar({ rows, edit, random }: Drifting, side: 'above' | 'below'): boolean {
  const [hunk] = edit.hunks;
  if (!hunk) return false;
  const origins = rows.flatMap(({ origin }) => {
    const isThere =
      origin !== undefined && (side === 'above' ? origin < hunk.start - 1 - DISTANCE : origin > hunk.end + DISTANCE);
    return isThere ? [origin] : [];
  });
  if (origins.length === 0) return false;
  const near = side === 'above' ? origins.slice(-6) : origins.slice(0, 6);
  const origin = random.pick(random.below(2) === 0 ? near : origins);
  const at = rows.findIndex((row) => row.origin === origin);
  if (random.below(2) === 0) rows.splice(at, 1, { text: `changed far ${origin}`, origin: undefined });
  else rows.splice(at, 0, { text: `inserted far ${origin}`, origin: undefined });
  return true;
}

/** Somebody has gone on to change one of two equal blocks right where it begins or ends. */
function changeEdge({ rows, edit, random }: Drifting): boolean {
  const copies = rows.flatMap(({ origin }, at) => (origin === undefined ? [at] : []));
  const [first, last] = [copies[0], copies.at(-1)];
  if (first === undefined || last === undefined) return false;
  const at = random.below(2) === 0 ? first - 1 : last + 1;
  const row = rows[at];
  const isOfEdit = edit.hunks.some(
    ({ start, end }) => row?.origin !== undefined && row.origin >= start - 1 && row.origin <= end,
  );
  // A line of the edit that is changed where its copy is not looks like a line that came.
  if (!row || isOfEdit) return false;
  row.text = `${row.text} changed`;
  return true;
}

function moveBlock(file: Drifting): boolean {
  const block = blockOf(file);
  if (!block) return false;
  // Of two equal blocks nobody could say which one has moved.
  const [hunk] = file.edit.hunks;
  const window = file.edit.before.slice(Math.max(0, (hunk?.start ?? 0) - 1), (hunk?.end ?? 0) + 1);
  const places = file.edit.before.filter((_, at) =>
    window.every((line, index) => file.edit.before[at + index] === line),
  );
  if (places.length > 1) return false;
  const moved = file.rows.splice(block.first, block.last - block.first + 1);
  const far = file.rows.flatMap((_, at) => (Math.abs(at - block.first) > 8 ? [at] : []));
  if (far.length === 0) return false;
  file.rows.splice(file.random.pick(far), 0, ...moved);
  return true;
}

/** Somebody else has changed a line that the edit replaces. */
function changeTarget(file: Drifting): boolean {
  const targets = file.edit.hunks.filter(({ start, end }) => end > start);
  if (targets.length === 0) return false;
  const { start, end } = file.random.pick(targets);
  const line = start + file.random.below(end - start);
  const row = file.rows.find(({ origin }) => origin === line);
  if (!row) return false;
  row.text = file.random.below(2) === 0 || row.text.trim() === '' ? `${row.text}x` : row.text.replace(/\S/, 'z$&');
  file.mustRefuse = true;
  return true;
}

function removeTarget(file: Drifting): boolean {
  const targets = file.edit.hunks.filter(({ start, end }) => end > start);
  if (targets.length === 0) return false;
  const { start, end } = file.random.pick(targets);
  file.rows = file.rows.filter(({ origin }) => origin === undefined || origin < start || origin >= end);
  file.mustRefuse = true;
  return true;
}
