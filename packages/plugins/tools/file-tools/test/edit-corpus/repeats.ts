/**
 * Files full of lines that repeat, and what people do to them between reading and editing: insert, change, delete, copy a block beside itself or far
 * away, move it. Copies make several pasts possible that end in the same text; all of them are followed, because an edit must be right in each.
 */
import type { CorpusEdit, LineHunk } from './mutations.ts';
import type { Random } from './random.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
/** Past this, a case is dropped: it would only be slow. */
const MAX_PASTS = 400;
/** What a changed line has at its end. */
const CHANGED = /( \/\/ changed \d+)+$/;

/** A drifted file, and for each past the texts that the edit may leave. */
export interface RepeatCase {
  readonly edit: CorpusEdit;
  readonly content: string;
  readonly isRight: (result: string) => boolean;
  readonly steps: readonly string[];
}

/** What a step takes away, and the lines that it puts there; `from` says where those of a copy stand. */
interface Step {
  readonly kind: 'insert' | 'delete' | 'change';
  readonly at: number;
  readonly size: number;
  readonly lines: readonly string[];
  readonly from?: number;
}

/** Which line of the file as it was read each line is; undefined for one that came, else `changedFrom` or `copyOf` such a line. */
type Past = readonly (number | undefined)[];

const changedFrom = (line: number) => -1 - line;
const copyOf = (line: number) => Math.floor(line) + 0.5;

/** One case; undefined when the file became too small for it, or has too many pasts. */
export function repeatCase(random: Random): RepeatCase | undefined {
  const before = repetitiveFile(random);
  const start = random.below(before.length);
  const kind = random.pick(['replace', 'delete', 'insert'] as const);
  const size = kind === 'insert' ? 0 : Math.min(before.length - start, 1 + random.below(4));
  if (start === 0 && size === 0) return undefined;
  const lines =
    kind === 'delete' ? [] : Array.from({ length: 1 + random.below(3) }, (_, index) => `  edited${index}();`);
  const hunk = { start, end: start + size, lines };
  const source = { path: 'a.ts', language: 'typescript', text: textOf(before) };
  const edit = { id: `${kind} ${start}+${size}`, source, kind, before, hunks: [hunk] } as CorpusEdit;
  let now: readonly string[] = before;
  let pasts: readonly Past[] = [before.map((_, line) => line)];
  const steps: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const target = random.pick(pasts).indexOf(start);
    for (const step of drawSteps(now, target, random, steps)) {
      const after = applied(now, step, step.lines);
      pasts = pastsAfter(pasts, now, after, step);
      now = after;
      if (pasts.length > MAX_PASTS || now.length === 0) return undefined;
    }
  }
  // What reads as it did is what it was, whatever has happened.
  if (isSameText(now, before)) return undefined;
  // Lines that were changed are told by their text; what else there is may be one step, whatever was done and undone.
  const plain = now.map((line) => line.replace(CHANGED, ''));
  const simple = simplestStep(before, plain);
  if (simple) {
    pasts = pastsAfter([before.map((_, line) => line)], before, plain, simple).map((past) =>
      past.map((code, at) => (code !== undefined && now[at] !== plain[at] ? changedFrom(code) : code)),
    );
  }
  // A text from which a simpler story can be read does not tell what has happened.
  const untouched = inOrder(before, now, (line, other) => line === other);
  const isOld = (line: number, code: number | undefined) => code === line || code === copyOf(line);
  const numbers = before.map((_, line) => line);
  const inOrderOf = (past: Past) => inOrder(numbers, past, isOld);
  if (pasts.every((past) => inOrderOf(past) < untouched)) return undefined;
  // Of equal lines, those have moved that had to.
  if (steps.some((step) => step.startsWith('move'))) pasts = pasts.filter((past) => inOrderOf(past) >= untouched);
  const results = pasts.map((past) => resultsOf(past, before, now, hunk)).filter((texts) => texts.length > 0);
  const isRight = (result: string) => results.length > 0 && results.every((texts) => texts.includes(result));
  return { edit, content: textOf(now), isRight, steps };
}

