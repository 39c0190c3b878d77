import type { CommandSpec, FlagSpec } from './command-spec.ts';
import { errors } from './errors.ts';
import { flagsOf } from './flags.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { columns, paragraphs, type Row, styleFor, textWidth, wrap } from './layout.ts';
import { type CommandTable, synopsis, type TableEntry } from './table.ts';
import { topics } from './topics.ts';

/** Where help is shown. */
export interface HelpView {
  readonly width: number;
  readonly color: boolean;
}

const TAGLINE =
  'Tenon, a coding agent that you can take apart: a small kernel joins plugins, and every feature is one.';
/** How many examples of the command without a name stand at the top: what most people want. */
const FIRST_EXAMPLES = 2;
const OTHER_GROUP = 'Other commands';

/** The help on a topic: everything, a command, a group of commands, or a general topic. */
export function renderHelp(
  table: CommandTable,
  topic: readonly string[],
  view: HelpView,
  more: Readonly<Record<string, FlagSpec>> = {},
): string {
  const key = topic.join(' ');
  if (key === '') return renderOverview(table, view, more);
  const entry = table.get(key);
  if (entry) return renderCommand(table, entry, view, more);
  if (table.isGroup(key)) return renderGroup(table, key, view);
  const general = topics.find(({ name }) => name === key);
  if (general)
    return page([[general.title, paragraphs(general.text, textWidth(view.width), 2)], ...general.sections(view)], view);
  const named = topics.filter(({ name }) => name.startsWith(key)).map(({ name }) => name);
  const similar = named.length > 0 ? named : table.suggest(topic);
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.map((name) => `"${name}"`).join(' or ')}?`;
  throw errors.create('COMMAND_LINE_UNKNOWN_TOPIC', { topic: key, hint });
}

/** What `tenon` alone shows: how to begin, and all commands. */
export function renderOverview(
  table: CommandTable,
  view: HelpView,
  more: Readonly<Record<string, FlagSpec>> = {},
): string {
  const groups = new Map<string, TableEntry[]>();
  for (const entry of table.visible) {
    const group = entry.spec.group ?? OTHER_GROUP;
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  const width = textWidth(view.width);
  const sections = [...groups]
    .sort(([a], [b]) => rankGroup(a) - rankGroup(b) || (a < b ? -1 : 1))
    .map(([group, entries]): Section => [group, list(overviewRows(entries), view)]);
  const roots = table.visible.filter(({ spec }) => spec.root).map((entry) => `  ${synopsis(entry)}`);
  const first = table.visible.flatMap(({ spec }) => (spec.root ? (spec.examples ?? []).slice(0, FIRST_EXAMPLES) : []));
  const head = `${paragraphs(TAGLINE, width)}\n\n`;
  return (
    head +
    page(
      [
        ['Usage', ['  tenon COMMAND [ARGUMENTS] [FLAGS]', ...roots].join('\n')],
        ...(first.length === 0 ? [] : [['To begin with', examplesText(first, view)] as const]),
        ...sections,
        ['Flags of all commands', list(flagRows(GLOBAL_FLAGS), view)],
        ...ofExtensions(more, view),
        [
          'Topics',
          list(
            topics.map(({ name, summary }) => ({ term: `help ${name}`, text: summary })),
            view,
          ),
        ],
      ],
      view,
    ) +
    `\n${paragraphs('`tenon help COMMAND` explains a command, and its first word alone all that begin with it. `tenon doctor` checks the installation.', width)}\n`
  );
}

/** One row for all commands with the same first word: every one of them with its summary would fill three screens. */
function overviewRows(entries: readonly TableEntry[]): Row[] {
  const families = new Map<string, TableEntry[]>();
  for (const entry of entries) {
    const [head = ''] = entry.key.split(' ');
    families.set(head, [...(families.get(head) ?? []), entry]);
  }
  return [...families].flatMap(([head, family]) => {
    const [only, ...more] = family;
    if (only && (more.length === 0 || only.key === head)) return family.map(commandRow);
    return [{ term: `${head} …`, text: family.map(({ key }) => key.slice(head.length + 1)).join(', ') }];
  });
}

function rankGroup(group: string): number {
  return group === 'Getting started' ? 0 : group === OTHER_GROUP ? 2 : 1;
}

function renderGroup(table: CommandTable, group: string, view: HelpView): string {
  const more = `Explain one with \`tenon help ${group} COMMAND\`.`;
  return `${page(
    [
      ['Usage', `  tenon ${group} COMMAND`],
      ['Commands', list(table.under(group).map(commandRow), view)],
    ],
    view,
  )}\n${more}\n`;
}

