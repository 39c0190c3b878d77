/** A server that answers with given bytes, in given pieces. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

/** What is sent for one request. */
export interface Replay {
  readonly pieces: readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** A request as it came. */
export interface Arrival {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts the server. Every request is answered with what `replay` says about it. */
export async function startReplay(replay: (arrival: Arrival) => Replay) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const arrival = { url: request.url ?? '', headers: request.headers, body: await readAll(request) };
    arrivals.push(arrival);
    const { pieces, status = 200, headers = { 'content-type': 'text/event-stream' } } = replay(arrival);
    response.writeHead(status, headers);
    for (const piece of pieces) {
      if (response.destroyed) return;
      response.write(piece);
      // A pause after each piece, or the kernel joins them again.
      await new Promise(setImmediate);
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The bytes, cut at these places. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts]
    .map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
    .filter(({ length }) => length > 0);
}
