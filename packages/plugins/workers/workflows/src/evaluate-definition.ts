/**
 * Evaluates a definition that is written as code. The code runs in a process of its own that can read its project, change nothing,
 * reach nothing and start nothing, and it is ended when it takes too long or too much memory. What comes back is data.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { chooseMechanism, type PreparedLaunch, prepareLaunch } from '@tenon/sandbox/api';
import { errors } from './errors.ts';
import { EVALUATION } from './evaluation-program.ts';

/** What the code may take. */
export interface EvaluationLimits {
  readonly milliseconds: number;
  readonly memoryMb: number;
  readonly resultBytes: number;
}

const LIMITS: EvaluationLimits = { milliseconds: 30_000, memoryMb: 256, resultBytes: 2 * 1024 * 1024 };
const SCRATCH_MB = 16;
const MAX_STDERR = 2_000;

/** What the default export of a file is, or gives when it is a function. It went through JSON, so it is plain data. */
export async function evaluateDefinition(file: string, limits: EvaluationLimits = LIMITS): Promise<unknown> {
  const path = realpathSync(file);
  const loader = loaderFolder();
  const launch = await confined(path, loader, limits);
  try {
    const node = [
      process.execPath,
      `--max-old-space-size=${limits.memoryMb}`,
      '-e',
      EVALUATION,
      join(loader, 'lib', 'jiti.mjs'),
      path,
      String(limits.milliseconds + 5_000),
    ];
    const [program = '', ...words] = [...launch.argv, ...node];
    // None of the user's variables: keys would end up in the data.
    const env = { TMPDIR: tmpdir(), NODE_NO_WARNINGS: '1', ...launch.env };
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: launch.cwd ?? '/' });
    return resultOf(await answerOf(child, limits));
  } finally {
    launch.dispose();
  }
}

/** The TypeScript loader; it finds its own parts beside its code. */
function loaderFolder(): string {
  return realpathSync(dirname(createRequire(import.meta.url).resolve('jiti/package.json')));
}

/** The start of the process. Without a sandbox that works there is none: the code could do whatever the user can. */
async function confined(path: string, loader: string, limits: EvaluationLimits): Promise<PreparedLaunch> {
  const refuse = (reason: string, cause?: unknown) =>
    errors.create('WORKFLOWS_NO_SANDBOX', { file: path, reason }, cause);
  const choice = await chooseMechanism('auto');
  const { mechanism } = choice;
  if (mechanism === undefined) throw refuse(choice.reasons.join('; '));
  const home = existsSync(homedir()) ? realpathSync(homedir()) : undefined;
  try {
    return await prepareLaunch(
      { ...choice, mechanism },
      {
        system: 'node',
        programs: [],
        read: [loader, projectOf(path, home)],
        write: [],
        protect: [],
        reserved: [],
        hidden: [],
        workspace: dirname(path),
        emptyHome: home,
        cwd: '/tmp',
        limits: { memoryMb: limits.memoryMb, scratchMb: SCRATCH_MB },
        // A project may hold socket files of servers, which listen to whoever can see them.
        sockets: false,
        whenPartial: 'refuse',
      },
    );
  } catch (fault) {
    throw refuse(messageOf(fault).replace(/\.$/, ''), fault);
  }
}

/** What the code can read: the repository around it, else its folder; never the home folder with all that is in it. */
export function projectOf(path: string, home: string | undefined): string {
  const own = dirname(path);
  const isTooMuch = (folder: string) => folder === dirname(folder) || (home !== undefined && isInside(home, folder));
  for (let folder = own; !isTooMuch(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return folder;
  return isTooMuch(own) ? path : own;
}

interface Ended {
  readonly out: string;
  readonly err: string;
  /** Why it was ended from here. */
  readonly reason: string | undefined;
}

function answerOf(child: ChildProcess, { milliseconds, resultBytes }: EvaluationLimits): Promise<Ended> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    let [bytes, err] = [0, ''];
    let reason: string | undefined;
    const end = (why: string) => {
      reason ??= why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => end(`it took longer than ${milliseconds / 1000} s`), milliseconds);
    child.stdout?.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > resultBytes) return end('what it gives is larger than 2 MB');
      out.push(part);
    });
    child.stderr?.on('data', (part: Buffer) => (err = `${err}${part.toString('utf8')}`.slice(-MAX_STDERR)));
    child.on('error', (fault) => {
      clearTimeout(timer);
      resolve({ out: '', err, reason: messageOf(fault) });
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ out: Buffer.concat(out).toString('utf8'), err, reason });
    });
  });
}

function resultOf({ out, err, reason }: Ended): unknown {
  if (reason !== undefined) throw new Error(reason);
  if (out === '') throw new Error(deathText(err));
  let answer: unknown;
  try {
    answer = JSON.parse(out);
  } catch {
    // The code has written to the standard output itself, past what keeps it away.
    throw new Error('its process gave something else than a definition');
  }
  const { value, failure } = (answer ?? {}) as { readonly value?: unknown; readonly failure?: unknown };
  if (value === undefined && failure === undefined)
    throw new Error('its process gave something else than a definition');
  if (failure !== undefined) throw new Error(String(failure));
  return value;
}

function deathText(err: string): string {
  if (/heap out of memory|out of memory|Allocation failed/i.test(err)) return 'it needed too much memory';
  const line = err.split('\n').find((text) => /\b\w*Error\b/.test(text));
  return line?.trim() ?? 'its process ended without a result';
}
