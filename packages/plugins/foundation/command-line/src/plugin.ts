import { definePlugin, type Entry, TenonError } from '@tenon/kernel';
import { type CliCommand, cliCommands, type CommandCall, commandLine, flagSources } from './api.ts';
import { kernelView } from '@tenon/host';
import { type CommandSpec, type FlagSpec, specProblem } from './command-spec.ts';
import { errors } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { settingsIn } from './flag-settings.ts';
import { commandFirst } from './leading-flags.ts';
import { knownFlags, parseCommand } from './parse.ts';
import { plainText } from '@tenon/wording';
import { CommandTable, type TableEntry } from './table.ts';

const asText = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');
const asList = (value: string | string[] | undefined): string[] => (Array.isArray(value) ? value : []);

/** Parsing, help and completion: everything that is read from the table of commands. */
export default definePlugin({
  id: 'command-line',
  defines: [cliCommands, flagSources, commandLine],
  needs: { kernel: kernelView },
  activate(ctx) {
    const commands = ctx.read(cliCommands);
    // A start asks for the table several times, and checking what is in it costs most of that.
    const checked = new WeakMap<object, TableEntry[]>();
    const checkedOnce = (entry: Entry<CliCommand>): TableEntry[] => {
      const known = checked.get(entry.data);
      if (known) return known;
      const found = usable(entry, ctx.report);
      checked.set(entry.data, found);
      return found;
    };
    let known: { list: readonly Entry<CliCommand>[]; table: CommandTable } | undefined;
    // Looked at anew each time: packs bring commands while Tenon runs.
    const table = (): CommandTable => {
      const list = commands.list();
      const isKnown =
        known?.list.length === list.length && list.every(({ data }, at) => data === known?.list[at]?.data);
      if (!known || !isKnown) known = { list, table: new CommandTable(list.flatMap(checkedOnce)) };
      return known.table;
    };
    const help = async (topic: readonly string[], { io, cwd }: Pick<CommandCall, 'io' | 'cwd'>) => {
      const known = table();
      const isRoot = topic.length === 0 || topic.join(' ') === known.root?.key;
      return (await import('./help.ts')).renderHelp(known, topic, io, isRoot ? await flagsOfOthers(cwd) : {});
    };
    const flagsOfOthers = async (cwd: string): Promise<Record<string, FlagSpec>> => {
      const sources = ctx.read(flagSources);
      const all: Record<string, FlagSpec> = {};
      for (const { key } of sources.list()) Object.assign(all, await (await sources.resolve(key)).known?.({ cwd }));
      return all;
    };

    /** A flag that nobody knows may be one of an extension, which has to be loaded to know. */
    const parse = async (words: readonly string[], { cwd }: Pick<CommandCall, 'cwd'>) => {
      const known = table();
      try {
        return parseCommand(known, words);
      } catch (fault) {
        const { root } = known;
        const isUnknownFlag = fault instanceof TenonError && fault.code === 'COMMAND_LINE_UNKNOWN_FLAG';
        if (!root || !isUnknownFlag || fault.details['usage'] !== `tenon ${root.key}`) throw fault;
        const sources = ctx.read(flagSources);
        const flags = knownFlags(root, words);
        const more: Record<string, FlagSpec> = {};
        for (const { key } of sources.list())
          Object.assign(more, await (await sources.resolve(key)).flags({ cwd, flags }));
        if (!Object.hasOwn(more, String(fault.details['flag']).replace(/^--/, ''))) throw fault;
        return parseCommand(known.withFlags(root, more), words);
      }
    };

    ctx.provide(commandLine, {
      settingsIn: (words) => settingsIn(table(), words),
      find(words) {
        const entry = entryFor(table(), words);
        return entry && { key: entry.key, spec: entry.spec };
      },
      async run(words, call) {
        if (call.help) {
          await call.io.out(await help(helpTopic(table(), words), call));
          return EXIT.ok;
        }
        // Nothing but the name: at a terminal the person wants to work, and what is piped in is the prompt. Elsewhere the help says what there is.
        const { interactive, terminal, piped } = call.io;
        const isBare = words.length === 0 && ((interactive && terminal === true) || piped === true);
        const parsed = await parse(isBare ? (table().root?.key.split(' ') ?? []) : words, call);
        if (parsed.kind === 'incomplete') {
          const text = await help(parsed.words, call);
          if (parsed.words.length === 0) await call.io.out(text);
          else await call.io.err(`Which command of \`tenon ${parsed.words.join(' ')}\`?\n\n${text}`);
          return parsed.words.length === 0 ? EXIT.ok : EXIT.usage;
        }
        const { personOnly, readsWith = [] } = parsed.entry.spec;
        const isReading = readsWith.some((flag) => parsed.flags[flag] === true);
        if (personOnly === true && !isReading && call.byPerson !== true) await refuseAgents(parsed.entry.key);
        const command = await commands.resolve(parsed.entry.key);
        const { io, cwd, signal } = call;
        const code = await command.run({ args: parsed.args, flags: parsed.flags, io, cwd, signal });
        return code ?? EXIT.ok;
      },
    });

    ctx.contribute(cliCommands, 'help', {
      run: async (call) => call.io.out(await help(helpTopic(table(), asList(call.args['topic'])), call)),
    });
    ctx.contribute(cliCommands, 'completion', {
      run: async ({ args, io }) => {
        const { completionScript, SHELLS } = await import('./completion.ts');
        const shell = SHELLS.find((name) => name === args['shell']);
        if (shell) await io.out(completionScript(shell, table()));
      },
    });
    ctx.contribute(cliCommands, '__complete', {
      run: async ({ args, io }) => {
        const { candidates } = await import('./candidates.ts');
        const names = await candidates(asText(args['kind']), ctx.needs.kernel, (id) => ctx.token('slot', id));
        if (names.length > 0) await io.out(`${names.join('\n')}\n`);
      },
    });
  },
});

