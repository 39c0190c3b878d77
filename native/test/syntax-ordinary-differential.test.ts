/**
 * Patterns as people type them, in every language that ast-grep has, beside ast-grep itself: same places, same captures. They are in
 * `syntax-ordinary/LANGUAGE.txt`, one per line with ⏎ for a line break; ast-grep takes all of them, and answers those of a language at once.
 *
 * They are asked about the programs of the corpus. TENON_SYNTAX_SOURCES names a folder of other sources, one folder per language in it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordConformance } from '@tenon/test-kit/conformance';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { afterAll, describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import { askProgramAll, describeOurs, describeTheirs, isErrorForProgram, programVersion } from './ast-grep-program.ts';
import { CORPUS } from './syntax-corpus.ts';

const available = await implementations('syntax');
const lists = join(import.meta.dirname, 'syntax-ordinary');
const LANGUAGES = readdirSync(lists).map((name) => name.replace(/\.txt$/, ''));

const patternsOf = (lang: string): string[] =>
  readFileSync(join(lists, `${lang}.txt`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll('⏎', '\n'));

const JAVASCRIPT = `'use strict';
const fs = require('fs');
const { a, b } = require('./x');
import c, { d } from 'y';
import * as e from 'z';
export default function main(x, ...rest) { return x ? rest : null; }
export const f = async (x) => { await g(x); };
class A extends B { constructor(x) { super(x); this.x = x; } static s(y) { return y; } get z() { return this.x; } }
for (let i = 0; i < list.length; i++) { console.log(list[i]); }
for (const [k, v] of Object.entries(o)) { out.push(k, v); }
if (typeof x === 'string') { throw new Error('no'); } else if (!x) { return; }
try { h(); } catch (error) { console.error(error); } finally { done(); }
switch (x) { case 1: break; default: y = x || {}; }
const o = { k: 1, ...p, m: function (q) { return q; } };
setTimeout(() => { x = x + 1; }, 0);
list.map((n) => n * 2).filter(Boolean).forEach(function (n) { t += n; });
x == null; x === x; a?.b ?? c; delete o[k]; new Map(); (() => { i++; })(); \`t\${a}\`;
module.exports = { a, b };
`;
const TYPED = `interface I<T> extends J { a: string; readonly b?: number; m(x: T): void }
type U<K> = K extends string ? Record<K, unknown> : K[];
enum E { X, Y = 2 }
const k: U<string> = v as unknown as U<string>;
export async function f<T>(this: Foo, x: T, y = 1): Promise<T> { return x!; }
export abstract class C<T> implements I<T> { private readonly a: string = 'a'; constructor(b: number) { this.a = String(b); } }
it('works', async () => { expect(f(1)).toBe(2); });
`;
const MARKED = `const App = ({ items }) => { const [n, setN] = useState(0); useEffect(() => { go(); }, [n]);
  return <div className="a"><Item.Row {...items} key={n} onClick={() => setN(n + 1)} />{n && <b>{n}</b>}<></></div>; };
`;
const OWN: Readonly<Record<string, string>> = { js: JAVASCRIPT + MARKED, tsx: JAVASCRIPT + TYPED + MARKED };

interface Source {
  readonly path: string;
  readonly content: string;
}

function sourcesOf(lang: string): Source[] {
  const entry = CORPUS.find((candidate) => candidate.lang === lang);
  const own = OWN[lang];
  const written = own === undefined ? [] : [{ path: `own.${lang}`, content: own }];
  const sources = [...written, ...(entry === undefined ? [] : [{ path: entry.path, content: entry.program }])];
  const elsewhere = join(process.env['TENON_SYNTAX_SOURCES'] ?? '', lang);
  if (process.env['TENON_SYNTAX_SOURCES'] === undefined || !existsSync(elsewhere)) return sources;
  const others = readdirSync(elsewhere).map((name) => ({
    path: name,
    content: readFileSync(join(elsewhere, name), 'utf8'),
  }));
  return [...sources, ...others];
}

interface Question {
  readonly patterns: readonly string[];
  readonly sources: readonly Source[];
  readonly folder: string;
  readonly theirs: ReturnType<typeof askProgramAll>;
}

/** The program is asked once for all implementations. */
const questions = new Map<string, Question>();

function questionOf(lang: string): Question {
  const earlier = questions.get(lang);
  if (earlier !== undefined) return earlier;
  const folder = temporaryFolder('ordinary');
  const [patterns, sources] = [patternsOf(lang), sourcesOf(lang)];
  for (const { path, content } of sources) writeFileSync(join(folder, path), content);
  const question = { patterns, sources, folder, theirs: askProgramAll(patterns, lang, folder) };
  questions.set(lang, question);
  return question;
}

const counts = { cases: 0, same: 0, refused: 0, different: 0 };
afterAll(() => recordConformance({ suite: 'structural search, ordinary', oracle: programVersion(), ...counts }));

describe.each(available)(
  '$kind structural search and ast-grep, for ordinary patterns',
  ({ implementation: syntax }) => {
    it.each(LANGUAGES)(
      'find the same in %s',
      async (lang) => {
        const { patterns, sources, folder, theirs } = questionOf(lang);
        expect(sources.length).toBeGreaterThan(0);
        const different: unknown[] = [];
        let matched = 0;
        for (const [at, pattern] of patterns.entries()) {
          const result = await syntax.search({ sources, patterns: [pattern], limit: 1_000_000 });
          // Recovery from an error depends on the encoding that is parsed, and theirs is not ours.
          const faulty = new Set(result.issues.filter(({ kind }) => kind === 'syntax-error').map(({ path }) => path));
          const refused = result.issues.find(({ kind }) => kind !== 'syntax-error');
          const usable = sources.filter(({ path }) => !faulty.has(path)).map(({ path }) => path);
          const ours = usable.map((name) => result.matches.filter(({ path }) => path === name).map(describeOurs));
          const found = usable.map((name) =>
            (theirs.get(at) ?? []).filter(({ file }) => file.split(/[/\\]/).at(-1) === name).map(describeTheirs),
          );
          const isSame =
            JSON.stringify(ours.map((list) => list.toSorted())) ===
            JSON.stringify(found.map((list) => list.toSorted()));
          // Where it finds nothing and ours does, it has taken the pattern for something else, as C takes a call for a type.
          if (!isSame && found.flat().length === 0) continue;
          if (!isSame && isErrorForProgram({ pattern, lang }, folder)) continue;
          counts.cases += 1;
          matched += found.flat().length;
          if (isSame) counts.same += 1;
          else if (refused !== undefined) counts.refused += 1;
          else {
            counts.different += 1;
            different.push({ pattern, ours, theirs: found });
          }
          if (!isSame && refused !== undefined) different.push({ pattern, refused: refused.message, theirs: found });
        }
        expect(different).toEqual([]);
        expect(matched).toBeGreaterThan(0);
      },
      600_000,
    );
  },
);
