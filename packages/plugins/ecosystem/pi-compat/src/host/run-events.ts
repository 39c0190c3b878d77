/** From Tenon's hooks about prompts, turns and tools to the events of pi, and back. docs/design/agent.md has the table. */
import { isDeepStrictEqual } from 'node:util';
import type {
  AgentEvent,
  AgentStop,
  UserCommandResult,
  HookScope,
  RunStart,
  UserCommand,
  UserInput,
} from '@tenon/agent/api';
import { type GateAnswer, messageOf } from '@tenon/kernel';
import type { AgentMessage, CustomMessage } from '@tenon/sessions/api';
import type { ToolCallEvent, ToolResult, ToolResultEvent } from '@tenon/tools/api';
import type { ExtensionSet } from './extension-set.ts';
import { type Fields, hearing, placeOf, type Sets, setOf, tellAll } from './hearing.ts';
import { piModel, textOf } from './pi-shapes.ts';

/** What extensions say about a call: the input as they want it, or why it must not run. */
interface Verdict {
  readonly input: ToolCallEvent['input'];
  readonly deny?: string;
}

/** Tells extensions what an agent does. */
export class RunEvents {
  readonly #sets: Sets;
  /** What extensions said about calls that the gate has not been asked about yet, by session and call. */
  readonly #verdicts = new Map<string, Map<string, Verdict>>();
  readonly #turns = new Map<string, number>();
  /** Why the summary is made that is under way, by session. */
  readonly #compactions = new Map<string, string>();

  constructor(sets: Sets) {
    this.#sets = sets;
  }

