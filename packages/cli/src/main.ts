/**
 * The `tenon` command. `--version` is answered here, without importing anything: scripts ask for it all the time.
 * Everything else starts the shell.
 */
import { writeSync } from 'node:fs';
import { VERSION } from './version.ts';

const words = process.argv.slice(2);
/** Node's own exit code for an entry that nothing brings to its end. No top-level `await`: the program is built as CommonJS, too. */
const UNSETTLED = 13;

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  try {
    // Setting up `process.stdout` costs more than the answer itself.
    writeSync(1, `tenon ${VERSION}\n`);
  } catch (fault) {
    // A closed pipe needs no words; anything else (a full disk) does.
    const { code, message } = fault as NodeJS.ErrnoException;
    process.exitCode = code === 'EPIPE' ? 141 : 1;
    if (code !== 'EPIPE') process.stderr.write(`tenon: the version could not be written: ${message}\n`);
  }
} else {
  // The shell always ends the process itself. When nothing is left to wait for before that, this says so, as Node does for ES modules.
  process.exitCode = UNSETTLED;
  void import('./shell.ts').then(({ runShell }) => {
    // Handed over, so that the version is in no chunk that both would have to load.
    return runShell(words, VERSION);
  });
}