/** An agent must not answer its own questions, nor change what holds it. */
async function refuseAgents(command: string): Promise<void> {
  const { agentSign } = await import('@tenon/host');
  const sign = agentSign();
  if (sign !== undefined) throw errors.create('COMMAND_LINE_PERSON_ONLY', { command, sign });
}

/** A command as the table takes it; one that a pack describes wrongly is reported and left out. */
function usable({ key, data, source }: Entry<CliCommand>, report: (error: TenonError) => void): TableEntry[] {
  const { plugin, file = plugin, foreign } = source;
  // A test checks the commands of built-in plugins, and there are many.
  if (isBuiltIn(file) && foreign !== true) return [{ key, spec: data as unknown as CommandSpec, plugin }];
  const problem = specProblem(key, data);
  if (problem === undefined) {
    const { root: _root, quiet: _quiet, personOnly: _personOnly, flags, ...rest } = data;
    const own = { ...rest, ...(isRecord(flags) && { flags: withoutSettings(flags) }) };
    // A stranger's command runs by its name only, hides no findings, changes no settings, and what it starts is never a person's.
    return [{ key, spec: cleanSpec(foreign === true ? own : data) as CommandSpec, plugin }];
  }
  report(errors.create('COMMAND_LINE_SPEC_INVALID', { command: key, plugin, file, problem }));
  return [];
}

/** The manifests of built-in plugins are named by their place in the repository. */
function isBuiltIn(file: string): boolean {
  return file.startsWith('packages/plugins/');
}

function isRecord(value: unknown): value is Readonly<Record<string, object>> {
  return typeof value === 'object' && value !== null;
}

function withoutSettings(flags: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, setting: undefined }]));
}

/** In JSON: controls other than line breaks and tabs, halves of pairs, and all that is not ASCII. */
const WORTH_A_LOOK = /\\(?:[bfr]|u[0d])|[^ -~]/;

/** Manifests of packs must not bring control sequences to the terminal. */
function cleanSpec(spec: object): object {
  return WORTH_A_LOOK.test(JSON.stringify(spec)) ? (cleaned(spec) as object) : spec;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner)]));
}

function entryFor(table: CommandTable, words: readonly string[]): TableEntry | undefined {
  const sorted = commandFirst(table, words);
  if (sorted.kind === 'unclear') return sorted.entry;
  const match = table.match(sorted.words);
  return match.kind === 'command' ? match.entry : undefined;
}

/** `tenon config set x --help` is about `config set`: words behind a command are its arguments. */
function helpTopic(table: CommandTable, words: readonly string[]): readonly string[] {
  const entry = entryFor(table, words);
  if (entry) return entry.key.split(' ');
  const match = table.match(words);
  if (match.kind === 'group' && match.unknown === undefined) return match.words;
  return words.filter((word) => !word.startsWith('-'));
}
