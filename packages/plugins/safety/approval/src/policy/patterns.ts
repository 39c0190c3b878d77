/** Patterns for words and paths. They match what was parsed, never the text of a command. */
import { resolve } from 'node:path';

/** `maybe`: a word is only known when it runs, and could be the one that is meant. */
export type Match = 'yes' | 'maybe' | 'no';

/** The words of a pattern: a text is split at blanks, quotes keep blanks. */
export function patternWords(pattern: string | readonly string[]): string[] {
  if (typeof pattern !== 'string') return [...pattern];
  return [...pattern.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/**
 * Compares words with a pattern. `*` inside of a word stands for any letters; as a word of its own it stands for one word,
 * at the end for all that follow; `**` stands for any number of words. A backslash takes the meaning of a star away.
 */
export function matchWords(pattern: readonly string[], words: readonly (string | undefined)[]): Match {
  const isOpen = pattern.at(-1) === '*';
  const normal = isOpen ? [...pattern.slice(0, -1), '**'] : pattern;
  return matchFrom(normal, words, 0, 0, new Map());
}

function matchFrom(
  pattern: readonly string[],
  words: readonly (string | undefined)[],
  at: number,
  word: number,
  known: Map<number, Match>,
): Match {
  const key = at * 10_000 + word;
  const cached = known.get(key);
  if (cached) return cached;
  const result = compare();
  known.set(key, result);
  return result;

  function compare(): Match {
    const part = pattern[at];
    if (part === undefined) return word === words.length ? 'yes' : 'no';
    if (part === '**') {
      const without = matchFrom(pattern, words, at + 1, word, known);
      const withOne = word < words.length ? matchFrom(pattern, words, at, word + 1, known) : 'no';
      return better(without, withOne);
    }
    if (word >= words.length) return 'no';
    const value = words[word];
    const isHere = part === '*' ? 'yes' : value === undefined ? 'maybe' : wordPattern(part).test(value) ? 'yes' : 'no';
    return isHere === 'no' ? 'no' : worse(isHere, matchFrom(pattern, words, at + 1, word + 1, known));
  }
}

function better(left: Match, right: Match): Match {
  return left === 'yes' || right === 'yes' ? 'yes' : left === 'maybe' || right === 'maybe' ? 'maybe' : 'no';
}

function worse(left: Match, right: Match): Match {
  return left === 'no' || right === 'no' ? 'no' : left === 'maybe' || right === 'maybe' ? 'maybe' : 'yes';
}

function wordPattern(part: string): RegExp {
  return new RegExp(
    `^${part.replace(/\\\*|\*|[\\^$.*+?()[\]{}|]/g, (part) => (part === '*' ? '.*' : part === '\\*' ? '\\*' : `\\${part}`))}$`,
    's',
  );
}

/** Whether a name fits one of the patterns. */
export function matchName(patterns: string | readonly string[], name: string): boolean {
  return (typeof patterns === 'string' ? [patterns] : patterns).some((pattern) => wordPattern(pattern).test(name));
}

/** A glob for absolute paths: `*` and `?` stay inside of a folder, `**` does not, `{a,b}` offers a choice. */
export function pathPattern(glob: string, { base, home }: { base: string; home: string }): RegExp {
  const absolute = glob === '~' || glob.startsWith('~/') ? home + glob.slice(1) : resolve(base, glob);
  const source = absolute.replace(/\/\*\*\/|\/\*\*$|\*\*|\*|\?|\{|\}|,|[\\^$.+()[\]|]/g, (token) => {
    switch (token) {
      case '/**/':
        return '/(?:.*/)?';
      case '/**':
        return '(?:/.*)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      case '{':
        return '(?:';
      case '}':
        return ')';
      case ',':
        return /\{[^}]*,/.test(absolute) ? '|' : ',';
      default:
        return `\\${token}`;
    }
  });
  return new RegExp(`^${source}$`, 's');
}
