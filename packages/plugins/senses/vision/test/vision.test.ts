import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory, input, modelRequest, modelUsed } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { loadAccelerator } from '@tenon/native';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { MODEL, type Script, SEEING } from '@tenon/test-kit/scripted-models';
import { type ToolResult, toolRunner } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { bmp } from './bmp.ts';

const LIMITS = { vision: { maxSide: 200 } };
const image = (bytes: Uint8Array, mimeType = 'image/bmp') => ({
  type: 'image' as const,
  data: Buffer.from(bytes).toString('base64'),
  mimeType,
});

/** A PNG of this size. */
async function png(width: number, height: number): Promise<Uint8Array> {
  const made = await (await loadAccelerator('images')).fit(bmp(width, height), { maxSide: 10_000 });
  if (!made.ok || !made.value.bytes) throw new Error('the picture was not written again');
  return made.value.bytes;
}

async function sizeOf(data: string) {
  const facts = await (await loadAccelerator('images')).facts(Buffer.from(data, 'base64'));
  return facts.ok ? facts.value : facts.reason;
}

async function start(script: Script = [{ text: 'Seen.' }], models?: Parameters<typeof createWorld>[0]) {
  const world = await createWorld({
    script,
    settings: LIMITS,
    plugins: ['vision'],
    tools: {
      camera: tool(async () => ({ content: [image(bmp(600, 300)), { type: 'text', text: 'a photo' }] })),
      broken: tool(async () => ({ content: [image(Buffer.from('no picture'), 'image/png')] })),
    },
    ...models,
  });
  const runner = await world.kernel.find(toolRunner);
  return { ...world, run: (name: string, args: unknown): Promise<ToolResult> => runner.run(name, args, {}) };
}

describe('images on their way into a conversation', () => {
  it('shrinks those in results of tools, so that the session keeps the small ones', async () => {
    const { run } = await start();
    const { content } = await run('camera', {});
    const [picture, text] = content;
    if (picture?.type !== 'image') throw new Error('no image');
    expect(picture.mimeType).toBe('image/png');
    expect(await sizeOf(picture.data)).toMatchObject({ width: 200, height: 100, mimeType: 'image/png' });
    expect(text).toEqual({ type: 'text', text: 'a photo' });
  });

  it('puts a line in the place of an image that would make every later request fail', async () => {
    const { run } = await start();
    const { content } = await run('broken', {});
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[An image was left out: it is not a picture/) },
    ]);
  });

  it('shrinks what the user pastes, and says what cannot be sent', async () => {
    const { kernel } = await start();
    const big = image(await png(500, 500), 'image/png');
    const given = await kernel.run(input, { text: 'look', images: [big] });
    expect(await sizeOf(given.images[0]?.data ?? '')).toMatchObject({ width: 200, height: 200 });
    const small = image(await png(20, 20), 'image/png');
    expect((await kernel.run(input, { text: 'look', images: [small] })).images).toEqual([small]);
    const bad = await kernel.run(input, { text: 'look', images: [image(Buffer.from('x'))] });
    expect(bad.blocked).toMatch(/^An image cannot be sent: it is not a picture/);
  });

  it('shrinks what is in messages already on its way out, and corrects a wrong type', async () => {
    const { kernel } = await start();
    const lying = image(await png(20, 20), 'image/jpeg');
    const message = { role: 'user' as const, content: [image(bmp(400, 100)), lying], timestamp: 1 };
    const { messages } = await kernel.run(modelRequest, { systemPrompt: '', messages: [message], tools: [] });
    const [first, second] = (messages[0]?.content ?? []) as unknown as { data: string; mimeType: string }[];
    expect(await sizeOf(first?.data ?? '')).toMatchObject({ width: 200, height: 50 });
    expect(second).toEqual({ ...lying, mimeType: 'image/png' });
  });
});

