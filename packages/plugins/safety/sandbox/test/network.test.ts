/** The allow list: hosts that are on it can be reached from inside, and nothing else. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { createLogger } from '@tenon/log';
import { loadAccelerator } from '@tenon/native';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMechanism } from '../src/find-mechanism.ts';
import { findRule, mayLeadTo, parseHostRules } from '../src/network/host-rules.ts';
import { startProxy } from '../src/network/proxy.ts';
import { Machine } from './support/machine.ts';

const { abilities } = await findMechanism(await loadAccelerator('sandbox'), 'auto', {});
const log = createLogger({ owner: 'test', sink: () => undefined });

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('x-seen', `${request.method} ${request.url} ${request.headers.host}`);
    request.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

describe('an allow list', () => {
  it('names hosts, hosts below a name, addresses and ports', () => {
    const rules = parseHostRules(['Example.com', '*.example.org', 'localhost:8080', '10.0.0.7', '[::1]:99', '::2']);
    const through = (host: string, to = 443) => findRule(rules, host, to) !== undefined;
    expect(through('example.com')).toBe(true);
    expect(through('EXAMPLE.com.')).toBe(true);
    expect(through('www.example.com')).toBe(false);
    expect(through('evilexample.com')).toBe(false);
    expect(through('a.b.example.org')).toBe(true);
    expect(through('example.org')).toBe(false);
    expect(through('localhost', 8080)).toBe(true);
    expect(through('localhost', 8081)).toBe(false);
    expect(through('10.0.0.7')).toBe(true);
    expect(through('::1', 99)).toBe(true);
    expect(through('::2', 1)).toBe(true);
  });

  it('refuses entries that would silently allow nothing', () => {
    for (const entry of [
      'https://example.com',
      'a*.example.com',
      '*',
      '',
      'example.com:99999',
      'user@host',
      'ex ample',
    ]) {
      expect(() => parseHostRules([entry]), entry).toThrow(expect.objectContaining({ code: 'SANDBOX_HOST_INVALID' }));
    }
  });

  it('never lets a host through that is neither named nor below a named one', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.boolean()), { maxLength: 4 }), name, (entries, host) => {
        const rules = parseHostRules(entries.map(([one, below]) => (below ? `*.${one}` : one)));
        const wanted = entries.some(([one, below]) => (below ? host.endsWith(`.${one}`) : host === one));
        expect(findRule(rules, host, 1) !== undefined).toBe(wanted);
      }),
    );
  });

  it('does not let a public name lead to this machine or its network', () => {
    const [name, address, local] = parseHostRules(['example.com', '192.168.0.5', 'localhost']);
    if (!name || !address || !local) throw new Error('three rules');
    for (const inside of [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '172.20.0.1',
      '192.168.0.5',
      '169.254.169.254',
      'fe80::1',
      'fd00::1',
      '::ffff:127.0.0.1',
    ]) {
      expect([inside, mayLeadTo(name, inside)]).toEqual([inside, false]);
    }
    expect(mayLeadTo(name, '93.184.216.34')).toBe(true);
    expect(mayLeadTo(address, '192.168.0.5')).toBe(true);
    expect(mayLeadTo(local, '127.0.0.1')).toBe(true);
  });
});

describe('the proxy', () => {
  const ask = (proxyPort: number, text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(proxyPort, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
      socket.once('error', reject);
      socket.once('close', () => resolve(answer));
      setTimeout(() => socket.end(), 700);
    });

  it('passes plain requests and tunnels on, and refuses the rest with a reason', async () => {
    const proxy = await startProxy({ loopback: true }, parseHostRules([`localhost:${port}`]), log);
    const to = proxy.port ?? 0;
    const plain = await ask(
      to,
      `POST http://localhost:${port}/a?b HTTP/1.1\r\nHost: other\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
    );
    expect(plain).toMatch(/^HTTP\/1\.1 200/);
    expect(plain.toLowerCase()).toContain(`x-seen: post /a?b localhost:${port}`);
    const tunnelled = await ask(
      to,
      `CONNECT localhost:${port} HTTP/1.1\r\n\r\nGET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(tunnelled).toMatch(/^HTTP\/1\.1 200 Connection established/);
    expect(tunnelled.toLowerCase()).toContain('x-seen: get /t x');
    expect(await ask(to, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403[^]*not in sandbox\.network\.allow/,
    );
    expect(await ask(to, `GET http://example.invalid/ HTTP/1.1\r\nHost: example.invalid\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403/,
    );
    expect(await ask(to, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
    await proxy.close();
  });
});

it.each([
  ['no status', 'HTTP/1.1 001 Nope\r\n\r\n', /^HTTP\/1\.1 502[^]*Invalid status code/],
  ['another protocol', 'HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxx', /^HTTP\/1\.1 502/],
  ['no HTTP', 'garbage\r\n\r\n', /^HTTP\/1\.1 502/],
  ['less than it promised', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', /^HTTP\/1\.1 200[^]*short$/],
])('the proxy bears a server that answers with %s, and says so at once', async (_, reply, expected) => {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined); // The proxy may be gone by then.
    socket.once('data', () => socket.end(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: to } = server.address() as AddressInfo;
  const proxy = await startProxy({ loopback: true }, parseHostRules([`127.0.0.1:${to}`]), log);
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(proxy.port ?? 0, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined).once('close', () => resolve(text));
    socket.write(`GET http://127.0.0.1:${to}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
  expect(answer).toMatch(expected);
  await proxy.close();
  server.close();
});

describe.skipIf(!abilities.bubblewrap.available)('a program in a network namespace of its own', () => {
  it('reaches the hosts of the list through the proxy and no others', async () => {
    const machine = new Machine();
    const sandboxes = machine.sandboxes({ mechanism: 'bubblewrap', network: { allow: [`localhost:${port}`] } });
    const script = `import os, sys, urllib.request, urllib.error, socket
print(urllib.request.urlopen('http://localhost:${port}/inside').headers['x-seen'])
try: urllib.request.urlopen('http://127.0.0.1:${port}/')
except urllib.error.HTTPError as fault: print(fault.code, fault.read().decode().strip())
try: socket.create_connection(('127.0.0.1', ${port}), 2)
except OSError as fault: print('direct', fault.errno is not None)
`;
    const outcome = await machine.run(sandboxes, { profile: 'workspace-write' }, ['python3', '-c', script]);
    expect(outcome.err).toBe('');
    expect(outcome.out.split('\n').slice(0, 3)).toEqual([
      `GET /inside localhost:${port}`,
      `403 Tenon's sandbox: 127.0.0.1:${port} is not in sandbox.network.allow.`,
      'direct True',
    ]);
    await machine.close();
  });

  it('has its standard input to itself, and the exit code is the program’s', async () => {
    const machine = new Machine();
    const sandboxes = machine.sandboxes({ mechanism: 'bubblewrap', network: { allow: ['localhost:1'] } });
    expect(
      await machine.run(sandboxes, { profile: 'read-only' }, ['sh', '-c', 'echo out; echo err >&2; exit 7']),
    ).toEqual({
      code: 7,
      out: 'out\n',
      err: 'err\n',
    });
    await machine.close();
  });
});

describe.skipIf(!abilities.landlock.available)('Landlock with an allow list', () => {
  it('is refused, because an open port would be open to every host', async () => {
    const machine = new Machine();
    const sandboxes = machine.sandboxes({ mechanism: 'landlock', network: { allow: ['example.com'] } });
    await expect(sandboxes.wrap({ cwd: machine.workspace, profile: 'read-only' })).rejects.toMatchObject({
      code: 'SANDBOX_ALLOW_LIST',
      next: expect.stringContaining('bubblewrap'),
    });
    await machine.close();
  });
});
