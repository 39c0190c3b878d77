/** Runs a measurement where programs reach nothing but this machine. */
import { spawn, spawnSync } from 'node:child_process';

/**
 * Without the right to make a namespace the numbers are still worth having; the result says so.
 * @param {string} script @param {object} options @param {(text: string) => void} log
 */
export async function measureIsolated(script, options, log) {
  const command = [process.execPath, script, JSON.stringify(options)];
  const isIsolated = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
  if (!isIsolated) log('no network namespace: measuring with the network there');
  const inside = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
  const [program, ...args] = isIsolated ? inside : command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (part) => (stdout += part));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`the measurement ended with ${code}`);
  return { measured: JSON.parse(stdout), isIsolated };
}
