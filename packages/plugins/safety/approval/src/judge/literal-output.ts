/** What simple commands certainly write: the way in which commands are put together from pieces. */
import { join } from 'node:path';
import type { BashStatement, BashWord } from './bash.ts';
import type { Stdin } from './bench.ts';
import type { Word } from './words.ts';

/** Facts about the shell that some commands only repeat. */
export interface OutputFacts {
  readonly cwd?: string | undefined;
  readonly temporary?: string | undefined;
}

/** What a command writes. */
export interface Output {
  readonly text: string;
  /** True when parts of it are only known when it runs. */
  readonly isPartial: boolean;
}

/** The output of `echo`, `printf`, `cat` of known input, `pwd`, `mktemp`; undefined when nothing is known about it. */
export function literalOutput(
  statement: BashStatement,
  stdin: Stdin,
  expand: (words: readonly BashWord[]) => Word[],
  facts: OutputFacts = {},
): Output | undefined {
  if (statement.type !== 'command' || statement.name === undefined) return undefined;
  if (statement.redirects.some(({ operator }) => operator.includes('>'))) return undefined;
  const [name, ...args] = expand([statement.name, ...statement.args]);
  const text = outputText(
    name?.value ?? '',
    args.map(({ template }) => template),
    stdin,
    facts,
  );
  if (text === undefined) return undefined;
  const isOpen = args.some(({ value }) => value === undefined) || (name?.value === 'cat' && stdin.isPartial === true);
  return { text, isPartial: isOpen };
}

function outputText(name: string, args: readonly string[], stdin: Stdin, facts: OutputFacts): string | undefined {
  switch (name) {
    case 'echo':
      return echo(args);
    case 'printf':
      return printf(args);
    case 'cat':
      return args.every((arg) => arg === '-') && stdin.kind === 'text' ? stdin.text : undefined;
    case 'pwd':
      return facts.cwd;
    case 'mktemp':
      return facts.temporary === undefined || args.some((arg) => /^-.*[pt]|^--tmpdir|\//.test(arg))
        ? undefined
        : join(facts.temporary, 'tmp.made-by-mktemp');
    case 'git':
      return args.join(' ') === 'rev-parse --show-toplevel' ? facts.cwd : undefined;
    default:
      return undefined;
  }
}

function echo(args: readonly string[]): string {
  const first = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const flags = (first < 0 ? args : args.slice(0, first)).join('');
  const text = (first < 0 ? [] : args.slice(first)).join(' ');
  return `${flags.includes('e') ? unescape(text) : text}${flags.includes('n') ? '' : '\n'}`;
}

function printf([format, ...args]: readonly string[]): string | undefined {
  if (format === undefined || format.startsWith('-')) return undefined;
  let at = 0;
  let certain = true;
  const text = unescape(format).replace(/%(%|s|b|[^%]?)/g, (_, kind: string) => {
    if (kind === '%') return '%';
    if (kind !== 's' && kind !== 'b') certain = false;
    const value = args[at++] ?? '';
    return kind === 'b' ? unescape(value) : value;
  });
  return certain && at >= args.length ? text : undefined;
}

function unescape(text: string): string {
  const simple: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '\r',
    '\\': '\\',
    a: '',
    b: '',
    f: '\f',
    v: '\v',
  };
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/gs, (whole, hex, octal, plain: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex as string, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal as string, 8) & 0xff);
    return simple[plain] ?? whole;
  });
}
