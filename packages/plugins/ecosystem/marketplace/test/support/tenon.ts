/** A kernel with the real marketplace, discovery, packs and settings, on folders of its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cliCommands, type CommandIo } from '@tenon/command-line/api';
import { type Folders } from '@tenon/host';
import { type Discovery, discovery } from '@tenon/discovery/api';
import { doctorChecks } from '@tenon/doctor/api';
import { type Kernel } from '@tenon/kernel';
import { startKernel } from '@tenon/test-kit/kernel';
import { toolCall, toolResult, tools } from '@tenon/tools/api';
import { setFoldersWritable } from '../../src/tree/write-tree.ts';

/** The plugins of a start, for bundles. */
export const PLUGINS = ['settings', 'discovery', 'pack-host', 'packs', 'marketplace'];

/** What one run of a command wrote and gave. */
export interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  /** What the command asked. */
  readonly questions: readonly string[];
}

/** How a command is called. */
export interface CallOptions {
  readonly args?: Readonly<Record<string, string | string[]>>;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  /** What a person answers; without it nobody is there. */
  readonly answer?: string;
  readonly signal?: AbortSignal;
}

/** Folders that live as long as a test, and starts of Tenon on them. */
export class World {
  readonly base: string;
  readonly folders: Folders;
  readonly settings: Record<string, unknown> = {};
  readonly #kernels: Kernel[] = [];

  /** A new world, or the one in a folder that another process has made. */
  constructor(base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-market-')))) {
    this.base = base;
    // Tests that npm starts inherit its configuration, which would lead to a real registry.
    for (const name of Object.keys(process.env)) if (/^npm_config_/i.test(name)) delete process.env[name];
    const cwd = this.at('project');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    mkdirSync(this.at('home'), { recursive: true });
    const own = Object.fromEntries(['config', 'data', 'state', 'cache', 'home'].map((name) => [name, this.at(name)]));
    this.folders = { ...own, cwd } as unknown as Folders;
  }

  at(...names: string[]): string {
    return join(this.base, ...names);
  }

  /** Writes files below a folder of the world. */
  put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
    for (const [name, content] of Object.entries(files)) {
      const file = this.at(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
    }
    return this.at(folder);
  }

  /** Makes a repository of files, or commits them to it; gives the commit. */
  commit(folder: string, files: Readonly<Record<string, string | Uint8Array>>, branch = 'main'): string {
    const root = this.put(folder, files);
    const git = (...args: string[]) => gitIn(root, ...args);
    if (!isRepository(root)) git('init', '-q', '-b', branch);
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'state');
    return git('rev-parse', 'HEAD').trim();
  }

  /** A kernel as one start of `tenon` has it; packs were looked for. */
  async start(): Promise<Kernel> {
    const project = this.at('project', '.tenon');
    const places: Folders = isFolder(project) ? { ...this.folders, project } : this.folders;
    const kernel = await startKernel({
      folders: places,
      settings: { marketplace: this.settings },
      defines: [tools, toolCall, toolResult, cliCommands, doctorChecks],
      plugins: PLUGINS,
    });
    await kernel.discover({ cwd: places.cwd, home: places.home, trusted: false });
    this.#kernels.push(kernel);
    return kernel;
  }

  /** Runs one command as a start of its own. */
  async run(words: string, { args = {}, flags = {}, answer, signal }: CallOptions = {}): Promise<CommandRun> {
    const kernel = await this.start();
    const written = { out: '', err: '' };
    const questions: string[] = [];
    const io: CommandIo = {
      out: async (text) => void (written.out += text),
      err: async (text) => void (written.err += text),
      json: async (value) => void (written.out += `${JSON.stringify(value)}\n`),
      color: false,
      interactive: answer !== undefined,
      width: 80,
      ...(answer !== undefined && {
        ask: async (question: string) => {
          questions.push(question);
          return answer;
        },
      }),
    };
    const command = await kernel.read(cliCommands).resolve(words);
    const call = { args, flags, io, cwd: this.folders.cwd, signal: signal ?? new AbortController().signal };
    const code = (await command.run(call)) ?? 0;
    return { ...written, code, questions };
  }

  /** The JSON that a command writes. */
  async json<T = Record<string, never>>(words: string, options: CallOptions = {}): Promise<T> {
    const { out } = await this.run(words, { ...options, flags: { ...options.flags, json: true } });
    return JSON.parse(out) as T;
  }

  /** What discovery finds, in a start of its own. */
  async discovery(): Promise<Discovery> {
    return (await this.start()).find(discovery);
  }

  /** The lock file of a scope. */
  lock(scope: 'user' | 'project' = 'user'): { plugins: Record<string, Record<string, never>> } {
    const file =
      scope === 'user' ? this.at('data', 'plugins', 'lock.json') : this.at('project', '.tenon', 'plugins.lock.json');
    return JSON.parse(readFileSync(file, 'utf8')) as { plugins: Record<string, Record<string, never>> };
  }

  /** The folder of an installed plugin. */
  folderOf(id: string, scope: 'user' | 'project' = 'user'): string {
    const content = String(this.lock(scope).plugins[id]?.['content']);
    return this.at('data', 'plugins', 'store', content.replace('sha256-', ''));
  }

  async end(): Promise<void> {
    await Promise.all(this.#kernels.map((kernel) => kernel.dispose()));
    await setFoldersWritable(this.base, true).catch(() => undefined);
    await rm(this.base, { recursive: true, force: true });
  }
}

/** Runs git with nothing of the person who runs the tests. */
export function gitIn(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.invalid',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
  };
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function isRepository(folder: string): boolean {
  return isFolder(join(folder, '.git'));
}

function isFolder(path: string): boolean {
  try {
    return realpathSync(path) !== '';
  } catch {
    return false;
  }
}

/** The code of the error that a promise ends with. */
export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (fault: { code?: string; message: string }) => fault.code ?? fault.message,
  );
}

/** The error that a promise ends with. */
export function faultOf(work: Promise<unknown>): Promise<{ code: string; message: string; next: string }> {
  return work.then(
    () => {
      throw new Error('there was no error');
    },
    (fault: { code: string; message: string; next: string }) => fault,
  );
}
