/** A WebSocket that carries JSON. */
import WebSocket from 'ws';
import { ChannelFault } from './fault.ts';

const MAX_FRAME = 8 * 1024 * 1024;
const CONNECT_MS = 30_000;
const PING_MS = 30_000;

/** How a connection ended. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** An open connection. */
export interface JsonSocket {
  send(value: unknown): void;
  close(code?: number): void;
  /** Ends with the connection; never fails. */
  readonly ended: Promise<SocketEnd>;
}

/** Connects. `onFrame` gets every frame that is JSON, in order. A connection that says nothing to two pings is given up. */
export async function openSocket(
  service: string,
  url: string,
  onFrame: (frame: unknown) => void,
  signal: AbortSignal,
): Promise<JsonSocket> {
  signal.throwIfAborted();
  const socket = new WebSocket(url, { maxPayload: MAX_FRAME, handshakeTimeout: CONNECT_MS, followRedirects: false });
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  let isAlive = true;
  const pings = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  const ended = new Promise<SocketEnd>((resolve) => {
    socket.on('close', (code, reason) => {
      clearInterval(pings);
      signal.removeEventListener('abort', stop);
      resolve({ code, reason: reason.toString('utf8') });
    });
  });
  for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, () => void (isAlive = true));
  socket.on('message', (data) => {
    const frame = parsed(String(data));
    if (frame !== undefined) onFrame(frame);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    // `ws` closes the connection after each error, so later ones need no more than a listener. Its words may hold the address.
    socket.on('error', (fault) => {
      const { code } = fault as NodeJS.ErrnoException;
      reject(new ChannelFault(`${service} cannot be reached${code === undefined ? '' : `: ${code}`}`, 'again'));
    });
    socket.once('close', () => reject(new ChannelFault(`${service} closed the connection`, 'again')));
  });
  return {
    ended,
    send: (value) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(value));
    },
    close: (code = 1000) => socket.close(code),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // No frame of the protocol.
  }
}
