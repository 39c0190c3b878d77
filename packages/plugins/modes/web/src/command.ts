/** `tenon web`. */
import { networkInterfaces } from 'node:os';
import type { CommandCall } from '@tenon/command-line/api';
import { type ControlRoom, openControlRoom, type RoomParts } from './control-room.ts';
import { errors } from './errors.ts';
import { noteServer, serverOn } from './server/running.ts';
import { takeToken, tokenIn } from './server/token.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const ANY = new Set(['0.0.0.0', '::']);

/** Serves until Ctrl-C. */
export async function runWeb(
  { flags, io, signal }: CommandCall,
  parts: RoomParts & { readonly state: string },
): Promise<void> {
  const port = portOf(String(flags['port']));
  const named = String(flags['listen']);
  const address = named === 'localhost' ? '127.0.0.1' : named;
  const tls = tlsOf(flags['tls-cert'], flags['tls-key']);
  if (!LOOPBACK.has(named) && !tls && flags['insecure'] !== true) throw errors.create('WEB_NEEDS_TLS', { address });
  const names = [...((flags['host'] as string[] | undefined) ?? []), ...(ANY.has(address) ? ownAddresses() : [])];
  const token = await takeToken(parts.state, flags['new-token'] === true);
  // Behind the #, so that it is in no request and no log.
  const linkOf = (origin: string) => `${origin.replace(/\[::\]|0\.0\.0\.0/, names[0] ?? '127.0.0.1')}/#token=${token}`;
  let room: ControlRoom;
  try {
    room = await openControlRoom(parts, { address, port, token: tokenIn(parts.state), names, ...(tls && { tls }) });
  } catch (fault) {
    const origin = isTaken(fault) ? await serverOn(parts.state, port) : undefined;
    if (origin === undefined) throw fault;
    if (flags['json'] === true) await io.json({ url: origin, token, link: linkOf(origin), port, isOpenAlready: true });
    else await io.out(`The control room is open already, in another process: ${linkOf(origin)}\n`);
    return;
  }
  const forget = await noteServer(parts.state, room.port, room.origin);
  const link = linkOf(room.origin);
  if (flags['json'] === true) await io.json({ url: room.origin, token, link, port: room.port });
  else
    await io.out(
      `The control room is open: ${link}\nThe link lets anybody who has it work as you. Ctrl-C ends the server and the agents that it has started.\n`,
    );
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    await forget();
    await room.close();
  }
}

/** Somebody listens there already. */
function isTaken(fault: unknown): boolean {
  const { cause } = fault as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === 'EADDRINUSE';
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw errors.create('WEB_PORT', { port: text });
  return port;
}

function tlsOf(cert: unknown, key: unknown): { cert: string; key: string } | undefined {
  if (typeof cert === 'string' && typeof key === 'string') return { cert, key };
  if (cert !== undefined || key !== undefined) throw errors.create('WEB_TLS_HALF');
  return undefined;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
