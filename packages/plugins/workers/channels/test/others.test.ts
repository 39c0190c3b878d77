/** Webhooks, ntfy and the desktop. */
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signatureOf, signatureProblem } from '../src/kinds/webhook/signature.ts';
import { FakeNtfy, NTFY_TOKEN } from './fakes/ntfy.ts';
import { startServer } from './fakes/server.ts';
import { authOf, makeWorld, WEBHOOK_SECRET } from './world.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}

describe('a webhook', () => {
  async function start() {
    const got: Record<string, unknown>[] = [];
    const { origin } = await startServer(({ headers, body, json }) => {
      const header = headers['tenon-signature'];
      if (signatureProblem(WEBHOOK_SECRET, body, String(header)) !== undefined) return { status: 401, json: {} };
      got.push(json ?? {});
      return { status: 200, json: {} };
    });
    const port = await freePort();
    const world = makeWorld({
      hook: { kind: 'webhook', to: `${origin}/in`, users: ['me'], listen: `127.0.0.1:${port}` },
    });
    await world.serve();
    const send = async (body: unknown, header?: string, method = 'POST') => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { 'tenon-signature': header ?? signatureOf(WEBHOOK_SECRET, text) };
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method,
        headers,
        ...(method === 'POST' && { body: text }),
      });
      return { status: response.status, ...((await response.json()) as { received?: string; error?: string }) };
    };
    await until(
      () =>
        send('', 'x', 'GET').then(
          () => true,
          () => false,
        ),
      'the endpoint',
    );
    return { world, got, send };
  }

  test('gets signed questions, and signed answers come back', async () => {
    const { world, got, send } = await start();
    world.questions.ask({ id: 'a', text: 'Which?', options: ['One', 'Two'] });
    await until(() => got.length === 1, 'the question');
    expect(got[0]).toMatchObject({ type: 'question', title: 'brisk-otter asks', choices: ['One', 'Two'] });
    const question = String(got[0]?.['question']);
    expect(await send({ question, user: 'somebody', choice: 1 })).toMatchObject({ status: 403, received: 'refused' });
    expect(await send({ question, user: 'me', choice: 7 })).toMatchObject({ status: 403, received: 'refused' });
    expect(await send({ question, user: 'me', choice: 1 })).toMatchObject({ status: 200, received: 'taken' });
    expect(await send({ question, user: 'me', choice: 0 })).toMatchObject({ status: 409, received: 'gone' });
    expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Two', by: 'me (hook)' }]);
    await until(() => got.length === 2, 'the settlement');
    expect(got[1]).toMatchObject({ type: 'settle', question });
  });

  test('takes nothing that is not signed, too old, said before, or no answer', async () => {
    const { world, got, send } = await start();
    world.questions.ask({ id: 'a', options: ['One'] });
    await until(() => got.length === 1, 'the question');
    const body = JSON.stringify({ question: got[0]?.['question'], user: 'me', choice: 0 });
    const now = Math.floor(Date.now() / 1000);
    for (const header of [
      '',
      `t=${now},v1=${'0'.repeat(64)}`,
      signatureOf('another-secret-of-some-length', body),
      signatureOf(WEBHOOK_SECRET, body, now - 3000),
      signatureOf(WEBHOOK_SECRET, body, now + 3000),
      signatureOf(WEBHOOK_SECRET, `${body} `),
    ])
      expect(await send(body, header)).toMatchObject({ status: 401 });
    expect(await send(body, undefined, 'GET')).toMatchObject({ status: 405 });
    expect(await send('{')).toMatchObject({ status: 400 });
    expect(await send({ question: '__proto__', user: 'me', text: 'x' })).toMatchObject({ status: 409 });
    expect(await send({ question: 'qaaaaa', user: 'me' })).toMatchObject({ status: 400 });
    expect(await send('x'.repeat(70_000))).toMatchObject({ status: 413 });
    expect(world.questions.answers).toEqual([]);
    const good = signatureOf(WEBHOOK_SECRET, body);
    expect(await send(body, good)).toMatchObject({ status: 200 });
    expect(await send(body, good)).toMatchObject({ status: 409, error: 'this request was made before' });
  });

  test('a signature holds for one secret, one body and one time alone', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.integer({ min: 0, max: 4e9 }),
        (body, other, secret, now) => {
          const header = signatureOf(secret, body, now);
          expect(signatureProblem(secret, body, header, now)).toBeUndefined();
          if (other !== body) expect(signatureProblem(secret, other, header, now)).toBe('the signature is wrong');
          expect(signatureProblem(`${secret}x`, body, header, now)).toBe('the signature is wrong');
          expect(signatureProblem(secret, body, header, now + 301)).toMatch(/too old/);
          expect(signatureProblem(secret, body, header.replace(`t=${now}`, `t=${now + 1}`), now)).toBe(
            'the signature is wrong',
          );
        },
      ),
    );
  });
});

