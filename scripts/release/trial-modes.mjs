/** Tries the screen and the control room of the installed program, as a person does who has just installed it. */
import { spawn } from 'node:child_process';

import { run } from './run.mjs';

/** For a machine that does other things as well. */
const PATIENCE_MS = 60_000;

/** @typedef {{ cwd: string, env: Record<string, string | undefined>, check: (what: string, holds: boolean, more?: string) => void }} Place */

/** A task on the screen, in a terminal. @param {Place} place @param {string} prompt @param {string} expected what the answer holds */
export async function tryScreen({ cwd, env, check }, prompt, expected) {
  if ((await run(['script', '--version'], { cwd, env })).code !== 0)
    return check('the screen: needs the program `script` of util-linux', false);
  const line = 'stty cols 100 rows 30 && exec tenon';
  const program = start(['script', '--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
  });
  const shows = await program.says('Say what to do');
  program.type(`${prompt}\r`);
  const answers = shows && (await program.says(expected));
  program.type('/exit\r');
  const code = await program.ended();
  check('the screen starts, answers a task and ends', answers && code === 0, `exit ${code}\n${program.output()}`);
}

/** The control room: its page, and its API with the token. @param {Place} place */
export async function tryWeb({ cwd, env, check }) {
  const program = start(['tenon', 'web', '--port', '0', '--json'], { cwd, env });
  try {
    if (!(await program.says('}\n'))) return check('tenon web starts', false, program.output());
    const { url, token } = JSON.parse(program.stdout());
    const page = await (await fetch(url)).text();
    const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1];
    const code = script === undefined ? undefined : await fetch(new URL(script, url));
    check('tenon web serves its page with its script', code?.status === 200 && /<title>/.test(page), page);
    const sessions = (headers) => fetch(new URL('/api/sessions', url), { headers });
    const [open, closed] = [await sessions({ authorization: `Bearer ${token}` }), await sessions({})];
    check('tenon web answers with the token only', open.status === 200 && closed.status === 401);
  } finally {
    program.stop();
    await program.ended();
  }
}

/** @param {readonly [string, ...string[]]} command @param {{ cwd: string, env: Record<string, string | undefined> }} options */
function start([program, ...words], options) {
  const child = spawn(program, words, { ...options, stdio: 'pipe' });
  let output = '';
  let stdout = '';
  let code;
  const listeners = new Set();
  const tell = () => listeners.forEach((listener) => listener());
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      tell();
    });
  const close = (ended) => {
    code ??= ended ?? -1;
    tell();
  };
  child.on('close', close);
  child.on('error', () => close(-1));
  /** Waits until it holds; false when the program has ended before, or is too slow. */
  const until = (holds) =>
    new Promise((resolve) => {
      const settle = (answer) => {
        clearTimeout(timer);
        listeners.delete(look);
        resolve(answer);
      };
      const look = () => {
        if (holds()) settle(true);
        else if (code !== undefined) settle(false);
      };
      const timer = setTimeout(() => settle(false), PATIENCE_MS);
      listeners.add(look);
      look();
    });
  return {
    output: () => output,
    stdout: () => stdout,
    says: (text) => until(() => output.includes(text)),
    type: (text) => child.stdin.write(text),
    stop: () => child.kill('SIGINT'),
    async ended() {
      if (!(await until(() => code !== undefined))) child.kill('SIGKILL');
      return code;
    },
  };
}
