/** Runs other programs for the scripts; all that still run are stopped when the script is interrupted. */
import { spawn, spawnSync } from 'node:child_process';

const children = new Set();
/** From then on nothing is started. */
let isLate = false;
/** The exit code of what did not end in time, as with `timeout` of a shell. */
export const LATE = 124;
const KILL_AFTER_MS = 10_000;

/**
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, inherit?: boolean, onLine?: (line: string) => void, input?: string }} [options]
 * @returns {Promise<{ code: number, output: string, stdout: string, missing: boolean }>} 127 and `missing` when there is no such program
 */
export function runCommand(command, args, { cwd, env = process.env, inherit = false, onLine } = {}) {
  if (isLate) return Promise.resolve({ code: LATE, output: 'the time is up', stdout: '', missing: false });
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    let output = '';
    let stdout = '';
    let partial = '';
    const take = (/** @type {string} */ text) => {
      output += text;
      if (!onLine) return;
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    };
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      take(text);
    });
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      children.delete(child);
      done({ code: 127, output: error.message, stdout: '', missing: error.code === 'ENOENT' });
    });
    child.on('close', (code, signal) => {
      children.delete(child);
      if (partial && onLine) onLine(partial);
      done({ code: isLate ? LATE : (code ?? (signal === 'SIGINT' ? 130 : 143)), output, stdout, missing: false });
    });
  });
}

/** Stops what still runs. */
export function stopCommands() {
  for (const child of children) child.kill('SIGTERM');
}

/** Stops what still runs at that time, and starts nothing after it: a script that hangs says less than one that ends. @param {number} milliseconds */
export function stopCommandsAfter(milliseconds) {
  const stop = () => {
    isLate = true;
    // Also what they have started: an orphan would hold the output of this script open.
    const all = [...children].flatMap((child) => (child.pid === undefined ? [] : [child.pid, ...startedBy(child.pid)]));
    stopCommands();
    setTimeout(() => all.forEach(killIfAlive), KILL_AFTER_MS).unref();
    process.once('exit', () => all.forEach(killIfAlive));
  };
  setTimeout(stop, milliseconds).unref();
}

/** The processes below another one, where `ps` can tell. @param {number} pid @returns {number[]} */
function startedBy(pid) {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent) => rows.filter(([, of]) => of === parent).flatMap(([own]) => [own, ...below(own)]);
  return below(pid);
}

function killIfAlive(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
