/** The manual page `tenon(1)`, made from the manifests like the help. */
import type { CommandSpec, FlagSpec } from './command-spec.ts';
import { exitRows } from './exit-codes.ts';
import { flagsOf } from './flags.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { flagTerm, flagText } from './help.ts';
import { CommandTable, synopsis, type TableEntry } from './table.ts';
import { environmentRows } from './topics.ts';
import { plainLine } from '@tenon/wording';

/** Renders the commands, as the manifests declare them, in the macros of man(7). */
export function manPage(
  commands: Iterable<{ readonly key: string; readonly spec: CommandSpec; readonly plugin: string }>,
  version: string,
): string {
  const table = new CommandTable(commands);
  const roots = table.visible.filter(({ spec }) => spec.root);
  const examples = roots.flatMap(({ spec }) => (spec.examples ?? []).map(example));
  const parts = [
    `.TH TENON 1 "" "tenon ${roff(version)}" "User Commands"`,
    '.SH NAME\ntenon \\- a coding agent and a platform for agents',
    '.SH SYNOPSIS',
    ...roots.flatMap((entry) => [text(synopsis(entry)), '.br']),
    '.B tenon\n.I COMMAND\n.RI [ ARGUMENTS ]\n.RI [ FLAGS ]',
    '.SH DESCRIPTION',
    text('Without a command, Tenon opens its screen; with -p "TASK" it does one task and exits.'),
    '.PP',
    text('tenon help COMMAND shows the same texts as this page, those of installed packs included.'),
    ...(examples.length === 0 ? [] : ['.SH EXAMPLES', ...examples]),
    '.SH "FLAGS OF ALL COMMANDS"',
    flagList(GLOBAL_FLAGS),
    '.SH COMMANDS',
    ...table.visible.map(commandPart),
    '.SH ENVIRONMENT',
    ...environmentRows.map(({ term, text: meaning }) => item(term, meaning)),
    '.SH "EXIT STATUS"',
    ...exitRows().map(({ code, meaning }) => item(String(code), meaning)),
  ];
  return `${parts.join('\n')}\n`;
}

function commandPart(entry: TableEntry): string {
  const { key, spec } = entry;
  const lines = [`.SS "tenon ${roff(key).replaceAll('"', '\\(dq')}"`, text(`${spec.summary}.`), '.PP', '.nf'];
  lines.push(text(synopsis(entry)), '.fi');
  for (const paragraph of spec.description?.split(/\n{2,}/) ?? []) lines.push('.PP', text(paragraph));
  for (const { name, summary, choices } of spec.arguments ?? [])
    lines.push(item(name.toUpperCase(), choices ? `${summary} (one of: ${choices.join(', ')})` : summary));
  const flags = flagsOf(spec);
  if (Object.keys(flags).length > 0) lines.push(flagList(flags));
  // Those of the command without a name stand at the top of the page.
  if (!spec.root) lines.push(...(spec.examples ?? []).map(example));
  return lines.join('\n');
}

function example({ command, summary }: { readonly command: string; readonly summary: string }): string {
  return ['.PP', text(`${summary}:`), '.RS', '.nf', text(command), '.fi', '.RE'].join('\n');
}

function flagList(flags: Readonly<Record<string, FlagSpec>>): string {
  return Object.entries(flags)
    .map(([name, spec]) => item(flagTerm(name, spec), flagText(spec)))
    .join('\n');
}

function item(term: string, meaning: string): string {
  return `.TP\n${text(term).replace(/^/, '\\fB')}\\fR\n${text(meaning)}`;
}

/** One line of text: it can be no request, whatever it begins with. */
function text(line: string): string {
  const written = roff(line);
  return /^[.']/.test(written) ? `\\&${written}` : written;
}

/** Backslashes, dashes and quotes mean something to roff; `\(bu` and the like are plain text in a manifest. */
function roff(line: string): string {
  return plainLine(line)
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replaceAll(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
