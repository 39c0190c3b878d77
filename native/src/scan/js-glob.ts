/** Glob patterns in the dialect of crates/scan/src/glob.rs, step by step the same, on RegExp. */

/** A set of patterns, ready to match paths as they are shown. */
export type GlobMatcher = (path: string) => boolean;

const MOST_ALTERNATIVES = 1024;

/** Compiles patterns; a list without a positive pattern includes everything. */
export function globMatcher(patterns: readonly string[]): GlobMatcher {
  const include = union(patterns.filter((pattern) => !pattern.startsWith('!')));
  const exclude = union(patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)));
  return (path) => (include?.test(path) ?? true) && !(exclude?.test(path) ?? false);
}

function union(patterns: readonly string[]): RegExp | undefined {
  if (patterns.length === 0) return undefined;
  const sources = patterns.flatMap(expandBraces).map((pattern) => translate(rooted(pattern)));
  return new RegExp(`^(?:${sources.join('|')})$`, 'sv');
}

function rooted(pattern: string): string {
  const body = pattern.replace(/\/+$/u, '');
  const relative = body.replace(/^(?:\.\/)+/u, '').replace(/^\/+/u, '');
  const prefix = body.includes('/') || relative === '**' ? '' : '**/';
  return `${prefix}${relative}${pattern.endsWith('/') ? '/**' : ''}`;
}

/** Replaces `{a,b}` by its alternatives in the order in which they are written. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let current = open.pop(); current !== undefined && done.length < MOST_ALTERNATIVES; current = open.pop()) {
    const group = firstGroup(current);
    if (!group) {
      done.push(current);
      continue;
    }
    const edges = [group.start, ...group.commas, group.end];
    for (let index = edges.length - 2; index >= 0; index -= 1) {
      const middle = current.slice((edges[index] ?? 0) + 1, edges[index + 1]);
      open.push(current.slice(0, group.start) + middle + current.slice(group.end + 1));
    }
  }
  return done;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

function firstGroup(pattern: string): Group | undefined {
  const starts: { at: number; commas: number[] }[] = [];
  let best: Group | undefined;
  for (let at = 0; at < pattern.length; at += 1) {
    switch (pattern[at]) {
      case '\\':
        at += 1;
        break;
      case '[':
        at = classEnd(pattern, at) ?? at;
        break;
      case '{':
        starts.push({ at, commas: [] });
        break;
      case ',':
        starts.at(-1)?.commas.push(at);
        break;
      case '}': {
        const opened = starts.pop();
        if (opened && (!best || opened.at < best.start)) best = { start: opened.at, end: at, commas: opened.commas };
        if (starts.length === 0 && best) return best;
        break;
      }
      default:
    }
  }
  return best;
}

/** The closing bracket of the set that opens at `start`. */
function classEnd(pattern: string, start: number): number | undefined {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  for (; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return undefined;
}

function translate(pattern: string): string {
  const components = splitComponents(pattern);
  return components
    .map((component, index) => {
      const last = index === components.length - 1;
      if (component === '**') return last ? '.+' : '(?:.*\\/)?';
      return translateComponent(component) + (last ? '' : '\\/');
    })
    .join('');
}

function splitComponents(pattern: string): string[] {
  const components: string[] = [];
  let start = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === '\\' && pattern[at + 1] !== '/') at += 1;
    else if (pattern[at] === '[') at = classEnd(pattern, at) ?? at;
    else if (pattern[at] === '/') {
      components.push(pattern.slice(start, at));
      start = at + 1;
    }
  }
  components.push(pattern.slice(start));
  return components;
}

function translateComponent(component: string): string {
  let out = '';
  for (let at = 0; at < component.length; at += 1) {
    const character = component[at];
    if (character === '*') {
      while (component[at + 1] === '*') at += 1;
      out += '[^\\/]*';
    } else if (character === '?') {
      out += '[^\\/]';
    } else if (character === '\\') {
      const quoted = codePoint(component, at + 1);
      out += literal(quoted ?? '\\');
      at += quoted?.length ?? 0;
    } else if (character === '[') {
      const end = classEnd(component, at);
      out += end === undefined ? literal('[') : translateClass(component.slice(at + 1, end));
      at = end ?? at;
    } else {
      const whole = codePoint(component, at) ?? '';
      out += literal(whole);
      at += whole.length - 1;
    }
  }
  return out;
}

function translateClass(body: string): string {
  const negated = body.startsWith('!') || body.startsWith('^');
  const members: { readonly character: string; readonly quoted: boolean }[] = [];
  const characters = [...body.slice(negated ? 1 : 0)];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '\\') {
      members.push({ character: characters[at + 1] ?? '\\', quoted: true });
      at += 1;
    } else {
      members.push({ character, quoted: false });
    }
  }
  let ranges = '';
  for (let at = 0; at < members.length; at += 1) {
    const low = members[at]?.character ?? '';
    const dash = members[at + 1];
    const high = members[at + 2]?.character;
    if (dash?.character === '-' && !dash.quoted && high !== undefined) {
      if ((low.codePointAt(0) ?? 0) <= (high.codePointAt(0) ?? 0)) ranges += `${literal(low)}-${literal(high)}`;
      at += 2;
    } else {
      ranges += literal(low);
    }
  }
  if (ranges === '') return negated ? '[^\\/]' : '[^\\s\\S]';
  return negated ? `[^${ranges}\\/]` : `[[${ranges}]&&[^\\/]]`;
}

function codePoint(text: string, at: number): string | undefined {
  const code = text.codePointAt(at);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

/** Quotes everything that could mean something to RegExp, inside and outside of sets. */
function literal(character: string): string {
  return /^[\dA-Za-z]$/u.test(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
