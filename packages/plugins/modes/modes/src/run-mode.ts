/** From the flags of a command line to a session, an agent and a mode. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AgentFactory, AgentOptions } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import { type KernelAccess, type Logger, messageOf, type Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { ThinkingLevel } from '@tenon/models/api';
import type { FileMentionMessage, PromptHistory, Session, SessionStore } from '@tenon/sessions/api';
import type { AgentSetup, ModeCall, Mode, ModeData } from './api.ts';
import type { ExtensionFlags, UserInterface } from '@tenon/host';
import type { EventWriter } from './event-writer.ts';
import { errors } from './errors.ts';
import { pipedMention, readMention, readPiped, splitWords } from './input.ts';
import { PromptMemory } from './prompt-memory.ts';
import { runUserCommand } from './user-commands.ts';

/** What a mode needs of the rest of Tenon. */
export interface ModeParts extends Pick<KernelAccess, 'run'> {
  readonly agents: AgentFactory;
  readonly store: SessionStore;
  readonly log: Logger;
  history(): Promise<PromptHistory>;
  readonly modes: Registry<Mode>;
  readonly stdin: NodeJS.ReadStream;
  eventWriter(write: (text: string) => Promise<void>): EventWriter;
  useInterface(ui: UserInterface | undefined): void;
}

type Flags = CommandCall['flags'];

const SESSION_FLAGS = ['continue', 'resume', 'fork', 'session', 'no-session'] as const;

/** Runs the mode that the command line asks for, and gives its exit code. */
export async function runMode(parts: ModeParts, call: CommandCall): Promise<number> {
  const { flags, io, cwd, signal } = call;
  const words = call.args['prompt'];
  const { prompt, files } = splitWords(Array.isArray(words) ? words : [], cwd);
  const name = modeName(parts, call, prompt !== undefined || files.length > 0);
  const data: Partial<ModeData> = parts.modes.get(name)?.data ?? {};
  const firstInput = [...files.map((file) => `@${file}`), prompt].find((part) => part !== undefined);
  if (data.takesInput === false && firstInput !== undefined)
    throw errors.create('MODES_NO_INPUT', { mode: name, input: firstInput });
  const choice = sessionChoice(flags);
  const setup = await agentSetup(flags, cwd);
  const input =
    data.takesInput === false
      ? { prompt: undefined, mentions: undefined }
      : await readInput(prompt, files, { cwd, signal, io, stdin: parts.stdin });

  const agentFor: ModeCall['agentFor'] = (session) => parts.agents.create({ ...setup, session, cwd });
  const mode = await parts.modes.resolve(name);
  const isPersistent = choice?.flag !== 'no-session';
  const memory = new PromptMemory({ history: () => parts.history(), cwd, log: parts.log });
  const remember = (typed: string) => isPersistent && memory.add(typed);
  if (prompt !== undefined && data.takesInput !== false) remember(prompt);
  try {
    return await mode.run({
      ...input,
      io,
      cwd,
      signal,
      setup,
      isPersistent,
      open: async () => {
        const tell = (text: string) => io.err(text);
        const session = await openSession(parts.store, choice, cwd, tell);
        try {
          return await agentFor(session);
        } finally {
          // What is missing has shown by now: making an agent reads the conversation.
          for (const repair of session.repairs) await tell(`Session ${session.id}: ${repair}\n`);
        }
      },
      agentFor,
      runUserCommand: (agent, request) => runUserCommand(parts, agent, request),
      remember,
      eventWriter: () => parts.eventWriter((text) => io.out(text)),
      useInterface: (ui) => parts.useInterface(ui),
    });
  } finally {
    parts.useInterface(undefined);
    await memory.flush();
  }
}

/** What the flags say to plugins. */
export function extensionFlagsIn(flags: Flags): ExtensionFlags {
  const paths = [flags['extension'], flags['hook']].flatMap((values) => (Array.isArray(values) ? values : []));
  return { extensions: paths, noExtensions: flags['no-extensions'] === true };
}

