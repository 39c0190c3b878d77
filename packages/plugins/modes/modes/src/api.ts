/** What modes and those who talk to the user may use: the slot for modes, what a mode is given, and the user interface. */
import type { AgentOptions, AgentSession, UserCommandResult } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import type { UserInterface } from '@tenon/host';
import { slot } from '@tenon/kernel';
import type { FileMentionMessage, Session } from '@tenon/sessions/api';
import type { EventWriter } from './event-writer.ts';
import type { UserCommandRequest } from './user-commands.ts';

export { EventWriter, type Frame } from './event-writer.ts';
export type { UserCommandRequest } from './user-commands.ts';

/** What the agent is made with, apart from its session. */
export type AgentSetup = Omit<AgentOptions, 'session' | 'cwd'>;

/** All that a mode is given: what was asked for, and how to begin. */
export interface ModeCall extends Pick<CommandCall, 'io' | 'cwd' | 'signal'> {
  readonly prompt: string | undefined;
  /** Files and piped input that go with the prompt. */
  readonly mentions: FileMentionMessage | undefined;
  readonly setup: AgentSetup;
  /** False when nothing must be kept. */
  readonly isPersistent: boolean;
  /** Opens the session that was asked for and makes an agent for it. */
  open(): Promise<{ readonly agent: AgentSession; readonly modelFallbackMessage?: string }>;
  /** Makes an agent for another session, with the same setup. */
  agentFor(session: Session): Promise<{ readonly agent: AgentSession; readonly modelFallbackMessage?: string }>;
  /** Sends objects as lines of JSON to standard output. No turn begins while its reader is far behind. */
  eventWriter(): EventWriter;
  /** Carries out a command that the user typed, and makes it a part of the conversation. */
  runUserCommand(agent: AgentSession, request: UserCommandRequest): Promise<UserCommandResult>;
  /** Remembers what the user typed while the mode runs; the prompt of the command line is remembered already. */
  remember(prompt: string): void;
  /** Becomes the user interface until the mode ends. */
  useInterface(ui: UserInterface): void;
}

/** What the manifest says about a mode. */
export interface ModeData {
  /** One line for lists. */
  readonly summary: string;
  /** False for modes that are told what to do later: they take no prompt, no files and no piped input. */
  readonly takesInput?: boolean;
}

/** A way to work with the agent. It gives the exit code. */
export interface Mode {
  run(call: ModeCall): Promise<number>;
}

/** Modes by the name that `--mode` takes. The data of an entry is a `ModeData`. */
export const modes = slot<Mode>('modes');
