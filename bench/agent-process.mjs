/** Runs an agent against the fake server, and looks at its requests and its memory. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PATIENCE_MS = 60_000;
/** How long an agent that waits is left alone before its memory is looked at; the same for all. */
export const IDLE_SECONDS = 15;

/**
 * @typedef {{ firstRequestMs: number, wholeMs: number, gapsMs: number[], firstBody: Record<string, any>, peakMb: number }} Conversation
 * @typedef {{ otherwise(reply: unknown): void }} Fake
 */

/**
 * One run of a program: the model asks for `toolCalls` reads, one per answer, then says that it is done.
 * The time per turn is from one request's arrival to the next one's: answer, tool, and everything around it.
 * @param {import('./agent-programs.mjs').Program} program @param {string[]} args
 * @param {{ fake: Fake, cwd: string, toolCalls: number }} options @returns {Promise<Conversation>}
 */
export async function converse(program, args, { fake, cwd, toolCalls }) {
  const arrivals = [];
  const unread = [];
  let firstBody;
  let peakMb = 0;
  const started = performance.now();
  const child = spawn(program.command, [...program.args, ...args, 'Read the files one after the other.'], {
    cwd,
    env: program.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  fake.otherwise(({ body }) => {
    arrivals.push(performance.now());
    firstBody ??= body;
    const done = arrivals.length - 1;
    // A tool that failed would be quick for the wrong reason.
    if (done > 0 && program.readsFiles && !JSON.stringify(body.messages.at(-1)).includes(`Note ${done - 1}.`))
      unread.push(done - 1);
    if (done < toolCalls) return toolCall(done);
    peakMb = memoryMb(child.pid, 'VmHWM');
    return { content: [{ type: 'text', text: 'All read.' }] };
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const { code, endedAt } = await ended(child);
  if (code !== 0 || arrivals.length !== toolCalls + 1) {
    throw new Error(`${program.name} ended with ${code} after ${arrivals.length} requests: ${output.slice(-800)}`);
  }
  if (unread.length > 0) throw new Error(`${program.name} did not read files ${unread.join(', ')}`);
  return {
    firstRequestMs: arrivals[0] - started,
    wholeMs: endedAt - started,
    gapsMs: arrivals.slice(1).map((at, index) => at - arrivals[index]),
    firstBody,
    peakMb,
  };
}

/** Each call reads another file: a repeated call would be taken for a loop. */
function toolCall(index) {
  const path = `notes-${index}.txt`;
  return { content: [{ type: 'toolCall', id: `call_${index}`, name: 'read', arguments: { path } }] };
}

/** Resident megabytes of an agent that waits for commands. @param {import('./agent-programs.mjs').Program} program @param {string} cwd */
export async function idleMb(program, cwd) {
  const child = spawn(program.command, [...program.args, ...program.rpc], {
    cwd,
    env: program.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = ended(child);
  let complaints = '';
  child.stderr.on('data', (part) => (complaints += part));
  try {
    const answered = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => line.includes('"get_state"') && resolve(true));
    });
    child.stdin.write('{"id":"1","type":"get_state"}\n');
    const isAlive = await Promise.race([answered, end.then(() => false)]);
    if (!isAlive) throw new Error(`${program.name} ended instead of waiting for commands: ${complaints.slice(-800)}`);
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1_000));
    return memoryMb(child.pid, 'VmRSS');
  } finally {
    child.kill('SIGKILL');
    await end;
  }
}

/** @returns {Promise<{ code: number | null, endedAt: number }>} */
function ended(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    let endedAt = 0;
    child.once('error', reject);
    child.once('exit', () => (endedAt = performance.now()));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, endedAt });
    });
  });
}

/** Megabytes of a process and all processes below it. @param {number} pid @param {'VmHWM' | 'VmRSS'} field */
function memoryMb(pid, field) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readProc(`/proc/${name}/stat`);
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (id) => id === pid || (parents.has(id) && id > 1 && isBelow(parents.get(id)));
  const kilobytes = [...parents.keys()].filter(isBelow).map((id) => {
    const line = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readProc(`/proc/${id}/status`));
    return Number(line?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}

/** A process may end while we look. */
function readProc(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
