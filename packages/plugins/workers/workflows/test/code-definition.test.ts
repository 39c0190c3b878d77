/** Definitions that are code: evaluated where they can read their project and do nothing else. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { chooseMechanism } from '@tenon/sandbox/api';
import { processesWith } from '@tenon/test-kit/processes';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { evaluateDefinition, projectOf } from '../src/evaluate-definition.ts';
import { readDefinition } from '../src/read-definition.ts';

const { mechanism } = await chooseMechanism('auto');

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

function put(name: string, text: string): string {
  const file = join(folder, 'project', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const LIMITS = { milliseconds: 60_000, memoryMb: 128, resultBytes: 100_000 };
const evaluated = (code: string, limits = LIMITS) => evaluateDefinition(put('flow.ts', code), limits);

/** What the code says about things that it tries: what it got, or why not. */
const tried = async (attempts: Readonly<Record<string, string>>): Promise<unknown> =>
  evaluated(`
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const attempts: Record<string, () => unknown> = {
      ${Object.entries(attempts)
        .map(([name, code]) => `${name}: async () => { ${code} },`)
        .join('\n')}
    };
    export default async () => {
      const said: Record<string, string> = {};
      for (const [name, attempt] of Object.entries(attempts)) {
        try { said[name] = 'got ' + (await attempt()); } catch (fault) { said[name] = 'refused'; }
      }
      return said;
    };`);

