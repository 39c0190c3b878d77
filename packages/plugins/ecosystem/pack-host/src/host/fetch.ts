/** `fetch` for packs: there is no network in the sandbox, so Tenon makes the request, if the pack declared the host. */
import type { BrokeredRequest, BrokeredResponse } from '../fetch-broker.ts';
import type { Peer } from '../wire/peer.ts';

const NO_BODY = new Set([101, 204, 205, 304]);

/** A `fetch` that asks Tenon. */
export function createHostFetch(peer: Peer): typeof fetch {
  return fetchThrough((request, signal) => peer.request('fetch', [request, signal]) as Promise<BrokeredResponse>);
}

/** A `fetch` whose requests somebody else makes. */
export function fetchThrough(
  send: (request: BrokeredRequest, signal: AbortSignal) => Promise<BrokeredResponse>,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const { url, method, redirect, signal } = request;
    const brokered: BrokeredRequest = { url, method, redirect, headers: [...request.headers], ...(body && { body }) };
    const answer = await send(brokered, signal);
    const headers = new Headers(answer.headers.map(([name, value]): [string, string] => [name, value]));
    const { status, statusText } = answer;
    const response = new Response(NO_BODY.has(status) ? null : streamOf(answer.body), { status, statusText, headers });
    Object.defineProperty(response, 'url', { value: answer.url });
    Object.defineProperty(response, 'redirected', { value: answer.redirected });
    return response;
  };
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
