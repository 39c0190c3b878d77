import { describe, expect, it } from 'vitest';
import { declarationIn, declares } from '../src/code/declarations.ts';
import { familyOf, groupByLanguage } from '../src/code/languages.ts';
import { type CodeFamily, familyOf as family } from '../src/code/languages.ts';
import { occurrencesOf } from '../src/code/occurrences.ts';

const usages = (path: string, text: string, name = 'foo') => {
  const of = family(path) as CodeFamily;
  return occurrencesOf(text, name, of).map(
    ({ line, usage, owner }) => `${line} ${usage}${owner === undefined ? '' : ` ${owner}`}`,
  );
};

describe('the places of a name', () => {
  it('are told apart in TypeScript', () => {
    const text = [
      'foo(); // foo',
      '/* foo',
      ' foo */ const a = "foo" + \'foo\';',
      'const t = `foo ${foo(`${foo}`)} foo`;',
      'const o = { foo, bar, foo: 1 };',
      'x.foo(); y?.foo; this.foo; a.b.foo;',
      'const { foo } = o; const { foo = 1 } = o;',
      'f(a, foo, b); [foo, foo];',
      'const url = "http://foo"; foo2(); $foo(); fooBar;',
    ].join('\n');
    expect(usages('a.ts', text)).toEqual([
      '1 plain',
      '1 comment',
      '2 comment',
      '3 comment',
      '3 string',
      '3 string',
      '4 string',
      '4 plain',
      '4 plain',
      '4 string',
      '5 shorthand',
      '5 key',
      '6 member x',
      '6 member y',
      '6 member this',
      '6 member',
      '7 shorthand',
      '7 shorthand',
      '8 plain',
      '8 plain',
      '8 plain',
      '9 string',
    ]);
  });

  it('are told apart in Python, Rust and Go', () => {
    expect(usages('a.py', '"""foo\nfoo"""\nfoo(foo=1) # foo\nself.foo')).toEqual([
      '1 string',
      '2 string',
      '3 plain',
      '3 plain',
      '3 comment',
      '4 member self',
    ]);
    expect(usages('a.rs', "fn foo<'a>(x: &'a str) { 'f'; \"foo\"; m::foo() } // foo")).toEqual([
      '1 plain',
      '1 string',
      '1 member m',
      '1 comment',
    ]);
    expect(usages('a.go', 'foo()\nx := `foo\nfoo`\npkg.foo()')).toEqual([
      '1 plain',
      '2 string',
      '3 string',
      '4 member pkg',
    ]);
  });

  it('survive text that never ends', () => {
    expect(usages('a.ts', 'foo `foo ${foo')).toEqual(['1 plain', '1 string', '1 plain']);
    expect(usages('a.ts', '/* foo')).toEqual(['1 comment']);
    expect(usages('a.ts', "'foo\nfoo")).toEqual(['1 string', '2 plain']);
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
