/** Takes signed answers on this machine, for a service of the user's own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Receive, Received } from '../../channel.ts';
import { field, textField } from '../../http/call.ts';
import { ChannelFault } from '../../http/fault.ts';
import { SIGNATURE_HEADER, signatureProblem, TOLERANCE_SECONDS } from './signature.ts';

const MAX_BODY = 64 * 1024;
const STATUS: Readonly<Record<Received, number>> = { taken: 200, refused: 403, gone: 409, ignored: 403 };

/** Where it listens. */
export interface EndpointPlace {
  readonly host: string;
  readonly port: number;
}

/** Serves until the signal aborts. */
export async function serveEndpoint(
  place: EndpointPlace,
  secret: () => Promise<string>,
  receive: Receive,
  signal: AbortSignal,
): Promise<void> {
  /** Signatures that were used, and until when they would hold. */
  const used = new Map<string, number>();
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
    if (request.method !== 'POST') return { status: 405, body: { error: 'only POST' } };
    const body = await bodyOf(request);
    if (body === undefined) return { status: 413, body: { error: 'the body is too long' } };
    const header = request.headers[SIGNATURE_HEADER];
    const given = typeof header === 'string' ? header : undefined;
    const problem = signatureProblem(await secret(), body, given);
    if (problem !== undefined || given === undefined) return { status: 401, body: { error: problem ?? '' } };
    const now = Date.now();
    for (const [old, until] of used) if (until < now) used.delete(old);
    if (used.has(given)) return { status: 409, body: { error: 'this request was made before' } };
    used.set(given, now + 2 * TOLERANCE_SECONDS * 1000);
    return taken(body, receive);
  };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(request)
      .catch(() => ({ status: 500, body: { error: 'it could not be taken; try again' } }))
      .then(({ status, body }) => end(response, status, body))
      .catch(() => response.destroy()); // The other side is gone.
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (fault: NodeJS.ErrnoException) =>
      reject(new ChannelFault(`it cannot listen on ${place.host}:${place.port}: ${fault.code ?? ''}`, 'access')),
    );
    server.listen(place.port, place.host, resolve);
  });
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
}

async function taken(body: string, receive: Receive): Promise<{ status: number; body: unknown }> {
  let json: unknown;
  try {
    json = JSON.parse(body) as unknown;
  } catch {
    return { status: 400, body: { error: 'the body is no JSON' } };
  }
  const [code, user, text] = [textField(json, 'question'), textField(json, 'user'), textField(json, 'text')];
  const choice = field(json, 'choice');
  const isChoice = typeof choice === 'number' && Number.isInteger(choice) && choice >= 0;
  if (code === undefined || user === undefined || (text === undefined && !isChoice))
    return { status: 400, body: { error: 'it needs "question", "user", and "choice" (a number) or "text"' } };
  let told = '';
  const received = await receive({
    type: 'answer',
    code,
    user,
    ...(isChoice ? { choice } : { text: text ?? '' }),
    tell: async (words) => void (told = words),
  });
  return { status: STATUS[received], body: { received, text: told } };
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
