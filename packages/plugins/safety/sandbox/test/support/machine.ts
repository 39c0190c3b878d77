/** A made-up home and workspace, and programs that are run in them under a profile. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@tenon/log';
import { loadAccelerator } from '@tenon/native';
import { type Confinement, type ConfinementRequest, protectedPlacesOf, type Sandboxes } from '../../src/api.ts';
import type { Surroundings } from '../../src/policy.ts';
import { PrivateFolders } from '../../src/private-folders.ts';
import { createSandboxes } from '../../src/sandboxes.ts';
import type { SandboxSettings } from '../../src/generated/settings.ts';
import { workFolder } from '@tenon/test-kit/work-folder';

/** The settings as they are when nobody has changed them. */
export const DEFAULTS: SandboxSettings = {
  profile: 'auto',
  required: false,
  mechanism: 'auto',
  network: { allow: [] },
  writable: [],
  added: [],
  readable: [],
  hidden: [],
  git: 'commit',
  keepEnvironment: [],
};

/** What a program did. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A home with secrets, a repository, and a place outside of both. Not in /tmp, which every sandbox replaces. */
export class Machine {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly outside: string;
  readonly #folders = new PrivateFolders();

  constructor() {
    // Ignored by git and by every tool.
    const work = workFolder();
    mkdirSync(work, { recursive: true });
    this.folder = realpathSync(mkdtempSync(join(work, 'machine-')));
    this.home = join(this.folder, 'home');
    this.workspace = join(this.home, 'project');
    this.outside = join(this.folder, 'outside');
    for (const path of [this.workspace, this.outside, join(this.home, '.ssh'), join(this.home, '.config', 'gh')]) {
      mkdirSync(path, { recursive: true });
    }
    writeFileSync(join(this.home, '.ssh', 'id_ed25519'), 'PRIVATE');
    writeFileSync(join(this.home, '.config', 'gh', 'hosts.yml'), 'PRIVATE');
    writeFileSync(join(this.home, '.netrc'), 'PRIVATE');
    writeFileSync(join(this.home, 'notes.txt'), 'notes');
    writeFileSync(join(this.outside, 'victim'), 'original');
    writeFileSync(join(this.workspace, 'file.txt'), 'content');
  }

  /** Where Tenon and the user are at home. */
  surroundings(own: readonly string[] = []): Surroundings {
    return { home: this.home, own, places: () => protectedPlacesOf([]) };
  }

  /** The service with some settings changed. */
  sandboxes(settings: Partial<SandboxSettings> = {}, env: NodeJS.ProcessEnv = process.env): Sandboxes {
    return createSandboxes({
      settings: { ...DEFAULTS, ...settings },
      surroundings: this.surroundings([join(this.home, '.local', 'share', 'tenon')]),
      folders: this.#folders,
      log: createLogger({ owner: 'test', sink: () => undefined }),
      env,
      accelerator: () => loadAccelerator('sandbox'),
    });
  }

  /** Makes the workspace a repository with one commit. */
  initGit(): void {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.workspace, stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('config', 'user.email', 'a@example.invalid');
    git('config', 'user.name', 'A');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  }

  /** Runs a program under a confinement that lasts as long as it. */
  async run(
    sandboxes: Sandboxes,
    request: Partial<ConfinementRequest>,
    program: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<Outcome> {
    const confinement = await sandboxes.wrap({ cwd: this.workspace, ...request });
    try {
      return await runIn(confinement, program, this.workspace, env);
    } finally {
      await confinement.dispose();
    }
  }

  async close(): Promise<void> {
    await this.#folders.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs a program under a confinement. */
export function runIn(
  confinement: Confinement,
  program: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const [file = '', ...args] = [...confinement.argv, ...program];
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env: { ...env, ...confinement.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
