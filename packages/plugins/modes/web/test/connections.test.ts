/** Connections that nobody has shown a token on: they are few, and do not last. */
import { connect, type Socket } from 'node:net';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { Hono } from 'hono';
import { silentLogger } from '@tenon/kernel';
import { expect, test } from 'vitest';
import { Doorstep } from '../src/server/doorstep.ts';
import { listen } from '../src/server/listen.ts';

/** A connection on which `text` was written, and whether the server has closed it. */
async function open(port: number, text: string) {
  const socket: Socket = connect(port, '127.0.0.1');
  const state = { socket, isClosed: false, said: '' };
  later(() => void socket.destroy());
  socket.on('error', () => undefined).on('close', () => (state.isClosed = true));
  socket.on('data', (part: Buffer) => (state.said += part.toString()));
  await new Promise<void>((resolve) => void socket.once('connect', resolve));
  socket.write(text);
  return state;
}

async function serve(doorstep: Doorstep, patience?: Parameters<typeof listen>[1]['patience']) {
  const app = new Hono();
  app.get('/in', (context) => {
    doorstep.admit((context.env as { incoming: { socket: Socket } }).incoming.socket);
    return context.text('come in');
  });
  const options = { address: '127.0.0.1', port: 0, ...(patience && { patience }) };
  const listening = await listen(app, options, silentLogger, doorstep);
  later(() => listening.close());
  return listening.port;
}

const HEAD = 'GET /in HTTP/1.1\r\nHost: x\r\n';

test('of many that only wait, those that came first go; who has shown the token stays, and others still get in', async () => {
  const port = await serve(new Doorstep(10));
  const guest = await open(port, `${HEAD}\r\n`);
  await until(() => guest.said.includes('come in'), 'the answer');
  const idle: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < 40; count += 1) idle.push(await open(port, count % 2 === 0 ? '' : HEAD));
  await until(() => idle.filter(({ isClosed }) => !isClosed).length <= 10, 'those that wait too long');
  const later_ = await open(port, `${HEAD}\r\n`);
  await until(() => later_.said.includes('come in'), 'the answer');
  expect(guest.isClosed).toBe(false);
  guest.said = '';
  guest.socket.write(`${HEAD}\r\n`);
  await until(() => guest.said.includes('come in'), 'the second answer');
});

test('a request that comes byte by byte, or not at all, is not waited for', async () => {
  const patience = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
  const port = await serve(new Doorstep(), patience);
  const silent = await open(port, '');
  const slow = await open(port, HEAD);
  const body = await open(port, 'POST /in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
  const drip = setInterval(() => {
    if (!slow.isClosed) slow.socket.write('x');
    if (!body.isClosed) body.socket.write('x');
  }, 50);
  later(() => clearInterval(drip));
  await until(() => silent.isClosed && slow.isClosed && body.isClosed, 'the end of all three');
});
