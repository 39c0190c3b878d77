/**
 * Runs git. A program in the sandbox may have written the settings of a repository, and git runs the programs that they name: hooks,
 * monitors, ways to a server. None of that is in force here unless the caller asks for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** One setting of git for one run. */
export type GitSetting = readonly [name: string, value: string];

/** How git is run. */
export interface GitRunOptions {
  /** More variables; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: readonly GitSetting[];
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** More output than this ends the run as a fault. */
  readonly maxBytes?: number;
  /** `true` for the user's own commits: hooks run. */
  readonly hooks?: boolean;
  /** Ways to other repositories: none when absent. */
  readonly protocols?: 'none' | 'file';
  /** `true` where variables like GIT_DIR in the environment are what the user means. */
  readonly keepPlace?: boolean;
  /** Gets what git and its hooks write to standard error, as it comes. */
  onError?(text: string): void;
}

/** How a run ended. Every end is an answer. */
export interface GitRun {
  /** 0 for success; -1 when git did not come to an end by itself. */
  readonly code: number;
  readonly bytes: Buffer;
  /** The output as text. */
  readonly out: string;
  readonly err: string;
  /** Why git did not come to an end: it is not installed, it was stopped, it wrote too much, it could not be started. */
  readonly fault?: 'missing' | 'stopped' | 'too-long' | 'not-started';
}

/** Lead git to another repository than that of the folder; a hook of git that starts Tenon has them. */
const ELSEWHERE = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
];
/** Name programs that would be run. */
const PROGRAMS = ['GIT_EXTERNAL_DIFF', 'GIT_CONFIG_PARAMETERS', 'GIT_TEMPLATE_DIR'];
const SAFE = ['core.fsmonitor=false', 'submodule.recurse=false', 'diff.ignoreSubmodules=dirty', 'core.safecrlf=false'];
const NO_HOOKS = ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false'];
const MAX_BYTES = 512 * 1024 * 1024;

/** Runs git in a folder, without a shell. */
export function runGit(folder: string, args: readonly string[], options: GitRunOptions = {}): Promise<GitRun> {
  const { signal, hooks = false, maxBytes = MAX_BYTES, input } = options;
  const settings = [...SAFE, ...(hooks ? [] : NO_HOOKS)].flatMap((setting) => ['-c', setting]);
  return new Promise((resolve) => {
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    let fault: GitRun['fault'];
    let size = 0;
    const end = (code: number, why = fault) => {
      const bytes = Buffer.concat(out);
      const text = Buffer.concat(err).toString();
      resolve({
        code: why === undefined ? code : -1,
        bytes,
        get out() {
          return bytes.toString();
        },
        err: text === '' && why !== undefined ? FAULTS[why] : text,
        ...(why !== undefined && { fault: why }),
      });
    };
    if (signal?.aborted) return end(-1, 'stopped');
    const child = spawn('git', [...settings, ...args], {
      cwd: folder,
      env: environmentOf(options),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what git has started ends with it. Hooks keep the user's terminal: they may ask there.
      detached: !hooks,
    });
    const stop = (why: GitRun['fault']) => {
      fault ??= why;
      endGroup(child, !hooks);
      // What it started may hold these open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const onAbort = () => stop('stopped');
    signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop('too-long');
      else out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return stop('too-long');
      err.push(chunk);
      options.onError?.(chunk.toString());
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      signal?.removeEventListener('abort', onAbort);
      err.push(Buffer.from(cause.message));
      end(-1, cause.code === 'ENOENT' && existsSync(folder) ? 'missing' : 'not-started');
    });
    child.on('close', (code) => {
      signal?.removeEventListener('abort', onAbort);
      end(code ?? -1);
    });
    // A git that ends before it has read everything says why on standard error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

function endGroup(child: ChildProcess, isGroup: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

const FAULTS = {
  missing: 'git was not found',
  stopped: 'git was stopped',
  'too-long': 'git wrote more than can be kept',
  'not-started': 'git could not be started',
} as const;

/** Settings are given as variables: on a command line, a name with `=` in it would be another one. */
function environmentOf({ env, settings = [], protocols, hooks, keepPlace }: GitRunOptions): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = { ...process.env };
  if (keepPlace !== true) for (const name of ELSEWHERE) delete own[name];
  // The user's own commit is made as the user's own git would make it.
  if (hooks !== true) {
    for (const name of PROGRAMS) delete own[name];
    // Objects that are missing are not fetched: settings say by which program.
    Object.assign(own, { LC_ALL: 'C', GIT_ALLOW_PROTOCOL: protocols ?? 'none', GIT_NO_LAZY_FETCH: '1' });
    Object.assign(own, { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_EDITOR: 'true' });
  }
  const first = Number(own['GIT_CONFIG_COUNT'] ?? 0) || 0;
  for (const [at, [name, value]] of settings.entries()) {
    own[`GIT_CONFIG_KEY_${first + at}`] = name;
    own[`GIT_CONFIG_VALUE_${first + at}`] = value;
  }
  if (settings.length > 0) own['GIT_CONFIG_COUNT'] = String(first + settings.length);
  return { ...own, ...env };
}

/** What git said about its failure, as a part of a sentence. */
export function gitReason({ err, code }: Pick<GitRun, 'err' | 'code'>): string {
  return err.trim().replace(/^(?:fatal|error): /, '') || `exit code ${code}`;
}

/** Settings that turn off every filter that a repository names; nothing where its settings cannot be read. */
export async function withoutFilters(
  folder: string,
  options: GitRunOptions = {},
): Promise<readonly GitSetting[] | undefined> {
  const pattern = String.raw`^filter\..*\.(clean|smudge|process)$`;
  const names = await runGit(folder, ['config', '--name-only', '-z', '--get-regexp', pattern], options);
  // 1: there are none.
  if (names.code > 1 || names.code < 0) return undefined;
  return names.out
    .split('\0')
    .filter(Boolean)
    .flatMap((name): readonly GitSetting[] => [
      [name, ''],
      [name.replace(/\.\w+$/, '.required'), 'false'],
    ]);
}

/** The repositories inside of a repository that its index names, as paths from its top; nothing where it cannot be read. */
export async function repositoriesInIndex(
  folder: string,
  options: GitRunOptions = {},
): Promise<readonly string[] | undefined> {
  const listed = await runGit(folder, ['ls-files', '--stage', '--full-name', '-z', '--', ':/'], options);
  if (listed.code !== 0) return undefined;
  const entries = listed.out.split('\0');
  return [...new Set(entries.flatMap((entry) => /^160000 [^\t]*\t([^]+)$/.exec(entry)?.[1] ?? []))];
}
