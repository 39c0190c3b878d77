/** A session that an agent of this server works on: its process, its messages, its events, its open questions. */
import type { RpcCommandName, RpcData, RpcParams, SessionState as RpcState } from '@tenon/rpc-mode/api';
import type { AgentMessage } from '@tenon/sessions/api';
import { errors } from '../errors.ts';
import { EventLog } from '../server/event-log.ts';
import type { Answer, Question, SessionState, SessionView } from '../shapes.ts';
import type { Frame, RpcProcess } from './rpc-process.ts';
import type { Transcript } from './transcript.ts';

const QUESTIONS: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor']);
/** Events that say nothing to a client that follows the others. */
const LEFT_OUT: ReadonlySet<string> = new Set(['ready', 'extension_error']);

/** Events that repeat messages which were told already. */
const BARE: ReadonlySet<string> = new Set(['agent_end', 'turn_end']);

/** What a session tells the server. */
export interface LiveEvents {
  /** Its row in the list has changed. */
  changed(session: LiveSession): void;
  asked(question: Question): void;
  settled(question: Question): void;
  ended(session: LiveSession, reason: string): void;
  /** The agent works on another session now: where it stands, and its messages. */
  moved(session: LiveSession, from: string): void;
  reread(): Promise<{ readonly state: RpcState; readonly transcript: Transcript }>;
}

/** An open session. */
export class LiveSession {
  /** Of the session that its agent works on now. */
  id: string;
  readonly cwd: string;
  /** When its agent was started. */
  readonly since = new Date().toISOString();
  readonly log = new EventLog();
  readonly #process: RpcProcess;
  readonly #events: LiveEvents;
  readonly #questions = new Map<string, Question>();
  #transcript: Transcript;
  #state: SessionState;
  /** The event before what is under way: a client that joins follows from here, so that it sees all of it. */
  #openFrom: number | undefined;
  readonly #tools = new Set<unknown>();

  constructor(process: RpcProcess, transcript: Transcript, state: RpcState, cwd: string, events: LiveEvents) {
    this.id = state.sessionId;
    this.cwd = cwd;
    this.#process = process;
    this.#transcript = transcript;
    this.#state = stateOf(state);
    this.#events = events;
  }

  get isWorking(): boolean {
    return this.#state.isStreaming;
  }

  get title(): string | undefined {
    return this.#state.title;
  }

