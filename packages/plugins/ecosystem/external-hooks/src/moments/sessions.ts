/** Hooks around sessions: their beginning and end, summaries, and what is told while they last. */
import type { AgentEvent, AgentSession, CompactionPlan, SessionPlace, SwitchReason } from '@tenon/agent/api';
import type { AssistantMessage } from '@tenon/models/api';
import type { Touches } from '@tenon/tools/api';
import type { HookEngine } from '../engine.ts';
import type { Moment, OccasionFacts, StartSource } from '../occasion.ts';
import type { SessionState } from '../session-state.ts';

const ID = 'external-hooks';
/** Claude Code tells that it waits after so long. */
const IDLE_MS = 60_000;

/** What is learnt from the agent's events; without such hooks nobody listens to them. */
const FROM_EVENTS: readonly Moment[] = [
  'run-end',
  'notification',
  'permission-denied',
  'after-model',
  'response',
  'thought',
];

/** Follows sessions. */
export class SessionMoments {
  readonly #engine: HookEngine;
  readonly #watched = new Map<AgentSession, () => void>();
  /** The arguments of calls that run now. */
  readonly #calls = new Map<string, unknown>();

  constructor(engine: HookEngine) {
    this.#engine = engine;
  }

  /** `session.start` */
  async began({ session, cwd }: SessionPlace, signal: AbortSignal): Promise<void> {
    const state = await this.#engine.ready(session, cwd);
    if (state.table.all.length === 0) return;
    const agent = await this.#engine.agent(session);
    await this.#start(session, cwd, (agent?.state.messageCount ?? 0) > 0 ? 'resume' : 'startup', signal);
  }

