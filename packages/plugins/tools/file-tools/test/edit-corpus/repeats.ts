/**
 * Files full of lines that repeat, and what people do to them between reading and editing: insert, change, copy a block beside itself. Copies
 * make several pasts possible that end in the same text; all of them are followed, because an edit must be right in each.
 */
import type { CorpusEdit } from './mutations.ts';
import type { Random } from './random.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
/** Past this, a case is dropped: it would only be slow. */
const MAX_PASTS = 400;

/** A drifted file, and for each past the texts that the edit may leave. */
export interface RepeatCase {
  readonly edit: CorpusEdit;
  readonly content: string;
  readonly isRight: (result: string) => boolean;
  readonly steps: readonly string[];
}

type Step =
  | { readonly kind: 'insert'; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: 'change'; readonly at: number; readonly line: string };

/** Which line of the file as it was read each line is; undefined for one that came. */
type Past = readonly (number | undefined)[];

/** One case; undefined when the file became too small for it, or has too many pasts. */
export function repeatCase(random: Random): RepeatCase | undefined {
  const before = repetitiveFile(random);
  const start = random.below(before.length);
  const kind = random.pick(['replace', 'delete', 'insert'] as const);
  const size = kind === 'insert' ? 0 : Math.min(before.length - start, 1 + random.below(4));
  if (start === 0 && size === 0) return undefined;
  const lines =
    kind === 'delete' ? [] : Array.from({ length: 1 + random.below(3) }, (_, index) => `  edited${index}();`);
  const hunks = [{ start, end: start + size, lines }];
  const source = { path: 'a.ts', language: 'typescript', text: textOf(before) };
  const edit = { id: `${kind} ${start}+${size}`, source, kind, before, hunks } as CorpusEdit;
  let now: readonly string[] = before;
  let pasts: readonly Past[] = [before.map((_, line) => line)];
  const steps: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const target = random.pick(pasts).indexOf(start);
    const step = drawStep(now, target, random, steps);
    const after = applied(now, step);
    pasts = pastsAfter(pasts, now, after, step);
    now = after;
    if (pasts.length > MAX_PASTS) return undefined;
  }
  const results = pasts.map((past) => resultsOf(past, now, start, size, lines));
  const isRight = (result: string) =>
    results.some(({ texts }) => texts.includes(result)) &&
    results.every(({ texts, isSure }) => !isSure || texts.includes(result));
  return { edit, content: textOf(now), isRight, steps };
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

function drawStep(now: readonly string[], target: number, random: Random, steps: string[]): Step {
  const anywhere = random.below(now.length);
  const at =
    target >= 0 && random.below(2) === 0
      ? Math.max(0, Math.min(now.length - 1, target + random.below(15) - 7))
      : anywhere;
  const number = steps.length;
  switch (random.below(4)) {
    case 0: {
      const lines = Array.from({ length: 1 + random.below(3) }, (_, index) => `  inserted${number}x${index}();`);
      steps.push(`insert ${lines.length} at ${at}`);
      return { kind: 'insert', at, lines };
    }
    case 1:
      steps.push(`change ${at}`);
      return { kind: 'change', at, line: `${now[at] ?? ''} // changed ${number}` };
    default: {
      const size = Math.min(now.length, 1 + random.below(8));
      const around = (target < 0 ? at : target) - random.below(size + 2);
      const from = Math.max(0, Math.min(now.length - size, around));
      steps.push(`copy ${from}+${size} beside itself`);
      return { kind: 'insert', at: from + size, lines: now.slice(from, from + size) };
    }
  }
}

function applied(now: readonly string[], step: Step): string[] {
  if (step.kind === 'change') return now.map((line, at) => (at === step.at ? step.line : line));
  return [...now.slice(0, step.at), ...step.lines, ...now.slice(step.at)];
}

/** Inserted lines may be any of those whose removal gives the text back. */
function pastsAfter(pasts: readonly Past[], now: readonly string[], after: readonly string[], step: Step): Past[] {
  if (step.kind === 'change') return pasts.map((past) => past.map((line, at) => (at === step.at ? undefined : line)));
  const { length } = step.lines;
  const places = now.concat('').flatMap((_, at) => {
    const without = [...after.slice(0, at), ...after.slice(at + length)];
    return without.every((line, index) => line === now[index]) ? [at] : [];
  });
  const fresh = step.lines.map(() => undefined);
  const all = pasts.flatMap((past) => places.map((at) => [...past.slice(0, at), ...fresh, ...past.slice(at)]));
  return [...new Map(all.map((past) => [past.join(), past])).values()];
}

/**
 * What the edit may leave if this is the past: nothing when its lines are gone or torn apart. An insert belongs to either of its neighbours; one that
 * was changed in the original alone looks like a line that came, so this past is not sure.
 */
function resultsOf(past: Past, now: readonly string[], start: number, size: number, lines: readonly string[]): Results {
  const put = (at: number) => textOf([...now.slice(0, at), ...lines, ...now.slice(at + size)]);
  const at = past.indexOf(start);
  if (size === 0) {
    const gaps = [past.indexOf(start - 1) + 1, at].filter((gap, side) => gap > (side === 0 ? 0 : -1));
    return { texts: gaps.map(put), isSure: gaps.length === 2 };
  }
  const isWhole = Array.from({ length: size }, (_, index) => past[at + index] === start + index).every(Boolean);
  return at >= 0 && isWhole ? { texts: [put(at)], isSure: true } : { texts: [], isSure: false };
}

interface Results {
  readonly texts: readonly string[];
  readonly isSure: boolean;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
