import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSame, normalized } from '../src/bank/sameness.ts';
import { terms, words } from '../src/bank/terms.ts';

describe('the words of a text', () => {
  it('are without case, endings and words that say nothing', () => {
    expect([...terms('The Tests are running with parseConfig')]).toEqual([
      'test',
      'run',
      'parseconfig',
      'pars',
      'config',
    ]);
    expect([...terms('builds')]).toEqual([...terms('building')]);
    expect([...terms('releases')]).toEqual([...terms('release')]);
  });

  it('are pairs of characters where a script has no spaces', () => {
    expect([...terms('构建使用 make')]).toEqual(['构建', '建使', '使用', 'make']);
    expect(words('東')).toEqual(['東']);
  });

  it('never throw and are the same for the same text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([...terms(text)]).toEqual([...terms(text)]);
        for (const term of terms(text)) expect(term).not.toMatch(/["\s]/);
      }),
    );
  });
});

describe('two facts', () => {
  it.each([
    ['Tests run with make check.', 'tests run with MAKE check'],
    ['Tests run with npm test', 'tests run with `npm test`.'],
    ['The user prefers tabs over spaces', 'The user prefers tabs over spaces!'],
    ['The release branch is cut every second Monday by Ada', 'Release branches are cut by Ada every second Monday'],
  ])('are the same: %s / %s', (one, other) => expect(isSame(one, other)).toBe(true));

  it.each([
    [
      'The staging server of the billing service listens on port 8080 behind nginx',
      'The staging server of the billing service listens on port 9090 behind nginx',
    ],
    ['The user wants commits to be signed', 'The user does not want commits to be signed'],
    ['Use `npm test` for the unit tests of the web client', 'Use `npm run e2e` for the unit tests of the web client'],
    ['The parser is in src/parse.ts', 'The parser is in src/lexer.ts'],
    ['Never push to main', 'Push to main'],
  ])('differ in what matters: %s / %s', (one, other) => expect(isSame(one, other)).toBe(false));

  it('are the same both ways round, and every fact is the same as itself', () => {
    const sentence = fc.array(
      fc.constantFrom('the', 'build', 'uses', 'make', 'port', '8080', '9090', 'not', 'src/a.ts', 'Ada'),
      { minLength: 1, maxLength: 9 },
    );
    fc.assert(
      fc.property(sentence, sentence, (one, other) => {
        const [a, b] = [one.join(' '), other.join(' ')];
        expect(isSame(a, b)).toBe(isSame(b, a));
        expect(isSame(a, a)).toBe(true);
        expect(normalized(normalized(a))).toBe(normalized(a));
      }),
    );
  });
});
