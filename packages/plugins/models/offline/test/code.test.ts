import { describe, expect, it } from 'vitest';
import { declarationIn, declares } from '../src/code/declarations.ts';
import { familyOf, groupByLanguage } from '../src/code/languages.ts';
import { regionsOf } from '../src/code/regions.ts';

/** A text with what is no code blotted out. */
const codeOf = (path: string, text: string) => {
  const family = familyOf(path);
  if (!family) throw new Error(`${path} is no code`);
  const regions = regionsOf(text, family);
  const shown = (char: string, index: number) =>
    regions[index] === 0 || char === '\n' ? char : regions[index] === 1 ? '-' : '_';
  return [...text].map(shown).join('');
};

describe('comments and texts in languages that are not parsed', () => {
  it('are told from code, and what stands in a template is code again', () => {
    expect(codeOf('a.ts', 'f(); // f\n/* f\n f */ g("f", `a ${f(`${f}`)} b`);')).toBe(
      'f(); ----\n----\n----- g(___, _____f(___f__)____);',
    );
    expect(codeOf('a.rb', String.raw`f "a\"f" # f`)).toBe('f ______ ---');
    expect(codeOf('a.kt', `x("""f\nf""") + 'f'`)).toBe('x(____\n____) + ___');
  });

  it('may never end', () => {
    expect(codeOf('a.ts', 'f `f ${f')).toBe('f _____f');
    expect(codeOf('a.ts', '/* f')).toBe('----');
    expect(codeOf('a.ts', "'f\nf")).toBe('__\nf');
  });
});

describe('declarations', () => {
  it.each([
    ['export async function load(id) {', 'function', 'load'],
    ['function* gen() {', 'function', 'gen'],
    ['const load = async (id: string): Promise<void> => {', 'function', 'load'],
    ['export const limit = 3;', 'variable', 'limit'],
    ['export default class Store {', 'class', 'Store'],
    ['export interface Props {', 'interface', 'Props'],
    ['type Id = string;', 'type', 'Id'],
    ['  private async save(item: T): Promise<void> {', 'method', 'save'],
    ['def run(self):', 'function', 'run'],
    ['    async def run(self):', 'method', 'run'],
    ['pub(crate) fn parse(input: &str) -> Ast {', 'function', 'parse'],
    ['pub struct Ast {', 'struct', 'Ast'],
    ['func (s *Server) Start() error {', 'method', 'Start'],
    ['func main() {', 'function', 'main'],
    ['int main(void) {', 'function', 'main'],
    ['  public static void run(String[] args) {', 'method', 'run'],
    ['LIMIT = 10', 'variable', 'LIMIT'],
    ['  static make() {', 'method', 'make'],
    ['  run() { return 1; }', 'method', 'run'],
    ['    pub fn total(&self) -> i32 { 1 }', 'method', 'total'],
    ['    pub fn of() -> Self {', 'function', 'of'],
    ['load() { echo hi; }', 'function', 'load'],
  ])('%j declares a %s', (line, kind, name) => {
    expect(declarationIn(line)).toEqual({ kind, name });
  });

  it.each([
    'return load(id);',
    '  if (x) {',
    '  await load(x) {',
    '// function load() {',
    'load(id);',
    "import { load } from './a';",
    '  } else if (load(x)) {',
  ])('%j declares nothing', (line) => {
    expect(declares(line, 'load')).toBeUndefined();
  });
});

describe('languages', () => {
  it('group files that one structural edit can take', () => {
    expect([...groupByLanguage(['a.ts', 'b.mts', 'c.tsx', 'd.js', 'e.py'])]).toEqual([
      ['typescript', ['a.ts', 'b.mts']],
      ['tsx', ['c.tsx']],
      ['javascript', ['d.js']],
      ['python', ['e.py']],
    ]);
    expect(familyOf('README.md')).toBeUndefined();
  });
});