  async input(given: UserInput): Promise<UserInput | undefined> {
    const set = setOf(this.#sets, given);
    if (!set || given.blocked !== undefined || given.handled !== undefined) return undefined;
    await set.caughtUp();
    // A command of an extension is carried out, not looked at.
    const command = /^\/(\S+)/.exec(given.text)?.[1];
    if (set.extensions.some(({ shape }) => shape.commands.some(({ name }) => name === command))) return undefined;
    const source = set.takeSent(given.text) ? 'extension' : 'interactive';
    let typed = given;
    for (const extension of hearing(set, 'input')) {
      const event = { text: typed.text, images: typed.images, source };
      const { handled, text, images } = await extension.askOrReport('input', event, placeOf(given, set));
      if (handled === true) return { ...typed, handled: '' };
      typed = {
        ...typed,
        ...(typeof text === 'string' && { text }),
        ...(Array.isArray(images) && { images: images as UserInput['images'] }),
      };
    }
    return typed === given ? undefined : typed;
  }

  async beforeStart(given: RunStart): Promise<RunStart | undefined> {
    const set = setOf(this.#sets, given);
    if (!set) return undefined;
    await set.caughtUp();
    let start = given;
    for (const extension of hearing(set, 'before_agent_start')) {
      const event = { prompt: start.prompt, systemPrompt: start.systemPrompt, systemPromptOptions: { cwd: set.cwd } };
      const answer = await extension.askOrReport('before_agent_start', event, placeOf(given, set));
      const { messages, systemPrompt } = answer;
      const inject = (Array.isArray(messages) ? messages : []).map((item) =>
        customMessage(extension.name, item as Fields),
      );
      const prompt = typeof systemPrompt === 'string' && { systemPrompt };
      start = { ...start, inject: [...start.inject, ...inject], ...prompt };
    }
    return start === given ? undefined : start;
  }

  async context<T extends HookScope & { readonly messages: readonly AgentMessage[] }>(
    given: T,
  ): Promise<T | undefined> {
    const set = setOf(this.#sets, given);
    if (!set) return undefined;
    let messages = given.messages;
    const system = {
      role: 'system',
      content: [{ type: 'text', text: set.liveAgent({ cwd: set.cwd, ...given })?.state.systemPrompt ?? '' }],
    };
    for (const extension of hearing(set, 'context_with_system')) {
      const before = messages;
      const event = { messages: [system, ...before] };
      const answer = await extension.askOrReport('context_with_system', event, placeOf(given, set));
      if (!Array.isArray(answer['messages'])) continue;
      // The system prompt is settled before a run; `before_agent_start` is where it can be changed.
      messages = answer['messages'].flatMap((one: unknown) =>
        typeof one === 'number' ? (before[one - 1] ?? []) : isMessage(one) && !isSystem(one) ? [one] : [],
      );
    }
    for (const extension of hearing(set, 'context')) {
      const before = messages;
      const answer = await extension.askOrReport('context', { messages: before }, placeOf(given, set));
      if (!Array.isArray(answer['messages'])) continue;
      // A number stands for a message that stayed as it was.
      messages = answer['messages'].flatMap((one: unknown) =>
        typeof one === 'number' ? (before[one] ?? []) : isMessage(one) ? [one] : [],
      );
    }
    return messages === given.messages ? undefined : { ...given, messages };
  }

  /** Handlers may change the input, which is checked and judged by others after that. What they refuse is refused at the gate. */
  async toolInput(given: ToolCallEvent): Promise<ToolCallEvent | undefined> {
    const { scope, callId, input } = given;
    const set = setOf(this.#sets, scope);
    await set?.ready();
    if (!set || !scope || (hearing(set, 'tool_call').length === 0 && set.missingGuards.length === 0)) return undefined;
    const verdict = await askAboutCall(set, given, scope);
    const verdicts = this.#verdicts.get(scope.session) ?? new Map<string, Verdict>();
    this.#verdicts.set(scope.session, verdicts.set(callId, verdict));
    return verdict.deny !== undefined || verdict.input === input ? undefined : { ...given, input: verdict.input };
  }

  async toolCall(given: ToolCallEvent): Promise<GateAnswer> {
    const { scope, callId, input } = given;
    const set = setOf(this.#sets, scope);
    if (!set || !scope) return undefined;
    await set.ready();
    const verdicts = this.#verdicts.get(scope.session);
    const verdict = verdicts?.get(callId);
    verdicts?.delete(callId);
    // A hook that came after the extensions may have made another call of it: they must have seen what runs.
    const isSeen = verdict !== undefined && set.missingGuards.length === 0 && isDeepStrictEqual(verdict.input, input);
    const deny = verdict?.deny ?? (isSeen ? undefined : (await askAboutCall(set, given, scope)).deny);
    return deny === undefined ? undefined : { deny };
  }

  async toolResult(given: ToolResultEvent): Promise<ToolResultEvent | undefined> {
    const { tool, callId, input, scope } = given;
    const set = setOf(this.#sets, scope);
    if (!set || !scope) return undefined;
    let result: ToolResult = given.result;
    for (const extension of hearing(set, 'tool_result')) {
      const { content, details, isError = false } = result;
      const event = {
        toolName: tool,
        toolCallId: callId,
        input,
        content,
        details,
        isError,
        ...parentIn(set, scope, callId),
      };
      const answer = await extension.askOrReport('tool_result', event, placeOf(scope, set));
      if (Object.keys(answer).length === 0) continue;
      result = {
        ...result,
        ...(Array.isArray(answer['content']) && { content: answer['content'] as ToolResult['content'] }),
        ...('details' in answer && { details: answer['details'] }),
        ...(typeof answer['isError'] === 'boolean' && { isError: answer['isError'] }),
      };
    }
    return result === given.result ? undefined : { ...given, result };
  }

  async userCommand(
    name: 'user_bash' | 'user_python',
    given: UserCommand,
  ): Promise<{ result: UserCommandResult } | undefined> {
    const set = setOf(this.#sets, given);
    if (!set) return undefined;
    const { command, cwd, excludeFromContext } = given;
    const event = { command, code: command, cwd, excludeFromContext };
    for (const extension of hearing(set, name)) {
      const { result } = await extension.askOrReport(name, event, placeOf(given, set));
      if (typeof result === 'object' && result !== null) return { result: commandResult(result as Fields) };
    }
    return undefined;
  }

  async agentStop(given: AgentStop): Promise<{ continue: string; by: string } | undefined> {
    const set = setOf(this.#sets, given);
    if (!set) return undefined;
    const event = {
      messages: [],
      turn_id: this.#turns.get(given.session ?? '') ?? 0,
      last_assistant_message: { role: 'assistant', content: [{ type: 'text', text: given.text }] },
      session_id: given.session,
      stop_hook_active: given.continues > 0,
    };
    for (const extension of hearing(set, 'session_stop')) {
      const answer = await extension.askOrReport('session_stop', event, placeOf(given, set));
      const words = answer['additionalContext'] ?? answer['reason'] ?? 'Go on.';
      if (answer['continue'] === true || answer['decision'] === 'block')
        return { continue: String(words), by: extension.name };
    }
    return this.#beforeSettle(set, given);
  }

  /** pi's own event for the same moment: what it wants to be said comes as drafts of entries. */
  async #beforeSettle(set: ExtensionSet, given: AgentStop): Promise<{ continue: string; by: string } | undefined> {
    const place = placeOf(given, set);
    const context = {
      contextEntries: [],
      contextMessages: [],
      llmMessages: [],
      pendingMessages: [],
      canContinue: true,
    };
    const event = { entries: [], continue: false, context, outcome: 'completed' };
    for (const extension of hearing(set, 'agent_before_settle')) {
      const answer = await extension.askOrReport('agent_before_settle', event, place);
      const drafts = (Array.isArray(answer['entries']) ? answer['entries'] : []) as Fields[];
      for (const { type, customType, data } of drafts)
        if (type === 'custom')
          await set.liveAgent(place)?.session.append('custom', { customType: String(customType), data });
      const words = drafts.flatMap(({ type, content }) => (type === 'custom_message' ? [textOf(content)] : []));
      if (answer['continue'] === true) return { continue: words.join('\n\n') || 'Go on.', by: extension.name };
    }
    return undefined;
  }

  async modelSelect(given: {
    readonly session: string;
    readonly cwd: string;
    readonly model: string;
    readonly previous: string;
    readonly thinking: string;
    readonly reason: string;
  }): Promise<void> {
    const { session, cwd, model, previous, thinking, reason } = given;
    const set = this.#sets.of(session);
    if (!set) return;
    const named = (name: string) =>
      set.knownModels.find((candidate) => `${String(candidate['provider'])}/${String(candidate['id'])}` === name);
    const current = set.liveAgent({ session, cwd })?.state.model;
    await tellAll(set, { session, cwd }, 'model_select', {
      model: current ? piModel(current) : named(model),
      previousModel: named(previous),
      source: reason === 'restore' ? 'restore' : 'set',
    });
    await tellAll(set, { session, cwd }, 'thinking_level_select', { level: thinking, previousLevel: thinking });
  }

  /** Everything that a session tells: passed on in order, without waiting. */
  agentEvent({ session, event }: { readonly session: string; readonly event: AgentEvent }): void {
    const { type, ...about } = event;
    const set = type === 'session_switch' ? undefined : this.#sets.of(session); // told as what it is, and awaited
    if (!set) return;
    if (type === 'agent_start') {
      this.#turns.set(session, 0);
      this.#verdicts.delete(session);
    }
    if (type === 'agent_start' || type === 'agent_end') set.noteRun(session, type === 'agent_start');
    const turnIndex = this.#turns.get(session) ?? 0;
    if (type === 'turn_end') this.#turns.set(session, turnIndex + 1);
    const turn = (type === 'turn_start' || type === 'turn_end') && { turnIndex, timestamp: Date.now() };
    const retry = type === 'auto_retry_start' && { errorMessage: event.reason };
    const place = { session, cwd: set.cwd };
    set.tellAll(type, { ...about, ...turn, ...retry }, place);
    if (type === 'auto_compaction_start') this.#compactions.set(session, event.reason);
    if (type === 'auto_compaction_end' && (event.aborted || event.errorMessage !== undefined)) {
      const { aborted, willRetry, errorMessage } = event;
      const reason = this.#compactions.get(session) ?? 'threshold';
      set.tellAll('session_compact_failed', { reason, aborted, willRetry, errorMessage, fromExtension: false }, place);
    }
    if (type === 'agent_end') {
      const last = event.messages.findLast(({ role }) => role === 'assistant') as { stopReason?: string } | undefined;
      set.tellAll('agent_settled', { aborted: last?.stopReason === 'aborted' }, place);
    }
    if (type === 'agent_start' || type === 'agent_end' || type === 'turn_end') set.noteName(session);
  }
}

/** One extension after the other, each with what the one before made of the input. A refusal, a fault and a deadline refuse. */
async function askAboutCall(
  set: ExtensionSet,
  { tool, callId, input: given }: ToolCallEvent,
  scope: HookScope,
): Promise<Verdict> {
  let input = given;
  const [missing] = set.missingGuards;
  if (missing !== undefined) {
    const next = `correct it, or switch it off with \`tenon extension disable ${missing}\`, then start Tenon anew`;
    return { input, deny: `the extension "${missing}" judges calls and could not be loaded again; ${next}` };
  }
  for (const extension of hearing(set, 'tool_call')) {
    const event = {
      toolName: tool,
      toolCallId: callId,
      input: structuredClone(input),
      ...parentIn(set, scope, callId),
    };
    try {
      const answer = ((await extension.ask('tool_call', event, placeOf(scope, set))) ?? {}) as Fields;
      const { block, reason = 'it was blocked', input: changed } = answer;
      if (block === true) return { input, deny: `${String(reason)} (extension "${extension.name}")` };
      if (changed !== undefined) input = changed as Verdict['input'];
    } catch (fault) {
      return { input, deny: messageOf(fault) };
    }
  }
  return { input };
}

/** Which call made this one, where a tool of an extension did. */
function parentIn(set: ExtensionSet, { session }: HookScope, callId: string): Fields {
  const parentToolCallId = set.calls.parentOf(session, callId);
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}

function customMessage(extension: string, given: Fields): CustomMessage {
  const { customType, content, display, details, attribution } = given;
  return {
    role: 'custom',
    customType: typeof customType === 'string' ? customType : extension,
    content: (Array.isArray(content) ? content : String(content ?? '')) as CustomMessage['content'],
    display: display !== false,
    timestamp: Date.now(),
    ...(details !== undefined && { details }),
    ...((attribution === 'user' || attribution === 'agent') && { attribution }),
  };
}

function commandResult({ output, exitCode, cancelled, truncated, fullOutputPath }: Fields): UserCommandResult {
  return {
    output: String(output ?? ''),
    cancelled: cancelled === true,
    truncated: truncated === true,
    ...(typeof exitCode === 'number' && { exitCode }),
    ...(typeof fullOutputPath === 'string' && { fullOutputPath }),
  };
}

function isSystem({ role }: { readonly role: string }): boolean {
  return role === 'system';
}

function isMessage(value: unknown): value is AgentMessage {
  return typeof value === 'object' && value !== null && typeof (value as Fields)['role'] === 'string';
}
