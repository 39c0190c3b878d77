import { describe, expect, it } from 'vitest';
import { grammarData, grammarFiles } from '../src/proof/grammar-files.ts';
import { GrammarMistake, partsOf, readGrammar } from '../src/proof/load-grammar.ts';
import { loadCheck, loadLanguage } from '../src/proof/parts.ts';

const files = [...new Set(grammarFiles().values())];

describe('the grammars that come with Tenon', () => {
  it('are there', () => {
    expect(files).toContain('sort.yml');
    expect(grammarFiles().get('gsort')).toBe('sort.yml');
  });

  for (const file of files) {
    it(`${file} is valid, and its readers and checks are there`, async () => {
      const { grammar } = readGrammar(grammarData(file), file);
      const { languages, checks } = partsOf(grammar);
      for (const name of languages)
        expect(typeof (await loadLanguage(name)).read, `languages/${name}.ts`).toBe('function');
      for (const name of checks) expect(typeof (await loadCheck(name)).check, `checks/${name}.ts`).toBe('function');
    });
  }
});

describe('reading a grammar', () => {
  const mistake = (data: unknown): string => {
    try {
      readGrammar(data, 'x.yml');
    } catch (fault) {
      if (fault instanceof GrammarMistake) return fault.message;
      throw fault;
    }
    return '';
  };

  it('names file and key of what is not part of the format', () => {
    expect(mistake({ flag: {} })).toBe('x.yml: flag: is not a key of grammars');
    expect(mistake({ operands: 'reads' })).toBe('x.yml: operands: "reads" is not a role');
    expect(mistake({ flags: { '-o --out': 'writes' } })).toBe('x.yml: flags.-o --out: "writes" is not a role');
    expect(mistake({ flags: { '-o': { vaule: 'read' } } })).toBe('x.yml: flags.-o.vaule: is not a key of grammars');
    expect(mistake({ flags: { '-out': null } })).toBe('x.yml: flags.-out: "-out" is not a flag of style gnu');
    expect(mistake({ flags: { '-o': null, '-o -x': null } })).toBe('x.yml: flags.-o -x: "-o" stands there twice');
    expect(mistake({ subcommands: { a: { tier: 1 } } })).toBe(
      'x.yml: subcommands.a.why: is missing, and tier 1 needs it',
    );
    expect(mistake({ subcommands: { a: { names: ['b'] } } })).toBe(
      'x.yml: subcommands.a.names: stands at the top only',
    );
    expect(mistake({ operands: ['read*', 'write*'] })).toBe('x.yml: operands: repeats more than one role');
    expect(mistake({ words: 'find', operands: 'read' })).toMatch(/^x\.yml: words: reads all words/);
    expect(mistake({ tier: 4 })).toBe('x.yml: tier: is not a tier from 0 to 3');
    expect(mistake([])).toBe('x.yml: is not a map');
  });

  it('gives subcommands the flags that may stand everywhere, and not those of the program', () => {
    const { grammar } = readGrammar(
      { flags: { '-C': 'folder' }, everywhere: { '-v': null }, subcommands: { 'log l': { operands: 'read' } } },
      'vcs.yml',
    );
    const log = grammar.subcommands?.get('l');
    expect(log?.path).toEqual(['vcs', 'log']);
    expect([...(log?.flags.keys() ?? [])]).toEqual(['-v']);
    expect([...grammar.flags.keys()]).toEqual(['-v', '-C']);
  });
});
