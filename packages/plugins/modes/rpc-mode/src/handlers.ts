/** What each command does. */
import { type ModelRegistry, THINKING_LEVELS } from '@tenon/models/api';
import type { TodoPhase, Todos } from '@tenon/planning-tools/api';
import type { ModeCall } from '@tenon/modes/api';
import type { SessionExporter } from '@tenon/session-export/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import { callsAfter, type Undo } from '@tenon/undo/api';
import type { RpcCommandName, RpcData, RpcParams } from './api.ts';
import { errors } from './errors.ts';
import type { HostTools } from './host-tools.ts';
import type { HostUris } from './host-uris.ts';
import type { Seat } from './seat.ts';
import type { TodoPhase as WirePhase } from './shapes.ts';
import { branchMessages, lastAssistantText, lastCompaction, stateOf, statsOf, userText } from './session-facts.ts';

/** Tells the host why the work of a command could not be done. */
type Fail = (fault: unknown) => void;

/** Work that goes on after the command was answered; its failure is a second answer. */
export class Later {
  readonly work: (fail: Fail) => Promise<void>;

  constructor(work: (fail: Fail) => Promise<void>) {
    this.work = work;
  }
}

/** A function for every command. */
export type Handlers = {
  readonly [N in RpcCommandName]: (params: RpcParams<N>) => RpcData<N> | Later | Promise<RpcData<N> | Later>;
};

/** What the commands work with. */
export interface HandlerParts {
  readonly seat: Seat;
  readonly call: Pick<ModeCall, 'cwd' | 'runUserCommand' | 'remember'>;
  readonly models: ModelRegistry;
  readonly exporter: SessionExporter;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
  readonly todos: Todos;
  hasTool(name: string): boolean;
  undo(): Promise<Undo>;
  slashCommands(): Promise<SlashCommands>;
}

/** Commands after which the agent works on another session; nothing else may begin meanwhile but `abort`. */
export const EXCHANGES: ReadonlySet<string> = new Set(['new_session', 'switch_session', 'branch', 'handoff']);

