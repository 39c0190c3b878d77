/** What was typed behind the name of a command, and where it goes in the command's text. */

/** Arguments, as a whole and one by one. */
export interface Arguments {
  readonly whole: string;
  readonly words: readonly string[];
}

/** Splits as a shell does: quotes keep blanks together, a backslash takes the meaning of what follows. */
export function splitArguments(text: string): Arguments {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  const whole = text.trim();
  for (let at = 0; at < whole.length; at++) {
    const char = whole[at] ?? '';
    if (quote === '' && /\s/.test(char)) {
      if (isOpen) words.push(word);
      [word, isOpen] = ['', false];
    } else if (
      quote === '' &&
      (char === '"' || char === "'") &&
      (isOpen === false || /["'=]$/.test(word) || word === '')
    ) {
      [quote, isOpen] = [char, true];
    } else if (char === quote) {
      quote = '';
    } else if (char === '\\' && quote !== "'" && /["'\\\s]/.test(whole[at + 1] ?? '')) {
      word += whole[++at] ?? '';
      isOpen = true;
    } else {
      word += char;
      isOpen = true;
    }
  }
  if (isOpen) words.push(word);
  return { whole, words };
}

/** `$ARGUMENTS`, `$ARGUMENTS[0]`, `$@`, `${@:2}`, `${@:2:1}`, `$1`, `${1}`, and `\$` for a dollar sign. */
const MARKDOWN =
  /\\\$|\$\{?ARGUMENTS\}?\[(\d+)\]|\$ARGUMENTS\b|\$\{ARGUMENTS\}|\$@|\$\{@(?::(\d+)(?::(\d+))?)?\}|\$(\d{1,2})(?!\d)|\$\{(\d{1,2})\}/g;
const GEMINI = /\{\{\s*args\s*\}\}/g;

/** How a command's text names its arguments. */
export type Syntax = 'markdown' | 'gemini';

/** Whether a text has a place for arguments. */
export function takesArguments(text: string, syntax: Syntax): boolean {
  return [...text.matchAll(syntax === 'gemini' ? GEMINI : MARKDOWN)].some(([placeholder]) => placeholder !== '\\$');
}

/** What stands at a place: some words, or all that was typed. */
function valueAt(
  match: RegExpMatchArray,
  { whole, words }: Arguments,
): { readonly words: readonly string[]; readonly text: string } {
  const [placeholder, index, from, count, number, braced] = match;
  const some = (list: readonly string[]) => ({ words: list, text: list.join(' ') });
  if (index !== undefined) return some(words.slice(Number(index), Number(index) + 1));
  if (from !== undefined) {
    const first = Math.max(0, Number(from) - 1);
    return some(words.slice(first, count === undefined ? undefined : first + Number(count)));
  }
  const position = number ?? braced;
  if (position !== undefined) return some(position === '0' ? [] : words.slice(Number(position) - 1, Number(position)));
  return placeholder.includes('ARGUMENTS') || placeholder.includes('args') ? { words, text: whole } : some(words);
}

/** Puts arguments into a text. What they hold is not looked at again. */
export function fillText(text: string, args: Arguments, syntax: Syntax): string {
  let filled = '';
  let at = 0;
  for (const place of text.matchAll(syntax === 'gemini' ? GEMINI : MARKDOWN)) {
    filled += text.slice(at, place.index) + (place[0] === '\\$' ? '$' : valueAt(place, args).text);
    at = place.index + place[0].length;
  }
  return filled + text.slice(at);
}

/**
 * Puts arguments into a shell command so that each stays one word whatever it holds: nothing that was typed can begin a
 * command of its own, inside of quotes or outside.
 */
export function fillShell(command: string, args: Arguments, syntax: Syntax): string {
  const places = [...command.matchAll(syntax === 'gemini' ? GEMINI : MARKDOWN)];
  let filled = '';
  let at = 0;
  const quotes = new QuoteState();
  for (const place of places) {
    const before = command.slice(at, place.index);
    quotes.read(before);
    filled += before;
    at = place.index + place[0].length;
    if (place[0] === '\\$') {
      filled += place[0];
      continue;
    }
    const { words, text } = valueAt(place, args);
    if (quotes.state === '"') filled += text.replace(/["$`\\]/g, '\\$&');
    else if (quotes.state === "'") filled += text.replaceAll("'", `'\\''`);
    else filled += syntax === 'gemini' ? quoted(text) : words.map(quoted).join(' ');
  }
  return filled + command.slice(at);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Which quotes a shell would be inside of. */
class QuoteState {
  state: '' | '"' | "'" = '';

  read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === '\\' && this.state !== "'") at++;
      else if ((char === '"' || char === "'") && this.state === '') this.state = char;
      else if (char === this.state) this.state = '';
    }
  }
}
