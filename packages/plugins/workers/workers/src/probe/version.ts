/** Asks programs for their version. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { cutText, plainLine } from '@tenon/wording';

const LIMIT_MS = 10_000;
const MAX_CHARS = 60;

/** What a program said, or why it said nothing. */
export type FoundVersion = { readonly version: string } | { readonly problem: string; readonly isSlow: boolean };

/** The first version in what the program prints. */
export function programVersion(
  words: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundVersion> {
  const [program = '', ...before] = words;
  return new Promise((resolve) => {
    // In a folder without a project: some CLIs load its settings before they say anything.
    const options = {
      env,
      signal,
      cwd: tmpdir(),
      timeout: LIMIT_MS,
      maxBuffer: 1024 * 1024,
      encoding: 'utf8',
    } as const;
    const child = execFile(program, [...before, ...args], options, (fault, stdout, stderr) => {
      if (!fault) return resolve({ version: versionIn(stdout) ?? versionIn(stderr) ?? 'of unknown version' });
      if (fault.killed === true || signal.aborted)
        return resolve({ problem: 'it did not say its version in time.', isSlow: true });
      const said = plainLine(stderr.trim().split('\n').at(-1) ?? '');
      const reason = said === '' ? plainLine(fault.message.split('\n')[0] ?? '') : said;
      return resolve({ problem: `it cannot be started: ${cutText(reason, 300)}`, isSlow: false });
    });
    child.stdin?.end();
  });
}

/** `2.1.325 (Claude Code)`, `codex-cli 0.166.0`, `aider 0.86.1`. */
export function versionIn(output: string): string | undefined {
  const text = plainLine(output.slice(0, 4000));
  const number = /(?:^|[\sv/@-])(\d+\.\d+(?:\.\d+)*(?:[-+.][\w.+-]+)?)/.exec(text)?.[1];
  return number === undefined ? undefined : cutText(number, MAX_CHARS);
}
