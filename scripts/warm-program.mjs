/**
 * Compiled code for the built program, made once and put beside it: tests start the program in hundreds of new homes, each of which
 * would compile everything again. A home of a user keeps its own (packages/cli/loader/quick-load.cjs).
 */
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What tests do most: a prompt with a tool, a program on the other side, questions about the set-up. */
const STARTS = [
  { words: ['-p', '--model', 'offline', 'run `echo hi`'] },
  { words: ['--mode', 'rpc', '--model', 'offline'], input: '{"id":"1","type":"prompt","message":"read a.txt"}\n' },
  { words: ['sandbox', 'status', '--json'] },
  { words: ['runs', 'list'] },
  { words: ['workflow', 'list'] },
];
const LIMIT_MS = 60_000;

/** @param {string} root the checkout, whose program has been built */
export async function warmProgram(root) {
  const dist = join(root, 'packages/cli/dist');
  if (!existsSync(join(dist, 'program.json'))) return;
  const { id } = JSON.parse(readFileSync(join(dist, 'program.json'), 'utf8'));
  const name = `${id}-${process.version}-${process.arch}.bin`;
  const folder = join(dist, 'compiled');
  if (existsSync(join(folder, name))) return;
  const home = mkdtempSync(join(tmpdir(), 'tenon-warm-'));
  try {
    mkdirSync(join(home, 'work', '.git'), { recursive: true });
    for (const { words, input = '' } of STARTS) await start(join(dist, 'main.js'), home, words, input);
    const made = join(home, 'cache/compiled', name);
    // Without it the tests take a little longer and are the same.
    if (!existsSync(made)) return;
    mkdirSync(folder, { recursive: true });
    for (const old of readdirSync(folder)) if (!old.startsWith(id)) rmSync(join(folder, old), { force: true });
    copyFileSync(made, join(folder, `${name}.${process.pid}`));
    renameSync(join(folder, `${name}.${process.pid}`), join(folder, name));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function start(main, home, words, input) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [main, ...words], {
    cwd: join(home, 'work'),
    env: {
      PATH,
      HOME: home,
      TENON_HOME: join(home, 'home'),
      TENON_CACHE_DIR: join(home, 'cache'),
      TENON_PROBE_LOCAL: 'false',
    },
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: LIMIT_MS,
  });
  // A program that has ended reads no more.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', resolve).on('error', resolve));
}
