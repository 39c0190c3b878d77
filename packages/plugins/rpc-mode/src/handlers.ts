/** What each command does. */
import { type ModelRegistry, THINKING_LEVELS } from '@tenon/models/api';
import type { Launch } from '@tenon/modes/api';
import type { SessionExporter } from '@tenon/session-export/api';
import type { BashExecutionMessage, SessionStore } from '@tenon/sessions/api';
import type { RpcCommandName, RpcData, RpcParams } from './api.ts';
import { errors } from './errors.ts';
import type { HostTools } from './host-tools.ts';
import type { HostUris } from './host-uris.ts';
import type { Seat } from './seat.ts';
import { branchMessages, lastAssistantText, stateOf, statsOf, userText } from './session-facts.ts';
import type { Todos } from './todos.ts';

/** Work that goes on after the command was answered; its failure is a second answer. */
export class Later {
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
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
  readonly launch: Pick<Launch, 'cwd' | 'isPersistent'>;
  readonly models: ModelRegistry;
  readonly store: SessionStore;
  readonly exporter: SessionExporter;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
  readonly todos: Todos;
}

/** Commands after which another agent is in the seat; nothing else may begin meanwhile. */
export const EXCHANGES: ReadonlySet<string> = new Set(['new_session', 'switch_session', 'branch']);

/** The commands over one seat. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { seat, launch, models, store, exporter, hostTools, hostUris, todos } = parts;
  const { cwd } = launch;
  let bash: AbortController | undefined;
  const send = async (message: string, options: Parameters<typeof seat.agent.prompt>[1]) => {
    const plan = todos.takeNews();
    if (plan) seat.agent.nextTurn(plan);
    await seat.agent.prompt(message, options);
  };
  const available = async () => (await models.list()).filter((model) => model.available);

  return {
    prompt({ message, images = [], streamingBehavior }) {
      if (seat.agent.state.isStreaming && !streamingBehavior) throw errors.create('RPC_BUSY');
      return new Later(() => send(message, { images, ...(streamingBehavior && { whenBusy: streamingBehavior }) }));
    },
    steer: ({ message, images = [] }) => seat.agent.steer(message, images) as undefined,
    follow_up: ({ message, images = [] }) => seat.agent.followUp(message, images) as undefined,
    abort: async () => void (await seat.agent.abort()) as undefined,
    abort_and_prompt: ({ message, images = [] }) =>
      new Later(async () => {
        await seat.agent.abort();
        await send(message, { images });
      }),
    async new_session({ parentSession }) {
      const parent = parentSession !== undefined && { parentSession };
      const session = launch.isPersistent ? await store.create({ cwd, ...parent }) : store.inMemory({ cwd });
      await seat.exchange(session, { keepModel: true });
      todos.clear();
      return { cancelled: false };
    },
    get_state: () => stateOf(seat.agent, todos.phases),
    set_todos: ({ phases }) => ({ todoPhases: todos.set(phases) }),
    set_host_tools({ tools }) {
      const names = tools.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw errors.create('RPC_DUPLICATE', { what: 'tool', name: twice });
      seat.setHostTools(hostTools.toolsFor(tools));
      return { toolNames: names };
    },
    set_host_uri_schemes: ({ schemes }) => ({ schemes: hostUris.set(schemes) }),
    async set_model({ provider, modelId }) {
      const wanted = `${provider}/${modelId}`;
      const model = (await models.list()).find((one) => one.provider === provider && one.id === modelId);
      if (!model) throw errors.create('RPC_MODEL_NOT_FOUND', { model: wanted });
      await seat.agent.setModel(model);
      return model;
    },
    async cycle_model() {
      const all = await available();
      const { model: current, thinking } = seat.agent.state;
      const at = all.findIndex(({ provider, id }) => provider === current.provider && id === current.id);
      const next = all[(at + 1) % all.length];
      if (!next || all.length < 2) return null;
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
      const entry = agent.session.branch().findLast(({ type }) => type === 'compaction');
      if (entry?.type !== 'compaction') throw new Error('a compaction left no entry');
      const { summary, firstKeptEntryId, details } = entry;
      return { summary, firstKeptEntryId, tokensBefore, tokensAfter, ...(details !== undefined && { details }) };
    },
    set_auto_compaction: ({ enabled }) => seat.agent.setAutoCompaction(enabled) as undefined,
    set_auto_retry: ({ enabled }) => void (seat.autoRetry = enabled) as undefined,
    abort_retry: async () => void (seat.isWaitingForRetry && (await seat.agent.abort())) as undefined,
    async bash({ command }) {
      if (bash) throw errors.create('RPC_BASH_BUSY');
      const controller = new AbortController();
      bash = controller;
      try {
        const { runBash } = await import('./bash.ts');
        const { agent } = seat;
        const result = await runBash(command, { cwd, session: agent.session, signal: controller.signal });
        const message: BashExecutionMessage = { role: 'bashExecution', command, ...result, timestamp: Date.now() };
        agent.nextTurn(message);
        return result;
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
    async switch_session({ sessionPath }) {
      const { session } = seat.agent;
      if (sessionPath !== session.file && sessionPath !== session.id) {
        await seat.exchange(await store.open(sessionPath), { keepModel: false });
        todos.clear();
      }
      return { cancelled: false };
    },
    async branch({ entryId }) {
      const { agent } = seat;
      const entry = agent.session.entry(entryId);
      const text = userText(entry);
      if (!entry || text === undefined) throw errors.create('RPC_NOT_A_USER_MESSAGE', { entry: entryId });
      if (!launch.isPersistent) await agent.branchTo(entry.parentId);
      else {
        await agent.abort();
        const { session } = agent;
        const copy =
          entry.parentId === null
            ? await store.create({ cwd, parentSession: session.file ?? session.id })
            : await store.fork(session, { entryId: entry.parentId, cwd });
        await seat.exchange(copy, { keepModel: true });
      }
      return { text, cancelled: false };
    },
    get_branch_messages: () => ({ messages: branchMessages(seat.agent.session) }),
    get_last_assistant_text: () => ({ text: lastAssistantText(seat.agent.session) }),
    async set_session_name({ name }) {
      if (name.trim() === '') throw errors.create('RPC_NAME_EMPTY');
      await seat.agent.session.setTitle(name.trim(), 'user');
      return undefined;
    },
    get_messages: () => ({ messages: [...seat.agent.session.context().messages] }),
  };
}
