/** The inspector protocol of Node: calls, answers and events as JSON. */
import { messageOf } from '@tenon/kernel';
import type { Companion, Wire } from '../../companion/companion.ts';
import { openWebSocket, type TextSocket } from './websocket.ts';

/** Facts of the protocol; what is used of them is checked where it is used. */
export type Facts = Readonly<Record<string, unknown>>;

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object, or an empty one for everything else. */
export const factsOf = (value: unknown): Facts => (isFacts(value) ? value : {});

/** The objects of a list, or none for everything else. */
export const factsIn = (value: unknown): Facts[] => (Array.isArray(value) ? value.filter(isFacts) : []);

/** A connection to one program. */
export class Inspector {
  readonly #pending = new Map<number, { resolve(result: Facts): void; reject(fault: Error): void }>();
  #socket: TextSocket | undefined;
  #count = 0;
  #endReason: string | undefined;
  /** Told of every event. */
  onEvent: (method: string, params: Facts) => void = () => undefined;
  onEnd: (reason: string) => void = () => undefined;

  /** Connects to a target of the inspector, by its address. */
  static async connect(
    companion: Companion,
    { host, port, path }: { host: string; port: number; path: string },
    patienceMs: number,
  ): Promise<Inspector> {
    const wire = await companion.connect(host, port, patienceMs);
    const inspector = new Inspector();
    // Node answers only to addresses and `localhost`, against pages that use another name for this machine.
    const name = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    inspector.#socket = await openWebSocket(
      wire,
      { host: name, path },
      { text: (text) => inspector.#take(text), end: (reason) => inspector.#finish(reason) },
    );
    return inspector;
  }

  /** Calls a method. Rejects with the program's words. */
  call(method: string, params: object = {}): Promise<Facts> {
    return new Promise((resolve, reject) => {
      if (this.#endReason !== undefined) return reject(new Error(this.#endReason));
      const id = ++this.#count;
      this.#pending.set(id, { resolve, reject });
      this.#socket?.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket?.close();
  }

  #take(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return this.#socket?.close(); // Not the protocol: there is nothing to talk about.
    }
    const { id, method, params, result, error } = factsOf(message);
    if (typeof method === 'string') return this.onEvent(method, factsOf(params));
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return undefined;
    this.#pending.delete(Number(id));
    if (error === undefined) pending.resolve(factsOf(result));
    else pending.reject(new Error(String(factsOf(error)['message'] ?? 'the program gave no reason')));
    return undefined;
  }

  #finish(reason: string): void {
    this.#endReason = reason;
    for (const { reject } of this.#pending.values()) reject(new Error(reason));
    this.#pending.clear();
    this.onEnd(reason);
  }
}

const MAX_LIST_BYTES = 256 * 1024;

/** The path of the first target that an inspector offers. */
export async function firstTarget(
  companion: Companion,
  host: string,
  port: number,
  patienceMs: number,
): Promise<string> {
  const wire = await companion.connect(host, port, patienceMs);
  try {
    const body = await httpBody(wire, `GET /json/list HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`);
    const address = String(factsIn(JSON.parse(body))[0]?.['webSocketDebuggerUrl'] ?? '');
    const path = /^wss?:\/\/[^/]+(\/.+)$/.exec(address)?.[1];
    if (path === undefined) throw new Error('it offers nothing to debug');
    return path;
  } catch (fault) {
    throw new Error(`${host}:${port} is not a Node inspector: ${messageOf(fault)}`, { cause: fault });
  } finally {
    wire.close();
  }
}

function httpBody(wire: Wire, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it does not answer')), 5_000);
    const done = (finish: () => void) => (clearTimeout(timer), finish());
    let bytes = Buffer.alloc(0);
    const look = (isOver: boolean) => {
      const end = bytes.indexOf('\r\n\r\n');
      const length = /^content-length:[ \t]*(\d+)/im.exec(bytes.subarray(0, Math.max(0, end)).toString('latin1'))?.[1];
      const body = end < 0 ? undefined : bytes.subarray(end + 4);
      if (body !== undefined && (isOver || body.length >= Number(length ?? Infinity)))
        done(() => resolve(body.toString('utf8')));
      else if (isOver) done(() => reject(new Error('it closed the connection')));
    };
    wire.onData((chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MAX_LIST_BYTES) return done(() => reject(new Error('its answer is too long')));
      return look(false);
    });
    wire.onEnd(() => look(true));
    wire.write(Buffer.from(request));
  });
}
