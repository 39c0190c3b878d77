/** What a call of `bash` asks for, checked. */
import { stat } from 'node:fs/promises';
import { displayPath, resolvePath } from '@tenon/tools/api';
import { type Script, startsInShell } from './bash-syntax.ts';
import { errors } from './errors.ts';

const MIN_SECONDS = 1;
const MAX_SECONDS = 3600;

/** A command that can be run. */
export interface Command {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** As it was given. */
  readonly cwd?: string;
  /** Absent for jobs that were given no limit. */
  readonly timeoutSeconds?: number;
  /** Set when the time asked for was not possible. */
  readonly requestedTimeoutSeconds?: number;
  readonly head?: number;
  readonly tail?: number;
  readonly pty: boolean;
  readonly async: boolean;
  readonly unsandboxed: boolean;
}

/** Where a command runs. */
export interface RunFolder {
  /** Absolute. */
  readonly cwd: string;
  /** True when the folder is for this command only. */
  readonly staysInFolder: boolean;
  readonly notes: readonly string[];
}

/** The folder of a leading `cd folder &&`, unless the shell would expand it. */
const LEADING_CD = /^\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([\w./@+][\w./@+-]*))\s*&&\s*\S/;

/** Checks the input. */
export function readCommand(input: Readonly<Record<string, unknown>>, defaultSeconds: number): Command {
  const command = String(input['command']);
  if (command.trim() === '') throw errors.create('SHELL_TOOLS_COMMAND_EMPTY');
  const env = (input['env'] ?? {}) as Record<string, string>;
  const badName = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (badName !== undefined) throw errors.create('SHELL_TOOLS_ENV_NAME', { name: badName });
  const flag = (name: string) => input[name] === true;
  const unsandboxed = flag('unsandboxed');
  if (unsandboxed && String(input['reason'] ?? '').trim() === '') throw errors.create('SHELL_TOOLS_NO_REASON');
  if (flag('pty') && flag('async')) throw errors.create('SHELL_TOOLS_PTY_ASYNC');
  return {
    command,
    env,
    ...(input['cwd'] !== undefined && { cwd: String(input['cwd']) }),
    ...timeLimit(input['timeout'], flag('async') ? undefined : defaultSeconds),
    ...(input['head'] !== undefined && { head: Number(input['head']) }),
    ...(input['tail'] !== undefined && { tail: Number(input['tail']) }),
    pty: flag('pty'),
    async: flag('async'),
    unsandboxed,
  };
}

/** A job may take as long as its session, unless it says otherwise. */
function timeLimit(
  given: unknown,
  standard: number | undefined,
): Pick<Command, 'timeoutSeconds' | 'requestedTimeoutSeconds'> {
  const requested = given === undefined ? standard : Number(given);
  if (requested === undefined) return {};
  const timeoutSeconds = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, requested));
  return { timeoutSeconds, ...(timeoutSeconds !== requested && { requestedTimeoutSeconds: requested }) };
}

/** Decides where a command runs: in `cwd`, or where the session is. */
export async function folderFor(
  { command, cwd }: Pick<Command, 'command' | 'cwd'>,
  { folder, project, script }: { readonly folder: string; readonly project: string; readonly script: Script },
): Promise<RunFolder> {
  if (cwd !== undefined)
    return { cwd: await checkFolder(resolvePath(project, cwd), project), staysInFolder: true, notes: [] };
  const here = await folderNow(folder, project);
  if (folder === project || here.cwd !== folder) return here;
  // The shell's own message is the best one for a folder that is not there, but it does not say where it was looked for.
  const [, quoted, single, plain] = LEADING_CD.exec(command) ?? [];
  const target = quoted ?? single ?? plain;
  if (target === undefined || !startsInShell(script) || (await isFolder(resolvePath(folder, target)))) return here;
  return { ...here, notes: [`[The shell was in ${displayPath(project, folder)}; \`cd\` starts from there.]`] };
}

/** Where the session is; back in the project when that folder is gone. */
export async function folderNow(folder: string, project: string): Promise<RunFolder> {
  if (await isFolder(folder)) return { cwd: folder, staysInFolder: false, notes: [] };
  await checkFolder(project, project);
  const gone = `[The folder ${displayPath(project, folder)} is gone; the shell is back in the project folder.]`;
  return { cwd: project, staysInFolder: false, notes: [gone] };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function checkFolder(path: string, project: string): Promise<string> {
  const shown = displayPath(project, path);
  const stats = await stat(path).catch((fault: unknown) => {
    throw errors.create('SHELL_TOOLS_CWD_MISSING', { path: shown }, fault);
  });
  if (!stats.isDirectory()) throw errors.create('SHELL_TOOLS_CWD_NO_FOLDER', { path: shown });
  return path;
}
