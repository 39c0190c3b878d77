/** Wildcards as git reads them, as in crates/scan/src/wildmatch.rs. Texts have one character per byte. */

type Step =
  | { readonly kind: 'byte'; readonly byte: string }
  | { readonly kind: 'set'; readonly set: ReadonlySet<string> }
  | { readonly kind: 'any' | 'star' | 'components' | 'some-components' | 'rest' };

/** A compiled pattern; true when the whole text matches. */
export type Wildcards = (text: string) => boolean;

/** Compiles a pattern; nothing when it can never match. `fold` ignores the case of ASCII letters. */
export function wildcards(pattern: string, fold: boolean): Wildcards | undefined {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const byte = pattern.charAt(at);
    if (byte === '?') {
      steps.push({ kind: 'any' });
    } else if (byte === '\\') {
      at += 1;
      if (at === pattern.length) return undefined;
      steps.push({ kind: 'byte', byte: pattern.charAt(at) });
    } else if (byte === '[') {
      const read = readSet(pattern, at, fold);
      if (!read) return undefined;
      steps.push({ kind: 'set', set: read.set });
      at = read.end;
    } else if (byte === '*') {
      const start = at;
      while (pattern[at + 1] === '*') at += 1;
      const isComponent = at > start && (start === 0 || pattern[start - 1] === '/');
      if (isComponent && at + 1 === pattern.length) {
        steps.push({ kind: 'rest' });
      } else if (isComponent && pattern[at + 1] === '/') {
        steps.push({ kind: 'components' });
        at += 1;
      } else if (isComponent && pattern.startsWith('\\/', at + 1)) {
        steps.push({ kind: 'some-components' });
        at += 2;
      } else {
        steps.push({ kind: 'star' });
      }
    } else {
      steps.push({ kind: 'byte', byte: fold ? lower(byte) : byte });
    }
  }
  return (text) => matches(steps, fold ? lower(text) : text);
}

/** Goes back to the last star or the last run of components only: a later place of an earlier one leaves less text. */
function matches(steps: readonly Step[], text: string): boolean {
  let [step, at] = [0, 0];
  let star: { readonly step: number; readonly at: number } | undefined;
  let components: { readonly step: number; readonly at: number } | undefined;
  for (;;) {
    const current = steps[step];
    if (current === undefined) {
      if (at === text.length) return true;
    } else if (current.kind === 'rest') {
      return true;
    } else if (current.kind === 'star') {
      step += 1;
      star = { step, at };
      continue;
    } else if (current.kind === 'components') {
      step += 1;
      star = undefined;
      components = { step, at };
      continue;
    } else if (current.kind === 'some-components') {
      star = undefined;
      components = { step: step + 1, at };
    } else if (at < text.length && takes(current, text.charAt(at))) {
      if (text[at] === '/') star = undefined;
      step += 1;
      at += 1;
      continue;
    }
    if (star && star.at < text.length && text[star.at] !== '/') {
      ({ step } = star);
      at = star.at + 1;
      star = { step, at };
      continue;
    }
    const separator = components ? text.indexOf('/', components.at) : -1;
    if (!components || separator === -1) return false;
    ({ step } = components);
    at = separator + 1;
    star = undefined;
    components = { step, at };
  }
}

function takes(step: Step, byte: string): boolean {
  if (step.kind === 'byte') return step.byte === byte;
  return step.kind === 'set' ? step.set.has(byte) : step.kind === 'any' && byte !== '/';
}

/** Lower case of ASCII letters only, as git has it. */
export function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

/** Where the first wildcard stands, or the length. */
export function plainLength(pattern: string): number {
  const at = pattern.search(/[*?[\\]/u);
  return at === -1 ? pattern.length : at;
}

const ALL_BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/** The set that opens at `start` and where it closes. A separator is never in a set. */
function readSet(
  pattern: string,
  start: number,
  fold: boolean,
): { readonly set: ReadonlySet<string>; readonly end: number } | undefined {
  const members = new Set<string>();
  let at = start + 1;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at += 1;
  const first = at;
  // The byte that a range would start at; a range and a class leave none.
  let low: string | undefined;
  for (; ; at += 1) {
    let byte = pattern[at];
    if (byte === undefined) return undefined;
    if (byte === ']' && at > first) break;
    const next = pattern[at + 1];
    if (byte === '-' && low !== undefined && next !== undefined && next !== ']') {
      at += next === '\\' ? 2 : 1;
      const high = pattern[at];
      if (high === undefined) return undefined;
      for (const member of ALL_BYTES.slice(low.charCodeAt(0), high.charCodeAt(0) + 1)) {
        members.add(member);
        if (fold) members.add(lower(member));
      }
      low = undefined;
      continue;
    }
    if (byte === '[' && next === ':') {
      const close = pattern.indexOf(']', at + 2);
      if (close === -1) return undefined;
      if (close > at + 2 && pattern[close - 1] === ':') {
        const isMember = classOf(pattern.slice(at + 2, close - 1), fold);
        if (!isMember) return undefined;
        for (const member of ALL_BYTES) if (isMember.test(member)) members.add(member);
        low = undefined;
        at = close;
        continue;
      }
    } else if (byte === '\\') {
      at += 1;
      byte = pattern[at];
      if (byte === undefined) return undefined;
    }
    members.add(byte);
    low = byte;
  }
  const set = isNegated ? new Set(ALL_BYTES.filter((byte) => !members.has(byte))) : members;
  set.delete('/');
  return { set, end: at };
}

/* oxlint-disable no-control-regex -- the classes are about control characters, too */
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/u],
  ['alpha', /[A-Za-z]/u],
  ['blank', /[ \t]/u],
  ['cntrl', /[\0-\x1f\x7f]/u],
  ['digit', /[0-9]/u],
  ['graph', /[!-~]/u],
  ['lower', /[a-z]/u],
  ['print', /[ -~]/u],
  ['punct', /[!-/:-@[-`{-~]/u],
  // Git's white space.
  ['space', /[ \t\n\r]/u],
  ['upper', /[A-Z]/u],
  ['xdigit', /[0-9A-Fa-f]/u],
]);
/* oxlint-enable no-control-regex */

function classOf(name: string, fold: boolean): RegExp | undefined {
  return CLASSES.get(fold && name === 'upper' ? 'alpha' : name);
}
