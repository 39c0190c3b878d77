import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { openAiCompatible } from '../src/embedding/openai-compatible.ts';
import { nearness, packed } from '../src/embedding/vectors.ts';
import { start } from './world.ts';

/** Meanings that a real model would find: each direction is a topic. */
const TOPICS = [/car|vehicle|automobile/i, /food|lunch|canteen/i, /./];

async function startServer(answer?: (body: { input: string[] }) => { status?: number; body: string }) {
  const requests: { auth: string | undefined; body: { input: string[]; model: string } }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const body = JSON.parse(text) as { input: string[]; model: string };
    requests.push({ auth: request.headers.authorization, body });
    const vectors = body.input.map((input, index) => ({
      index,
      embedding: TOPICS.map((topic) => (topic.test(input) ? 1 : 0) + 0.01),
    }));
    const given = answer?.(body) ?? { body: JSON.stringify({ data: vectors.reverse() }) };
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(given.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => void server.close());
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const settings = (baseUrl: string, embedder = 'openai-compatible') => ({
  embeddings: { embedder, endpoint: 'openai', baseUrl, model: 'tiny' },
});

describe('embeddings', () => {
  it('find facts that share no word with the query, when the user switched them on', async () => {
    const { requests, baseUrl } = await startServer();
    const world = await start({ memorySettings: settings(baseUrl) });
    await world.service.retain(world.cwd, 'project', { text: 'Automobiles are parked in level two', source: 'user' });
    await world.service.retain(world.cwd, 'project', { text: 'Lunch begins at noon', source: 'user' });
    const found = await world.service.recall(world.cwd, 'Where is my vehicle?');
    expect(found[0]?.fact.text).toBe('Automobiles are parked in level two');
    expect(found[0]?.nearness).toBeGreaterThan(0.9);
    const asked = requests.length;
    await world.service.recall(world.cwd, 'my vehicle');
    // The facts have their vectors by now; only the query is asked about.
    expect(requests.slice(asked).map(({ body }) => body.input)).toEqual([['my vehicle']]);
  });

  it('are off by default: nothing is sent', async () => {
    const { requests, baseUrl } = await startServer();
    const world = await start({ memorySettings: settings(baseUrl, '') });
    await world.service.retain(world.cwd, 'project', { text: 'Automobiles are parked in level two', source: 'user' });
    expect(await world.service.recall(world.cwd, 'Where is my vehicle?')).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('leave words to find facts when the server fails', async () => {
    const { baseUrl } = await startServer(() => ({ status: 500, body: '{}' }));
    const world = await start({ memorySettings: settings(baseUrl) });
    await world.service.retain(world.cwd, 'project', { text: 'Automobiles are parked in level two', source: 'user' });
    expect(await world.service.recall(world.cwd, 'automobiles')).toHaveLength(1);
  });

  it('refuse answers of another form, and send the key to the named server alone', async () => {
    const signal = new AbortController().signal;
    const good = await startServer();
    const embedder = openAiCompatible(async () => ({ baseUrl: `${good.baseUrl}/`, model: 'tiny', key: 'sk-1' }));
    expect(await embedder.embed(['a car', 'lunch'], { signal })).toEqual([
      [1.01, 0.01, 1.01],
      [0.01, 1.01, 1.01],
    ]);
    expect(good.requests[0]).toMatchObject({ auth: 'Bearer sk-1', body: { model: 'tiny' } });
    for (const body of [
      'nope',
      '{}',
      '{"data":[]}',
      '{"data":[{"embedding":["x"]}]}',
      '{"data":[{"embedding":[1,null]}]}',
      'null',
    ]) {
      const { baseUrl } = await startServer(() => ({ body }));
      const bad = openAiCompatible(async () => ({ baseUrl, model: 'tiny' }));
      await expect(bad.embed(['x'], { signal })).rejects.toMatchObject({ code: 'MEMORY_EMBEDDING' });
    }
  });

  it('keep vectors as text and compare directions', () => {
    expect(nearness(packed([3, 4]), packed([6, 8]))).toBeCloseTo(1);
    expect(nearness(packed([1, 0]), packed([0, 1]))).toBeCloseTo(0);
    expect(nearness(packed([1, 0]), packed([1, 0, 0]))).toBe(-1);
  });
});
