/** A session of the control room: what was said, then what happens, in order and each thing once. */
import type { AgentEvent } from '@tenon/agent/api';
import { messageOf } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import {
  type ApiClient,
  ApiFault,
  type Entry,
  type Question,
  type SessionView,
  type StreamedEvent,
} from '@tenon/web/api';
import { counted } from '@tenon/wording';
import type { Delivery, Desk, Feed } from './desk.ts';
import { answerOf } from './questions.ts';

/** What a feed works with. */
export interface SessionFeedParts {
  readonly client: ApiClient;
  readonly desk: Desk;
  readonly id: string;
}

type Frame = Readonly<Record<string, unknown>>;

/** Parts of an answer that say nothing without a copy of the whole answer, which does not come over the wire. */
const PARTS_WITHOUT_COPY: ReadonlySet<unknown> = new Set(['toolcall_start', 'toolcall_delta']);
const PAGE = 500;

/** Follows a session. */
export class SessionFeed implements Feed {
  id: string;
  readonly #client: ApiClient;
  readonly #desk: Desk;
  readonly #asked = new Map<string, AbortController>();
  /** Calls whose results are shown already. */
  readonly #ended = new Set<string>();
  #view: SessionView | undefined;
  #state: SessionView['state'] | undefined;
  /** How many messages of the session are shown or were left out on purpose. */
  #shown: number | undefined;
  #hasAgent = false;
  /** Why the last prompt was not sent. */
  #told: string | undefined;
  #wake: (() => void) | undefined;
  #opening: { resolve(): void; reject(fault: unknown): void } | undefined;

  constructor({ client, desk, id }: SessionFeedParts) {
    this.#client = client;
    this.#desk = desk;
    this.id = id;
  }

  get isWorking(): boolean {
    return this.#hasAgent && this.#state?.isStreaming === true;
  }

