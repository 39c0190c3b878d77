import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { inCheckout } from './plugins.ts';

/** The built program. Another build can be tested by naming its main.js in TENON_TEST_PROGRAM. */
export const MAIN = resolve(process.env['TENON_TEST_PROGRAM'] ?? inCheckout('packages', 'cli', 'dist', 'main.js'));

/** A model server that runs on the machine of a tester answers no test, and no call for a title takes an answer of a script. */
export const HERMETIC = { TENON_PROBE_LOCAL: 'false', TENON_TITLES: 'false' };

/** What a run of the program left behind. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A home of its own for a test, with a repository to work in. */
export class Home {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-cli-')));
  readonly work = join(this.folder, 'work');
  readonly settings = join(this.folder, 'home', 'config', 'settings.yml');

  constructor() {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing; run \`npm run setup\` first`);
    mkdirSync(join(this.work, '.git'), { recursive: true });
    const program = join(this.folder, 'bin', 'tenon');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  }

  /** The environment: nothing of the person who runs the tests gets in. */
  environment(extra: Record<string, string> = {}): Record<string, string> {
    const path = `${join(this.folder, 'bin')}:${process.env['PATH'] ?? ''}`;
    return {
      PATH: path,
      HOME: this.folder,
      TENON_HOME: join(this.folder, 'home'),
      LANG: 'C.UTF-8',
      HISTFILE: '/dev/null',
      ...HERMETIC,
      ...extra,
    };
  }

  put(file: string, text: string): void {
    const path = resolve(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs the program to its end. */
  tenon(words: readonly string[], options: { env?: Record<string, string>; input?: string } = {}): Finished {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      cwd: this.work,
      env: this.environment(options.env),
      encoding: 'utf8',
      input: options.input ?? '',
    });
    return { code: status, out: stdout, err: stderr };
  }

  /** Runs a line of bash with `tenon` in the path. */
  bash(line: string, env: Record<string, string> = {}): Finished {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
      cwd: this.work,
      env: this.environment(env),
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  }

  /** Starts the program and leaves it running. */
  start(words: readonly string[], options: SpawnOptions = {}): ChildProcess {
    return spawn(process.execPath, [MAIN, ...words], { cwd: this.work, env: this.environment(), ...options });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Waits for the end of a process. */
export function ended(child: ChildProcess): Promise<Finished> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part: Buffer) => (out += part.toString()));
  child.stderr?.on('data', (part: Buffer) => (err += part.toString()));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code: signal ? null : code, out, err }));
  });
}
