/** Opens the port. */
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Logger, messageOf } from '@tenon/kernel';
import type { Hono } from 'hono';
import { errors } from '../errors.ts';

/** Where to listen. */
export interface ListenOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Far more than pages need; each costs memory and a file handle, also before it has shown a token. */
const MAX_CONNECTIONS = 1_000;

/** Listens; gives the port that it got. */
export async function listen(app: Hono, { address, port, tls }: ListenOptions, log: Logger): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls
      ? { createServer: createSecure, serverOptions: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } }
      : { createServer: createPlain }),
  }) as Server;
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
