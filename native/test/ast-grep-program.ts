/** The ast-grep program, and what it and ours find in a form that can be compared. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Rule, SyntaxMatch } from '../src/syntax/contract.ts';

const require = createRequire(import.meta.url);
/** The program itself. */
export const AST_GREP = join(
  require.resolve(
    `@ast-grep/cli-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}/package.json`,
  ),
  '..',
  process.platform === 'win32' ? 'ast-grep.exe' : 'ast-grep',
);

interface Place {
  readonly byteOffset: { readonly start: number; readonly end: number };
}

/** One match. */
export interface Found {
  readonly file: string;
  readonly range: Place;
  readonly metaVariables?: {
    readonly single?: Readonly<Record<string, { readonly range: Place }>>;
    readonly multi?: Readonly<Record<string, readonly { readonly range: Place }[]>>;
  };
}

/** A pattern in a language. */
export interface Asked {
  readonly pattern: string;
  readonly lang: string;
}

/** What the program finds below a folder; undefined when it takes no such pattern. */
export function askProgram({ pattern, lang }: Asked, folder: string): Found[] | undefined {
  const args = ['run', `--pattern=${pattern}`, `--lang=${lang}`, '--json=compact', folder];
  // It ends with 1 when nothing was found.
  const { stdout } = spawnSync(AST_GREP, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return stdout === '' ? undefined : (JSON.parse(stdout) as Found[]);
}

/** What the program finds below a folder for each of many patterns that it takes, by their places in the list. */
export function askProgramAll(patterns: readonly string[], lang: string, folder: string): ReadonlyMap<number, Found[]> {
  return askProgramRules(
    patterns.map((pattern) => ({ pattern })),
    lang,
    folder,
  );
}

/** The same for rules that both write alike: without `selector` and `strictness`. */
export function askProgramRules(rules: readonly Rule[], lang: string, folder: string): ReadonlyMap<number, Found[]> {
  const named = rules.map((rule, at) => ({ id: `p${at}`, language: lang, severity: 'info', rule }));
  const text = named.map((rule) => JSON.stringify(rule)).join('\n---\n');
  const args = ['scan', '--inline-rules', text, '--json=compact', folder];
  const { stdout, stderr } = spawnSync(AST_GREP, args, { encoding: 'utf8', maxBuffer: 2 ** 29 });
  if (stdout === '') throw new Error(`ast-grep does not take the rules of ${lang}: ${stderr}`);
  const all = new Map<number, Found[]>();
  for (const found of JSON.parse(stdout) as (Found & { readonly ruleId: string })[]) {
    const at = Number(found.ruleId.slice(1));
    all.set(at, [...(all.get(at) ?? []), found]);
  }
  return all;
}

/** Whether the program itself could not parse the pattern: then what it finds is what an error happens to fit. */
export function isErrorForProgram({ pattern, lang }: Asked, folder: string): boolean {
  // The other formats show the text with `$` in it, which most grammars cannot read; this one shows what is searched for.
  const args = ['run', `--pattern=${pattern}`, `--lang=${lang}`, '--debug-query=pattern', join(folder, 'none')];
  const { stderr } = spawnSync(AST_GREP, args, { encoding: 'utf8' });
  // What is left of a pattern after an error may be a token of it, without its variables.
  return /^\s*(?:ERROR|MISSING)$/m.test(stderr) || (pattern.includes('$') && !stderr.includes('MetaVar $'));
}

/** Its name and version. */
export function programVersion(): string {
  return spawnSync(AST_GREP, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

const span = ({ byteOffset }: Place): string => `${byteOffset.start}-${byteOffset.end}`;

/** A match of the program. */
export function describeTheirs({ range, metaVariables = {} }: Found): string {
  const single = Object.entries(metaVariables.single ?? {}).map(([name, node]) => `${name}=${span(node.range)}`);
  const multi = Object.entries(metaVariables.multi ?? {}).flatMap(([name, nodes]) =>
    // It lists secondary labels among the captures; names of patterns are upper case.
    /^[A-Z]/.test(name) ? [`${name}=[${nodes.map((node) => span(node.range)).join(' ')}]`] : [],
  );
  return [span(range), ...[...single, ...multi].toSorted()].join(' ');
}

/** A match of ours. */
export function describeOurs({ range, captures }: SyntaxMatch): string {
  const at = (place: SyntaxMatch['range']): string => `${place.byteStart}-${place.byteEnd}`;
  const bound = captures.map((capture) =>
    'nodes' in capture
      ? `${capture.name}=[${capture.nodes.map((node) => at(node.range)).join(' ')}]`
      : `${capture.name}=${at(capture.range)}`,
  );
  return [at(range), ...bound.toSorted()].join(' ');
}
