import { parseArgs } from 'node:util';
import { didYouMean, nearest, shellWord } from '@tenon/wording';
import type { ArgumentSpec, FlagSpec } from './command-spec.ts';
import { errors } from './errors.ts';
import { flagsOf, parserOptions, withValues } from './flags.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { commandFirst } from './leading-flags.ts';
import { type CommandTable, synopsis, type TableEntry } from './table.ts';

/** What a command line asks for. */
export type ParsedCommand =
  | {
      readonly kind: 'run';
      readonly entry: TableEntry;
      readonly args: Record<string, string | string[] | undefined>;
      readonly flags: Record<string, string | boolean | string[] | undefined>;
    }
  /** A group without one of its commands, or nothing at all. */
  | { readonly kind: 'incomplete'; readonly words: readonly string[] };

/** Finds the command and reads its arguments and flags. Throws a usage error that says what to write instead. */
export function parseCommand(table: CommandTable, argv: readonly string[]): ParsedCommand {
  const sorted = commandFirst(table, argv);
  if (sorted.kind === 'unclear') {
    const { entry, text, asCommand, asPrompt } = sorted;
    throw errors.create('COMMAND_LINE_UNCLEAR', { text, command: entry.key, asCommand, asPrompt });
  }
  const { words } = sorted;
  const [first] = words;
  if (first === undefined || first === '--') return { kind: 'incomplete', words: [] };
  if (first.startsWith('-') && !table.rootFor(words)) {
    throw errors.create('COMMAND_LINE_FLAG_PLACE', {
      flag: first,
      flags: Object.keys(GLOBAL_FLAGS).map((name) => `--${name}`),
    });
  }
  const match = table.match(words);
  if (match.kind === 'command')
    return { kind: 'run', entry: match.entry, ...readWords(match.entry, match.rest, table.root) };
  if (match.kind === 'group' && match.unknown === undefined) return { kind: 'incomplete', words: match.words };
  throw unknownCommand(table, words, match.kind === 'group' ? match.words.length + 1 : 1);
}

function unknownCommand(table: CommandTable, words: readonly string[], shown: number) {
  const plain = words.filter((word) => !word.startsWith('-'));
  const similar = suggestions(table, plain);
  const prompt = plain.join(' ');
  // Several words that fit nothing are most likely a prompt without quotes.
  const isPrompt = table.root !== undefined && (similar.length === 0 || plain.length > 2);
  const asPrompt = plain.length > 1 ? shellWord(prompt) : `${table.root?.key} ${shellWord(prompt)}`;
  return errors.create('COMMAND_LINE_UNKNOWN_COMMAND', {
    command: plain.slice(0, shown).join(' '),
    hint: similar.length === 0 ? '' : ` Did you mean ${similar.map((name) => `"tenon ${name}"`).join(' or ')}?`,
    prompt: isPrompt ? ` For a prompt write \`tenon ${asPrompt}\`.` : '',
  });
}

function suggestions(table: CommandTable, words: readonly string[]): readonly string[] {
  const [first = ''] = words;
  const flag: FlagSpec | undefined = Object.hasOwn(GLOBAL_FLAGS, first)
    ? GLOBAL_FLAGS[first as keyof typeof GLOBAL_FLAGS]
    : undefined;
  return flag?.type === 'boolean' ? [`--${first}`] : table.suggest(words);
}

