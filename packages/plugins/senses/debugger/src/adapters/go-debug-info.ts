/**
 * Go 1.25 and newer write debug information in DWARF 5; Delve reads it since its own 1.25. An older Delve (Debian's, say) finds no variable
 * in such a program. Go can still write the older form, so programs that Delve builds for a session get that.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a session says when Delve is the older one. */
export const OLD_DELVE_NOTICE =
  '[This Delve is older than Go: messages of panics may be empty, and programs that you build yourself need GOEXPERIMENT=nodwarf5. A newer Delve reads all of it.]\n';

const OLDER_FORM = 'nodwarf5';
const PATIENCE_MS = 20_000;

const run = promisify(execFile);

/** Variables with which the Go of `env` writes what this Delve reads; none where both fit, or where one of them does not answer. */
export async function readableByDelve(delve: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const GOEXPERIMENT = [env['GOEXPERIMENT'], OLDER_FORM].filter(Boolean).join(',');
  try {
    const { stdout } = await run(delve, ['version'], { env, timeout: PATIENCE_MS });
    if (!isOlder(stdout)) return {};
    // A Go that does not know the word, because it is older or much newer, refuses it. Folders of projects could name another Go.
    await run('go', ['version'], {
      cwd: '/',
      env: { ...env, GOTOOLCHAIN: 'local', GOEXPERIMENT },
      timeout: PATIENCE_MS,
    });
    return { GOEXPERIMENT };
  } catch {
    return {}; // Delve itself says what is wrong with it or with Go, in words that fit.
  }
}

function isOlder(delveVersion: string): boolean {
  const [, major, minor] = /Version: (\d+)\.(\d+)/.exec(delveVersion) ?? [];
  return major !== undefined && (Number(major) < 1 || (Number(major) === 1 && Number(minor) < 25));
}
