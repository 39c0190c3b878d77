/** Folders and clean-ups that end with the test that made them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Programs that tests build and start use this file, too; there nothing is cleaned up. */
const vitest = '__vitest_worker__' in globalThis ? await import('vitest') : undefined;

type CleanUp = () => Promise<void> | void;

const ofFile: CleanUp[] = [];

/** Runs what `later` was given outside of tests. scripts/test-fresh.mjs calls it after every file, because files share this module. */
export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of ofFile.splice(0).reverse()) await cleanUp();
}

/** Runs when the test is over, or the file when no test is running; the last one first. */
export function later(cleanUp: CleanUp): void {
  if (vitest?.TestRunner.getCurrentTest()) vitest.onTestFinished(cleanUp);
  else ofFile.push(cleanUp);
}

/** A new folder, without links in its path; `later` removes it. */
export function temporaryFolder(name = 'test'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `tenon-${name}-`)));
  later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

/** Writes files below a folder, and the folders they need. */
export function putFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
