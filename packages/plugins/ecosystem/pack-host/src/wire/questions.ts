/**
 * Questions for which the asking side waits without doing anything else: `read(slot).list()` and its like give their
 * answer at once in process, so they must also do so across the boundary. They travel on a descriptor of their own.
 */
import { readSync, writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { Channel, type ChannelLimits, type Violation } from './channel.ts';
import { LineDecoder } from './frames.ts';
import { marshal, unmarshal, type Wire } from './marshal.ts';
import type { Method, Peer } from './peer.ts';

/** Answers the questions that come in, one after the other. */
export function answerQuestions(
  stream: Duplex,
  parts: {
    limits: ChannelLimits;
    peer: Peer;
    method(name: string): Method | undefined;
    onViolation(kind: Violation, reason: string): void;
  },
): void {
  const { peer } = parts;
  let answering = false;
  const answer = async (method: string, params: Wire[]): Promise<Record<string, unknown>> => {
    try {
      const serve = parts.method(method);
      if (!serve) throw new TypeError(`there is no question "${method}"`);
      return { result: peer.marshalKept(await serve(params, peer)) };
    } catch (fault) {
      return { error: peer.marshalKept(fault instanceof Error ? fault : new Error(String(fault))) };
    }
  };
  const channel = new Channel(stream, parts.limits, {
    onMessage: ({ method, params }) => {
      if (answering) throw new TypeError('a second question came before the first was answered');
      if (typeof method !== 'string' || !Array.isArray(params))
        throw new TypeError('a question has no method or no parameters');
      answering = true;
      void answer(method, params as Wire[]).then((message) => {
        answering = false;
        channel.send({ jsonrpc: '2.0', ...message });
      });
    },
    onViolation: (kind, reason) => parts.onViolation(kind, reason),
    onClose: () => undefined,
  });
}

const CHUNK_BYTES = 64 * 1024;

/** Makes the function that asks: it blocks until the answer is there. `descriptor` must not be used by anything else. */
export function createAsker(
  descriptor: number,
  peer: Peer,
  maxFrameBytes: number,
): (method: string, args: readonly unknown[]) => unknown {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const readAnswer = (): { result?: Wire; error?: Wire } => {
    const decoder = new LineDecoder(maxFrameBytes);
    for (;;) {
      const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (length === 0) throw new Error('Tenon has ended');
      for (const line of decoder.push(Buffer.from(chunk.subarray(0, length))))
        return JSON.parse(line) as { result?: Wire; error?: Wire };
    }
  };
  return (method, args) => {
    const exporter = peer.references.open();
    const params = args.map((arg) => marshal(arg, exporter));
    writeAll(descriptor, Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`));
    const { result, error } = readAnswer();
    const importer = peer.references.importer('result');
    if (error !== undefined) throw unmarshal(error, importer);
    return unmarshal(result ?? null, importer);
  };
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
