/** What other plugins may use of slash commands: the slot to bring some, and the service that lists and expands them. */
import type { AgentSession } from '@tenon/agent/api';
import { type Disposable, service, slot } from '@tenon/kernel';
import type { ImageContent } from '@tenon/models/api';
import type { CustomMessage } from '@tenon/sessions/api';

/** A command as lists show it. */
export interface SlashCommandInfo {
  /** Without the slash: `review`, `git:commit`, `skill:pdf`. */
  readonly name: string;
  readonly description?: string;
  readonly argumentHint?: string;
  /** What kind of thing it is: `built-in`, `command`, `prompt`, `skill`, `mcp`, `extension`. */
  readonly kind: string;
  /** The family of its file: `native`, `claude`… */
  readonly family?: string;
  readonly level?: 'user' | 'project';
  readonly path?: string;
  readonly bundle?: string;
  /** Set when it takes the place of another command with its name, to the kind of that one. */
  readonly shadows?: string;
}

/** Where a command is used. */
export interface SlashScope {
  /** Absent outside of a session. */
  readonly session?: string;
  readonly cwd: string;
  /** True when it is typed while the agent works. */
  readonly midRun?: boolean;
}

/** One use of a command. */
export interface SlashCall extends SlashScope {
  readonly signal: AbortSignal;
}

/** What a command comes to. */
export type SlashOutcome =
  /** A prompt for the model. */
  | {
      readonly kind: 'prompt';
      readonly text: string;
      readonly images?: readonly ImageContent[];
      /** Set when the text becomes a message of this type and not one of the user. */
      readonly custom?: Pick<CustomMessage, 'customType' | 'details'>;
      /** The model for this prompt: `provider/id` or a pattern. */
      readonly model?: string;
      /** Tools that may be used without asking while the prompt is worked on. */
      readonly allowedTools?: readonly string[];
    }
  /** Everything is done; the text, if there is one, is for the user. */
  | { readonly kind: 'handled'; readonly text?: string }
  /** It cannot be used; `next` says what to do, unless the reason does. */
  | { readonly kind: 'refused'; readonly reason: string; readonly next?: string };

/** Brings commands: files, skills, prompts of MCP servers, commands of extensions. */
export interface SlashCommandProvider {
  /** The commands there are for a folder. */
  list(scope: SlashScope, signal?: AbortSignal): Promise<readonly SlashCommandInfo[]>;
  /** Carries out one of them; `args` is what was typed behind the name. Undefined when there is none of this name. */
  run(name: string, args: string, call: SlashCall): Promise<SlashOutcome | undefined>;
}

/** Who brings commands, by a name of their own; of two commands with the same name the provider with the higher priority wins. */
export const slashCommandProviders = slot<SlashCommandProvider>('slash-command-providers', { access: 'packs' });

/** A command that comes with Tenon. */
export interface BuiltInCommand {
  /** Does the work; `args` is what was typed behind the name, trimmed. `agent` is there when the manifest says that it is needed. */
  run(args: string, call: SlashCall & { readonly agent?: AgentSession }): Promise<SlashOutcome>;
}

/**
 * The built-in commands. The manifest has `summary`, `arguments` (what may follow the name) and `needs`: `session`, or `idle
 * session` for a command that changes the session and cannot be used while the agent works.
 */
export const builtInCommands = slot<BuiltInCommand>('built-in-commands');

/** Lists and expands slash commands. */
export interface SlashCommands {
  list(scope: string | SlashScope, signal?: AbortSignal): Promise<readonly SlashCommandInfo[]>;
  /** What a text that begins with a slash comes to; undefined when it is no command but ordinary text, a path for example. */
  expand(text: string, call: SlashScope & { readonly signal?: AbortSignal }): Promise<SlashOutcome | undefined>;
  /** Names that somebody else answers before the service is asked, such as a screen: suggested for one that nobody knows, not listed. */
  suggestAlso(names: readonly string[]): Disposable;
}

/** The slash commands. */
export const slashCommands = service<SlashCommands>('slash-commands');

export { errors } from './errors.ts';
export { untilRunEnds } from './until-run-ends.ts';
