/** What other plugins may use of the command line: the slot for commands, and how they are called. */
import { service, slot } from '@tenon/kernel';
import type { CommandSpec, FlagSpec } from './command-spec.ts';

export type { ArgumentSpec, CommandSpec, FlagSpec } from './command-spec.ts';

/** How a question is asked. */
export interface AskOptions {
  /** The answer is a key or a password: it is not shown while it is typed. */
  readonly secret?: boolean;
}

/** How a command talks to the person or program that called it. Plain data and async functions, so that it crosses to packs. */
export interface CommandIo {
  /** Writes to standard output; add the line break yourself. Programs get it as it is, a terminal without control sequences but styles. */
  out(text: string): Promise<void>;
  /** Writes to standard error, likewise. */
  err(text: string): Promise<void>;
  /** Writes a value as JSON and a line break to standard output. */
  json(value: unknown): Promise<void>;
  /** Whether standard output is a terminal. */
  readonly terminal?: boolean;
  /** Whether somebody watches standard error and wants to see what goes on: it is a terminal, or --verbose was given. */
  readonly progress?: boolean;
  /** Whether --verbose was given: more than usual is wanted. */
  readonly verbose?: boolean;
  /** Whether standard output shows colours. */
  readonly color: boolean;
  /** Whether a person sits at both ends: standard input and standard error are terminals. */
  readonly interactive: boolean;
  /** Whether standard input is a pipe of a shell, or a file with content. */
  readonly piped?: boolean;
  /** Columns of the terminal, 80 if there is none. */
  readonly width: number;
  /** Asks a question and gives the line typed; absent when no one can answer. */
  ask?(question: string, options?: AskOptions): Promise<string>;
  /** Leaves the terminal to another program while `work` runs: Ctrl-C belongs to that program meanwhile. */
  handOver?<T>(work: () => Promise<T>): Promise<T>;
}

/** One call of a command. */
export interface CommandCall {
  /** Positional arguments by name; a variadic one is a list. */
  readonly args: Readonly<Record<string, string | string[] | undefined>>;
  /** Flags by name, defaults filled in; a flag marked `multiple` is a list. */
  readonly flags: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly io: CommandIo;
  readonly cwd: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The code of a command. It gives its exit code; nothing means 0. An error it throws is reported with its next step. */
export interface CliCommand {
  run(call: CommandCall): Promise<number | void>;
}

/** Commands by their words, joined by one space ("plugin list"). The data of an entry is a `CommandSpec`. */
export const cliCommands = slot<CliCommand>('cli-commands', { access: 'packs' });

/** Brings flags that depend on the folder: those of extensions. */
export interface FlagSource {
  /** The flags for the command that needs no name; `flags` are those of the line that are known without them. */
  flags(request: Pick<CommandCall, 'cwd' | 'flags'>): Promise<Readonly<Record<string, FlagSpec>>>;
  /** Those that are known without running anything of others, for help. */
  known?(request: Pick<CommandCall, 'cwd'>): Promise<Readonly<Record<string, FlagSpec>>>;
}

/** Sources of flags that depend on the folder; they are asked only about a line with a flag that nobody knows. */
export const flagSources = slot<FlagSource>('flag-sources');

/** A flag that only people may give. */
export interface FlagSetting {
  /** The flag as it is written: `--yolo`. */
  readonly flag: string;
  /** The setting that it stands for, as `key=value`. */
  readonly assignment?: string;
}

/** How the shell calls the command line. */
export interface CommandLine {
  /** Parses `words` (without the global flags), shows help or runs the command, and gives the exit code. */
  run(
    words: readonly string[],
    call: Omit<CommandCall, 'args' | 'flags'> & {
      readonly help: boolean;
      /** A person asked for it on the screen of this process, which carries the mark of an agent for what it starts. */
      readonly byPerson?: boolean;
    },
  ): Promise<number>;
  /** The flags that only people may give, and the settings that they stand for; empty when the words cannot be parsed. */
  settingsIn(words: readonly string[]): readonly FlagSetting[];
  /** The command that `words` start with, if there is one; parses nothing else. */
  find(words: readonly string[]): { readonly key: string; readonly spec: CommandSpec } | undefined;
}

/** The command line. */
export const commandLine = service<CommandLine>('command-line');

export { EXIT } from './exit-codes.ts';
export { GLOBAL_FLAGS, splitGlobalFlags, type GlobalFlags } from './global-flags.ts';
