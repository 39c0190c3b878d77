/**
 * All that the page follows, as one stream: browsers have six connections for a server without TLS, and each window takes one. A page
 * that nobody sees lets go of it and catches up later.
 */
import { type ApiClient, ApiFault, type StreamedEvent } from '../../client.ts';
import { streams } from '../../places.ts';
import { inView, outOfView } from './visibility.ts';

/** What can be followed. */
export type Followed = 'lists' | 'session' | 'run';

/** How something is followed. */
export interface FollowOptions {
  /** Of the session or run. */
  readonly id?: string;
  /** The id of the event after which to begin. */
  readonly after?: string;
  readonly signal: AbortSignal;
  onState?(isConnected: boolean): void;
}

interface Part extends FollowOptions {
  last: string | undefined;
  take(event: StreamedEvent): void;
  end(fault?: unknown): void;
}

const AGAIN_MS = 1_000;

/** The stream of this page. */
export class PageStream {
  readonly #client: ApiClient;
  readonly #parts = new Map<Followed, Part>();
  #round = new AbortController();
  #isRunning = false;
  #isChanging = false;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Follows until it is over or `signal` aborts; throws what the server refuses it with. One of each kind at a time. */
  follow(what: Followed, options: FollowOptions, take: (event: StreamedEvent) => void): Promise<void> {
    const { signal, after } = options;
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) return resolve();
      const part: Part = {
        ...options,
        last: after,
        take,
        end: (fault) => {
          signal.removeEventListener('abort', leave);
          if (this.#parts.get(what) === part) this.#parts.delete(what);
          if (fault === undefined) resolve();
          else reject(fault as Error);
        },
      };
      const leave = () => {
        part.end();
        this.#changed();
      };
      signal.addEventListener('abort', leave);
      this.#parts.get(what)?.end();
      this.#parts.set(what, part);
      this.#changed();
    });
  }

  /** Another stream is needed. Those who leave and come in one go cost one. */
  #changed(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    queueMicrotask(() => {
      this.#isChanging = false;
      this.#round.abort();
      this.#round = new AbortController();
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#parts.size > 0) {
      const round = this.#round.signal;
      await inView(round);
      if (round.aborted) continue;
      const hidden = outOfView();
      try {
        await this.#followAll(AbortSignal.any([round, hidden.signal]));
      } catch (fault) {
        // The server refuses the page as a whole: its token is another one.
        for (const part of this.#parts.values()) part.end(fault);
      } finally {
        hidden.end();
      }
      if (round.aborted) continue;
      for (const { onState } of this.#parts.values()) onState?.(false);
      if (!hidden.signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    this.#isRunning = false;
  }

  async #followAll(signal: AbortSignal): Promise<void> {
    const query = [...this.#parts].flatMap(([what, { id }]) => (id === undefined ? [] : [[what, id]]));
    const known = [...this.#parts].flatMap(([what, { last }]) => (last === undefined ? [] : [`${what}=${last}`]));
    const onState = (state: boolean) => {
      for (const part of this.#parts.values()) part.onState?.(state);
    };
    const after = known.length > 0 ? { after: known.join(',') } : {};
    const path = query.length > 0 ? `${streams.page.path}?${new URLSearchParams(query).toString()}` : streams.page.path;
    for await (const event of this.#client.follow(path, { ...after, signal, onState })) {
      if (signal.aborted) return;
      this.#take(event);
    }
  }

  #take({ id, type: whole, data }: StreamedEvent): void {
    const [what = '', type = ''] = whole.split(':', 2);
    const part = this.#parts.get(what as Followed);
    if (!part) return;
    const place = id.split(',').find((pair) => pair.startsWith(`${what}=`));
    part.last = place?.slice(what.length + 1);
    if (type === 'over') return part.end();
    if (type === 'refused') {
      const { status, code, message } = data as { status: number; code: string; message: string };
      return part.end(new ApiFault(status, code, message));
    }
    part.take({ id: part.last ?? '', type, data });
  }
}
