/** A program in a pseudo-terminal, with a terminal in front that shows what it writes and answers what it asks. */
import { setTimeout as sleep } from 'node:timers/promises';

import pty from '@lydell/node-pty';
import headless from '@xterm/headless';

import { countFrames } from './tui-frames.mjs';
import { cpuMs, killTree, memoryMb } from './tui-process.mjs';

const SIZE = { cols: 120, rows: 40 };
const WIPE = Buffer.from('\x1b[3J');
const ECHO_PATIENCE_MS = 3_000;
const END_PATIENCE_MS = 2_000;

/** @typedef {{ command: string, args: string[], env: Record<string, string>, cwd: string }} Start */

/** One run of a program. */
export class TerminalRun {
  /** `keepsOutput` is needed to count frames. @param {Start} start @param {{ scrollback?: number, keepsOutput?: boolean }} [options] */
  constructor({ command, args, env, cwd }, { scrollback = 12_000, keepsOutput = false } = {}) {
    this.bytes = 0;
    this.mostCpuMs = 0;
    this.terminal = new headless.Terminal({ ...SIZE, scrollback, allowProposedApi: true });
    this.program = pty.spawn(command, args, { ...SIZE, name: 'xterm-256color', cwd, env, encoding: null });
    this.pid = this.program.pid;
    this.hasEnded = false;
    /** @type {Buffer[] | undefined} */
    this.recorded = undefined;
    /** Everything that was written, and when. @type {import('./tui-frames.mjs').Step[] | undefined} */
    this.output = keepsOutput ? [] : undefined;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    this.program.onExit(() => {
      this.hasEnded = true;
      // After what it wrote last.
      this.terminal.write('', () => this.watchers.forEach((look) => look()));
    });
    this.program.onData((data) => {
      const part = Buffer.from(data);
      this.bytes += part.length;
      this.recorded?.push(part);
      this.output?.push({ at: performance.now(), data: part });
      this.terminal.write(part, () => this.watchers.forEach((look) => look()));
    });
    this.#answer();
  }

