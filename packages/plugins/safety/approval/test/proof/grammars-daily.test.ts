import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { grammarData, grammarFiles } from '../../src/proof/grammar-files.ts';
import type { Grammar } from '../../src/proof/grammar.ts';
import { readGrammar } from '../../src/proof/load-grammar.ts';
import { loudOnes, othersThan, quietOnes, readCommands } from './understanding.ts';

const { everyday, risky } = readCommands('daily');

describe('what agents of developers run all day', () => {
  it('is proven harmless', async () => {
    expect(await loudOnes(everyday)).toEqual([]);
  });

  it('is not proven where flags bring code, addresses, other places or credentials', async () => {
    expect(await quietOnes(risky)).toEqual([]);
  });

  it('tells tasks that delete data from those that list, test or build', async () => {
    expect(
      await othersThan(
        3,
        `
      python manage.py flush
      uv run manage.py flush
      php artisan migrate:fresh
      php artisan db:wipe
      rails db:drop
    `,
      ),
    ).toEqual([]);
    expect(
      await othersThan(
        2,
        `
      python manage.py dbshell
      php artisan tinker
      cargo run --bin deploy
      node cli.js destroy
      kubectl get secrets -o yaml
    `,
      ),
    ).toEqual([]);
  });

  it('takes no program without words for harmless only because its version is', async () => {
    expect(await quietOnes('mysql\nssh-add\nssh-keygen\nxcodebuild\nredis-cli\nvim')).toEqual([]);
  });
});

/** The grammar and those of all subcommands. */
function allOf(grammar: Grammar): readonly Grammar[] {
  const inner = [...(grammar.subcommands?.values() ?? []), ...(grammar.alone ? [grammar.alone] : [])];
  return [grammar, ...inner.flatMap(allOf)];
}

describe('every check', () => {
  it('asks for flags by the spelling that they are known by', () => {
    const mistakes: string[] = [];
    for (const file of new Set(grammarFiles().values()))
      for (const { check, flags, path } of allOf(readGrammar(grammarData(file), file).grammar)) {
        if (check === undefined) continue;
        const code = readFileSync(new URL(`../../src/proof/checks/${check}.ts`, import.meta.url), 'utf8');
        for (const [, asked = ''] of code.matchAll(/flags\.(?:has|get)\('([^']+)'\)/g)) {
          const flag = flags.get(asked);
          if (flag !== undefined && flag.name !== asked && !code.includes(`'${flag.name}'`))
            mistakes.push(`${path.join(' ')}: ${asked} is ${flag.name}`);
        }
      }
    expect([...new Set(mistakes)]).toEqual([]);
  });
});
