/** A warm shell session beside oh-my-pi's, the JavaScript twin and `bash -c`; 100 MB of output beside `cat`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { median } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PEER_VERSION = '18.2.11';
const OUTPUT_BYTES = 100 * 1024 * 1024;

/** @param {{ workDir: string, quick: boolean, log: (text: string) => void }} ctx */
export async function run({ workDir, quick, log }) {
  const { loadAccelerator } = await loadSource(ROOT, "export { loadAccelerator } from './native/src/index.ts';");
  const native = (await loadAccelerator('shell', 'native')).openSession({ cwd: '/' });
  const js = (await loadAccelerator('shell', 'js')).openSession({ cwd: '/' });
  const pi = loadPeer(workDir, log);
  const piShell = pi ? new pi.Shell() : undefined;
  const rounds = quick ? 3 : 25;

  const commands = await takeTurns(rounds, quick ? 20 : 60, {
    ours: () => native.run('true'),
    js: () => js.run('true'),
    ...(pi && {
      'pi executeShell': () => pi.executeShell({ command: 'true', cwd: '/' }),
      'pi Shell.run': () => piShell.run({ command: 'true', cwd: '/' }),
    }),
    'bash -c': async () => spawnSync('bash', ['-c', 'true']),
  });

  const file = bigFile(workDir);
  const growth = await growthOf(native, file);
  const rates = await takeTurns(quick ? 2 : 9, 1, {
    ours: () => native.run(`cat '${file}'`, { onOutput: () => {} }),
    js: () => js.run(`cat '${file}'`, { onOutput: () => {} }),
    'cat | cat': async () => spawnSync('bash', ['-c', `cat '${file}' | cat >/dev/null`]),
  });
  await Promise.all([native.close(), js.close()]);

  const { ours: command, ...commandPeers } = commands;
  const { ours: stream, ...streamPeers } = rates;
  return {
    name: 'shell',
    title: 'Shell sessions',
    unit: 'ms',
    note: `Held against pi's executeShell and, for output, against cat through a pipe. Memory grew by ${(growth / 1e6).toFixed(1)} MB over 100 MB of output (target: under 32 MB).`,
    rows: [
      {
        case: '`true` in a warm session',
        ours: command,
        peers: commandPeers,
        ratio: command / (commandPeers['pi executeShell'] ?? commandPeers['bash -c']),
        target: 1,
      },
      {
        case: '100 MB of output to the consumer',
        ours: stream,
        peers: streamPeers,
        ratio: stream / streamPeers['cat | cat'],
        // 60% of cat's rate.
        target: 1.67,
      },
    ],
  };
}

/** Median milliseconds of one call each, in turns. */
async function takeTurns(rounds, calls, cases) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(cases)) {
      for (let call = 0; call < calls; call += 1) {
        const started = process.hrtime.bigint();
        await work();
        if (round >= 0) times[name].push(Number(process.hrtime.bigint() - started) / 1e6);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

async function growthOf(session, file) {
  await session.run(`head -c 1000000 '${file}'`, { onOutput: () => {} });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  await session.run(`cat '${file}'`, {
    onOutput: () => {
      most = Math.max(most, process.memoryUsage.rss());
    },
  });
  return most - before;
}

function bigFile(workDir) {
  const file = join(workDir, 'shell-output.bin');
  if (existsSync(file) && statSync(file).size === OUTPUT_BYTES) return file;
  const block = Buffer.alloc(1024 * 1024, 'the quick brown fox jumps over the lazy dog\n');
  const target = openSync(file, 'w');
  for (let written = 0; written < OUTPUT_BYTES; written += block.length) writeSync(target, block);
  return file;
}

/** oh-my-pi's addon, fetched once; the bench goes on without it where it cannot be had. */
function loadPeer(workDir, log) {
  const folder = join(workDir, 'pi-natives');
  const name = `@oh-my-pi/pi-natives-${process.platform}-${process.arch}`;
  const inside = join(folder, 'node_modules', name);
  try {
    if (!existsSync(inside)) {
      mkdirSync(folder, { recursive: true });
      const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
      execFileSync('npm', [...args, `${name}@${PEER_VERSION}`], { stdio: 'ignore' });
    }
    const addons = readdirSync(inside).filter((file) => file.endsWith('.node'));
    const addon = addons.find((file) => file.includes('modern')) ?? addons[0];
    return createRequire(import.meta.url)(join(inside, addon));
  } catch (error) {
    log(`oh-my-pi's addon cannot be used here: ${error.message}`);
    return undefined;
  }
}