/** Flags that the command without a name also takes, because extensions brought them. */
function ofExtensions(flags: Readonly<Record<string, FlagSpec>>, view: HelpView): Section[] {
  return Object.keys(flags).length === 0 ? [] : [['Flags of extensions', list(flagRows(flags), view)]];
}

function renderCommand(
  table: CommandTable,
  entry: TableEntry,
  view: HelpView,
  more: Readonly<Record<string, FlagSpec>>,
): string {
  const { key, spec } = entry;
  const width = textWidth(view.width);
  const style = styleFor(view.color);
  const sections: Section[] = [
    ['Name', paragraphs(`tenon ${key}: ${spec.summary}`, width, 2)],
    ['Usage', `  ${synopsis(entry)}`],
  ];
  if (spec.description) sections.push(['Description', paragraphs(spec.description, width, 2)]);
  const args = (spec.arguments ?? []).map(({ name, summary, choices, required }): Row => {
    const notes = [choices && `one of: ${choices.join(', ')}`, required ? undefined : 'optional']
      .filter(Boolean)
      .join('; ');
    return { term: name.toUpperCase(), text: notes ? `${summary} (${notes})` : summary };
  });
  if (args.length > 0) sections.push(['Arguments', list(args, view)]);
  const flags = flagRows(flagsOf(spec));
  if (flags.length > 0) sections.push(['Flags', list(flags, view)]);
  sections.push(...ofExtensions(more, view));
  const below = table.under(key);
  if (below.length > 0) sections.push(['Commands', list(below.map(commandRow), view)]);
  if (spec.examples?.length) sections.push(['Examples', examplesText(spec.examples, view)]);
  sections.push([
    'Exit codes',
    paragraphs(
      'Unless said otherwise above: 0 success, 1 failure, 2 wrong usage. All of them: `tenon help exit-codes`.',
      width,
      2,
    ),
  ]);
  const origin = paragraphs(`Flags of all commands: \`tenon help\`. Provided by plugin ${entry.plugin}.`, width);
  return `${page(sections, view)}\n${style.dim(origin)}\n`;
}

function examplesText(examples: NonNullable<CommandSpec['examples']>, { width, color }: HelpView): string {
  const { dim } = styleFor(color);
  return examples
    .map(({ command, summary }) => `${dim(comment(summary, textWidth(width)))}\n  ${command}`)
    .join('\n\n');
}

function comment(text: string, width: number): string {
  return wrap(text, width - 4)
    .map((line) => `  # ${line}`)
    .join('\n');
}

type Section = readonly [title: string, body: string];

function page(sections: readonly Section[], view: HelpView): string {
  const style = styleFor(view.color);
  return sections.map(([title, body]) => `${style.heading(title.toUpperCase())}\n${body}\n`).join('\n');
}

function list(rows: readonly Row[], view: HelpView): string {
  return columns(rows, textWidth(view.width), styleFor(view.color));
}

function commandRow({ key, spec }: TableEntry): Row {
  return { term: key, text: spec.summary };
}

function flagRows(flags: Readonly<Record<string, FlagSpec>>): Row[] {
  return Object.entries(flags).map(([name, spec]) => ({ term: flagTerm(name, spec), text: flagText(spec) }));
}

/** How a flag is written, e.g. `-i, --input JSON`. */
export function flagTerm(name: string, spec: FlagSpec): string {
  const shown = spec.default === true ? `no-${name}` : name;
  const value = spec.type === 'string' ? ` ${spec.placeholder ?? 'VALUE'}` : '';
  return `${spec.short ? `-${spec.short}, ` : ''}--${shown}${value}`;
}

/** What a flag does, with its choices and default. */
export function flagText({ summary, choices, default: preset, multiple }: FlagSpec): string {
  const notes = [
    choices && `one of: ${choices.join(', ')}`,
    typeof preset === 'string' && `default: ${preset}`,
    multiple && !/repeated/.test(summary) && 'may be repeated',
  ].filter(Boolean);
  return notes.length > 0 ? `${summary} (${notes.join('; ')})` : summary;
}
