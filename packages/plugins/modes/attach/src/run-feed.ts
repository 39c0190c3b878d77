/** A run of the control room: what its worker does, messages for it, its questions. */
import { messageOf } from '@tenon/kernel';
import type { Run, RunEvent, RunOutput, RunQuestion } from '@tenon/runs/api';
import { type ApiClient, ApiFault, type RunView, type StreamedEvent } from '@tenon/web/api';
import type { Desk, Feed } from './desk.ts';
import { WorkerEvents } from './worker-events.ts';

/** What a feed works with. */
export interface RunFeedParts {
  readonly client: ApiClient;
  readonly desk: Desk;
  readonly id: string;
}

const ENDED: ReadonlySet<Run['state']> = new Set(['done', 'failed', 'cancelled']);
const IDLE: ReadonlySet<Run['state']> = new Set(['waiting', 'hijacked', ...ENDED]);
const RECONNECT_MS = 1_000;
const LOOK_MS = 2_000;

/** Follows a run. A key does not end it: `/cancel` does. */
export class RunFeed implements Feed {
  readonly id: string;
  readonly #client: ApiClient;
  readonly #desk: Desk;
  readonly #events: WorkerEvents;
  #view: RunView | undefined;
  /** The last event that was shown. */
  #last: string | undefined;
  #asking: AbortController | undefined;
  #wake: (() => void) | undefined;

  constructor({ client, desk, id }: RunFeedParts) {
    this.id = id;
    this.#client = client;
    this.#desk = desk;
    this.#events = new WorkerEvents((event) => desk.transcript.on(event));
  }

  get isWorking(): boolean {
    return this.#view !== undefined && !IDLE.has(this.#view.run.state);
  }

  status(): string {
    if (!this.#view) return 'Opening …';
    const { alias, worker, state, folder } = this.#view.run;
    return `${alias} · ${worker} · ${state} · ${folder} · /cancel /retry`;
  }

  async work(signal: AbortSignal): Promise<void> {
    const { run } = await this.#load(signal);
    this.#desk.divide(`${run.alias} · ${run.worker}`);
    this.#desk.transcript.on({
      type: 'message_start',
      message: { role: 'user', content: run.request.task, timestamp: Date.parse(run.created) },
    });
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        await this.#begunAgain(signal);
      } catch (fault) {
        if (signal.aborted) return;
        if (fault instanceof ApiFault) throw fault;
        this.#desk.isConnected = false;
        await this.#woken(AbortSignal.any([signal, AbortSignal.timeout(RECONNECT_MS)]));
      }
    }
  }

  async submit(text: string): Promise<void> {
    const params = { id: this.id };
    const said = text.trim();
    if (said === '/cancel') await this.#client.call('cancelRun', { params });
    else if (said === '/retry') await this.#client.call('retryRun', { params });
    else {
      await this.#client.call('sendToRun', { params, body: { text } });
      this.#desk.transcript.on({
        type: 'message_start',
        message: { role: 'user', content: text, timestamp: Date.now() },
      });
    }
    this.#wake?.();
  }

  async #load(signal: AbortSignal): Promise<RunView> {
    this.#view = await this.#client.call('viewRun', { params: { id: this.id } }, signal);
    this.#desk.changed();
    return this.#view;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const path = `/api/runs/${encodeURIComponent(this.id)}/events`;
    const onState = (isConnected: boolean) => (this.#desk.isConnected = isConnected);
    const after = this.#last === undefined ? {} : { after: this.#last };
    for await (const event of this.#client.follow(path, { ...after, signal, onState })) {
      if (event.id !== '') this.#last = event.id;
      await this.#take(event, signal);
    }
    await this.#load(signal);
  }

  async #take({ type, data }: StreamedEvent, signal: AbortSignal): Promise<void> {
    if (type === 'output') {
      const { stream, text } = data as RunOutput;
      if (stream === 'validation' && text.trim() !== '') this.#desk.notify(text.trimEnd());
      return;
    }
    const { what } = data as RunEvent;
    if (what.type === 'worker') {
      const line = this.#events.take(what.event);
      if (line) this.#desk.notify(line.text, line.kind);
    } else if (what.type === 'notice') this.#desk.notify(what.message);
    else if (what.type === 'validation') this.#desk.notify(`Validation: ${what.state}`);
    else if (what.type === 'account-switched') this.#desk.notify(`It goes on as ${what.to}: ${what.reason}`);
    else if (what.type === 'state') await this.#state(what.state, what.message, signal);
  }

  async #state(state: Run['state'], message: string | undefined, signal: AbortSignal): Promise<void> {
    if (IDLE.has(state)) {
      this.#events.endAll();
      const said = message === undefined ? `The run is ${state}.` : `The run is ${state}: ${message}`;
      this.#desk.notify(said, state === 'failed' ? 'error' : 'info');
    }
    this.#asking?.abort();
    const { run, questions } = await this.#load(signal);
    const open = questions.filter(({ answer }) => answer === undefined);
    if (run.state === 'waiting' && state === 'waiting' && open.length > 0) void this.#ask(open);
  }

  async #ask(questions: readonly RunQuestion[]): Promise<void> {
    const closing = new AbortController();
    this.#asking = closing;
    const answers: Record<string, string> = {};
    for (const { id, text, options = [] } of questions) {
      const answer = await this.#answer(text, options, closing.signal);
      if (closing.signal.aborted || this.#desk.isLeaving) return;
      if (answer === undefined)
        return this.#desk.notify('The question stays open. What you type goes to the worker as a message.');
      answers[id] = answer;
    }
    try {
      await this.#client.call('answerRun', { params: { id: this.id }, body: { answers } });
      this.#wake?.();
    } catch (fault) {
      this.#desk.notify(messageOf(fault), 'error');
    }
  }

  async #answer(title: string, options: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    if (options.length === 0) return this.#desk.write({ title, isLong: true }, signal);
    const at = await this.#desk.select({ title, options: [...options, 'Something else: write it'] }, signal);
    if (at === options.length) return this.#desk.write({ title, isLong: true }, signal);
    return at === undefined ? undefined : options[at];
  }

  /** It has ended. A message or a retry, from here or from somebody else, begins it again. */
  async #begunAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#view && ENDED.has(this.#view.run.state)) {
      await this.#woken(AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]));
      if (!signal.aborted) await this.#load(signal);
    }
  }

  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
