/** From the flags of a command line to a session, an agent and a mode. */
import type { AgentFactory } from '@tenon/agent/api';
import type { Approvals } from '@tenon/approval/api';
import type { CommandCall } from '@tenon/command-line/api';
import type { ExtensionFlags, UserInterface } from '@tenon/host';
import type { KernelAccess, Logger, Registry } from '@tenon/kernel';
import type { PlanMode } from '@tenon/planning-tools/api';
import type { PromptHistory, SessionStore } from '@tenon/sessions/api';
import { didYouMean } from '@tenon/wording';
import { agentSetup, textFlag } from './agent-setup.ts';
import type { Mode, ModeCall, ModeData } from './api.ts';
import { errors } from './errors.ts';
import type { EventWriter } from './event-writer.ts';
import { readInputs, readPrompt } from './inputs.ts';
import { checkMcpConfigs } from './mcp-configs.ts';
import { PromptMemory } from './prompt-memory.ts';
import { openSession, sessionChoice, wantsList } from './session-choice.ts';
import { streamedInputs } from './streamed-inputs.ts';
import { applyRules, toolRules } from './tool-rules.ts';
import { runUserCommand } from './user-commands.ts';
import { splitWords, type SplitWords } from './words.ts';

/** What a mode needs of the rest of Tenon. */
export interface ModeParts extends Pick<KernelAccess, 'run'> {
  /** Loads what makes agents. */
  agents(): Promise<AgentFactory>;
  store(): Promise<SessionStore>;
  /** Comes before `eventWriter`: what takes secrets out of events. */
  prepareEvents(): Promise<void>;
  readonly log: Logger;
  history(): Promise<PromptHistory>;
  readonly modes: Registry<Mode>;
  /** The names of all tools. */
  toolNames(): readonly string[];
  approvals(): Promise<Approvals | undefined>;
  plans(): Promise<PlanMode>;
  readonly stdin: NodeJS.ReadStream;
  /** False where standard input is a terminal or /dev/null: opening it as a stream takes longer than to know that. */
  hasInput(): boolean;
  eventWriter(write: (text: string) => Promise<void>): EventWriter;
  useInterface(ui: UserInterface | undefined): void;
  onEnd(end: (() => void) | undefined): void;
}

type Flags = CommandCall['flags'];

/** Runs the mode that the command line asks for, and gives its exit code. */
export async function runMode(parts: ModeParts, call: CommandCall): Promise<number> {
  const { flags, io, cwd, signal } = call;
  const { prompt: given } = call.args;
  const words = splitWords(Array.isArray(given) ? given : [], cwd);
  const images = listFlag(flags, 'image');
  const firstInput = [...words.files.map((file) => `@${file}`), ...images, ...words.prompts][0];
  const name = modeName(parts, call, firstInput !== undefined);
  const data: Partial<ModeData> = parts.modes.get(name)?.data ?? {};
  const takesInput = data.takesInput !== false;
  if (!takesInput && firstInput !== undefined) throw errors.create('MODES_NO_INPUT', { mode: name, input: firstInput });
  const modeFlags = flagsFor(parts.modes, name, flags);
  checkMcpConfigs(listFlag(flags, 'mcp-config'), cwd);
  const choice = sessionChoice(flags);
  const choosesSession = data.ownsTerminal === true && wantsList(choice);
  const setup = await agentSetup(flags, cwd);
  const rules = toolRules(flags, cwd, parts.toolNames());
  const isStreamed = textFlag(flags, 'input-format') === 'stream-json';
  const sources = {
    cwd,
    signal,
    io,
    images,
    ...(!isStreamed && takesInput && parts.hasInput() && { stdin: parts.stdin }),
  };
  const inputs = takesInput ? await readInputs(words, sources) : [];

  const agentFor: ModeCall['agentFor'] = async (session) => {
    const made = await (await parts.agents()).create({ ...setup, session, cwd });
    await applyRules(made.agent, rules, await parts.approvals());
    if (flags['plan'] === true) await beginPlanning(await parts.plans(), session.id);
    return made;
  };
  const mode = await parts.modes.resolve(name);
  if (data.ownsTerminal !== true) await parts.prepareEvents();
  const isPersistent = choice?.flag !== 'no-session';
  const memory = new PromptMemory({ history: () => parts.history(), cwd, log: parts.log });
  const remember = (typed: string) => isPersistent && memory.add(typed);
  if (takesInput) rememberWords(words, remember);
  try {
    return await mode.run({
      inputs,
      ...(isStreamed && { later: streamedInputs(parts.stdin, signal) }),
      flags: modeFlags,
      io,
      cwd,
      signal,
      setup,
      isPersistent,
      choosesSession,
      open: async (tell = (text) => io.err(text)) => {
        const session = await openSession(await parts.store(), choosesSession ? undefined : choice, cwd, tell);
        try {
          return await agentFor(session);
        } finally {
          // What is missing has shown by now: making an agent reads the conversation.
          for (const repair of session.repairs) await tell(`Session ${session.id}: ${repair}\n`);
        }
      },
      agentFor,
      readInput: (prompt) => readPrompt(prompt, cwd),
      runUserCommand: (agent, request) => runUserCommand(parts, agent, request),
      remember,
      eventWriter: () => parts.eventWriter((text) => io.out(text)),
      useInterface: (ui) => parts.useInterface(ui),
      onEnd: (end) => parts.onEnd(end),
    });
  } finally {
    parts.useInterface(undefined);
    parts.onEnd(undefined);
    await memory.flush();
  }
}

