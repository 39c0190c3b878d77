/** What a call of `bash` asks for, checked. */
import { stat } from 'node:fs/promises';
import { displayPath, resolvePath } from '@tenon/file-tools/api';
import { errors } from './errors.ts';

const MIN_SECONDS = 1;
const MAX_SECONDS = 3600;

/** A command that can be run. */
export interface Command {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Set when the time asked for was not possible. */
  readonly requestedTimeoutSeconds?: number;
  readonly head?: number;
  readonly tail?: number;
}

/** `cd folder && rest`; a folder with anything that the shell would expand is left to the shell. */
const LEADING_CD = /^\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([\w./@+][\w./@+-]*))\s*&&\s*(\S[\s\S]*)$/;

/** Checks the input; relative folders start at `project`. */
export async function readCommand(
  input: Readonly<Record<string, unknown>>,
  project: string,
  defaultSeconds: number,
): Promise<Command> {
  const given = String(input['command']);
  if (given.trim() === '') throw errors.create('SHELL_TOOLS_COMMAND_EMPTY');
  const env = (input['env'] ?? {}) as Record<string, string>;
  const badName = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (badName !== undefined) throw errors.create('SHELL_TOOLS_ENV_NAME', { name: badName });
  const requested = input['timeout'] === undefined ? defaultSeconds : Number(input['timeout']);
  const timeoutSeconds = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, requested));
  const place =
    input['cwd'] === undefined
      ? await liftFolder(given, project)
      : { command: given, cwd: await checkFolder(resolvePath(project, String(input['cwd'])), project) };
  return {
    ...place,
    env,
    timeoutSeconds,
    ...(timeoutSeconds !== requested && { requestedTimeoutSeconds: requested }),
    ...(input['head'] !== undefined && { head: Number(input['head']) }),
    ...(input['tail'] !== undefined && { tail: Number(input['tail']) }),
  };
}

/** Takes `cd x &&` off where that means the same, so that the folder is seen by whoever judges or shows the call. */
async function liftFolder(command: string, project: string): Promise<{ command: string; cwd: string }> {
  const [, quoted, single, plain, rest] = LEADING_CD.exec(command) ?? [];
  const folder = quoted ?? single ?? plain;
  if (folder === undefined || rest === undefined) return { command, cwd: await checkFolder(project, project) };
  const path = resolvePath(project, folder);
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  // The shell's own message is the best one for a folder that is not there.
  return isFolder ? { command: rest, cwd: path } : { command, cwd: project };
}

async function checkFolder(path: string, project: string): Promise<string> {
  const shown = displayPath(project, path);
  const stats = await stat(path).catch((fault: unknown) => {
    throw errors.create('SHELL_TOOLS_CWD_MISSING', { path: shown }, fault);
  });
  if (!stats.isDirectory()) throw errors.create('SHELL_TOOLS_CWD_NO_FOLDER', { path: shown });
  return path;
}
