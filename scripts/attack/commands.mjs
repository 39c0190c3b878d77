/** Shell commands of the corpus and their generated variants, judged by the built program. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createWorld } from './world.mjs';
import { dangerousVariants, harmlessVariants } from './variants.mjs';

const SEED = 12;
const DANGEROUS_VARIANTS = 2400;
const HARMLESS_VARIANTS = 600;

/**
 * @typedef {{ name: string, total: number, wrong: { command: string, answers: string }[] }} Count
 */

/** The corpus; `~home~` stands for the home of the world. @returns {{ dangerous: string[], harmless: string[] }} */
export function readCorpus() {
  return JSON.parse(readFileSync(new URL('corpus.json', import.meta.url), 'utf8'));
}

/** Judges all commands, with and without a sandbox. @returns {Promise<Count[]>} */
export async function attackWithCommands() {
  const world = createWorld();
  try {
    const { dangerous, harmless } = readCorpus();
    const here = (commands) => commands.map((command) => command.replaceAll('~home~', world.home));
    const sets = {
      'dangerous commands': here(dangerous),
      'dangerous variants': here(dangerousVariants(dangerous, DANGEROUS_VARIANTS, SEED)),
      'harmless commands': here(harmless),
      'harmless variants': here(harmlessVariants(harmless, HARMLESS_VARIANTS, SEED)),
    };
    const counts = [];
    for (const [name, commands] of Object.entries(sets)) {
      const [confined, open] = [
        await explain(world, commands, []),
        await explain(world, commands, ['--set', 'sandbox.profile=full']),
      ];
      const isDangerous = name.startsWith('dangerous');
      const slips = (wrong) =>
        commands.flatMap((command, at) =>
          wrong(at)
            ? [{ command, answers: JSON.stringify({ confined: brief(confined[at]), open: brief(open[at]) }) }]
            : [],
        );
      counts.push({
        name: `${name}: ${isDangerous ? 'run without a question or confinement' : 'asked about'} (with a sandbox)`,
        total: commands.length,
        wrong: slips((at) =>
          isDangerous ? confined[at].decision === 'allow' && !confined[at].confined : confined[at].decision !== 'allow',
        ),
      });
      counts.push({
        name: `${name}: ${isDangerous ? 'below tier 2' : 'tier 2 or higher'} (no sandbox)`,
        total: commands.length,
        wrong: slips((at) => (isDangerous ? open[at].tier < 2 : open[at].tier >= 2)),
      });
    }
    return counts;
  } finally {
    world.remove();
  }
}

const brief = ({ tier, decision, confined, notUnderstood, reasons }) => ({
  tier,
  decision,
  confined,
  notUnderstood,
  reasons,
});

async function explain(world, commands, flags) {
  const file = join(world.root, 'commands.jsonl');
  writeFileSync(file, commands.map((command) => `${JSON.stringify(command)}\n`).join(''));
  const { code, out, err } = await world.tenon(['approval', 'explain', '--json', '--file', file, ...flags]);
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  if (lines.length !== commands.length)
    throw new Error(
      `explain answered ${lines.length} of ${commands.length} commands (exit ${code}): ${err.slice(0, 500)}`,
    );
  return lines;
}