/** A session that plans already goes on planning. */
async function beginPlanning(plans: PlanMode, session: string): Promise<void> {
  if (!plans.isOn(session)) await plans.set(session, true);
}

function rememberWords({ prompts }: SplitWords, remember: (typed: string) => void): void {
  for (const prompt of prompts) remember(prompt);
}

/** What the flags say to plugins. */
export function extensionFlagsIn(flags: Flags): ExtensionFlags {
  const paths = [...listFlag(flags, 'extension'), ...listFlag(flags, 'hook')];
  // What was not said must not hide the default of an extension's flag.
  const said = Object.entries(flags).filter(([, value]) => typeof value === 'string' || value === true);
  return {
    extensions: paths,
    noExtensions: flags['no-extensions'] === true,
    values: Object.fromEntries(said) as Record<string, string | boolean>,
  };
}

function modeName({ modes }: ModeParts, { flags, io }: CommandCall, hasInput: boolean): string {
  const asked = askedMode(modes, flags);
  const known = modes.list().map(({ key }) => key);
  if (asked !== undefined && !known.includes(asked))
    throw errors.create('MODES_UNKNOWN', { mode: asked, modes: known, hint: didYouMean(asked, known) });
  if (asked !== undefined) return asked;
  if (io.interactive && io.terminal === true && known.includes('interactive')) return 'interactive';
  // At a terminal without an interactive mode the prompt is still worth an answer.
  if (hasInput || !io.interactive) return 'text';
  throw errors.create('MODES_NOTHING_TO_DO');
}

/** The mode that the flags name, directly or by the form of its output. */
function askedMode(modes: Registry<Mode>, flags: Flags): string | undefined {
  const [mode, format] = [textFlag(flags, 'mode'), textFlag(flags, 'output-format')];
  const given = [
    ...(mode === undefined ? [] : ['--mode']),
    ...(format === undefined ? [] : ['--output-format']),
    ...(flags['json'] === true ? ['--json'] : []),
  ];
  if (given.length > 1) throw errors.create('MODES_FORMAT_FLAGS', { flags: given });
  if (mode !== undefined) return mode;
  if (format !== undefined) return modes.list().find(({ data }) => dataOf(data).outputFormat === format)?.key ?? format;
  return flags['json'] === true ? 'json' : flags['print'] === true ? 'text' : undefined;
}

/** The flags that only some modes know. One that this mode does not know would be ignored, and somebody counts on it. */
function flagsFor(modes: Registry<Mode>, name: string, flags: Flags): Flags {
  const own = dataOf(modes.get(name)?.data).flags ?? [];
  const special = new Set(modes.list().flatMap(({ data }) => dataOf(data).flags ?? []));
  const given = Object.entries(flags).filter(([flag, value]) => special.has(flag) && isGiven(value));
  const unused = given.find(([flag]) => !own.includes(flag));
  if (unused) throw errors.create('MODES_FLAG_UNUSED', { mode: name, flag: unused[0] });
  return Object.fromEntries(given);
}

function isGiven(value: Flags[string]): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

function dataOf(data: unknown): Partial<ModeData> {
  return (data ?? {}) as Partial<ModeData>;
}

function listFlag(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}
