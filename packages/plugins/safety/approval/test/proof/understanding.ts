/** Whether commands run without a question, for tests of grammars. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { assessCommand } from '../../src/judge/assess.ts';
import { worstTier } from '../../src/judge/finding.ts';
import type { Surroundings } from '../../src/judge/places.ts';
import { WORLD } from '../support.ts';

/** How a command is understood: its tier, or `unclear`. */
export async function understandingOf(
  command: string,
  world: Surroundings = WORLD,
): Promise<0 | 1 | 2 | 3 | 'unclear'> {
  const { findings, understood } = await assessCommand({ command, cwd: world.workspace }, world);
  return understood ? worstTier(findings) : 'unclear';
}

/** The commands of a text, one per line, that are not proven harmless. */
export async function loudOnes(lines: string): Promise<readonly string[]> {
  return chosen(lines, (found) => found !== 0 && found !== 1);
}

/** The commands of a text, one per line, that are proven harmless. */
export async function quietOnes(lines: string): Promise<readonly string[]> {
  return chosen(lines, (found) => found === 0 || found === 1);
}

/** The commands of a text, one per line, whose tier is another one. */
export async function othersThan(tier: 0 | 1 | 2 | 3, lines: string): Promise<readonly string[]> {
  return chosen(lines, (found) => found !== tier);
}

async function chosen(
  lines: string,
  matches: (found: 0 | 1 | 2 | 3 | 'unclear') => boolean,
): Promise<readonly string[]> {
  const commands = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const found: string[] = [];
  for (const command of commands) {
    const understanding = await understandingOf(command);
    if (matches(understanding)) found.push(`${command} (${understanding})`);
  }
  return found;
}

/** A word in quotes that the shell leaves alone. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Commands that must be proven harmless, and commands that never may be. */
export interface Commands {
  readonly everyday: string;
  readonly risky: string;
}

/** Reads one of the lists beside this file. */
export function readCommands(name: string): Commands {
  return parse(readFileSync(new URL(`commands-${name}.yml`, import.meta.url), 'utf8')) as Commands;
}