function modeName({ modes }: ModeParts, { flags, io }: CommandCall, hasInput: boolean): string {
  const asked = text(flags['mode']) ?? (flags['json'] ? 'json' : flags['print'] ? 'text' : undefined);
  const known = modes.list().map(({ key }) => key);
  if (asked !== undefined && !known.includes(asked))
    throw errors.create('MODES_UNKNOWN', { mode: asked, modes: known, hint: didYouMean(asked, known) });
  if (asked !== undefined) return asked;
  if (io.interactive && known.includes('interactive')) return 'interactive';
  // At a terminal without an interactive mode the prompt is still worth an answer.
  if (hasInput || !io.interactive) return 'text';
  throw errors.create('MODES_NOTHING_TO_DO');
}

async function readInput(
  prompt: string | undefined,
  files: readonly string[],
  { cwd, signal, io, stdin }: Pick<CommandCall, 'cwd' | 'signal' | 'io'> & { stdin: NodeJS.ReadStream },
): Promise<Pick<ModeCall, 'prompt' | 'mentions'>> {
  const mentioned = await Promise.all(files.map((file) => readMention(file, cwd)));
  const piped = await readPiped(stdin, signal, (hint) => void io.err(hint));
  signal.throwIfAborted();
  const pipe = piped.length > 0 ? pipedMention(piped) : undefined;
  // Text from a pipe is the prompt when there is no other; else it is what the prompt is about.
  if (prompt === undefined && pipe) return { prompt: pipe.content, mentions: mention(mentioned) };
  if (prompt === undefined && mentioned.length > 0) return promptFromFiles(mentioned);
  return { prompt, mentions: mention(pipe ? [...mentioned, pipe] : mentioned) };
}

/** Files without another word: what they say is the prompt. */
function promptFromFiles(files: FileMentionMessage['files']): Pick<ModeCall, 'prompt' | 'mentions'> {
  const prompt = files.flatMap(({ content, image }) => (image ? [] : [content])).join('\n\n');
  if (prompt.trim() === '') throw errors.create('MODES_NOTHING_TO_DO');
  return { prompt, mentions: mention(files.filter(({ image }) => image)) };
}

function mention(files: FileMentionMessage['files']): FileMentionMessage | undefined {
  return files.length === 0 ? undefined : { role: 'fileMention', files, timestamp: Date.now() };
}

interface SessionChoice {
  readonly flag: (typeof SESSION_FLAGS)[number];
  readonly value: string | undefined;
}

function sessionChoice(flags: Flags): SessionChoice | undefined {
  const chosen = SESSION_FLAGS.filter((flag) => flags[flag] !== undefined && flags[flag] !== false);
  if (chosen.length > 1) throw errors.create('MODES_SESSION_FLAGS', { flags: chosen.map((flag) => `--${flag}`) });
  const [flag] = chosen;
  return flag && { flag, value: text(flags[flag]) };
}

/** Opens the session that the flags ask for; a new one without them. */
async function openSession(
  store: SessionStore,
  choice: SessionChoice | undefined,
  cwd: string,
  tell: (text: string) => Promise<void>,
): Promise<Session> {
  switch (choice?.flag) {
    case 'no-session':
      return store.inMemory({ cwd });
    case 'resume':
      return store.open(choice.value ?? '');
    case 'session':
      return store.openOrCreate(choice.value ?? '', { cwd });
    case 'continue': {
      const recent = await store.continueRecent(cwd);
      if (!recent) await tell('There is no session to continue in this folder; a new one is started.\n');
      return recent ?? store.create({ cwd });
    }
    case 'fork': {
      const original = await store.open(choice.value ?? '', { readOnly: true });
      try {
        return await store.fork(original, { cwd });
      } finally {
        await original.close();
      }
    }
    default:
      return store.create({ cwd });
  }
}

async function agentSetup(flags: Flags, cwd: string): Promise<AgentSetup> {
  const [model, thinking, tools] = [text(flags['model']), text(flags['thinking']), text(flags['tools'])];
  const systemPrompt = await textOrFile(text(flags['system-prompt']), cwd);
  const appendSystemPrompt = await textOrFile(text(flags['append-system-prompt']), cwd);
  const setup: { -readonly [K in keyof AgentOptions]?: AgentOptions[K] } = {
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking: thinking as ThinkingLevel }),
    ...(tools !== undefined && {
      tools: tools
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
  return setup;
}

async function textOrFile(given: string | undefined, cwd: string): Promise<string | undefined> {
  if (given === undefined || !given.startsWith('@')) return given;
  const file = given.slice(1);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (fault) {
    throw errors.create('MODES_FILE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}

function text(value: Flags[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
