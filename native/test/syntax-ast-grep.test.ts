/** The same questions to @ast-grep/napi and to ours, over real sources: same places, same captures. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lang, parse, type SgNode } from '@ast-grep/napi';
import fastGlob from 'fast-glob';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import type { Rule, Strictness, SyntaxMatch } from '../src/syntax/contract.ts';

const available = await implementations('syntax');
const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

/** The long run takes them all; the short one stays within seconds. */
const SHARE = Number(process.env['TENON_TWIN_RUNS'] ?? 0) >= 10_000 ? 60 : 12;

/** Our own sources, and JavaScript, TypeScript and CSS that others wrote. */
const CORPUS: readonly { lang: Lang; files: readonly string[] }[] = [
  {
    lang: Lang.TypeScript,
    files: fastGlob
      .sync('{native,packages/kernel}/src/**/*.ts', { cwd: root, absolute: true })
      .toSorted()
      .slice(-SHARE),
  },
  {
    lang: Lang.JavaScript,
    files: fastGlob
      .sync('**/*.js', { cwd: dirname(require.resolve('fast-glob')), absolute: true })
      .toSorted()
      .slice(0, SHARE),
  },
];

const PATTERNS = [
  '$A($$$ARGS)',
  '$A.$B($$$)',
  '$X = $Y',
  'const $N = $V',
  'if ($C) { $$$BODY }',
  'if ($C) return $V',
  'return $V',
  'function $F($$$P) { $$$B }',
  "import $A from 'node:path'",
  "import { $$$N } from 'node:path'",
  'new $C($$$A)',
  '$A === $A',
  '($$$P) => $E',
  '[$$$A, $B]',
  'throw new Error($M)',
  '`$$$T`',
  'await $P',
  '$A',
];
const STRICTNESSES: readonly Strictness[] = ['cst', 'smart', 'ast', 'relaxed', 'signature'];

const RULES: readonly Rule[] = [
  { kind: 'call_expression', has: { kind: 'string', stopBy: 'end' } },
  { pattern: '$A.$B', inside: { kind: 'arguments' } },
  { kind: 'identifier', regex: '^[A-Z]', not: { inside: { kind: 'import_specifier' } } },
  { any: [{ pattern: 'return $V' }, { pattern: 'throw $V' }] },
  { kind: 'expression_statement', follows: { kind: 'lexical_declaration' } },
  { kind: 'lexical_declaration', precedes: { pattern: 'return $V', stopBy: 'end' } },
  { all: [{ pattern: '$F($A)' }, { pattern: '$G($B)' }] },
];

/** The form in which the peer takes a rule. */
function theirs(rule: Rule): object {
  const { pattern, selector, strictness, any, all, not, inside, has, follows, precedes, ...rest } = rule;
  const wider = { inside, has, follows, precedes, not };
  return {
    ...rest,
    ...(pattern === undefined
      ? {}
      : {
          pattern:
            strictness === undefined
              ? pattern
              : { context: pattern, strictness, ...(selector === undefined ? {} : { selector }) },
        }),
    ...(any === undefined ? {} : { any: any.map(theirs) }),
    ...(all === undefined ? {} : { all: all.map(theirs) }),
    ...Object.fromEntries(
      Object.entries(wider).flatMap(([key, value]) => (value === undefined ? [] : [[key, theirs(value)]])),
    ),
  };
}

const place = (node: SgNode): string => {
  const { start, end } = node.range();
  return `${start.line + 1}:${start.column + 1}-${end.line + 1}:${end.column + 1}`;
};

/** One match as text, to compare; the peer counts columns in UTF-16 units as well. */
function describeTheirs(node: SgNode, names: readonly string[], lists: readonly string[]): string {
  const single = names.flatMap((name) => {
    const captured = node.getMatch(name);
    return captured === null ? [] : [`${name}=${place(captured)}`];
  });
  const multiple = lists.map((name) => `${name}=[${node.getMultipleMatches(name).map(place).join(' ')}]`);
  return [place(node), ...single, ...multiple].join(' ');
}

function describeOurs(match: SyntaxMatch): string {
  const at = ({ range }: { range: SyntaxMatch['range'] }): string =>
    `${range.startLine}:${range.startColumn}-${range.endLine}:${range.endColumn}`;
  const single = match.captures.flatMap((capture) => ('nodes' in capture ? [] : [`${capture.name}=${at(capture)}`]));
  const multiple = match.captures.flatMap((capture) =>
    'nodes' in capture ? [`${capture.name}=[${capture.nodes.map(at).join(' ')}]`] : [],
  );
  return [at(match), ...single, ...multiple].join(' ');
}

function variables(code: string): { names: string[]; lists: string[] } {
  const found = [...code.matchAll(/(\$+)([A-Z][A-Z0-9_]*)/g)];
  const of = (multiple: boolean): string[] => [
    ...new Set(found.filter(([, sigils]) => (sigils === '$$$') === multiple).map(([, , name]) => name ?? '')),
  ];
  return { names: of(false).toSorted(), lists: of(true).toSorted() };
}

/** What the peer finds is asked once for all implementations. */
const answers = new Map<string, string[]>();

describe.each(available)('ast-grep and $kind agree', ({ implementation: syntax }) => {
  it.each(CORPUS)(
    'on patterns in every strictness and on rules over $lang sources',
    async ({ lang, files }) => {
      expect(files.length).toBeGreaterThan(10);
      const parsed = files.map((path) => ({ path, tree: parse(lang, readFileSync(path, 'utf8')).root() }));
      // Error recovery depends on the encoding that is parsed, and theirs is not ours.
      const sound = parsed.filter(({ tree }) => tree.find({ rule: { kind: 'ERROR' } }) === null);
      const rules: Rule[] = [
        ...PATTERNS.flatMap((pattern) => STRICTNESSES.map((strictness) => ({ pattern, strictness }))),
        ...RULES,
      ];
      let compared = 0;
      for (const rule of rules) {
        const sources = sound.map(({ path }) => ({ path, language: lang }));
        const result = await syntax.search({ sources, rules: [rule], limit: 1_000_000 });
        const ours = new Map<string, SyntaxMatch[]>(sound.map(({ path }) => [path, []]));
        for (const match of result.matches) ours.get(match.path)?.push(match);
        const { names, lists } = variables(JSON.stringify(rule));
        for (const { path, tree } of sound) {
          const key = JSON.stringify([path, rule]);
          const expected =
            answers.get(key) ?? tree.findAll({ rule: theirs(rule) }).map((node) => describeTheirs(node, names, lists));
          answers.set(key, expected);
          const actual = (ours.get(path) ?? []).map(describeOurs);
          expect({ rule, path, found: actual }).toEqual({ rule, path, found: expected });
          compared += expected.length;
        }
      }
      expect(compared).toBeGreaterThan(1_000);
    },
    120_000,
  );
});
