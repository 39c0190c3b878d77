/** The same bytes go to Tenon's own reading of a protocol and to the SDK's: both must tell the same. */
import { type Answer, type AnswerPart, type FakeModels, startFakeModels, type WireManners } from '@tenon/model-fakes';
import type { AssistantMessage, ModelRequest, Provider, StreamEvent } from '@tenon/models/api';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelOf, providerOf, requestOf } from './harness.ts';
import { DIRECT, type DirectName, oracleOf } from './oracle/index.ts';
import { cutAt, type Replay, startReplay } from './replay-server.ts';
import { TRANSCRIPTS } from './transcripts.ts';

let fake: FakeModels;
let replay: Awaited<ReturnType<typeof startReplay>>;
let answer: Replay = { pieces: [] };
beforeAll(async () => {
  fake = await startFakeModels();
  replay = await startReplay(() => answer);
});
afterAll(async () => {
  await fake.close();
  await replay.close();
});

const ours = Object.fromEntries(DIRECT.map((protocol) => [protocol, providerOf(protocol)]));
const sdk = Object.fromEntries(DIRECT.map((protocol) => [protocol, oracleOf(protocol, { mends: false })]));
const mended = Object.fromEntries(DIRECT.map((protocol) => [protocol, oracleOf(protocol, { mends: true })]));

/** Everything that a consumer can see. */
async function told(provider: Provider | undefined, request: ModelRequest): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of provider?.stream(request, { signal: new AbortController().signal }) ?? []) {
    if (event.type === 'error') {
      const { error, failure, reason } = event;
      // Where an answer breaks off, the SDK ends the blocks of some protocols and not those of others.
      const came = seen.filter((one) => !(one as StreamEvent).type.endsWith('_end'));
      const content = error.content.map(withoutArguments);
      return [...came, { type: 'error', reason, kind: failure?.kind, content, usage: error.usage }];
    }
    if (event.type === 'done') {
      const { content, usage, stopReason } = event.message;
      seen.push({ type: 'done', reason: event.reason, content, usage, stopReason });
    } else seen.push({ ...event, partial: event.partial.content.map(withoutArguments) });
  }
  return seen;
}

/** The arguments of a call grow in place: how far they are ahead of the deltas depends on the pieces that the bytes came in. */
function withoutArguments(block: AssistantMessage['content'][number]): unknown {
  return block.type === 'toolCall' ? { ...block, arguments: {} } : block;
}

describe.each(TRANSCRIPTS)('$protocol: $who', ({ protocol, wire }) => {
  it('means the same to Tenon and to the SDK, wherever the bytes are cut', async () => {
    const request = requestOf(modelOf(protocol, fake, { baseUrl: replay.url }));
    const bytes = Buffer.from(wire);
    answer = { pieces: [bytes] };
    const expected = await told(sdk[protocol], request);
    expect(expected.length).toBeGreaterThan(1);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 }), async (places) => {
        answer = { pieces: cutAt(bytes, places) };
        expect(await told(ours[protocol], request)).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const arguments_ = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
});
const part: fc.Arbitrary<AnswerPart> = fc.oneof(
  words.map((text) => ({ type: 'text' as const, text })),
  fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: fc.base64String({ minLength: 4 }) }),
  fc.record({
    type: fc.constant('toolCall' as const),
    id: fc.uuid(),
    name: fc.constantFrom('write', 'read'),
    arguments: arguments_,
  }),
);
const tokens = fc.nat({ max: 100_000 });
const answers: fc.Arbitrary<Answer> = fc.record(
  {
    content: fc.array(part, { minLength: 1, maxLength: 6 }),
    stopReason: fc.constantFrom('stop' as const, 'length' as const, 'toolUse' as const, 'refused' as const),
    usage: fc.record({
      input: tokens,
      output: tokens,
      cacheRead: tokens,
      cacheWrite: tokens,
      reasoning: fc.constant(0),
    }),
    deltaSize: fc.integer({ min: 1, max: 40 }),
  },
  { requiredKeys: ['content'] },
);
const writeSize = fc.constantFrom(undefined, 7, 64, 700);

describe.each(DIRECT)('an answer over %s', (protocol: DirectName) => {
  const both = async (oracle: Provider | undefined, reply: Answer, cut: number | undefined) => {
    const request = requestOf(modelOf(protocol, fake));
    fake.reply(reply);
    const expected = await told(oracle, request);
    fake.reply({ ...reply, ...(cut && { writeSize: cut }) });
    return { expected, found: await told(ours[protocol], request) };
  };

  it('means the same to Tenon and to the SDK, whatever it is made of', async () => {
    await fc.assert(
      fc.asyncProperty(answers, writeSize, async (reply, cut) => {
        const { expected, found } = await both(sdk[protocol], reply, cut);
        expect(found).toEqual(expected);
      }),
      { numRuns: caseCount(50) },
    );
  });

  it('means the same from a server with other manners', async () => {
    const manners: fc.Arbitrary<WireManners> = fc.record({
      crlf: fc.boolean(),
      noBlank: fc.boolean(),
      comments: fc.boolean(),
      unnamed: fc.boolean(),
      noDone: fc.boolean(),
      unfinished: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(answers, manners, writeSize, async (reply, wire, cut) => {
        const { expected, found } = await both(mended[protocol], { ...reply, wire }, cut);
        expect(found).toEqual(expected);
      }),
      { numRuns: caseCount(30) },
    );
  });

  it('fails in the same way when it breaks off', async () => {
    const faults = fc.record({
      kind: fc.constantFrom('end-early' as const, 'broken-frame' as const),
      after: fc.integer({ min: 3, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(answers, faults, writeSize, async (reply, fault, cut) => {
        const { expected, found } = await both(mended[protocol], { ...reply, fault }, cut);
        expect(found).toEqual(expected);
      }),
      { numRuns: caseCount(30) },
    );
  });
});
