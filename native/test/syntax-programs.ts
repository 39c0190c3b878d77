/** Generated programs and patterns that are valid in several languages, for the suites that compare implementations. */
import fc from 'fast-check';

import type { Rule, Strictness } from '../src/syntax/contract.ts';

/** How one language writes the things that the generator puts together. */
interface Dialect {
  readonly id: string;
  readonly path: string;
  readonly prolog: string;
  readonly kinds: readonly string[];
  readonly declare: (name: string, value: string) => string;
  readonly call: (value: string) => string;
  readonly back: (value: string) => string;
  readonly when: (condition: string, body: readonly string[]) => string[];
  readonly define: (name: string, parameter: string, body: readonly string[]) => string[];
  readonly type: (name: string, members: readonly string[][]) => string[];
  readonly comment: (text: string) => string;
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? line : `  ${line}`));
const braces = (head: string, body: readonly string[], tail = '}'): string[] => [`${head} {`, ...indent(body), tail];

const C_LIKE = {
  call: (value: string) => `${value};`,
  back: (value: string) => `return ${value};`,
  when: (condition: string, body: readonly string[]) => braces(`if (${condition})`, body),
  comment: (text: string) => `// ${text}`,
};

const script = (id: string, path: string): Dialect => ({
  ...C_LIKE,
  id,
  path,
  prolog: '',
  kinds: [
    'call_expression',
    'identifier',
    'number',
    'string',
    'statement_block',
    'lexical_declaration',
    'binary_expression',
  ],
  declare: (name, value) => `const ${name} = ${value};`,
  define: (name, parameter, body) => braces(`function ${name}(${parameter})`, body),
  type: (name, members) =>
    braces(
      `class ${name}`,
      members.flat().map((line) => line.replace(/^function /, '')),
    ),
});

/** The languages that the suites cover with generated programs. */
export const DIALECTS: readonly Dialect[] = [
  script('typescript', 'a.ts'),
  script('tsx', 'a.tsx'),
  script('javascript', 'a.js'),
  {
    id: 'python',
    path: 'a.py',
    prolog: '',
    kinds: ['call', 'identifier', 'integer', 'string', 'block', 'assignment', 'binary_operator'],
    declare: (name, value) => `${name} = ${value}`,
    call: (value) => value,
    back: (value) => `return ${value}`,
    when: (condition, body) => [`if ${condition}:`, ...indent(body.length > 0 ? body : ['pass'])],
    define: (name, parameter, body) => [`def ${name}(${parameter}):`, ...indent([...body, 'pass'])],
    type: (name, members) => [`class ${name}:`, ...indent([...members.flat(), 'pass'])],
    comment: (text) => `# ${text}`,
  },
  {
    ...C_LIKE,
    id: 'rust',
    path: 'a.rs',
    prolog: '',
    kinds: ['call_expression', 'identifier', 'integer_literal', 'string_literal', 'block', 'let_declaration'],
    declare: (name, value) => `let ${name} = ${value};`,
    when: (condition, body) => braces(`if ${condition}`, body),
    define: (name, parameter, body) => braces(`fn ${name}(${parameter}: T)`, body),
    type: (name, members) => braces(`impl ${name}`, members.flat()),
  },
  {
    ...C_LIKE,
    id: 'go',
    path: 'a.go',
    prolog: 'package a\n',
    kinds: ['call_expression', 'identifier', 'int_literal', 'block', 'short_var_declaration'],
    declare: (name, value) => `var ${name} = ${value}`,
    call: (value) => value,
    back: (value) => `return ${value}`,
    when: (condition, body) => braces(`if ${condition}`, body),
    define: (name, parameter, body) => braces(`func ${name}(${parameter} int)`, body),
    type: (name, members) => [`type ${name} struct {`, '}', ...members.flat()],
  },
  {
    ...C_LIKE,
    id: 'c',
    path: 'a.c',
    prolog: '',
    kinds: ['call_expression', 'identifier', 'number_literal', 'compound_statement', 'declaration'],
    declare: (name, value) => `int ${name} = ${value};`,
    define: (name, parameter, body) => braces(`int ${name}(int ${parameter})`, body),
    type: (name, members) => [`struct ${name} { int x; };`, ...members.flat()],
  },
  {
    ...C_LIKE,
    id: 'php',
    path: 'a.php',
    prolog: '<?php\n',
    kinds: ['function_call_expression', 'name', 'integer', 'compound_statement'],
    declare: (name, value) => `$${name} = ${value};`,
    define: (name, parameter, body) => braces(`function ${name}($${parameter})`, body),
    type: (name, members) => braces(`class ${name}`, members.flat()),
  },
];

const names = ['foo', 'bar', 'baz', 'x', 'y', 'log'];
const name = fc.constantFrom(...names);
const text = fc.constantFrom('"a"', '"é"', '"漢字"', '"😀 b"', '""');
const leaf = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('1', '2', '42'), text);