/** The one step that explains everything, if there is one: then nobody has to think of more. */
function simplestStep(before: readonly string[], now: readonly string[]): Step | undefined {
  const size = Math.abs(now.length - before.length);
  const [longer, shorter] = now.length > before.length ? [now, before] : [before, now];
  const at = shorter.findIndex((line, index) => line !== longer[index]);
  const start = at < 0 ? shorter.length : at;
  if (size === 0 || !isSameText([...longer.slice(0, start), ...longer.slice(start + size)], shorter)) return undefined;
  if (longer === before) return { kind: 'delete', at: start, size, lines: [] };
  return { kind: 'insert', at: start, size: 0, lines: now.slice(start, start + size) };
}

/** How many of one list are, in this order, in the other. */
function inOrder<A, B>(one: readonly A[], other: readonly B[], isSame: (a: A, b: B) => boolean): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const a of one) {
    const next = [0];
    for (const [at, b] of other.entries())
      next.push(isSame(a, b) ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

function repetitiveFile(random: Random): string[] {
  const lines: string[] = [];
  const names = random.pick([2, 8, 80]);
  for (let count = 1 + random.below(6); count > 0; count--) {
    if (random.below(5) === 0) lines.push('// section');
    lines.push(`function ${random.pick(WORDS)}${random.below(names)}() {`);
    for (let statements = 1 + random.below(5); statements > 0; statements--) lines.push(...statement(random));
    lines.push('}');
    if (random.below(3) > 0) lines.push('');
    if (random.below(5) === 0) lines.push(...lines.slice(-3 - random.below(6)));
  }
  return lines;
}

function statement(random: Random): string[] {
  switch (random.below(6)) {
    case 0:
      return ['  if (ok) {', `    ${random.pick(WORDS)}();`, '  }'];
    case 1:
      return ['  return null;'];
    case 2:
      return [''];
    case 3:
      return [`  log("${random.pick(WORDS)}");`];
    default:
      return [`  ${random.pick(WORDS)} = ${random.below(30)};`];
  }
}

/** What somebody does next; a move is a copy whose original goes. */
function drawSteps(now: readonly string[], target: number, random: Random, steps: string[]): Step[] {
  const anywhere = random.below(now.length);
  const at =
    target >= 0 && random.below(2) === 0
      ? Math.max(0, Math.min(now.length - 1, target + random.below(15) - 7))
      : anywhere;
  const number = steps.length;
  const size = Math.min(now.length, 1 + random.below(8));
  const around = (target < 0 ? at : target) - random.below(size + 2);
  const from = Math.max(0, Math.min(now.length - size, around));
  const block = now.slice(from, from + size);
  const kinds = ['insert', 'change', 'delete', 'copy beside', 'copy beside', 'copy far'] as const;
  // Which of two equal blocks has moved, no text can tell.
  const hasCopies = steps.some((step) => step.startsWith('copy'));
  switch (random.pick(hasCopies ? kinds : ([...kinds, 'move'] as const))) {
    case 'insert': {
      const lines = Array.from({ length: 1 + random.below(3) }, (_, index) => `  inserted${number}x${index}();`);
      steps.push(`insert ${lines.length} at ${at}`);
      return [{ kind: 'insert', at, size: 0, lines }];
    }
    case 'change':
      steps.push(`change ${at}`);
      return [{ kind: 'change', at, size: 1, lines: [`${now[at] ?? ''} // changed ${number}`] }];
    case 'delete': {
      const gone = Math.min(now.length - at, 1 + random.below(3));
      steps.push(`delete ${at}+${gone}`);
      return [{ kind: 'delete', at, size: gone, lines: [] }];
    }
    case 'copy beside':
      steps.push(`copy ${from}+${size} beside itself`);
      return [{ kind: 'insert', at: from + size, size: 0, lines: block, from }];
    case 'copy far':
      steps.push(`copy ${from}+${size} to ${anywhere}`);
      return [{ kind: 'insert', at: anywhere, size: 0, lines: block, from }];
    default: {
      const to = anywhere <= from ? anywhere : Math.min(now.length, anywhere + size);
      const comes = { kind: 'insert', at: to, size: 0, lines: block, from } as const;
      const goes = { kind: 'delete', at: to <= from ? from + size : from, size, lines: [] } as const;
      steps.push(`move ${from}+${size} to ${to}`);
      // Lines that are put back have not moved.
      return isSameText(applied(applied(now, comes, block), goes, []), now) ? [] : [comes, goes];
    }
  }
}

/** The lines with what a step puts in the place of what it takes. */
function applied<T>(now: readonly T[], step: Step, fresh: readonly T[]): T[] {
  return [...now.slice(0, step.at), ...fresh, ...now.slice(step.at + step.size)];
}

/** Lines that came may be any of those whose removal gives the text back, and those that went any that leave it. */
function pastsAfter(pasts: readonly Past[], now: readonly string[], after: readonly string[], step: Step): Past[] {
  const { length } = step.lines;
  const places = step.kind === 'change' ? [step.at] : Array.from({ length: now.length + 1 }, (_, at) => at);
  const alike = places
    .map((at) => ({ ...step, at }))
    .filter((one) => isSameText(applied(now, one, after.slice(one.at, one.at + length)), after));
  const all = pasts.flatMap((past) => alike.map((one) => applied(past, one, comingTo(past, one, step.at))));
  return [...new Map(all.map((past) => [past.join(), past])).values()];
}

/** What the lines are that a step leaves; of a copy that may begin elsewhere, those that are in both. */
function comingTo(past: Past, { kind, at, lines, from }: Step, drawnAt: number): Past {
  const old = past[at];
  if (kind === 'change') return [old === undefined ? undefined : Math.min(old, changedFrom(old))];
  return lines.map((_, index) => {
    const shifted = index + at - drawnAt;
    const source = from === undefined || shifted < 0 || shifted >= lines.length ? undefined : past[from + shifted];
    return source === undefined || source < 0 ? undefined : copyOf(source);
  });
}

function isSameText(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/**
 * The texts that the edit may leave if this is the past: none when its lines are changed, gone or torn apart. An insert belongs to either of its
 * neighbours. A line that was deleted and stands in the file as a copy has been moved there.
 */
function resultsOf(past: Past, before: readonly string[], now: readonly string[], hunk: LineHunk): string[] {
  const { start, end, lines } = hunk;
  const isGone = (line: number) => !past.includes(line) && !past.includes(changedFrom(line));
  const isNew = (line: number, at: number) =>
    past[at] === undefined && now[at] === before[line] && !past.includes(copyOf(line));
  const isOf = (line: number, at: number) =>
    past[at] === line || (isGone(line) && (past[at] === copyOf(line) || isNew(line, at)));
  // Nobody can tell which of equal lines in a row is which, and nothing depends on it.
  const isInRun = (line: number, at: number) =>
    isOf(line, at) || [-1, 1].some((way) => now[at] === now[at + way] && isOf(line, at + way));
  const onlyPlaceOf = (from: number, until: number) => {
    const range = Array.from({ length: until - from }, (_, index) => index);
    const placesBy = (is: typeof isOf) =>
      now.flatMap((_, at) => (range.every((index) => is(from + index, at + index)) ? [at] : []));
    const exact = placesBy(isOf);
    const places = exact.length === 0 && until - from > 1 ? placesBy(isInRun) : exact;
    return places.length === 1 ? places : [];
  };
  const gap = () => [...onlyPlaceOf(start - 1, start).map((at) => at + 1), ...onlyPlaceOf(start, start + 1)];
  const places = start < end ? onlyPlaceOf(start, end) : gap();
  return places.map((at) => textOf([...now.slice(0, at), ...lines, ...now.slice(at + end - start)]));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
