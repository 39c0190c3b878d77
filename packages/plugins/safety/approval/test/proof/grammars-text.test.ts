/** Programs that read, search and change files, as the whole engine judges them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { worstTier } from '../../src/judge/finding.ts';
import { prove } from '../../src/proof/prove.ts';
import { WORLD } from '../support.ts';

/** The tier that is proven, or that nothing is. */
async function proven(command: string): Promise<number | 'not understood'> {
  const { findings, unclear } = await prove({ command, cwd: WORLD.workspace, env: {} }, WORLD, {
    userGrammar: () => Promise.resolve(undefined),
    dangersIn: () => Promise.resolve([]),
  });
  return unclear.length > 0 ? 'not understood' : worstTier(findings);
}

const GROUPS = parse(readFileSync(new URL('text-programs.yml', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

function commandsOf(group: string): readonly string[] {
  return (GROUPS[group] ?? '').split('\n').filter((line) => line !== '');
}

describe('programs that read and change files', () => {
  it('has enough commands of every kind', () => {
    for (const group of ['reads', 'changes', 'asks', 'not-understood'])
      expect(commandsOf(group).length).toBeGreaterThan(40);
  });

  for (const command of commandsOf('reads'))
    it(`only reads: ${command}`, async () => expect(await proven(command)).toBe(0));

  for (const command of commandsOf('changes'))
    it(`changes the workspace: ${command}`, async () => expect(await proven(command)).toBe(1));

  for (const command of commandsOf('asks'))
    it(`needs approval: ${command}`, async () => expect([2, 3]).toContain(await proven(command)));

  for (const command of commandsOf('not-understood'))
    it(`is not understood: ${command}`, async () => expect(await proven(command)).toBe('not understood'));
});
