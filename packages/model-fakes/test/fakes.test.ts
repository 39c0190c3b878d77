import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decodeEventStream,
  encodeEventStreamMessage,
  type FakeModels,
  type Protocol,
  PROTOCOLS,
  startFakeModels,
} from '../src/index.ts';

let fake: FakeModels;
beforeAll(async () => void (fake = await startFakeModels()));
afterAll(() => fake.close());

const PATHS: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': '/messages',
  'openai-responses': '/responses',
  'openai-completions': '/chat/completions',
  'google-generative-ai': '/models/gemini-x:streamGenerateContent?alt=sse',
  'bedrock-converse-stream': '/model/some.model-v1%3A0/converse-stream',
};
const post = (protocol: Protocol) =>
  fetch(fake.baseUrl(protocol) + PATHS[protocol], {
    method: 'POST',
    body: JSON.stringify({ model: 'm', question: 'ü' }),
  });

/** The JSON of every event, read without any client library. */
async function events(protocol: Protocol): Promise<Record<string, unknown>[]> {
  const bytes = Buffer.from(await (await post(protocol)).arrayBuffer());
  if (protocol === 'bedrock-converse-stream')
    return decodeEventStream(bytes).map(({ headers, body }) => ({
      [headers[':event-type'] ?? headers[':exception-type'] ?? '']: JSON.parse(body.toString()) as unknown,
    }));
  return bytes
    .toString()
    .split('\n\n')
    .flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Record<string, unknown>);
}

describe.each(PROTOCOLS)('the fake of %s', (protocol) => {
  it('sends frames that a plain reader understands, in any write size', async () => {
    const content = [
      { type: 'text' as const, text: 'Grüße 🎉' },
      { type: 'toolCall' as const, id: 'c', name: 'read', arguments: { path: 'ä' } },
    ];
    fake.reply({ content }, { content, writeSize: 1 });
    const whole = await events(protocol);
    expect(await events(protocol)).toEqual(whole);
    const text = JSON.stringify(whole);
    expect(text).toContain('🎉');
    expect(text).toContain('read');
  });

  it('records what it was asked', async () => {
    fake.reply({ content: [{ type: 'text', text: 'x' }] });
    await events(protocol);
    expect(fake.requests.at(-1)).toMatchObject({ protocol, body: { question: 'ü' } });
  });

  it('refuses with status, headers and a body in the shape of the protocol', async () => {
    fake.reply({ status: 429, headers: { 'retry-after': '3' }, message: 'too fast' });
    const response = await post(protocol);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.text()).toContain('too fast');
  });

  it('breaks off where it is told to', async () => {
    const content = [{ type: 'text' as const, text: 'x'.repeat(200) }];
    fake.reply({ content, fault: { kind: 'drop', after: 3 } });
    await expect(events(protocol)).rejects.toThrow();
    fake.reply({ content, fault: { kind: 'end-early', after: 3 } });
    expect((await events(protocol)).length).toBeLessThanOrEqual(3);
    fake.reply({ content, fault: { kind: 'broken-frame', after: 3 } });
    await expect(events(protocol)).rejects.toThrow(/JSON/);
    fake.reply({ content, fault: { kind: 'error-event', after: 3, type: 'some_error', message: 'went wrong' } });
    expect(JSON.stringify((await events(protocol)).at(-1))).toContain('went wrong');
  });

  it('says so when the script has nothing left', async () => {
    const response = await post(protocol);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('no reply left');
  });
});

describe('the binary event stream', () => {
  it('has checksums that notice a changed byte', () => {
    const message = encodeEventStreamMessage({ headers: { ':event-type': 'x' }, body: Buffer.from('{"a":"ü"}') });
    expect(decodeEventStream(message)).toEqual([{ headers: { ':event-type': 'x' }, body: Buffer.from('{"a":"ü"}') }]);
    message[message.length - 6] = (message[message.length - 6] ?? 0) ^ 1;
    expect(() => decodeEventStream(message)).toThrow('wrong checksum');
  });
});