/** The commands over one seat. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { seat, call, models, exporter, hostTools, hostUris, todos } = parts;
  const { cwd } = call;
  let bash: AbortController | undefined;
  const send = async (message: string, options: Parameters<typeof seat.agent.prompt>[1]) => {
    call.remember(message);
    await seat.agent.prompt(message, options);
  };
  const available = async () => (await models.list()).filter((model) => model.available);

  return {
    prompt({ message, images = [], streamingBehavior }) {
      if (seat.agent.state.isStreaming && !streamingBehavior) throw errors.create('RPC_BUSY');
      const whenBusy = streamingBehavior && { streamingBehavior };
      return new Later((onFailure) => send(message, { images, onFailure, ...whenBusy }));
    },
    steer({ message, images = [] }) {
      call.remember(message);
      seat.agent.steer(message, images);
      return undefined;
    },
    follow_up({ message, images = [] }) {
      call.remember(message);
      seat.agent.followUp(message, images);
      return undefined;
    },
    abort: async () => void (await seat.agent.abort()) as undefined,
    abort_and_prompt: ({ message, images = [] }) =>
      new Later(async (onFailure) => {
        await seat.agent.abort();
        await send(message, { images, onFailure });
      }),
    new_session({ parentSession }) {
      return seat.agent.newSession(parentSession === undefined ? {} : { parentSession });
    },
    get_state: () => stateOf(seat.agent, plain(todos.phases(seat.agent.session.id))),
    set_todos: async ({ phases }) => ({ todoPhases: plain(await todos.set(seat.agent.session.id, phases)) }),
    async get_commands() {
      const { id: session } = seat.agent.session;
      return { commands: [...(await (await parts.slashCommands()).list({ session, cwd: seat.agent.cwd }))] };
    },
    set_host_tools({ tools }) {
      const names = tools.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw errors.create('RPC_DUPLICATE', { what: 'tool', name: twice });
      seat.setHostTools(hostTools.toolsFor(tools));
      const replaced = names.filter((name) => parts.hasTool(name));
      return { toolNames: names, ...(replaced.length > 0 && { replaced }) };
    },
    set_host_uri_schemes: ({ schemes }) => ({ schemes: hostUris.set(schemes) }),
    async set_model({ provider, modelId }) {
      const wanted = `${provider}/${modelId}`;
      const model = (await models.list()).find(
        (candidate) => candidate.provider === provider && candidate.id === modelId,
      );
      if (!model) throw errors.create('RPC_MODEL_NOT_FOUND', { model: wanted });
      await seat.agent.setModel(model);
      return model;
    },
    async cycle_model() {
      // Rules, and what answers only when it is named, are no model that one comes upon.
      const all = (await available()).filter(({ isRules, onlyByName }) => !isRules && !onlyByName);
      const { model: current, thinking } = seat.agent.state;
      const at = all.findIndex(({ provider, id }) => provider === current.provider && id === current.id);
      const next = all[(at + 1) % all.length];
      if (!next || (at !== -1 && all.length < 2)) return null;
      await seat.agent.setModel(next);
      return { model: next, thinkingLevel: thinking, isScoped: false };
    },
    get_available_models: async () => ({ models: await available() }),
    set_thinking_level: async ({ level }) => void (await seat.agent.setThinking(level)) as undefined,
    async cycle_thinking_level() {
      const { model, thinking } = seat.agent.state;
      if (!model.reasoning) return null;
      const level = THINKING_LEVELS[(THINKING_LEVELS.indexOf(thinking) + 1) % THINKING_LEVELS.length] ?? 'off';
      await seat.agent.setThinking(level);
      return { level };
    },
    set_steering_mode: ({ mode }) => seat.agent.setQueueModes({ steering: mode }) as undefined,
    set_follow_up_mode: ({ mode }) => seat.agent.setQueueModes({ followUp: mode }) as undefined,
    set_interrupt_mode: ({ mode }) => seat.agent.setQueueModes({ interrupt: mode }) as undefined,
    async compact({ customInstructions }) {
      const { agent } = seat;
      const { tokensBefore, tokensAfter } = await agent.compact(customInstructions);
      const entry = lastCompaction(agent.session);
      const { summary, firstKeptEntryId, details } = entry;
      return { summary, firstKeptEntryId, tokensBefore, tokensAfter, ...(details !== undefined && { details }) };
    },
    async handoff({ customInstructions }) {
      const { agent } = seat;
      const done = await agent.handoff(customInstructions);
      if (!done) return { cancelled: true };
      const { id: sessionId, file } = agent.session;
      return { cancelled: false, ...done, sessionId, ...(file !== undefined && { sessionFile: file }) };
    },
    set_auto_compaction: ({ enabled }) => seat.agent.setAutoCompaction(enabled) as undefined,
    set_auto_retry: ({ enabled }) => seat.agent.setAutoRetry(enabled) as undefined,
    abort_retry: () => seat.agent.abortRetry() as undefined,
    async bash({ command }) {
      if (bash) throw errors.create('RPC_BASH_BUSY');
      const controller = new AbortController();
      bash = controller;
      try {
        return await call.runUserCommand(seat.agent, { kind: 'bash', command, signal: controller.signal });
      } finally {
        bash = undefined;
      }
    },
    abort_bash: () => bash?.abort(new DOMException('The user stopped the command.', 'AbortError')) as undefined,
    get_session_stats: () => statsOf(seat.agent),
    async export_html({ outputPath }) {
      const file = outputPath !== undefined && { file: outputPath };
      return { path: await exporter.write(seat.agent.session, { cwd, ...file }) };
    },
    switch_session({ sessionPath }) {
      return seat.agent.switchSession(sessionPath);
    },
    async branch({ entryId, restoreFiles = false }) {
      const { agent } = seat;
      if (userText(agent.session.entry(entryId)) === undefined)
        throw errors.create('RPC_NOT_A_USER_MESSAGE', { entry: entryId });
      const session = agent.session.id;
      const calls = restoreFiles ? callsAfter(agent.session, entryId) : [];
      const moved = await agent.branch(entryId);
      if (moved.cancelled || calls.length === 0) return moved;
      return { ...moved, files: await (await parts.undo()).restore({ cwd, calls, session }) };
    },
    navigate_tree: ({ entryId, summarize = false, customInstructions }) =>
      seat.agent.branchTo(entryId, {
        summarize,
        ...(customInstructions !== undefined && { instructions: customInstructions }),
      }),
    async get_undo_list({ session }) {
      const entries = await (await parts.undo()).list({ cwd, ...(session !== undefined && { session }) });
      return { entries: [...entries] };
    },
    async undo({ entryId, preview = false, ...request }) {
      const { session } = seat.agent;
      if (entryId !== undefined && !session.entry(entryId)) {
        throw errors.create('RPC_ENTRY_UNKNOWN', { entry: entryId });
      }
      const calls = entryId === undefined ? {} : { calls: callsAfter(session, entryId), session: session.id };
      const undo = await parts.undo();
      return undo[preview ? 'preview' : 'restore']({ cwd, ...request, ...calls });
    },
    get_branch_messages: async () => ({ messages: await branchMessages(seat.agent.session) }),
    get_last_assistant_text: () => ({ text: lastAssistantText(seat.agent.session) }),
    async set_session_name({ name }) {
      if (name.trim() === '') throw errors.create('RPC_NAME_EMPTY');
      await seat.agent.session.setTitle(name.trim(), 'user');
      return undefined;
    },
    get_messages: () => ({ messages: [...seat.agent.session.context().messages] }),
  };
}

/** The plan as it crosses the wire. */
function plain(phases: readonly TodoPhase[]): WirePhase[] {
  return structuredClone(phases) as WirePhase[];
}
