/** A disk that fills up while a session is written: a small file system of its own, in a namespace of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '@tenon/test-kit/program';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';

/** Mounts a file system of `$2` bytes at `$1`, runs `$BEFORE`, leaves `$3` bytes of it free, and runs the rest. */
const SCRIPT = `mount -t tmpfs -o size=$2 none "$1" || exit 99
mkdir -p "$1/data" "$1/state"
(cd "$4"; eval "$BEFORE") || exit 98
head -c $(($2 - $3)) /dev/zero > "$1/filler" 2>/dev/null
cd "$4"; shift 4
"$@"; code=$?
find "$XDG_DATA_HOME" -name '*.lock' >&2
cat "$XDG_DATA_HOME"/tenon/sessions/*/*.jsonl > "$HOME/kept" 2>/dev/null
exit $code`;

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

interface Circumstances {
  /** The folder for state is on that disk, too. */
  readonly withState?: boolean;
  /** A prompt that was answered while there was room. */
  readonly before?: string;
}

function run(free: number, args: readonly string[], { withState = false, before }: Circumstances = {}) {
  const home = temporaryFolder();
  const [disk, work] = [join(home, 'disk'), join(home, 'work')];
  for (const folder of [disk, work]) mkdirSync(folder);
  writeFileSync(join(work, 'prompt.txt'), 'word '.repeat(20_000));
  const env = {
    HOME: home,
    PATH: process.env['PATH'],
    XDG_DATA_HOME: join(disk, 'data'),
    TENON_OFFLINE: '1',
    ...(withState && { XDG_STATE_HOME: join(disk, 'state') }),
    ...(before !== undefined && {
      BEFORE: `"${process.execPath}" "${MAIN}" --model offline/rules -p "${before}" > /dev/null`,
    }),
  };
  const words = [SCRIPT, 'full', disk, String(256 * 1024), String(free), work, process.execPath, MAIN, ...args];
  const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'bash', '-c', ...words], { env, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

describe.skipIf(!canMount)('a full disk', () => {
  it('is named with the file that could not be written and with the way to work without one', () => {
    for (const free of [0, 8 * 1024, 40 * 1024]) {
      const { code, err } = run(free, ['--model', 'offline/rules', '-p', '@prompt.txt', 'Repeat this.']);
      expect(err).toMatch(/The session file \S+\.jsonl(?:\.lock)? could not be written: ENOSPC/);
      expect(err).toContain('--no-session');
      expect(err).not.toMatch(/^\S+\.lock$/m);
      expect(code).toBe(1);
    }
  });

  it('is all that is said, also when the history of prompts cannot be opened', () => {
    const { code, err } = run(0, ['--model', 'offline/rules', '-p', 'Hello'], { withState: true });
    expect(err).toMatch(/The session file \S+ could not be written: ENOSPC/);
    expect(err).not.toContain('not cleanly');
    expect(code).toBe(1);
  });

  it('is told the same way when a session goes on', () => {
    const args = ['--model', 'offline/rules', '--continue', '-p', 'Hello'];
    const { code, err } = run(0, args, { before: 'Hello' });
    expect(err).toMatch(/The session file \S+ could not be written: ENOSPC/);
    expect(err).toContain('--no-session');
    expect(code).toBe(1);
  });

  it('does not matter without a session', () => {
    const { code, err } = run(0, ['--model', 'offline/rules', '--no-session', '-p', 'Hello']);
    expect([code, err]).toEqual([0, 'offline/rules answers: fixed rules, no language model.\n']);
  });
});
