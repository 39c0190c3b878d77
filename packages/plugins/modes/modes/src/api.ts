/** What modes and those who talk to the user may use: the slot for modes, what a mode is given, and the user interface. */
import type { AgentOptions, AgentSession, MadeAgent, UserCommandResult } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import type { UserInterface } from '@tenon/host';
import { slot } from '@tenon/kernel';
import type { FileMentionMessage, Session } from '@tenon/sessions/api';
import type { EventWriter } from './event-writer.ts';
import type { UserCommandRequest } from './user-commands.ts';

export { EventWriter, type Frame } from './event-writer.ts';
export { IdleMemory, type IdleMemoryOptions } from './idle-memory.ts';
export type { UserCommandRequest } from './user-commands.ts';

/** What the agent is made with, apart from its session. */
export type AgentSetup = Omit<AgentOptions, 'session' | 'cwd'>;

/** One prompt and the files, images and piped text that go with it. */
export interface ModeInput {
  readonly prompt: string;
  readonly mentions?: FileMentionMessage;
}

/** All that a mode is given: what was asked for, and how to begin. */
export interface ModeCall extends Pick<CommandCall, 'io' | 'cwd' | 'signal'> {
  /** What to work on, one after the other; empty for a mode that takes no input. */
  readonly inputs: readonly ModeInput[];
  /** What comes after them, while the mode runs (`--input-format stream-json`). */
  readonly later?: AsyncIterable<ModeInput>;
  /** The flags that the mode names in its manifest, as they were given. */
  readonly flags: CommandCall['flags'];
  readonly setup: AgentSetup;
  /** False when nothing must be kept. */
  readonly isPersistent: boolean;
  /** The user wants to choose the session from a list (`--resume` alone); `open` gives a new one until then. */
  readonly choosesSession?: boolean;
  /** Opens the session that was asked for and makes an agent for it. What there is to say about that goes to `tell`, else to standard error. */
  open(tell?: (text: string) => void | Promise<void>): Promise<MadeAgent>;
  /** A prompt with the files that it names (`@FILE`), for what is typed while the mode runs. */
  readInput(prompt: string): Promise<ModeInput>;
  /** Makes an agent for another session, with the same setup. */
  agentFor(session: Session): Promise<MadeAgent>;
  /** Sends objects as lines of JSON to standard output. No turn begins while its reader is far behind. */
  eventWriter(): EventWriter;
  /** Carries out a command that the user typed, and makes it a part of the conversation. */
  runUserCommand(agent: AgentSession, request: UserCommandRequest): Promise<UserCommandResult>;
  /** Remembers what the user typed while the mode runs; the prompt of the command line is remembered already. */
  remember(prompt: string): void;
  /** Becomes the user interface until the mode ends. */
  useInterface(ui: UserInterface): void;
  /** What ends the mode when an extension asks for that (`ctx.shutdown()`); one that ends by itself needs none. */
  onEnd(end: () => void): void;
}

/** What the manifest says about a mode. */
export interface ModeData {
  /** One line for lists. */
  readonly summary: string;
  /** False for modes that are told what to do later: they take no prompt, no files and no piped input. */
  readonly takesInput?: boolean;
  /** True for a mode that draws on the terminal: it starts before anything of the agent is loaded, and sends no events. */
  readonly ownsTerminal?: boolean;
  /** The value of `--output-format` that stands for the mode. */
  readonly outputFormat?: string;
  /** Flags of the command `agent` that only some modes know, and this one does. */
  readonly flags?: readonly string[];
}

/** A way to work with the agent. It gives the exit code. */
export interface Mode {
  run(call: ModeCall): Promise<number>;
}

/** Modes by the name that `--mode` takes. The data of an entry is a `ModeData`. */
export const modes = slot<Mode>('modes');
