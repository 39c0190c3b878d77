/** Which adapter debugs a program: the one that was asked for, or the first that fits and is installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { findInPath } from '@tenon/host';
import type { LaunchForm } from '../api.ts';
import { errors } from '../errors.ts';
import type { KnownAdapter } from './definition.ts';
import { fits, kindText, type ProgramKind } from './program-kind.ts';

/** Where programs are looked for. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** An adapter for a launch, and the form in which it takes the program. */
export interface LaunchChoice {
  readonly adapter: KnownAdapter;
  readonly form: LaunchForm;
  /** Command lines of which the program is there. */
  readonly commands: readonly (readonly string[])[];
}

/** The command lines of an adapter whose programs are there, each with the full path of its program. */
export function installedCommands(adapter: KnownAdapter, { cwd, env }: Place): string[][] {
  if (adapter.transport === 'node-inspector')
    return adapter.commands.map(([program = 'node', ...rest]) => [
      findInPath(program, env, cwd) ?? process.execPath,
      ...rest,
    ]);
  return adapter.commands.flatMap(([program = '', ...rest]) => {
    const paths = program === '{python}' ? pythons({ cwd, env }) : [findInPath(program, env, cwd)];
    return paths.flatMap((path) => (path === undefined ? [] : [[path, ...rest]]));
  });
}

/** Pythons that may hold a module, best first: that of the environment, that of PATH, that of the system. */
export function pythons({ cwd, env }: Place): string[] {
  const environments = [env['VIRTUAL_ENV'], join(cwd, '.venv'), join(cwd, 'venv')]
    .filter((folder) => folder !== undefined && isAbsolute(folder))
    .map((folder) => join(folder ?? '', 'bin', 'python'));
  const inPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'python3'));
  return [...new Set([...environments, ...inPath, '/usr/bin/python3'])].filter(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Absent or not for us: look further.
  }
}

/** Finds the adapter for a launch. */
export function chooseForLaunch(
  adapters: readonly KnownAdapter[],
  wanted: string | undefined,
  kind: ProgramKind,
  place: Place,
): LaunchChoice {
  if (wanted !== undefined) {
    const adapter = byName(adapters, wanted);
    const form = adapter.launch.find((candidate) => fits(candidate, kind)) ?? adapter.launch[0];
    if (form === undefined) throw errors.create('DEBUG_NOT_SUPPORTED', { adapter: wanted, what: 'launching programs' });
    return { adapter, form, commands: required(adapter, place) };
  }
  const fitting = adapters.flatMap((adapter) => {
    const form = adapter.launch.find((candidate) => fits(candidate, kind));
    return form === undefined ? [] : [{ adapter, form, commands: installedCommands(adapter, place) }];
  });
  const found = fitting.find(({ commands }) => commands.length > 0);
  if (found) return found;
  throw errors.create('DEBUG_NO_ADAPTER', {
    what: kindText(kind),
    known: helpFor(
      fitting.map(({ adapter }) => adapter),
      kind,
    ),
  });
}

/** Finds the adapter for attaching to a process or a port. */
export function chooseForAttach(
  adapters: readonly KnownAdapter[],
  wanted: string | undefined,
  by: 'pid' | 'port',
  place: Place,
): { readonly adapter: KnownAdapter; readonly commands: readonly (readonly string[])[] } {
  if (wanted !== undefined) {
    const adapter = byName(adapters, wanted);
    if (adapter.attach?.[by] === undefined)
      throw errors.create('DEBUG_NOT_SUPPORTED', { adapter: wanted, what: `attaching by ${by}` });
    return { adapter, commands: required(adapter, place) };
  }
  const able = adapters.filter(({ attach }) => attach?.[by] !== undefined);
  // A port without more words is most often that of debugpy; a process that of a compiled program.
  const preferred = (adapter: KnownAdapter) => (by === 'port' ? adapter.key === 'debugpy' : adapter.traces === true);
  const ordered = [...able.filter(preferred), ...able.filter((adapter) => !preferred(adapter))];
  for (const adapter of ordered) {
    const commands = installedCommands(adapter, place);
    if (commands.length > 0) return { adapter, commands };
  }
  throw errors.create('DEBUG_NO_ADAPTER', { what: `attaching by ${by}`, known: helpFor(able, undefined) });
}

function byName(adapters: readonly KnownAdapter[], name: string): KnownAdapter {
  const found = adapters.find(({ key }) => key === name);
  if (found) return found;
  const known = `Known adapters: ${adapters.map(({ key }) => key).join(', ')}.`;
  throw errors.create('DEBUG_NO_ADAPTER', { what: `the name "${name}"`, known });
}

function required(adapter: KnownAdapter, place: Place): string[][] {
  const commands = installedCommands(adapter, place);
  if (commands.length > 0) return commands;
  const programs = adapter.commands.map(([program = '']) => program.replace('{python}', 'python3')).join(', ');
  const install = adapter.install ?? `the program ${programs}`;
  throw errors.create('DEBUG_ADAPTER_MISSING', { adapter: adapter.key, reason: `${programs} is not in PATH`, install });
}

/** Sources that have to be compiled before they can be debugged. */
const TO_COMPILE = ['.c', '.cc', '.cpp', '.cxx', '.rs', '.m', '.swift', '.zig', '.d', '.nim', '.f90'];

function helpFor(fitting: readonly KnownAdapter[], kind: ProgramKind | undefined): string {
  if (kind?.type === 'source' && TO_COMPILE.includes(kind.extension))
    return 'Compile it with debug information (-g) and launch the program that the compiler makes.';
  if (fitting.length === 0)
    return 'Programs that can be debugged: Python, JavaScript, TypeScript, Go, and compiled ones with debug information.';
  const list = fitting.map(({ key, install }) => (install === undefined ? key : `${key} (${install})`)).join(', ');
  return `Suitable, but not installed: ${list}. Install one of them.`;
}
