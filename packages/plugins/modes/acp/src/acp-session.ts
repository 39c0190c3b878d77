/** One session of an editor: an agent, and what the editor is told about it. */
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type AvailableCommand,
  type ContentBlock,
  type PlanEntry,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import { type AssistantMessage, failureText } from '@tenon/models/api';
import type { ModeCall } from '@tenon/modes/api';
import type { Todos } from '@tenon/planning-tools/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import { configOptions, type OptionParts, setOption } from './config-options.ts';
import type { Editor } from './editor.ts';
import type { Asker } from './editor-interface.ts';
import { readBlocks } from './prompt-content.ts';
import { currentMode, modeState, setMode } from './session-modes.ts';
import { type ChangedFile, contentOf, diffOf, titleOf } from './tool-calls.ts';
import { Turns } from './turns.ts';
import { replayOf, updatesOf } from './updates.ts';

/** What a session works with. */
export interface SessionParts extends OptionParts {
  readonly editor: Editor;
  readonly call: Pick<ModeCall, 'readInput' | 'remember'>;
  readonly todos: Todos;
  slashCommands(): Promise<SlashCommands>;
}

/** What was asked for could not be done, in words for the user. */
export class PromptFailure extends Error {}

interface RunningCall {
  readonly tool: string;
  readonly args: unknown;
  diffs: ReturnType<typeof diffOf>[];
}

/** A session that an editor has opened. */
export class AcpSession implements Asker {
  /** The id that the editor got; the agent may go on in another session under it. */
  readonly id: string;
  readonly agent: AgentSession;
  readonly #parts: SessionParts;
  readonly #turns = new Turns<StopReason>('cancelled');
  readonly #running = new Map<string, RunningCall>();
  /** What the first prompt waits for: the MCP servers of the editor. */
  readonly #ready: Promise<unknown>;
  readonly #unsubscribe: () => void;
  #last: AssistantMessage | undefined;
  /** What the editor was told last, so that it is told only what is new. */
  readonly #told = new Map<string, unknown>();

