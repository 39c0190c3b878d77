/** Runs once before the test files: those that drive the command line need a program built from the present sources. */
import { createProgress } from './setup/progress.mjs';
import { setUp } from './setup.mjs';
import { warmProgram } from './warm-program.mjs';
import { REPOSITORY } from './workspace.mjs';

export default async function () {
  try {
    // The addon may take minutes; `npm test` has built it before, and without it the twins are tested.
    await setUp({ progress: createProgress({ quiet: true }), only: ['program'] });
    await warmProgram(REPOSITORY);
  } catch (error) {
    // Most tests do without the program. Those that need it fail by themselves, and this says why.
    process.stderr.write(`tenon: tests that run the built program will fail: ${error.message}\n`);
  }
}
