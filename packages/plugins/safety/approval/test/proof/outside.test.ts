import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support.ts';
import { loudOnes, quietOnes, readCommands, understandingOf } from './understanding.ts';

const { everyday, risky } = readCommands('outside');
const withoutComments = (lines: string): string => lines.replaceAll(/^\s*#.*$/gm, '');

const home = makeHome();
mkdirSync(join(home.folders.home, '.ssh'), { recursive: true });
writeFileSync(join(home.folders.home, '.ssh', 'id_rsa'), 'key');
afterAll(() => home.remove());

describe('what programs do with words that look harmless', () => {
  it('leaves everyday commands proven', async () => {
    expect(await loudOnes(everyday)).toEqual([]);
  });

  it('never proves a dry run that writes, words in files, flags behind words, other hosts, interpreters or variables that load code', async () => {
    expect(await quietOnes(withoutComments(risky))).toEqual([]);
  });

  it('knows that git looks through folders, with and without saying so', async () => {
    for (const command of ['git grep --no-index x ~', 'git diff --no-index src ~', 'git diff src ~', 'git diff . ..'])
      expect([command, await understandingOf(command, home.world)]).toEqual([command, 2]);
    for (const command of ['git grep --no-index x src', 'git diff', 'git diff HEAD~1 src', 'git diff a b'])
      expect([command, await understandingOf(command, home.world)]).toEqual([command, 0]);
  });
});