/** Expressions; with holes they are patterns. */
const expressions = (hole: fc.Arbitrary<string> | undefined, list: fc.Arbitrary<string> | undefined) =>
  fc.letrec<{ expr: string; arg: string; args: string }>((tie) => ({
    arg: list === undefined ? tie('expr') : fc.oneof({ weight: 3, arbitrary: tie('expr') }, list),
    args: fc
      .tuple(fc.array(tie('arg'), { maxLength: 3 }), fc.constantFrom(', ', ',', ',\n    '))
      .map(([parts, comma]) => parts.join(comma)),
    expr: fc.oneof(
      { maxDepth: 3 },
      hole === undefined ? leaf : fc.oneof(leaf, hole),
      fc.tuple(hole === undefined ? name : fc.oneof(name, hole), tie('args')).map(([f, args]) => `${f}(${args})`),
      fc
        .tuple(tie('expr'), fc.constantFrom('+', '-', '=='), tie('expr'))
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
    ),
  }));

const value = expressions(undefined, undefined).expr;
const hole = fc.constantFrom('$A', '$B', '$A', '$_', '$$A');
const holed = expressions(hole, fc.constantFrom('$$$', '$$$ARGS', '$$$REST')).expr;

function statements(dialect: Dialect): fc.Arbitrary<string[]> {
  const { lines } = fc.letrec<{ line: string[]; lines: string[] }>((tie) => ({
    line: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(name, value).map(([target, init]) => [dialect.declare(target, init)]),
      fc.tuple(name, value).map(([callee, argument]) => [dialect.call(`${callee}(${argument})`)]),
      fc.constantFrom(dialect.comment('note é'), '').map((line) => [line]),
      fc.tuple(value, tie('lines')).map(([condition, body]) => dialect.when(condition, body)),
      fc
        .tuple(name, name, tie('lines'), value)
        .map(([of, parameter, body, result]) => dialect.define(of, parameter, [...body, dialect.back(result)])),
      fc.tuple(name, fc.array(fc.tuple(name, tie('lines')), { maxLength: 2 })).map(([of, members]) =>
        dialect.type(
          of.toUpperCase(),
          members.map(([member, body]) => dialect.define(member, 'x', body)),
        ),
      ),
    ),
    lines: fc.array(tie('line'), { maxLength: 4 }).map((parts) => parts.flat()),
  }));
  return lines;
}

/** One case: a program, rules, templates. */
export interface Case {
  readonly dialect: Dialect;
  readonly content: string;
  readonly rules: readonly Rule[];
  readonly templates: readonly string[];
}

const strictness = fc.constantFrom<Strictness>('cst', 'smart', 'ast', 'relaxed', 'signature');
const template = fc.constantFrom(
  'done($A)',
  '$A',
  '',
  '$$$ARGS',
  'wrap(\n  $A,\n  $$$ARGS\n)',
  'f($$$REST) + $B',
  '$5 $x',
);

function patterns(dialect: Dialect): fc.Arbitrary<Rule> {
  const code = fc.oneof(
    { weight: 4, arbitrary: holed },
    fc.tuple(fc.oneof(name, hole), holed).map(([target, init]) => dialect.declare(target, init)),
    fc.tuple(holed, hole).map(([condition, body]) => dialect.when(condition, [dialect.call(body)]).join('\n')),
    fc.tuple(fc.oneof(name, hole)).map(([of]) => dialect.define(of, 'x', ['$$$BODY']).join('\n')),
  );
  return fc.tuple(code, strictness).map(([pattern, level]) => ({ pattern, strictness: level }));
}

function rules(dialect: Dialect): fc.Arbitrary<Rule> {
  const kind = fc.constantFrom(...dialect.kinds).map((of): Rule => ({ kind: of }));
  const reach = fc.constantFrom('neighbor' as const, 'end' as const);
  const { rule } = fc.letrec<{ rule: Rule }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 2 },
      { weight: 6, arbitrary: patterns(dialect) },
      { weight: 1, arbitrary: kind },
      fc.tuple(kind, fc.constantFrom('^foo', 'x', '[0-9]+', 'é')).map(([base, regex]) => ({ ...base, regex })),
      fc.tuple(kind, tie('rule')).map(([base, not]) => ({ ...base, not })),
      fc.tuple(tie('rule'), tie('rule')).map(([left, right]) => ({ any: [left, right] })),
      fc.tuple(tie('rule'), tie('rule')).map(([left, right]) => ({ all: [left, right] })),
      fc
        .tuple(
          patterns(dialect),
          fc.constantFrom('inside', 'has', 'follows', 'precedes'),
          tie('rule'),
          fc.oneof(reach, kind),
        )
        .map(([base, relation, inner, stopBy]) => ({ ...base, [relation]: { ...inner, stopBy } })),
    ),
  }));
  return rule;
}

/** Cases in all dialects, with CRLF, BOM and broken programs among them. */
export const cases: fc.Arbitrary<Case> = fc.constantFrom(...DIALECTS).chain((dialect) =>
  fc
    .tuple(
      statements(dialect),
      fc.array(rules(dialect), { minLength: 1, maxLength: 2 }),
      fc.array(template, { minLength: 2, maxLength: 2 }),
      fc.constantFrom('\n', '\n', '\n', '\r\n'),
      fc.constantFrom('', '', '', '\ufeff'),
      fc.integer({ min: 0, max: 400 }),
    )
    .map(([lines, ruleSet, templates, newline, bom, breakAt]) => {
      const whole = `${bom}${dialect.prolog}${lines.join('\n')}\n`.replaceAll('\n', newline);
      // One case in many loses a character in the middle, which mostly breaks it.
      const content = breakAt < 20 ? whole.slice(0, breakAt * 5) + whole.slice(breakAt * 5 + 1) : whole;
      return { dialect, content, rules: ruleSet, templates };
    }),
);