  /** Answers that xterm.js leaves to the page around it. */
  #answer() {
    const { parser } = this.terminal;
    const reply = (text) => this.type(text);
    const color = (code, value) => (data) => {
      if (data !== '?') return false;
      reply(`\x1b]${code};rgb:${value}\x1b\\`);
      return true;
    };
    this.terminal.onData(reply);
    parser.registerOscHandler(10, color(10, 'dddd/dddd/dddd'));
    parser.registerOscHandler(11, color(11, '1111/1111/1111'));
    parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => (reply('\x1b[?0u'), true));
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => (reply('\x1bP>|xterm.js(6.0.0)\x1b\\'), true));
  }

  /** @param {string} keys */
  type(keys) {
    if (!this.hasEnded) this.program.write(keys);
  }

  /** As a person does: programs take what comes at once for a paste. @param {string} text */
  async submit(text) {
    for (const key of text) {
      this.type(key);
      await sleep(15);
    }
    // Some take a line feed that follows a burst for a part of it.
    await sleep(400);
    this.type('\r');
  }

  /** What is on the screen; `whole` with the scrollback. @returns {string[]} */
  lines(whole = false) {
    const buffer = this.terminal.buffer.active;
    const first = whole ? 0 : buffer.baseY;
    const rows = Array.from({ length: buffer.length - first }, (_, index) => buffer.getLine(first + index));
    return rows.map((row) => row?.translateToString(true) ?? '');
  }

  /** @param {RegExp} pattern @param {number} [patienceMs] */
  shows(pattern, patienceMs = 60_000) {
    return this.until(() => pattern.test(this.lines().join('\n')), `${pattern} on the screen`, patienceMs);
  }

  /** Looks after each write of the program. @param {() => boolean} test @param {string} what @param {number} patienceMs */
  async until(test, what, patienceMs) {
    if (test()) return;
    await new Promise((resolve, reject) => {
      const end = (settle) => {
        clearTimeout(timer);
        this.watchers.delete(look);
        settle();
      };
      const giveUp = (why) =>
        end(() => reject(new Error(`${why}: ${what}. The screen:\n${this.lines().filter(Boolean).join('\n')}`)));
      const look = () => {
        if (test()) end(() => resolve(undefined));
        else if (this.hasEnded) giveUp('the program has ended');
      };
      const timer = setTimeout(() => giveUp('waited in vain'), patienceMs);
      this.watchers.add(look);
    });
  }

  /** Until nothing is written for so long. @param {number} quietMs @param {number} patienceMs */
  async rests(quietMs, patienceMs) {
    const end = performance.now() + patienceMs;
    let [seen, since] = [this.bytes, performance.now()];
    while (performance.now() < end && performance.now() - since < quietMs) {
      await sleep(50);
      if (this.bytes !== seen) [seen, since] = [this.bytes, performance.now()];
    }
  }

  /** What some work costs. @param {() => Promise<unknown>} work */
  async cost(work) {
    const [cpu, started] = [this.cpuMs(), performance.now()];
    this.recorded = [];
    await work();
    const ended = performance.now();
    const seconds = (ended - started) / 1000;
    const all = Buffer.concat(this.recorded);
    this.recorded = undefined;
    const spent = this.cpuMs() - cpu;
    return {
      bytes: all.length,
      cpuMs: spent,
      cpuPercent: spent / 10 / seconds,
      started,
      ended,
      wipes: occurrences(all, WIPE),
      seconds,
    };
  }

  /** Frames in a second of a piece of work whose cost is known. @param {{ started: number, ended: number, seconds: number }} cost */
  async framesOf({ started, ended, seconds }) {
    return (await countFrames(this.output ?? [], SIZE, started, ended)) / seconds;
  }

  /** Milliseconds from a key to its letter on the screen, which no text of ours has. */
  async echo() {
    const letters = () => this.lines().join('').split('z').length;
    const before = letters();
    const started = performance.now();
    this.type('z');
    await this.until(() => letters() > before, 'the typed letter', ECHO_PATIENCE_MS);
    return performance.now() - started;
  }

  /** Types letters and takes them back. @param {number} count @param {number} gapMs @returns {Promise<number[]>} */
  async echoes(count, gapMs) {
    const times = [];
    for (let at = 0; at < count; at += 1) {
      times.push(await this.echo());
      await sleep(gapMs);
    }
    for (let at = 0; at < count; at += 1) {
      this.type('\x7f');
      await sleep(10);
    }
    return times;
  }

  /** What has arrived is shown at the old size, as a terminal does. @param {number} columns @param {number} [rows] */
  async resize(columns, rows = SIZE.rows) {
    await new Promise((resolve) => this.terminal.write('', () => resolve(undefined)));
    this.terminal.resize(columns, rows);
    this.output?.push({ at: performance.now(), size: [columns, rows] });
    this.program.resize(columns, rows);
  }

  /** @param {'Pss' | 'Rss'} [field] */
  memoryMb(field) {
    return memoryMb(this.pid, field);
  }

  /** Milliseconds of CPU since its start. Threads and processes that end take their counters along; time does not run back. */
  cpuMs() {
    this.mostCpuMs = Math.max(this.mostCpuMs, cpuMs(this.pid));
    return this.mostCpuMs;
  }

  /** Asks first: programs write their caches when they end. */
  async end() {
    if (!this.hasEnded) this.program.kill('SIGTERM');
    const end = performance.now() + END_PATIENCE_MS;
    while (!this.hasEnded && performance.now() < end) await sleep(50);
    killTree(this.pid);
    await sleep(100);
    this.terminal.dispose();
  }
}

/** @param {Buffer} all @param {Buffer} part */
function occurrences(all, part) {
  let count = 0;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + part.length)) count += 1;
  return count;
}