describe.skipIf(mechanism === undefined)('a definition in TypeScript', () => {
  test('is the data that its default export is or gives, also with types, imports of its project and time to wait', async () => {
    put('lib/angles.ts', "export enum Angle { Safety = 'safety', Speed = 'speed' }\n");
    put('.git/HEAD', 'ref: refs/heads/main\n');
    const file = put(
      'flows/review.ts',
      `import { Angle } from '../lib/angles.ts';
       import type { Missing } from 'not-installed';
       console.log('this is not the result');
       interface Node { id: string; command: string; needs?: string[] | undefined }
       const node = (id: string): Node => ({ id, command: \`echo \${id}\`, needs: undefined });
       export default async function (): Promise<{ name: string; nodes: Node[] }> {
         await new Promise((done) => setTimeout(done, 1));
         return { name: 'review' satisfies string as string, nodes: Object.values(Angle).map(node) };
       }`,
    );
    expect(await readDefinition(file)).toEqual({
      name: 'review',
      nodes: [
        { id: 'safety', command: 'echo safety' },
        { id: 'speed', command: 'echo speed' },
      ],
    });
  });

  test('is checked like any other, and what is wrong with it is told', async () => {
    const problem = async (code: string) => readDefinition(put('flow.ts', code)).catch((fault: Error) => fault.message);
    expect(await problem("export default { name: 'x', nodes: [{ id: 'a' }] }")).toContain('exactly one of');
    expect(await problem('export const x = 1')).toContain('it has no default export');
    expect(await problem('export default {')).toContain('cannot be read');
    expect(await problem("export default { name: 'x', nodes: [], run: () => 1 }")).toContain('run is a function');
    expect(await problem('export default { name: new Date(0) }')).toContain('name is an instance of Date');
    expect(await problem('const a: any = {}; a.nodes = [a]; export default a')).toContain(
      'nodes[0] is inside of itself',
    );
  });

  test('that writes an answer of its own past the loader is still only data that is checked', async () => {
    const forged = (text: string) =>
      readDefinition(
        put('flow.ts', `import { writeSync } from 'node:fs'; writeSync(1, ${JSON.stringify(text)}); process.exit(0)`),
      );
    await expect(
      forged('{"value":{"name":"x","nodes":[{"id":"a","command":"echo {{inputs.a"}],"more":1}}'),
    ).rejects.toThrow('not a valid workflow');
    await expect(forged(`{"value":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).rejects.toThrow();
    expect(({} as { more?: unknown }).more).toBeUndefined();
  });

  test('cannot change a file, start a program, reach a server, end a process, see a variable or read outside of its project', async () => {
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'secret');
    const { port } = (await listening(0)).address() as { port: number };
    mkdirSync(join(folder, 'project'));
    const socket = join(folder, 'project', 's');
    await listening(socket);
    symlinkSync(secret, join(folder, 'project', 'link'));
    process.env['TENON_TEST_SECRET'] = 'secret';
    try {
      const refusals = {
        write: `require('fs').writeFileSync(${JSON.stringify(join(folder, 'project', 'new.txt'))}, 'x')`,
        read: `return require('fs').readFileSync(${JSON.stringify(secret)}, 'utf8')`,
        passwords: "return require('fs').readFileSync('/etc/shadow', 'utf8')",
        home: "return require('fs').readdirSync(require('os').homedir()).join() || (() => { throw new Error('empty') })()",
        spawn:
          "const { error, stdout } = require('child_process').spawnSync('/bin/sh', ['-c', 'echo hi']); if (error) throw error; return stdout",
        itself:
          "const { error, status } = require('child_process').spawnSync(process.execPath, ['-e', '0']); if (error) throw error; return status",
        connect: `return await new Promise((done, fail) => require('net').connect(${port}, '127.0.0.1', () => done('connected')).on('error', fail))`,
        ...(mechanism === 'bubblewrap' && {
          socket: `return await new Promise((done, fail) => require('net').connect(${JSON.stringify(socket)}, () => done('connected')).on('error', fail))`,
        }),
        link: `return require('fs').readFileSync(${JSON.stringify(join(folder, 'project', 'link'))}, 'utf8')`,
        kill: `process.kill(${process.pid}, 'SIGCONT'); return 'sent'`,
        variable: "return process.env.TENON_TEST_SECRET ?? (() => { throw new Error('unset') })()",
      };
      expect(
        await tried({ ...refusals, own: "return require('fs').readFileSync(import.meta.filename).length > 9" }),
      ).toEqual({
        ...Object.fromEntries(Object.keys(refusals).map((name) => [name, 'refused'])),
        own: 'got true',
      });
      expect(existsSync(join(folder, 'project', 'new.txt'))).toBe(false);
    } finally {
      delete process.env['TENON_TEST_SECRET'];
    }
  });

  test('that never ends, takes all memory or gives too much is ended, and leaves nothing behind', async () => {
    await expect(evaluated('for (;;) {}', { ...LIMITS, milliseconds: 2_000 })).rejects.toThrow('longer than 2 s');
    await expect(
      evaluated('await new Promise(() => setInterval(() => {}, 1000))', { ...LIMITS, milliseconds: 2_000 }),
    ).rejects.toThrow('longer than 2 s');
    const grow = (piece: string) => evaluated(`const all: unknown[] = []; for (;;) all.push(${piece})`);
    await expect(grow('new Array(100_000).fill(Math.random())')).rejects.toThrow();
    await expect(grow('Buffer.alloc(16 << 20, 1)')).rejects.toThrow();
    await expect(evaluated("export default { name: 'x'.repeat(200_000) }")).rejects.toThrow('larger than');
    await until(() => processesWith('', join(folder, 'project', 'flow.ts')).length === 0);
  });
});

test('the code sees the repository around it, else its folder, and never a whole home folder', () => {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'work', '.git'), { recursive: true });
  mkdirSync(join(home, 'work', 'flows'));
  mkdirSync(join(home, 'loose'));
  const seen = (path: string) => projectOf(join(home, path), home).slice(home.length);
  expect(seen('work/flows/a.ts')).toBe('/work');
  expect(seen('loose/a.ts')).toBe('/loose');
  expect(seen('a.ts')).toBe('/a.ts');
  mkdirSync(join(home, '.git'));
  expect(seen('loose/a.ts')).toBe('/loose');
  expect(seen('a.ts')).toBe('/a.ts');
});

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

function listening(place: number | string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.end());
    servers.push(server);
    if (typeof place === 'number') server.listen(place, '127.0.0.1', () => resolve(server));
    else server.listen(place, () => resolve(server));
  });
}