describe('vision.send: false', () => {
  it('lets no image out: neither a pasted one, nor one of a tool or an older message, nor inspect_image', async () => {
    const { kernel, run, home, requests } = await start([{ text: 'Seen.' }], {
      settings: { vision: { maxSide: 200, send: false } },
    });
    const photo = image(await png(20, 20), 'image/png');
    expect((await kernel.run(input, { text: 'look', images: [photo] })).blocked).toBe(
      'An image cannot be sent: the setting vision.send is off, so no image goes to a model.',
    );
    const text = { type: 'text' as const, text: 'a photo' };
    const message = { role: 'user' as const, content: [photo, text], timestamp: 1 };
    const { messages } = await kernel.run(modelRequest, { systemPrompt: '', messages: [message], tools: [] });
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: expect.stringContaining('[An image was left out: the setting vision.send is off') },
      text,
    ]);
    // People still see it, and it is there when the setting changes.
    expect((await run('camera', {})).content[0]?.type).toBe('image');
    writeFileSync(join(home, 'photo.bmp'), bmp(60, 30));
    const asked = await run('inspect_image', { path: 'photo.bmp', question: 'What is it?' });
    expect(asked).toMatchObject({ isError: true, details: { error: { code: 'VISION_NOT_SENT' } } });
    expect(requests).toEqual([]);
  });
});

describe('inspect_image', () => {
  it('asks a model that sees, with the small image and the question', async () => {
    const { run, requests, home } = await start([{ text: 'A gradient.' }]);
    writeFileSync(join(home, 'photo.bmp'), bmp(600, 300));
    const result = await run('inspect_image', { path: 'photo.bmp', question: 'What is it?' });
    expect(result.isError).toBeFalsy();
    expect(result.content).toEqual([{ type: 'text', text: 'A gradient.' }]);
    expect(result.details).toMatchObject({ model: 'test/seeing', mimeType: 'image/png', imagePath: 'photo.bmp' });
    const [request] = requests;
    expect(request?.model.id).toBe('seeing');
    const [picture, question] = (request?.messages[0]?.content ?? []) as unknown as { data: string; text: string }[];
    expect(await sizeOf(picture?.data ?? '')).toMatchObject({ width: 200, height: 100 });
    expect(question?.text).toBe('What is it?');
  });

  it('works beside the model of a session that cannot see', async () => {
    const script: Script = [
      { calls: [{ name: 'inspect_image', arguments: { path: 'photo.bmp', question: 'What is it?' } }] },
      { text: 'Blue.' },
      { text: 'It is blue.' },
    ];
    const used: string[] = [];
    const note = ({ purpose, message }: { purpose: string; message: { model: string } }) =>
      void used.push(`${purpose} ${message.model}`);
    const watcher = inlineCandidate(
      { id: 'watcher', activate: (ctx) => void ctx.on(modelUsed, note) },
      { handles: ['model.used'] },
    );
    const { kernel, requests, cwd } = await start(script, { plugins: ['vision', watcher] });
    writeFileSync(join(cwd, 'photo.bmp'), bmp(30, 30));
    const session = await (await kernel.find(sessionStore)).create({ cwd });
    const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd, tools: ['inspect_image'] });
    await agent.prompt('Which colour has photo.bmp?');
    expect(requests.map(({ model }) => model.id)).toEqual([MODEL.id, SEEING.id, MODEL.id]);
    expect(JSON.stringify(requests[2]?.messages)).toContain('Blue.');
    // What it used counts for the session, now and when it is opened again, and for the ledger.
    expect(agent.usage()).toMatchObject({ totalTokens: 45, cost: { total: expect.closeTo(0.003) } });
    const results = agent.session.context().messages.filter(({ role }) => role === 'toolResult');
    expect(results).toMatchObject([{ details: { model: 'test/seeing', spent: { totalTokens: 15 } } }]);
    expect(used).toEqual(['turn m', 'tool seeing', 'turn m']);
    const { agent: again } = await (await kernel.find(agentFactory)).create({ session: agent.session, cwd });
    expect(again.usage().totalTokens).toBe(45);
  });

  it('says what to do when nothing sees, and about files that are no images', async () => {
    const blind = await start(undefined, { models: [MODEL] });
    writeFileSync(join(blind.home, 'photo.bmp'), bmp(30, 30));
    const answer = await blind.run('inspect_image', { path: 'photo.bmp', question: 'What?' });
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('models.roles.vision');
    const { run, home } = await start();
    writeFileSync(join(home, 'notes.txt'), 'words');
    for (const [path, words] of [
      ['notes.txt', 'it is not a picture'],
      ['missing.png', 'cannot be read'],
      ['.', 'it is not a file'],
    ] as const) {
      const refused = await run('inspect_image', { path, question: 'What?' });
      expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining(words)]);
    }
  });
});
