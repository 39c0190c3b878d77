/** How the kernels of each language are started. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CellLanguage } from '../api.ts';
import { errors } from '../errors.ts';
import nodeRunner from '../runners/node-runner.text';
import pythonRunner from '../runners/python-runner.py';

/** What programs in kernels get beside the user's variables: no colours, no pagers, no questions. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  PIP_NO_INPUT: '1',
  PYTHONUTF8: '1',
  PYTHONIOENCODING: 'utf-8',
};

/** A kernel's program and what it finds in its environment. */
export interface KernelCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a kernel of a language is started in a folder. */
export function kernelCommand(
  language: CellLanguage,
  cwd: string,
  { python, env }: { readonly python: string | undefined; readonly env: NodeJS.ProcessEnv },
): KernelCommand {
  const plain = { ...env, ...UNATTENDED };
  if (language === 'javascript')
    return {
      command: [process.execPath, ...nodeFlags(), '-e', nodeRunner],
      env: { ...plain, NODE_OPTIONS: undefined },
    };
  const interpreter = findPython(cwd, python, env);
  const folder =
    interpreter.venv === undefined
      ? {}
      : { VIRTUAL_ENV: interpreter.venv, PATH: `${join(interpreter.venv, 'bin')}${delimiter}${env['PATH'] ?? ''}` };
  return { command: [interpreter.program, '-c', pythonRunner], env: { ...plain, ...folder } };
}

/** A cell that is cut off in the middle leaves Node's own books unbalanced; without the flag Node would end itself for that. */
function nodeFlags(): string[] {
  const flag = '--no-force-async-hooks-checks';
  return process.allowedNodeEnvironmentFlags.has(flag) ? [flag] : [];
}

interface FoundPython {
  readonly program: string;
  /** The virtual environment that it belongs to. */
  readonly venv?: string;
}

/** The Python for a folder: the one of the settings, of the active environment, of the project, of PATH. */
export function findPython(cwd: string, wanted: string | undefined, env: NodeJS.ProcessEnv): FoundPython {
  if (wanted !== undefined) {
    const program = inPath(wanted, env);
    if (program === undefined)
      throw errors.create('EVAL_NO_PYTHON', { reason: `eval-tools.python names "${wanted}", which cannot be run` });
    return { program };
  }
  const places = [env['VIRTUAL_ENV'], join(cwd, '.venv'), join(cwd, 'venv')];
  for (const venv of places) {
    if (venv !== undefined && isAbsolute(venv) && isProgram(join(venv, 'bin', 'python')))
      return { program: join(venv, 'bin', 'python'), venv };
  }
  const program = inPath('python3', env) ?? inPath('python', env);
  if (program === undefined) throw errors.create('EVAL_NO_PYTHON', { reason: 'neither python3 nor python is in PATH' });
  return { program };
}

function inPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (name.includes('/')) return isProgram(name) ? name : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // Absent or not executable: look further.
  }
}
