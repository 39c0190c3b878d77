/** Calls the API. The page, the screen and tests use it; it needs nothing but `fetch`. */
import { type Place, places } from './places.ts';
import type { RouteInput, RouteName, RouteResult } from './routes.ts';

/** Where the server is, and what proves that one may use it. */
export interface ClientOptions {
  /** `http://127.0.0.1:7397`; empty on the server's own page. */
  readonly base: string;
  readonly token: string;
}

/** An event of a stream. */
export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
}

/** What the server said instead of a result. */
export class ApiFault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The code of an answer that is not the server's own. */
const NO_CODE = 'HTTP';
const RECONNECT_MS = [250, 500, 1_000, 2_000, 5_000];

/** The typed client. */
export class ApiClient {
  readonly #base: string;
  readonly #token: string;

  constructor({ base, token }: ClientOptions) {
    this.#base = base;
    this.#token = token;
  }

  /** Calls a route; throws `ApiFault` when the server refuses. */
  async call<N extends RouteName>(name: N, input: RouteInput<N>, signal?: AbortSignal): Promise<RouteResult<N>> {
    const [method, path]: Place = places[name];
    const {
      params = {},
      query = {},
      body,
    } = input as {
      params?: Record<string, string>;
      query?: Record<string, string | undefined>;
      body?: unknown;
    };
    const words = Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as [string, string]],
    );
    const asked = words.length > 0 ? `?${new URLSearchParams(words).toString()}` : '';
    const response = await fetch(`${this.#base}${filled(path, params)}${asked}`, {
      method,
      headers: { ...this.#headers(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await faultOf(response);
    return (await response.json()) as RouteResult<N>;
  }

  /**
   * Follows a stream to its end: when the connection breaks, it goes on after the last event that it has seen. `onState` is told
   * whether it is connected.
   */
  async *follow(
    path: string,
    options: { readonly after?: string; readonly signal: AbortSignal; onState?(isConnected: boolean): void },
  ): AsyncGenerator<StreamedEvent> {
    const { signal, onState } = options;
    let last = options.after;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const headers = { ...this.#headers(), ...(last !== undefined && { 'last-event-id': last }) };
        const response = await fetch(`${this.#base}${path}`, { headers, signal });
        if (!response.ok || !response.body) throw await faultOf(response);
        onState?.(true);
        failures = 0;
        for await (const event of eventsIn(response.body)) {
          if (event.type === 'over') return;
          if (event.id !== '') last = event.id;
          // What it knew is of another log; from here on it follows this one.
          if (event.type === 'reset') last = undefined;
          yield event;
        }
      } catch (fault) {
        if (signal.aborted) return;
        // What the server refuses it will refuse again; a connection comes back.
        if (isRefusal(fault)) throw fault;
      }
      onState?.(false);
      const wait = RECONNECT_MS[Math.min(failures++, RECONNECT_MS.length - 1)] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

/** Whether the server itself has answered. A head that was cut off gives any number as its status (`HTTP/1.1 2`), and no words of ours. */
export function isAnswer(fault: unknown): fault is ApiFault {
  return fault instanceof ApiFault && fault.code !== NO_CODE;
}

function isRefusal(fault: unknown): boolean {
  if (!isAnswer(fault)) return false;
  return fault.status >= 400 && fault.status < 500 && fault.status !== 429;
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

async function faultOf(response: Response): Promise<ApiFault> {
  // Something between here and the server may have answered in its own words.
  const said = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string; next?: string } }
    | undefined;
  const { code = NO_CODE, message = `The server answered ${response.status}.`, next } = said?.error ?? {};
  const sentence = message.replace(/[^.!?]$/, '$&.');
  return new ApiFault(response.status, code, next === undefined ? message : `${sentence} ${next}`);
}

/** The events of a stream (`text/event-stream`), however it is cut. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // It may have ended already.
  }
}

function eventOf(block: string): StreamedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: fields.get('id') ?? '', type: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown };
}