describe('ntfy', () => {
  test('has buttons that carry what only the notification holds; the topic of answers is followed over cuts', async () => {
    const ntfy = await new FakeNtfy().start();
    const world = makeWorld({ phone: { kind: 'ntfy', to: 'mine', replies: 'mine-answers', server: ntfy.origin } });
    const end = await world.serve();
    await until(() => ntfy.followers === 1, 'the follower');
    world.questions.ask({ id: 'a', options: ['Allow once', 'Deny'], takesText: false });
    await until(() => ntfy.of('mine').length === 1, 'the notification');
    const [allow, deny] = ntfy.of('mine')[0]?.actions ?? [];
    expect([allow?.label, deny?.label]).toEqual(['Allow once', 'Deny']);
    expect(JSON.stringify(ntfy.messages)).not.toContain(NTFY_TOKEN);
    // An agent may read the state, and must not be able to press the button.
    const [, proof = ''] = (allow?.body ?? '').split(' ');
    expect(proof).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(await world.state())).not.toContain(proof);
    await until(async () => (await world.state()).outbox.length === 0, 'the note');
    await end();
    await world.serve();
    await until(() => ntfy.followers === 1, 'the follower');
    const press = (body: string) => fetch(`${ntfy.origin}/mine-answers`, { method: 'POST', body });
    const [code = ''] = (allow?.body ?? '').split(' ');
    // Whoever only knows the topic of answers has no secret.
    await press(`${code} ${'0'.repeat(32)} 0`);
    await press(`${code}: Allow once`);
    ntfy.cut();
    await fetch(deny?.url ?? '', { method: deny?.method ?? 'GET', body: deny?.body ?? '' });
    await until(() => world.questions.answers.length === 1, 'the answer');
    expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Deny', by: 'somebody (phone)' }]);
    await until(() => ntfy.of('mine').length === 2, 'the settlement');
    expect(ntfy.of('mine')[1]).toMatchObject({ priority: 1 });
  });

  test('without a topic of answers only tells', async () => {
    const ntfy = await new FakeNtfy().start();
    const world = makeWorld({ phone: { kind: 'ntfy', to: 'mine', server: ntfy.origin } });
    await world.serve();
    world.questions.ask({ id: 'a', options: ['Yes'] });
    await until(() => ntfy.messages.length === 1, 'the notification');
    expect(ntfy.messages[0]).toMatchObject({ title: 'brisk-otter asks', priority: 4 });
    expect(ntfy.messages[0]?.actions).toBeUndefined();
  });
});

describe('the desktop', () => {
  test('shows one notification; its words are arguments and no markup', async () => {
    const folder = temporaryFolder('desktop');
    const out = join(folder, 'out');
    putFiles(folder, { 'notify-send': `#!/bin/sh\nprintf '%s\\n' "$@" >>'${out}'\n` });
    chmodSync(join(folder, 'notify-send'), 0o755);
    const world = makeWorld({ here: { kind: 'desktop' } }, { env: { PATH: folder } });
    await world.serve();
    world.questions.ask({
      id: 'a',
      title: '--icon=x',
      text: `<b>$(touch ${folder}/no)</b> ${'long '.repeat(200)}`,
      options: ['Yes'],
    });
    await until(
      async () => Object.values((await world.state()).questions)[0]?.announced['here'] !== undefined,
      'the notification',
    );
    const shown = readFileSync(out, 'utf8');
    expect(shown).toMatch(/^--app-name=Tenon\n--\n--icon=x\n--icon=x\n&lt;b&gt;\$\(touch/);
    expect(shown.match(/--app-name/g)).toHaveLength(1);
  });
});

test('channels that cannot work say what is wrong with them', async () => {
  const refused: readonly [Parameters<typeof makeWorld>[0][string], RegExp][] = [
    [{ kind: 'discrod' }, /which there is not/],
    [{ kind: 'discord', to: 'general' }, /"to" must be the id of a Discord channel/],
    [{ kind: 'telegram', to: '1', server: 'http://far.example' }, /"server" must be an address that begins with https/],
    [{ kind: 'telegram', to: '1', server: 'https://me:pw@far.example' }, /"server" must be/],
    [{ kind: 'webhook', to: 'http://far.example/x' }, /"to" must be an address/],
    [{ kind: 'webhook', to: 'https://a.example', listen: '0.0.0.0:80' }, /"listen" must be 127/],
    [{ kind: 'ntfy', to: 'a', replies: 'a' }, /"replies" must be another topic/],
    [{ kind: 'ntfy', to: 'a', replies: 'b', server: 'https://n.example' }, /There is no credential for ntfy/],
    [{ kind: 'slack', to: '#general' }, /"to" must be the id of a Slack/],
  ];
  for (const [settings, problem] of refused) {
    const { service } = makeWorld({ it: settings }, { auth: async () => authOf({}) });
    await expect(service.open('it', { read: () => undefined, write: async () => undefined })).rejects.toThrow(problem);
  }
  await expect(makeWorld({}).service.serve({ signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'CHANNELS_NONE',
  });
});