  constructor(agent: AgentSession, parts: SessionParts, ready: Promise<unknown> = Promise.resolve()) {
    this.id = agent.session.id;
    this.agent = agent;
    this.#parts = parts;
    this.#ready = ready;
    this.#unsubscribe = agent.subscribe((event) => this.#hear(event));
    for (const [key, value] of Object.entries(this.#facts())) this.#told.set(key, value);
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  modes(): SessionModeState {
    return modeState(this.#parts, this.agent.session.id);
  }

  options(): Promise<SessionConfigOption[]> {
    return configOptions(this.#parts, this.agent);
  }

  async setMode(mode: string): Promise<void> {
    await setMode(this.#parts, this.agent.session.id, mode);
    await this.#tellSettings();
  }

  async setOption(option: string, value: string | boolean): Promise<SessionConfigOption[]> {
    await setOption(this.#parts, this.agent, option, value);
    await this.#tellSettings();
    return this.options();
  }

  /** Works on a prompt; prompts that come meanwhile wait. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const read = readBlocks(blocks);
    return this.#turns.run(async (cancelled) => {
      await unlessAborted(this.#ready, cancelled);
      if (cancelled.aborted) return 'cancelled';
      const { agent } = this;
      const stop = () => void agent.abort();
      cancelled.addEventListener('abort', stop, { once: true });
      try {
        // The agent may still be at something that a job or a plugin has begun.
        await agent.idle();
        if (cancelled.aborted) return 'cancelled';
        return await this.#work(read);
      } finally {
        cancelled.removeEventListener('abort', stop);
        await this.#tellSettings();
        await this.tellCommands();
        // The editor reads everything of this turn before its end.
        await this.#parts.editor.flushed();
      }
    }, signal);
  }

  async #work({ text, images, files }: ReturnType<typeof readBlocks>): Promise<StopReason> {
    const { agent } = this;
    const { call } = this.#parts;
    const { prompt, mentions } = await call.readInput(text);
    if (mentions) agent.nextTurn(mentions);
    if (files.length > 0) agent.nextTurn({ role: 'fileMention', files, timestamp: Date.now() });
    if (text !== '') call.remember(text);
    this.#last = undefined;
    await agent.prompt(prompt, { images });
    return stopReasonOf(this.#last);
  }

  /** Stops what runs, and all prompts that wait. */
  cancel(): void {
    this.#turns.cancel();
  }

  /** Tells what was said before, as if it happened now. */
  async replay(): Promise<void> {
    const { editor } = this.#parts;
    for (const update of replayOf(this.agent.session.context().messages, this.agent.cwd))
      editor.update(this.id, update);
    this.#tellPlan();
    await editor.flushed();
  }

  /** Tells which slash commands there are, if that is new. */
  async tellCommands(): Promise<void> {
    const { id: session } = this.agent.session;
    const known = await (await this.#parts.slashCommands()).list({ session, cwd: this.agent.cwd });
    const availableCommands = known.map(({ name, description, argumentHint }): AvailableCommand => {
      const about = { name, description: description ?? '' };
      return argumentHint === undefined ? about : { ...about, input: { hint: argumentHint } };
    });
    this.#tell('commands', availableCommands, { sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** The call that is being made with this input. */
  callOf(tool: string, input: Readonly<Record<string, unknown>>): string | undefined {
    const calls = [...this.#running].filter(([, call]) => call.tool === tool);
    const same = calls.find(([, { args }]) => isDeepStrictEqual(args, input));
    // The question masks secrets, so the input may look different.
    return (same ?? (calls.length === 1 ? calls[0] : undefined))?.[0];
  }

  /** Files that a tool has just changed: shown with the call that did it. Calls that change files run one at a time. */
  changed(files: readonly ChangedFile[]): void {
    const [id, call] = [...this.#running].findLast(([, { tool }]) => tool !== 'task') ?? [];
    if (id === undefined || !call) return;
    call.diffs.push(...files.map(diffOf));
    const content = call.diffs.filter((diff) => diff !== undefined);
    if (content.length === 0) return;
    // Which files an edit changes is known only now.
    const locations = content.map(({ path }) => ({ path }));
    const shown = content.map(({ path }) => relative(this.agent.cwd, path));
    const title = titleOf(call.tool, call.args, shown);
    this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, title, locations, content });
  }

  /** Stops and closes it. */
  async close(): Promise<void> {
    this.cancel();
    await this.agent.abort();
    await this.#turns.settled();
    this.#unsubscribe();
    this.#parts.approvals?.setMode(this.agent.session.id, undefined);
    await this.agent.dispose();
  }

  #hear(event: AgentEvent): void {
    const { editor } = this.#parts;
    if (event.type === 'turn_end') this.#last = event.message;
    if (event.type === 'session_switch') this.#carryMode(event.previousSessionId, event.sessionId);
    if (event.type === 'tool_execution_start')
      this.#running.set(event.toolCallId, { tool: event.toolName, args: event.args, diffs: [] });
    for (const update of updatesOf(event, { cwd: this.agent.cwd, hasNotices: editor.hasNotices })) {
      this.#send(event.type === 'tool_execution_end' ? this.#withDiffs(event, update) : update);
    }
    if (event.type === 'tool_execution_end') {
      this.#running.delete(event.toolCallId);
      this.#tellPlan();
    }
    if (event.type === 'turn_end') this.#tellUsage();
    if (event.type === 'agent_end' || event.type === 'session_switch') {
      this.#tellPlan();
      this.#tellTitle();
    }
  }

  /** What the user has chosen holds for the conversation, also when it goes on in another session. */
  #carryMode(from: string, to: string): void {
    const { approvals } = this.#parts;
    approvals?.setMode(to, approvals.modeOf(from));
    approvals?.setMode(from, undefined);
  }

  /** The text of a change repeats its diff, which the editor shows better. */
  #withDiffs(event: Extract<AgentEvent, { type: 'tool_execution_end' }>, update: SessionUpdate): SessionUpdate {
    const diffs = this.#running.get(event.toolCallId)?.diffs.filter((diff) => diff !== undefined) ?? [];
    if (diffs.length === 0 || update.sessionUpdate !== 'tool_call_update') return update;
    return { ...update, content: event.isError ? [...diffs, ...contentOf(event.result)] : diffs };
  }

  #send(update: SessionUpdate): void {
    this.#parts.editor.update(this.id, update);
  }

  #tell(key: string, value: unknown, update: SessionUpdate): void {
    if (isDeepStrictEqual(this.#told.get(key), value)) return;
    this.#told.set(key, value);
    this.#send(update);
  }

  #facts() {
    const { session } = this.agent;
    return { mode: currentMode(this.#parts, session.id), title: session.header.title, plan: [] as PlanEntry[] };
  }

  /** The mode, and all options: the agent itself can end planning, a slash command change the model. */
  async #tellSettings(): Promise<void> {
    const { mode } = this.#facts();
    this.#tell('mode', mode, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    const options = await this.options();
    this.#tell('options', options, { sessionUpdate: 'config_option_update', configOptions: options });
  }

  #tellPlan(): void {
    const entries = this.#parts.todos
      .phases(this.agent.session.id)
      .flatMap(({ tasks }) =>
        tasks.flatMap(({ content, status }): PlanEntry[] =>
          status === 'abandoned' ? [] : [{ content, status, priority: 'medium' }],
        ),
      );
    this.#tell('plan', entries, { sessionUpdate: 'plan', entries });
  }

  #tellTitle(): void {
    const { title } = this.#facts();
    if (title !== undefined) this.#tell('title', title, { sessionUpdate: 'session_info_update', title });
  }

  #tellUsage(): void {
    const { contextTokens: used, model } = this.agent.state;
    const amount = this.agent.usage().cost.total;
    this.#send({ sessionUpdate: 'usage_update', used, size: model.contextWindow, cost: { amount, currency: 'USD' } });
  }
}

/** Waits for something, but no longer than until the signal aborts. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const end = new AbortController();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { signal: end.signal }));
  await Promise.race([work, aborted]);
  end.abort();
}

/** Why the agent stopped. An answer that failed is an error, in the words of the provider. */
function stopReasonOf(last: AssistantMessage | undefined): StopReason {
  // A slash command has done the work.
  if (last === undefined) return 'end_turn';
  if (last.stopReason === 'length') return 'max_tokens';
  if (last.stopReason === 'aborted') return 'cancelled';
  if (last.stopReason === 'error') throw new PromptFailure(failureText(last));
  return 'end_turn';
}
