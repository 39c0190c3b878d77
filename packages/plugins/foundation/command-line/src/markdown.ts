/** The reference of all commands as Markdown; `scripts/generate-docs.mjs` writes docs/reference/commands.md with it. */
import type { CommandSpec, FlagSpec } from './command-spec.ts';
import { exitRows } from './exit-codes.ts';
import { flagsOf } from './flags.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { flagTerm, flagText } from './help.ts';
import { CommandTable, synopsis, type TableEntry } from './table.ts';
import { environmentRows } from './topics.ts';

export { manPage } from './man-page.ts';

/** Renders the commands, as the manifests declare them, to one Markdown page. */
export function commandsMarkdown(commands: Iterable<{ key: string; spec: CommandSpec; plugin: string }>): string {
  const table = new CommandTable(commands);
  const parts = [
    '# Commands',
    'Every command, as `tenon help COMMAND` shows it.',
    '## Flags of all commands',
    markdownTable(['flag', 'meaning'], flagCells(GLOBAL_FLAGS)),
    ...table.visible.map(commandSection),
    '## Environment variables',
    markdownTable(
      ['variable', 'meaning'],
      environmentRows.map(({ term, text }) => [`\`${term}\``, text]),
    ),
    '## Exit codes',
    exitCodesTable(),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The table of exit codes, as Markdown. */
export function exitCodesTable(): string {
  return markdownTable(
    ['code', 'class', 'meaning'],
    exitRows().map(({ name, code, meaning }) => [String(code), name, meaning]),
  );
}

function commandSection(entry: TableEntry): string {
  const { key, spec } = entry;
  const parts = [`## tenon ${key}`, `${spec.summary}.`, `\`\`\`\n${synopsis(entry)}\n\`\`\``];
  if (spec.description) parts.push(spec.description);
  const args = (spec.arguments ?? []).map(({ name, summary, choices, required }) => [
    `\`${name.toUpperCase()}\``,
    [summary, choices && `One of: ${choices.join(', ')}`, !required && 'Optional'].filter(Boolean).join('. '),
  ]);
  if (args.length > 0) parts.push(markdownTable(['argument', 'meaning'], args));
  const flags = flagCells(flagsOf(spec));
  if (flags.length > 0) parts.push(markdownTable(['flag', 'meaning'], flags));
  if (spec.examples?.length) {
    parts.push(
      `\`\`\`sh\n${spec.examples.map(({ command, summary }) => `# ${summary}\n${command}`).join('\n')}\n\`\`\``,
    );
  }
  return [...parts, `Provided by plugin \`${entry.plugin}\`.`].join('\n\n');
}

function flagCells(flags: Readonly<Record<string, FlagSpec>>): string[][] {
  return Object.entries(flags).map(([name, spec]) => [`\`${flagTerm(name, spec)}\``, flagText(spec)]);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