function readWords(entry: TableEntry, words: readonly string[], root: TableEntry | undefined) {
  const specs = flagsOf(entry.spec);
  // Not strict: the errors of parseArgs do not know what to suggest, so its tokens are checked here.
  const { tokens } = parseArgs({
    args: withValues(ourSpelling(words, specs), specs).map(shieldNumber),
    options: parserOptions(specs),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, (string | boolean)[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(unshield(token.value));
    else if (token.kind === 'option') {
      const { name, value } = readFlag(entry, specs, token, root);
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return { args: assignArguments(entry, positionals), flags: collectFlags(specs, values) };
}

/** The flags of a line that the command knows; the others, and what is wrong with these, are left out. */
export function knownFlags(
  entry: TableEntry,
  words: readonly string[],
): Record<string, string | boolean | string[] | undefined> {
  const specs = flagsOf(entry.spec);
  const options = parserOptions(specs);
  const { tokens } = parseArgs({
    args: withValues(ourSpelling(words, specs), specs).map(shieldNumber),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, (string | boolean)[]>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(specs, token.name)) continue;
    const value = token.value === undefined ? true : unshield(token.value);
    values.set(token.name, specs[token.name]?.multiple === true ? [...(values.get(token.name) ?? []), value] : [value]);
  }
  return collectFlags(specs, values);
}

/** `--allowedTools` for `--allowed-tools`: other programs write flags so. */
function ourSpelling(words: readonly string[], specs: Readonly<Record<string, FlagSpec>>): readonly string[] {
  const end = words.indexOf('--');
  return words.map((word, index) => {
    const [, name, rest] = /^--([a-z]+(?:[A-Z][a-z]*)+)(=.*)?$/s.exec(word) ?? [];
    if (name === undefined || (end !== -1 && index > end)) return word;
    const ours = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return Object.hasOwn(specs, ours) ? `--${ours}${rest ?? ''}` : word;
  });
}

/** No word of a command line can hold this character. */
const SHIELD = '\0';

/** A negative number is a value, though parseArgs would take it for a group of short flags. */
function shieldNumber(word: string): string {
  return /^-\.?\d/.test(word) ? SHIELD + word : word;
}

function unshield(word: string): string {
  return word.startsWith(SHIELD) ? word.slice(SHIELD.length) : word;
}

type OptionToken = { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined };

function readFlag(
  entry: TableEntry,
  specs: Readonly<Record<string, FlagSpec>>,
  token: OptionToken,
  root: TableEntry | undefined,
) {
  const flag = token.rawName;
  const negated = token.name.startsWith('no-') ? token.name.slice(3) : undefined;
  if (negated !== undefined && specs[negated]?.type === 'boolean' && specs[negated].default === true) {
    return { name: negated, value: false };
  }
  const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined;
  if (!spec) {
    const hint = flagHint(entry, Object.keys(specs), token, root);
    throw errors.create('COMMAND_LINE_UNKNOWN_FLAG', { usage: `tenon ${entry.key}`, flag, hint });
  }
  if (spec.type === 'boolean') {
    if (token.value !== undefined) throw errors.create('COMMAND_LINE_FLAG_NO_VALUE', { flag, value: token.value });
    return { name: token.name, value: true };
  }
  const value = token.value === undefined ? undefined : unshield(token.value);
  if (value === undefined || (!token.inlineValue && value.startsWith('--'))) {
    throw errors.create('COMMAND_LINE_FLAG_VALUE', { flag, placeholder: spec.placeholder ?? 'VALUE' });
  }
  checkChoice(flag, value, spec.choices);
  return { name: token.name, value };
}

/** Whose flag it is, or which one was meant. */
function flagHint(
  entry: TableEntry,
  own: readonly string[],
  { name, rawName }: OptionToken,
  root: TableEntry | undefined,
): string {
  const foreign = entry.spec.flagHints ?? {};
  if (Object.hasOwn(foreign, name)) return ` ${foreign[name]}`;
  const flags = root && root !== entry ? Object.entries(flagsOf(root.spec)) : [];
  if (root && flags.some(([long, { short }]) => rawName === `--${long}` || rawName === `-${short}`))
    return ` It belongs to \`tenon ${root.key}\`: leave it out, or, if these words are a prompt, put quotes around them.`;
  const similar = rawName.startsWith('--') ? nearest(name, [...own, ...Object.keys(GLOBAL_FLAGS)]) : undefined;
  return similar === undefined ? '' : ` Did you mean "--${similar}"?`;
}

function collectFlags(specs: Readonly<Record<string, FlagSpec>>, valuesOf: ReadonlyMap<string, (string | boolean)[]>) {
  const flags: Record<string, string | boolean | string[] | undefined> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const values = valuesOf.get(name);
    if (spec.multiple)
      flags[name] = (values as string[] | undefined) ?? (typeof spec.default === 'string' ? [spec.default] : []);
    else if (values && values.length > 1 && spec.type === 'string') {
      throw errors.create('COMMAND_LINE_FLAG_REPEATED', { flag: `--${name}` });
    } else flags[name] = values?.at(-1) ?? spec.default ?? (spec.type === 'boolean' ? false : undefined);
  }
  return flags;
}

function assignArguments(entry: TableEntry, positionals: readonly string[]) {
  const specs = entry.spec.arguments ?? [];
  const details = { usage: `tenon ${entry.key}`, synopsis: synopsis(entry) };
  const args: Record<string, string | string[] | undefined> = {};
  let next = 0;
  for (const spec of specs) {
    const values = spec.variadic ? positionals.slice(next) : positionals.slice(next, next + 1);
    next += values.length;
    for (const value of values) checkChoice(spec.name.toUpperCase(), value, spec.choices);
    args[spec.name] = spec.variadic ? [...values] : values[0];
  }
  const missing = specs.filter((spec) => spec.required && isAbsent(args[spec.name]));
  if (missing.length > 0)
    throw errors.create('COMMAND_LINE_ARGUMENT_MISSING', { ...details, missing: missing.map(named) });
  const extra = positionals[next];
  if (extra !== undefined) throw errors.create('COMMAND_LINE_ARGUMENT_EXTRA', { ...details, extra });
  return args;
}

function isAbsent(value: string | string[] | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function named({ name, choices }: ArgumentSpec): string {
  return choices ? `${name.toUpperCase()} (${choices.join(', ')})` : name.toUpperCase();
}

function checkChoice(what: string, value: string, choices: readonly string[] | undefined): void {
  if (!choices || choices.includes(value)) return;
  throw errors.create('COMMAND_LINE_CHOICE', { what, value, choices, hint: didYouMean(value, choices) });
}