  get questions(): readonly Question[] {
    return [...this.#questions.values()];
  }

  /** Whether a process works on it. */
  isOf(process: RpcProcess): boolean {
    return this.#process === process;
  }

  /** The newest messages. Made in one go, so that view and events fit together. */
  view(limit: number): SessionView {
    const { length } = this.#transcript;
    return {
      id: this.id,
      cwd: this.cwd,
      state: this.#state,
      total: length,
      entries: this.#transcript.before(length, limit),
      questions: [...this.questions],
      // Of what is too long for the log, a client that joins gets what is left.
      at: this.log.idOf(Math.max(this.#openFrom ?? this.log.place, this.log.beginning)),
    };
  }

  /** Messages before an index. */
  entries(before: number | undefined, limit: number) {
    const { length } = this.#transcript;
    return { entries: this.#transcript.before(before ?? length, limit), total: length };
  }

  call<N extends RpcCommandName>(type: N, params: RpcParams<N>): Promise<RpcData<N>> {
    return this.#process.call(type, params);
  }

  /** Answers a question; only the first answer counts. */
  answer(id: string, answer: Answer): void {
    const question = this.#questions.get(id);
    if (!question) throw errors.create('WEB_QUESTION_GONE', { id });
    const own = id.slice(this.id.length + 1);
    const isEmpty = answer.value === undefined && answer.confirmed === undefined;
    this.#process.send({ type: 'extension_ui_response', id: own, ...(isEmpty ? { cancelled: true } : answer) });
    this.#settle(id);
  }

  /** Reads the state again, where an event does not say all of it. */
  async refresh(): Promise<void> {
    this.#change(stateOf(await this.#process.call('get_state', {})));
  }

  async close(): Promise<void> {
    await this.#process.stop();
    this.log.close();
    await this.#transcript.close();
  }

  /** Takes what the agent's process says. */
  take(frame: Frame): void {
    if (LEFT_OUT.has(frame.type)) return;
    if (frame.type === 'extension_ui_request') return this.#interface(frame);
    if (frame.type === 'session_switch') return this.#moved();
    const before = this.log.place;
    this.log.add(frame.type, this.#kept(frame));
    this.#follow(frame, before);
  }

  /** Its process is gone. */
  over(reason: string): void {
    for (const id of this.#questions.keys()) this.#settle(id);
    this.log.add('ended', { reason });
    this.#change({ ...this.#state, isStreaming: false });
    this.#events.ended(this, reason);
    this.log.close();
    // Its files are of no use to anybody now.
    void this.#transcript.close();
  }

  /** A finished message is kept, and its event says where. */
  #kept(frame: Frame): unknown {
    if (frame.type !== 'message_end') return BARE.has(frame.type) ? bare(frame) : frame;
    return { ...frame, index: this.#transcript.add(frame['message'] as AgentMessage) };
  }

  #follow({ type, ...frame }: Frame, before: number): void {
    if (type === 'message_start') this.#openFrom ??= before;
    if (type === 'tool_execution_start') {
      this.#tools.add(frame['toolCallId']);
      this.#openFrom ??= before;
    }
    if (type === 'tool_execution_end') this.#tools.delete(frame['toolCallId']);
    const isOver = type === 'agent_end';
    if (isOver) this.#tools.clear();
    if ((type === 'message_end' || type === 'tool_execution_end' || isOver) && this.#tools.size === 0)
      this.#openFrom = undefined;
    if (type === 'agent_start') this.#change({ ...this.#state, isStreaming: true });
    if (isOver) {
      this.#change({ ...this.#state, isStreaming: false });
      this.#later();
    }
  }

  #change(state: SessionState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.log.add('state', state);
    this.#events.changed(this);
  }

  #later(): void {
    // A process that ends meanwhile tells so itself.
    this.refresh().catch(() => undefined);
  }

  /** The agent has gone to another session: nothing that a client knows of the conversation holds any more. */
  #moved(): void {
    const reread = async () => {
      for (const id of this.#questions.keys()) this.#settle(id);
      const [old, from] = [this.#transcript, this.id];
      const { state, transcript } = await this.#events.reread();
      this.#transcript = transcript;
      this.id = state.sessionId;
      this.#openFrom = undefined;
      this.#events.moved(this, from);
      this.log.add('reset', { id: this.id });
      this.#change(stateOf(state));
      await old.close();
    };
    reread().catch((fault: unknown) => this.log.add('notice', { level: 'error', text: String(fault) }));
  }

  #interface(frame: Frame): void {
    const { id, method, timeout: _timeout, type: _type, ...rest } = frame;
    if (method === 'cancel') return this.#settle(`${this.id}:${String(frame['targetId'])}`);
    if (!QUESTIONS.has(method)) {
      this.log.add('interface', { method, ...rest });
      return;
    }
    const question = {
      id: `${this.id}:${String(id)}`,
      session: this.id,
      method,
      ...rest,
      asked: new Date().toISOString(),
    } as unknown as Question;
    this.#questions.set(question.id, question);
    this.log.add('question', question);
    this.#events.asked(question);
    this.#events.changed(this);
  }

  #settle(id: string): void {
    const question = this.#questions.get(id);
    if (!question) return;
    this.#questions.delete(id);
    this.log.add('question_settled', { id });
    this.#events.settled(question);
    this.#events.changed(this);
  }
}

function bare({ type, error }: Frame): Frame {
  return { type, ...(error !== undefined && { error }) };
}

function stateOf(state: RpcState): SessionState {
  const { id, provider, contextWindow } = state.model as { id: string; provider: string; contextWindow?: number };
  return {
    model: `${provider}/${id}`,
    thinking: state.thinkingLevel,
    isStreaming: state.isStreaming,
    isCompacting: state.isCompacting,
    queued: state.queuedMessageCount,
    ...(state.sessionName !== undefined && { title: state.sessionName }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
}
