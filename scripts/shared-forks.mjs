/**
 * The pool of `npm test`: a process runs many test files, one after the other, because starting a process and importing the
 * kernel and its plugins takes longer than most files. A file that changes or measures the whole process gets one of its own.
 */
import { readFileSync } from 'node:fs';

import { ForksPoolWorker } from 'vitest/node';

/** What a file leaves behind by accident ends with its process, and so does the memory it held. */
const MOST_FILES = 30;
const MOST_BYTES = 900 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** Vitest cannot end a file that blocks its process; every file of this repository ends in a fraction of this. */
const FILE_LIMIT_MS = Number(process.env['TENON_TEST_FILE_MINUTES'] ?? 10) * 60_000;

/** Replaced modules and clocks, listeners of the process, and anything that reads the memory or handles of the process. */
const OWN_PROCESS =
  /\bvi\.(mock|doMock|hoisted|resetModules|useFakeTimers)\b|\bprocess\.(on|once|chdir|exitCode|umask)\b|\bmemoryUsage\b|\bgetActiveResources|\bgc\(\)|\/proc\/self|@own-process/;

const answers = new Map();

/** Says whether a test file must not share its process. `@own-process` in a comment asks for it. @param {string} file */
export function needsOwnProcess(file) {
  if (!answers.has(file)) answers.set(file, OWN_PROCESS.test(textOf(file)));
  return answers.get(file);
}

/** A file that has gone meanwhile fails by itself. An error here would cost the pool of vitest a place, without a word. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

class SharedFork extends ForksPoolWorker {
  name = 'shared-forks';
  #files = 0;
  #alone = false;
  #limit;

  /** Answers to questions of the process come this way, too; only a request to run has files. */
  send(message) {
    const files = message.type === 'run' ? message.context.files : [];
    for (const { filepath } of files) {
      this.#files += 1;
      this.#alone ||= needsOwnProcess(filepath);
    }
    if (files.length > 0) {
      clearTimeout(this.#limit);
      this.#limit = setTimeout(() => this.fork.kill('SIGKILL'), FILE_LIMIT_MS).unref();
    }
    super.send(message);
  }

  stop() {
    clearTimeout(this.#limit);
    return super.stop();
  }

  /** Asked when a file has ended and another one waits. */
  canReuse(task) {
    if (this.#alone || this.#files >= MOST_FILES || residentBytes(this.fork.pid) > MOST_BYTES) return false;
    return !task.context.files.some(({ filepath }) => needsOwnProcess(filepath));
  }
}

function residentBytes(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    // Only Linux tells; elsewhere the number of files alone bounds the memory.
    return 0;
  }
}

/** For `pool` of vitest's configuration, with `isolate: false`. */
export const sharedForks = { name: 'shared-forks', createPoolWorker: (options) => new SharedFork(options) };