  status(): string {
    if (!this.#view || !this.#state) return 'Opening …';
    const { model, title, queued } = this.#state;
    return [title ?? this.id.slice(0, 8), model, this.#view.cwd, ...(queued > 0 ? [`${queued} waiting`] : [])].join(
      ' · ',
    );
  }

  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const view = await this.#client.call('openSession', { body: { resume: this.id } }, signal);
        await this.#show(view, signal);
        await this.#follow(view.at, signal);
      } catch (fault) {
        if (signal.aborted) return;
        await this.#onFault(fault, signal);
      }
      this.#settleAll();
    }
  }

  async submit(message: string, whileWorking: Delivery): Promise<void> {
    if (!this.#hasAgent) {
      // Its agent was ended; whoever has something to say wants it back.
      const opened = new Promise<void>((resolve, reject) => (this.#opening = { resolve, reject }));
      this.#wake?.();
      await opened;
    }
    await this.#client.call('prompt', { params: { id: this.id }, body: { message, whileWorking } });
  }

  stop(): void {
    const failed = (fault: unknown) => this.#desk.notify(messageOf(fault), 'error');
    this.#client.call('stop', { params: { id: this.id } }).catch(failed);
  }

  /** Follows until the log breaks off; then the session is loaded anew. */
  async #follow(after: string, signal: AbortSignal): Promise<void> {
    const round = new AbortController();
    const until = AbortSignal.any([signal, round.signal]);
    const path = `/api/sessions/${encodeURIComponent(this.id)}/events`;
    const onState = (isConnected: boolean) => (this.#desk.isConnected = isConnected);
    for await (const event of this.#client.follow(path, { after, signal: until, onState })) {
      if (event.type === 'reset') {
        this.#moved((event.data as { readonly id?: string }).id);
        return round.abort();
      }
      this.#take(event);
    }
    if (!signal.aborted) await this.#agentEnded('The agent of this session has ended.', signal);
  }

  #moved(id: string | undefined): void {
    if (id === undefined || id === this.id) return;
    this.id = id;
    this.#shown = undefined;
    this.#desk.notify('The agent works on another session now.');
  }

  async #onFault(fault: unknown, signal: AbortSignal): Promise<void> {
    const isClosed = fault instanceof ApiFault && fault.status === 404 && this.#hasAgent;
    // The server was started again: the session can be opened there, too.
    if (isClosed) return void (this.#hasAgent = false);
    if (!this.#view || (fault instanceof ApiFault && (fault.status === 401 || fault.status === 403))) throw fault;
    if (!(fault instanceof ApiFault)) {
      // Between two connections the server may be away for a moment.
      this.#desk.isConnected = false;
      return pause(1_000, signal);
    }
    await this.#agentEnded(fault.message, signal);
  }

  /** Waits until the user has something to say. */
  async #agentEnded(text: string, signal: AbortSignal): Promise<void> {
    this.#hasAgent = false;
    this.#opening?.reject(new Error('The session cannot be opened.'));
    this.#desk.transcript.clear();
    this.#desk.notify(`${text} Enter opens it again, ctrl+d leaves.`, 'warning');
    this.#desk.changed();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#wake = undefined;
  }

  /** Shows what is not shown yet, and asks what is open. */
  async #show(view: SessionView, signal: AbortSignal): Promise<void> {
    const isFirst = this.#shown === undefined;
    const entries = isFirst ? view.entries : await this.#missed(view, signal);
    const { transcript } = this.#desk;
    transcript.clear();
    if (isFirst) {
      this.#desk.divide(view.state.title ?? view.id.slice(0, 8));
      const hidden = view.total - view.entries.length;
      if (hidden > 0)
        this.#desk.notify(`${counted(hidden, 'earlier message')}: the page of the control room shows all.`);
    }
    this.#view = view;
    this.#state = view.state;
    this.#shown = view.total;
    this.#hasAgent = true;
    this.#opening?.resolve();
    this.#replay(
      entries.map(({ message }) => message),
      view.state.isStreaming,
    );
    for (const question of view.questions) this.#ask(question);
    this.#desk.changed();
  }

  async #missed(view: SessionView, signal: AbortSignal): Promise<readonly Entry[]> {
    const shown = this.#shown ?? 0;
    const news = view.entries.filter(({ index }) => index >= shown);
    const first = news[0]?.index ?? view.total;
    if (first <= shown) return news;
    const query = { before: String(first), limit: String(Math.min(PAGE, first - shown)) };
    const older = await this.#client.call('sessionEntries', { params: { id: this.id }, query }, signal);
    return [...older.entries.filter(({ index }) => index >= shown), ...news];
  }

  /** Calls of the last answer may still run; those before it that have no result never will. */
  #replay(messages: readonly AgentMessage[], isWorking: boolean): void {
    const { transcript } = this.#desk;
    const last = isWorking ? messages.findLastIndex(({ role }) => role === 'assistant') : -1;
    for (const [index, message] of messages.entries()) {
      if (index === last) transcript.endReplay();
      if (message.role === 'toolResult') this.#ended.add(message.toolCallId);
      transcript.replay(message);
    }
    if (last < 0) transcript.endReplay();
  }

  #take({ type, data }: StreamedEvent): void {
    const frame = data as Frame;
    if (type === 'state') {
      this.#state = data as SessionView['state'];
      return this.#desk.changed();
    }
    if (type === 'question') return this.#ask(data as Question);
    if (type === 'question_settled') return this.#settle(String(frame['id']));
    if (type === 'ended') return this.#desk.notify(`The agent has ended: ${String(frame['reason'])}`, 'warning');
    if (type === 'command_failed') return this.#desk.notify((this.#told = String(frame['error'])), 'error');
    if (type === 'interface') return this.#interface(frame);
    if (type === 'message_start' || type === 'message_end') return this.#message(type, frame);
    if (type === 'message_update' && PARTS_WITHOUT_COPY.has((frame['assistantMessageEvent'] as Frame)['type'])) return;
    if (type.startsWith('tool_execution_') && this.#ended.has(String(frame['toolCallId']))) return;
    const { error, ...rest } = frame;
    // Why a prompt was not sent is told twice.
    const said = error === undefined || error === this.#told ? {} : { error };
    if (type === 'agent_end') this.#told = undefined;
    this.#desk.transcript.on({ ...rest, ...said, type } as unknown as AgentEvent);
  }

  /** A message is shown when it is whole: only then its place says whether it is shown already. Answers are shown as they come. */
  #message(type: 'message_start' | 'message_end', frame: Frame): void {
    const message = frame['message'] as AgentMessage;
    if (type === 'message_start') {
      if (message.role === 'assistant') this.#desk.transcript.on({ type, message });
      return;
    }
    const index = Number(frame['index']);
    if (index < (this.#shown ?? 0)) return;
    this.#shown = index + 1;
    this.#desk.transcript.on({ type: message.role === 'assistant' ? 'message_end' : 'message_start', message });
  }

  #interface(frame: Frame): void {
    if (frame['method'] !== 'notify') return;
    const kind = frame['notifyType'];
    this.#desk.notify(String(frame['message']), kind === 'error' || kind === 'warning' ? kind : 'info');
  }

  #ask(question: Question): void {
    if (this.#asked.has(question.id)) return;
    const closing = new AbortController();
    this.#asked.set(question.id, closing);
    void this.#answer(question, closing.signal).catch((fault: unknown) =>
      this.#desk.notify(messageOf(fault), fault instanceof ApiFault && fault.status === 409 ? 'info' : 'error'),
    );
  }

  async #answer(question: Question, signal: AbortSignal): Promise<void> {
    const body = await answerOf(this.#desk, question, signal);
    if (!body) return;
    await this.#client.call('answerQuestion', { params: { id: question.id }, body });
  }

  #settle(id: string): void {
    this.#asked.get(id)?.abort();
    this.#asked.delete(id);
  }

  #settleAll(): void {
    for (const id of [...this.#asked.keys()]) this.#settle(id);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
