/**
 * A Node process that restricts itself and then tries things; the tests of the sandbox read what came of it.
 * argv: the built src/sandbox/native.ts, addon, policy for the exec, attempts, policy to seal with (or null).
 */
import { execFileSync } from 'node:child_process';
import { promises, readFileSync, writeFileSync, writeSync } from 'node:fs';
import net from 'node:net';
import { Worker } from 'node:worker_threads';

const [built, addonPath, policy, attempts, seal] = process.argv
  .slice(2)
  .map((text, index) => (index < 2 ? text : JSON.parse(text)));
const { fromAddon } = await import(built);
const module = { exports: {} };
process.dlopen(module, addonPath);
const sandbox = fromAddon(module.exports);

if (!process.env.RESTRICTED) {
  const env = { ...process.env, RESTRICTED: '1' };
  const target = { file: process.execPath, args: process.argv.slice(1), env, keepDescriptors: policy.keepDescriptors };
  sandbox.restrictAndExec(policy, target);
}

const can = {
  read: (path) => readFileSync(path, 'utf8'),
  // Runs on a thread of libuv's pool.
  readInPool: (path) => promises.readFile(path, 'utf8'),
  readInWorker: (path) =>
    new Promise((resolve, reject) => {
      const code = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync(${JSON.stringify(path)}, 'utf8'))`;
      new Worker(code, { eval: true }).on('message', resolve).on('error', reject);
    }),
  list: (path) => promises.readdir(path).then((names) => names.join()),
  write: (path) => writeFileSync(path, 'written'),
  writeInPool: (path) => promises.writeFile(path, 'written'),
  remove: (path) => promises.rm(path),
  move: ([from, to]) => promises.rename(from, to),
  connect: (port) =>
    new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() && 'connected'));
      socket.on('error', reject);
    }),
  listen: (port) =>
    new Promise((resolve, reject) => {
      const server = net.createServer().on('error', reject);
      server.listen(port, '127.0.0.1', () => server.close(() => resolve('listening')));
    }),
  run: (file) => execFileSync(file, ['--version'], { stdio: 'pipe' }).toString().trim(),
  allocate: (bytes) => Buffer.alloc(bytes, 1).length,
  sayOn: (descriptor) => writeSync(descriptor, 'hello'),
  restrictAgain: (again) => sandbox.restrictSelf(again).enforced.join(),
  capabilities: () => /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
  pid: () => process.pid,
  sleep: () => new Promise((resolve) => setTimeout(resolve, 60_000)),
};

if (seal) sandbox.restrictSelf(seal);
for (const [name, argument] of attempts) {
  let result;
  try {
    result = { ok: String((await can[name](argument)) ?? '') };
  } catch (error) {
    result = { code: error.code ?? error.message };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
