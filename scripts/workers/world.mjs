/** A home, a repository and a Tenon of their own for one case, and the processes that it leaves. */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { TerminalRun } from '../../bench/harness/tui-terminal.mjs';
import { REPOSITORY } from '../workspace.mjs';
import { CACHE } from './install.mjs';

/** Of this run alone: several may go on at once. */
const COPY = process.env.TENON_REAL_PROGRAM ?? join(CACHE, `tenon-${process.pid}`);
const PROGRAM = join(COPY, 'bin/tenon.mjs');
const LIMIT_MS = 240_000;

/** Copies Tenon as it is built now: nobody changes it while the cases run. @returns {string} the folder, for `TENON_REAL_PROGRAM` */
export function freezeProgram() {
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(REPOSITORY, 'packages/cli', part), join(COPY, part), { recursive: true });
  return COPY;
}

/** One case's surroundings. */
export class World {
  /** @param {{ bin: string, env: Record<string, string> }} place a folder for PATH, and variables that point the CLI at the model */
  constructor({ bin, env }) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-real-')));
    this.home = join(this.folder, 'home');
    this.work = join(this.folder, 'work');
    for (const path of [this.home, this.work]) mkdirSync(path);
    this.env = {
      PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      TENON_HOME: join(this.folder, 'tenon'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...env,
    };
    this.#git('init', '-q', '-b', 'main');
    writeFileSync(join(this.work, 'README.md'), '# A project\n');
    this.#git('add', '.');
    this.#git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first');
  }

  #git(...words) {
    spawnSync('git', words, { cwd: this.work, env: this.env });
  }

  /** Writes a file of the home folder. @param {string} path @param {string | object} content */
  write(path, content) {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** Runs Tenon. @param {string[]} words @param {{ input?: string, env?: Record<string, string> }} [options] */
  tenon(words, { input = '', env = {} } = {}) {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: this.work, env: { ...this.env, ...env } });
      const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ code, out, err });
      });
      child.stdin.end(input);
    });
  }

  /** Starts a run and waits for its end. */
  async run(worker, words) {
    const { code, out, err } = await this.tenon(['run', '--worker', worker, '--json', '--no-validate', ...words]);
    const rows = jsonRows(out);
    const last = rows.findLast(({ type }) => type === 'run');
    if (last === undefined)
      throw new Error(`tenon run ended with ${code} and said: ${(err || out).trim().slice(-600)}`);
    return { code, ...(await this.show(last.run.alias)), news: rows };
  }

  /** Starts a run and leaves it alone. @returns {Promise<string>} its alias */
  async start(worker, words) {
    const { out, err } = await this.tenon(['run', '--worker', worker, '--json', '--detach', '--no-validate', ...words]);
    const [run] = jsonRows(out);
    if (run === undefined) throw new Error(`tenon run said: ${err}`);
    return run.alias;
  }

  /** Everything about a run. */
  async show(alias) {
    const { out, err } = await this.tenon(['runs', 'show', alias, '--json']);
    const [details] = jsonRows(out);
    if (details === undefined) throw new Error(`tenon runs show said: ${err}`);
    return details;
  }

  /** Waits until a run is in one of these states. */
  async until(alias, states, what = states.join(' or ')) {
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(300)) {
      const details = await this.show(alias);
      if (states.includes(details.run.state)) return details;
    }
    throw new Error(`${alias} is not ${what}, but ${JSON.stringify((await this.show(alias)).run).slice(0, 600)}`);
  }

  /** Tenon on a terminal. @param {string[]} words */
  terminal(words) {
    return new TerminalRun({ command: process.execPath, args: [PROGRAM, ...words], env: this.env, cwd: this.work });
  }

  /** Processes of this case that are alive: workers, what they have started, Tenon's keeper. */
  processes() {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
      try {
        const env = readFileSync(`/proc/${name}/environ`, 'utf8');
        if (!env.includes(this.folder)) return [];
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return words === '' ? [] : [{ pid: Number(name), words, isWorker: env.includes('TENON_RUN=') }];
      } catch {
        return []; // It has ended in this moment.
      }
    });
  }

  /** What workers have left; waits a little, because a process that was killed needs a moment. */
  async leftovers() {
    for (let attempt = 0; ; attempt++) {
      const left = this.processes().filter(({ isWorker }) => isWorker);
      if (left.length === 0 || attempt === 20) return left;
      await sleep(250);
    }
  }

  /** Ends what is alive and removes the folder. */
  async close() {
    for (let attempt = 0; attempt < 40; attempt++) {
      const alive = this.processes();
      if (alive.length === 0) break;
      if (attempt > 8) for (const { pid } of alive) endProcess(pid);
      await sleep(250);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in this moment.
  }
}

/** The values of a stream of JSON, one after another, each over one or several lines. */
function jsonRows(text) {
  const values = [];
  let begun = '';
  for (const line of text.split('\n')) {
    begun += `${line}\n`;
    // A value over several lines ends with a line that is not indented.
    if (!/^[}\]]|^[{[].*[}\]]$/.test(line)) continue;
    const value = parsed(begun);
    if (value === undefined) continue;
    values.push(value);
    begun = '';
  }
  return values;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not whole yet.
  }
}
