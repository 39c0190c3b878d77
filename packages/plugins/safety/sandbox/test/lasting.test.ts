/** Confinements for programs that go on when Tenon is killed: their hosts, their way to the network, and what is held for them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadAccelerator } from '@tenon/native';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProject, protectedPlacesOf } from '../src/api.ts';
import { findMechanism } from '../src/find-mechanism.ts';
import { hold, isHeld, passOn, releaseAbandoned } from '../src/held-places.ts';
import { Machine } from './support/machine.ts';

const { mechanism } = await findMechanism(await loadAccelerator('sandbox'), 'auto', {});

/** Asks the proxy for an address and prints the status, or why there was none. With an agent of its own: the usual one of Node.js 24 knows the proxy itself. */
const ASK = `const http = require('node:http');
const agent = new http.Agent();
globalThis.ask = (url) => new Promise((resolve) => {
  const request = http.request({ agent, host: '127.0.0.1', port: 3128, path: url, headers: { host: 'localhost' } }, (reply) => {
    reply.resume(); reply.on('end', () => resolve(String(reply.statusCode)));
  });
  request.on('error', (fault) => resolve(fault.code)); request.end();
});`;

describe.skipIf(mechanism !== 'bubblewrap')('a confinement with hosts of its own', () => {
  let server: Server;
  let port: number;
  let machine: Machine;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    machine = new Machine();
    server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    server.close();
    await machine.close();
  });

  it('reaches them and nothing else', async () => {
    const request = { hosts: [`localhost:${port}`] };
    const code = `${ASK} (async () => console.log(await ask('http://localhost:${port}/'), await ask('http://localhost:${port + 1}/'), await ask('http://example.com/')))()`;
    const { out } = await machine.run(machine.sandboxes(), request, [process.execPath, '-e', code]);
    expect(out.trim()).toBe('200 403 403');
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, ...request });
    expect([confinement.network, confinement.describe()]).toEqual([
      'some',
      expect.stringContaining(`only localhost:${port}`),
    ]);
    await confinement.dispose();
  });

  it('has its network again when another process opens it at the same place, and sees nothing else of that place', async () => {
    const lasting = join(machine.home, '.local/share/tenon/run-1');
    mkdirSync(lasting, { recursive: true, mode: 0o700 });
    writeFileSync(join(lasting, 'secret'), 'PRIVATE');
    const request = { cwd: machine.workspace, hosts: [`localhost:${port}`], lasting };
    const first = await machine.sandboxes().wrap(request);
    const code = `${ASK} const fs = require('node:fs'); const seen = [];
      const note = (text) => { seen.push(text); fs.writeFileSync('seen', seen.join(' ')); };
      (async () => {
        note(fs.existsSync(${JSON.stringify(join(lasting, 'secret'))}) ? 'LEAK' : 'hidden');
        try { fs.writeFileSync(${JSON.stringify(join(lasting, 'network/x'))}, ''); note('WRITABLE'); } catch { note('closed'); }
        for (;;) { const answer = await ask('http://localhost:${port}/'); if (answer !== seen.at(-1)) note(answer); await new Promise((r) => setTimeout(r, 20)); }
      })();`;
    const [program = '', ...args] = [...first.argv, process.execPath, '-e', code];
    children.push(
      spawn(program, args, { cwd: machine.workspace, env: { ...process.env, ...first.env }, stdio: 'inherit' }),
    );
    const { readFileSync } = await import('node:fs');
    const seen = () =>
      existsSync(join(machine.workspace, 'seen')) ? readFileSync(join(machine.workspace, 'seen'), 'utf8') : '';
    await until(() => seen() === 'hidden closed 200');
    await first.dispose();
    await until(() => seen().startsWith('hidden closed 200 E'));
    const second = await machine.sandboxes().wrap(request);
    await until(() => seen().endsWith(' 200'));
    await second.dispose();
  });
});

describe.skipIf(mechanism !== 'bubblewrap')('a name that a program cannot bear to find as a folder', () => {
  it('is not held while nothing is there, and what is there stays unchangeable', async () => {
    const machine = new Machine();
    const places = inProject(protectedPlacesOf([]).runsCode).filter((name) => !name.includes('/'));
    const [free = '', held = ''] = places.filter((name) => !existsSync(join(machine.workspace, name)));
    const write = `for name in ${free} ${held}; do echo x > "$name" && echo "$name"; done 2>/dev/null; true`;
    try {
      const request = { unheld: [free] };
      expect((await machine.run(machine.sandboxes(), request, ['sh', '-c', write])).out.trim()).toBe(free);
      writeFileSync(join(machine.workspace, free), 'of the user');
      expect((await machine.run(machine.sandboxes(), request, ['sh', '-c', write])).out.trim()).toBe('');
    } finally {
      await machine.close();
    }
  });
});

describe('what is held for a program', () => {
  it('stays held after this process lets go, until the program has ended', async () => {
    const machine = new Machine();
    const registry = join(machine.folder, 'registry');
    const path = join(machine.workspace, '.envrc');
    const child = spawn('sleep', ['300']);
    try {
      const leave = hold({ path }, registry);
      passOn(path, child.pid ?? 0, registry);
      leave();
      releaseAbandoned(registry);
      expect([existsSync(path), isHeld(path, registry)]).toEqual([true, true]);
      child.kill('SIGKILL');
      await until(() => {
        releaseAbandoned(registry);
        return !existsSync(path);
      });
    } finally {
      child.kill('SIGKILL');
      await machine.close();
    }
  });

  it('goes soon after a program that ends a little later than this process lets go, without another sandbox', async () => {
    const machine = new Machine();
    const registry = join(machine.folder, 'registry');
    const path = join(machine.workspace, '.envrc');
    const child = spawn('sleep', ['0.3']);
    try {
      const leave = hold({ path }, registry);
      passOn(path, child.pid ?? 0, registry);
      leave();
      expect(existsSync(path)).toBe(true);
      await until(() => !existsSync(path), 'the name to be free');
      expect(isHeld(path, registry)).toBe(false);
    } finally {
      child.kill('SIGKILL');
      await machine.close();
    }
  });

  it('is not made anybody else’s when nobody holds it', () => {
    const machine = new Machine();
    passOn(join(machine.workspace, 'file.txt'), process.pid, join(machine.folder, 'registry'));
    expect(isHeld(join(machine.workspace, 'file.txt'), join(machine.folder, 'registry'))).toBe(false);
  });
});
