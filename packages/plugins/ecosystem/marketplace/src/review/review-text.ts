/** Reviews and changes in words, as people see them before they agree. All of it was written by strangers. */
import { plainLine } from '@tenon/wording';
import type { Changes } from './changes.ts';
import { idleText } from './idle.ts';
import type { Power } from './powers.ts';
import type { Program, Review } from './review.ts';

const TITLES: Readonly<Record<Power['kind'], string>> = {
  signature: 'Its signature changed',
  pack: 'Code of its own',
  permission: 'Asks for permissions',
  hook: 'Runs commands when something happens (hooks)',
  mcp: 'Starts or reaches MCP servers',
  lsp: 'Starts language servers',
  module: 'Loads code into the agent',
  shell: 'Runs shell lines inside of commands',
  tools: 'Names tools that it wants to use',
};

const MAX_NAMES = 30;
const MAX_LINE = 2_000;

/** What a plugin brings and could do. */
export function reviewText(review: Review): string {
  const { brings, powers, programs, problems } = review;
  const idle = idleText(review);
  const parts = Object.entries(brings).map(
    ([kind, names]) => `  brings ${kind} (${names.length}): ${nameList(names)}\n`,
  );
  const runs = powers.length + programs.length;
  return [
    ...parts,
    powersText(powers, '-'),
    programsText('Has files that can run', programs, '-'),
    runs === 0 ? '  runs nothing: it only informs the model\n' : '',
    ...(idle === undefined ? [] : [`  ${idle}\n`]),
    ...problems.map((problem) => `  note: ${line(problem)}\n`),
  ].join('');
}

/** What an upgrade changes, what is new first. */
export function changesText({
  addedPowers,
  removedPowers,
  addedPrograms,
  changedPrograms,
  removedPrograms,
}: Changes): string {
  const text = [
    powersText(addedPowers, '+'),
    programsText('New files that can run', addedPrograms, '+'),
    programsText('Changed files that can run', changedPrograms, '~'),
    powersText(removedPowers, '-', 'No longer: '),
    programsText('Removed files that could run', removedPrograms, '-'),
  ].join('');
  return text === '' ? '  nothing new that runs\n' : text;
}

function powersText(powers: readonly Power[], sign: string, prefix = ''): string {
  return (Object.keys(TITLES) as Power['kind'][])
    .map((kind) => {
      const some = powers.filter((power) => power.kind === kind);
      if (some.length === 0) return '';
      return `  ${prefix}${TITLES[kind]}:\n${some.map(({ text }) => `    ${sign} ${line(text)}\n`).join('')}`;
    })
    .join('');
}

function programsText(title: string, programs: readonly Program[], sign: string): string {
  if (programs.length === 0) return '';
  const shown = programs.slice(0, MAX_NAMES).map(({ path, kind }) => `    ${sign} ${line(path)} (${kind})\n`);
  const more = programs.length - shown.length;
  return `  ${title}:\n${shown.join('')}${more > 0 ? `    and ${more} more; --json shows all\n` : ''}`;
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(line).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

function line(text: string): string {
  const plain = plainLine(text);
  return plain.length > MAX_LINE ? `${plain.slice(0, MAX_LINE)}… (${plain.length} characters)` : plain;
}