  async #start(session: string, cwd: string, source: StartSource, signal: AbortSignal): Promise<void> {
    const engine = this.#engine;
    const state = await engine.ready(session, cwd);
    await this.watch(session);
    if (!engine.has(state, 'session-start')) return;
    const { contexts, env } = await engine.tell({ moment: 'session-start', source }, session, cwd, signal);
    state.pending.push(...contexts);
    Object.assign(state.env, env);
    const problem = await state.readEnvFile();
    if (problem !== undefined) await engine.once(session, state, problem);
  }

  /** Listens to an agent if there are hooks that have to be told about its events. */
  async watch(session: string): Promise<void> {
    const agent = await this.#engine.agent(session);
    if (!agent || this.#watched.has(agent) || !this.#engine.has(this.#engine.known(session), ...FROM_EVENTS)) return;
    let idle: NodeJS.Timeout | undefined;
    const unsubscribe = agent.subscribe((event) => {
      if (event.type === 'agent_start' || event.type === 'agent_end') clearTimeout(idle);
      this.#heard(agent, event);
      if (event.type === 'agent_end') idle = setTimeout(() => this.#waits(agent), IDLE_MS).unref();
    });
    this.#watched.set(agent, () => {
      clearTimeout(idle);
      unsubscribe();
    });
  }

  #waits({ session, cwd }: AgentSession): void {
    const message = 'Tenon is waiting for your input';
    const facts = { kind: 'idle_prompt', title: 'Waiting for input', message };
    this.#engine.fire({ moment: 'notification', ...facts }, session.id, cwd);
  }

  #heard(agent: AgentSession, event: AgentEvent): void {
    const { cwd } = agent;
    const session = agent.session.id;
    const engine = this.#engine;
    switch (event.type) {
      case 'message_end': {
        if (event.message.role !== 'assistant') return;
        const text = textOf(event.message);
        const thought = event.message.content
          .map((block) => (block.type === 'thinking' ? block.thinking : ''))
          .join('');
        if (text !== '') engine.fire({ moment: 'response', text }, session, cwd);
        if (thought !== '') engine.fire({ moment: 'thought', text: thought }, session, cwd);
        const { totalTokens: tokens } = event.message.usage;
        engine.fire({ moment: 'after-model', messages: [], tools: [], text, tokens }, session, cwd);
        return;
      }
      case 'tool_execution_start':
        this.#calls.set(event.toolCallId, event.args);
        return;
      case 'tool_execution_end': {
        const input = (this.#calls.get(event.toolCallId) ?? {}) as Readonly<Record<string, unknown>>;
        this.#calls.delete(event.toolCallId);
        const { details } = event.result;
        const refused = (details as { refused?: { by?: string; reason?: string; touches?: Touches } } | undefined)
          ?.refused;
        if (refused?.by !== 'approval') return;
        const { reason = '', touches = {} } = refused;
        const facts = { tool: event.toolName, callId: event.toolCallId, input, touches, reason };
        engine.fire({ moment: 'permission-denied', ...facts }, session, cwd);
        return;
      }
      case 'agent_end': {
        const last = event.messages.findLast((message) => message.role === 'assistant');
        if (last?.role === 'assistant') engine.fire({ moment: 'run-end', ...this.#endOf(last, session) }, session, cwd);
        return;
      }
      default:
    }
  }

  #endOf(last: AssistantMessage, session: string): OccasionFacts['run-end'] {
    const { stopReason, errorMessage } = last;
    const status = stopReason === 'error' || stopReason === 'aborted' ? stopReason : 'completed';
    const { prompt = '', continues = 0 } = this.#engine.known(session) ?? {};
    return {
      status,
      text: textOf(last),
      prompt,
      continues,
      ...(errorMessage !== undefined && { error: errorMessage }),
    };
  }

  /** `session.switch` */
  async switched(
    { session, cwd, reason, previous }: SessionPlace & { reason: SwitchReason; previous: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#end(previous, cwd, reason === 'resume' ? 'resume' : 'clear', signal);
    const state = await this.#engine.ready(session, cwd);
    if (state.table.all.length === 0) return;
    const sources = { new: 'clear', resume: 'resume', branch: 'resume', handoff: 'compact' } as const;
    await this.#start(session, cwd, sources[reason], signal);
  }

  /** `session.shutdown` */
  async ended({ session, cwd }: SessionPlace, signal: AbortSignal): Promise<void> {
    const agent = await this.#engine.agent(session);
    if (agent?.parent) return this.#engine.forget(session);
    await this.#end(session, cwd, 'other', signal);
    if (!agent) return;
    this.#watched.get(agent)?.();
    this.#watched.delete(agent);
  }

  async #end(session: string, cwd: string, reason: 'clear' | 'resume' | 'other', signal: AbortSignal): Promise<void> {
    const engine = this.#engine;
    const state = engine.known(session);
    if (!state) return;
    const durationMs = Date.now() - state.startedAt;
    if (engine.has(state, 'session-end'))
      await engine.tell({ moment: 'session-end', reason, durationMs }, session, cwd, signal);
    await engine.forget(session);
  }

  /** `session.before-compact`: hooks may call a summary off. */
  async compacting(
    plan: CompactionPlan,
    signal: AbortSignal,
  ): Promise<{ readonly cancel: true; readonly by: string } | undefined> {
    const { session, cwd, reason, instructions = '', tokensBefore: tokens } = plan;
    const state = this.#engine.known(session);
    if (!state || session === undefined || cwd === undefined) return undefined;
    const trigger = reason === 'manual' ? 'manual' : 'auto';
    state.compactTrigger = trigger;
    if (!this.#engine.has(state, 'before-compact')) return undefined;
    const facts = { trigger, instructions, tokens, messages: plan.messages.length } as const;
    const answer = await this.#engine.tell({ moment: 'before-compact', ...facts }, session, cwd, signal);
    if (answer.decision !== 'deny' && answer.stop === undefined) return undefined;
    const why = answer.reason ?? answer.stop ?? '';
    await this.#engine.notice(session, 'warning', `A hook called the summary off${why === '' ? '.' : `: ${why}`}`);
    return { cancel: true, by: ID };
  }

  /** `session.compacted` */
  async compacted({ session, entryId }: { session: string; entryId: string }, signal: AbortSignal): Promise<void> {
    const state = this.#engine.known(session);
    if (!this.#engine.has(state, 'after-compact', 'session-start') || !state) return;
    const work = this.#afterCompact(session, state, entryId, signal);
    // Whoever reports a compaction does not wait, so the next request has to. A failure is this hook's, not the request's.
    state.afterCompact = work.catch(() => undefined);
    await work;
  }

  async #afterCompact(session: string, state: SessionState, entryId: string, signal: AbortSignal): Promise<void> {
    const entry = (await this.#engine.agent(session))?.session.entry(entryId);
    const summary = entry?.type === 'compaction' ? entry.summary : '';
    const facts = { trigger: state.compactTrigger, summary };
    await this.#engine.tell({ moment: 'after-compact', ...facts }, session, state.cwd, signal);
    await this.#start(session, state.cwd, 'compact', signal);
  }

  /** Stops listening. */
  close(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
  }
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
