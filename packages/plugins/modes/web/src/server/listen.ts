/** Opens the port. */
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Logger, messageOf } from '@tenon/kernel';
import type { Hono } from 'hono';
import { errors } from '../errors.ts';
import type { Doorstep } from './doorstep.ts';

/** Where to listen. */
export interface ListenOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly patience?: typeof PATIENCE;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Far more than pages need; each costs memory and a file handle, also before it has shown a token. */
const MAX_CONNECTIONS = 1_000;

/** How long a request may take to arrive. Whoever sends a byte now and then must not hold a connection for ever. */
const PATIENCE = {
  /** Its first lines; also for a connection on which nothing comes. */
  headersTimeout: 10_000,
  /** All of it: pictures over a slow line take a while. */
  requestTimeout: 120_000,
  connectionsCheckingInterval: 2_000,
};
const HANDSHAKE_MS = 10_000;

/** Listens; gives the port that it got. */
export async function listen(
  app: Hono,
  { address, port, tls, patience = PATIENCE }: ListenOptions,
  log: Logger,
  doorstep: Doorstep,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls
      ? {
          createServer: createSecure,
          serverOptions: { ...certified(tls), ...patience, handshakeTimeout: HANDSHAKE_MS },
        }
      : { createServer: createPlain, serverOptions: patience }),
  }) as Server;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => doorstep.came(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (fault) =>
      reject(errors.create('WEB_CANNOT_LISTEN', { address: `${address}:${port}`, reason: messageOf(fault) }, fault)),
    );
    server.listen(port, address, resolve);
  });
  server.maxConnections = MAX_CONNECTIONS;
  // A connection that could not be taken (no file handle is left) must not end the server.
  server.on('error', (fault) => log.warn(`a connection was lost: ${messageOf(fault)}`));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Certificate and key; an error that names the files when they are none, or do not belong together. */
function certified({ cert, key }: NonNullable<ListenOptions['tls']>): { readonly cert: Buffer; readonly key: Buffer } {
  try {
    const read = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(read);
    return read;
  } catch (fault) {
    throw errors.create('WEB_TLS_FILES', { cert, key, reason: messageOf(fault) }, fault);
  }
}
