import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { tierOf } from './support.ts';

const corpus = readCorpus();
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ways to hide a command in another one; all of them still run it. */
const WRAPPERS: Readonly<Record<string, (command: string) => string>> = {
  'bash -c': (command) => `bash -c ${quote(command)}`,
  'sh -c in env': (command) => `env A=b sh -c ${quote(command)}`,
  'env -i': (command) => `env -i bash -c ${quote(command)}`,
  'a subshell': (command) => `(\n${command}\n)`,
  'a group': (command) => `{\n${command}\n}`,
  eval: (command) => `eval ${quote(command)}`,
  'a substitution': (command) => `echo "$(\n${command}\n)"`,
  'a pipeline': (command) => `(\n${command}\n) | cat`,
  xargs: (command) => `echo x | xargs bash -c ${quote(command)}`,
  'find -exec': (command) => `find . -exec sh -c ${quote(command)} \\;`,
  timeout: (command) => `timeout 5 bash -c ${quote(command)}`,
  nohup: (command) => `nohup nice -n 5 bash -c ${quote(command)} &`,
  sudo: (command) => `sudo -n bash -c ${quote(command)}`,
  if: (command) => `if true; then\n${command}\nfi`,
  loop: (command) => `for i in 1 2; do\n${command}\ndone`,
  'a function': (command) => `f() {\n${command}\n}\nf`,
  'a list': (command) => `true && bash -c ${quote(command)}`,
  'what echo writes': (command) => `printf '%s' ${quote(command)} | sh`,
  'a here-string': (command) => `bash <<< ${quote(command)}`,
  'a variable': (command) => `CMD=${quote(command)}; bash -c "$CMD"`,
  'a trap': (command) => `trap ${quote(command)} EXIT`,
  exec: (command) => `exec bash -c ${quote(command)}`,
  'command and time': (command) => `time command bash -c ${quote(command)}`,
};

const risky = corpus.filter(({ tier }) => tier > 0);

describe('hiding a command', () => {
  for (const [name, wrap] of Object.entries(WRAPPERS)) {
    it(`in ${name} never lowers its tier`, async () => {
      // Every third command, another third for every wrapper: all together still cover the corpus. Everyday runs take fewer.
      const stride = Math.round(risky.length / caseCount(Math.floor(risky.length / 3)));
      const offset = name.length % stride;
      const lowered: string[] = [];
      for (const { command, tier } of risky.filter((_, index) => index % stride === offset)) {
        const found = await tierOf(wrap(command));
        if (found < tier) lowered.push(`${JSON.stringify(wrap(command))} must be ${tier}, is ${found}`);
      }
      expect(lowered).toEqual([]);
    });
  }

  it('in several wrappers never lowers its tier', async () => {
    const wrappers = fc.array(fc.constantFrom(...Object.values(WRAPPERS)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...risky), wrappers, async ({ command, tier }, wraps) => {
        const hidden = wraps.reduce((inner, wrap) => wrap(inner), command);
        expect(await tierOf(hidden), hidden).toBeGreaterThanOrEqual(tier);
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('by quoting letters of the program never lowers its tier', async () => {
    const plain = risky.filter(
      ({ command }) =>
        /^[a-z]{2,}( |$)/.test(command) &&
        !/^(if|for|while|until|case|coproc|time|function|export|declare|exec)\b/.test(command),
    );
    const spellings = [
      (word: string) => `${word[0]}''${word.slice(1)}`,
      (word: string) => `"${word}"`,
      (word: string) => `'${word[0]}'"${word.slice(1)}"`,
      (word: string) => `\\${word}`,
      (word: string) => `${word[0]}\\${word.slice(1)}`,
      (word: string) => `$'\\x${word.charCodeAt(0).toString(16)}'${word.slice(1)}`,
      (word: string) => `${word[0]}\\\n${word.slice(1)}`,
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...plain), fc.constantFrom(...spellings), async ({ command, tier }, spell) => {
        const [word = ''] = command.split(' ', 1);
        const hidden = spell(word) + command.slice(word.length);
        expect(await tierOf(hidden), hidden).toBeGreaterThanOrEqual(tier);
      }),
      { numRuns: caseCount(400) },
    );
  });

  it('deeper than anybody would is the highest tier', async () => {
    let command = 'ls';
    for (let depth = 0; depth < 14; depth++) command = `eval ${quote(command)}`;
    expect(await tierOf(command)).toBe(3);
  });

  it('in functions that multiply is the highest tier, and is judged in no time', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const bodies = names.map(
      (name, index) => `${name}() { ${names[index + 1] ?? 'ls'}; ${names[index + 1] ?? 'ls'}; }`,
    );
    expect(await tierOf(`${bodies.toReversed().join('\n')}\nf0`)).toBe(3);
  });

  it('never makes the judge fail, whatever the text is', async () => {
    const pieces = fc.constantFrom(
      'rm',
      '-rf',
      '/',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '|',
      '&&',
      ';',
      '{',
      '}',
      '${x',
      '<<EOF',
      '\n',
      '>',
      'if',
      'then',
      'fi',
      '$',
      '\\',
      '*',
      '(',
      'do',
      'done',
      'é',
      '\0',
      '#',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (words) => {
        expect(await tierOf(words.join(' '))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: caseCount(500) },
    );
  });
});
