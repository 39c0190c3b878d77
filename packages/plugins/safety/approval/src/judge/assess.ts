/** Judges a whole shell command. Loaded with the first command that has to be judged. */
import { existsSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { loadAccelerator } from '@tenon/native';
import type { Finding } from './finding.ts';
import type { JudgeTools } from './bench.ts';
import { judgeArgv } from './command.ts';
import { Judge } from './judge.ts';
import type { Surroundings } from './places.ts';
import { ShellState } from './state.ts';
import { judgeVariable } from './variables.ts';
import { knownWord } from './words.ts';

const MAX_SCRIPT_BYTES = 256 * 1024;

/** A command as the shell tool gets it. */
export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Something in a command that is not understood. */
export interface NotUnderstoodPart {
  /** The end of the sentence "not understood: …". */
  readonly what: string;
  /** Where it stands in the command, if it stands there. */
  readonly start?: number;
  readonly end?: number;
  /** The words of the program whose words are not understood. */
  readonly argv?: readonly (string | undefined)[];
}

/** What a command could do, as far as that is known. */
export interface Assessment {
  readonly findings: readonly Finding[];
  /** True when every word of it is understood: then the findings are all that it does. */
  readonly understood: boolean;
  readonly notUnderstood: readonly NotUnderstoodPart[];
}

/** Everything that a command could do. */
export async function assessCommand(
  { command, cwd, env = {} }: ShellCommand,
  world: Surroundings,
): Promise<Assessment> {
  const syntax = await loadAccelerator('syntax');
  const tools: JudgeTools = { parse: (text) => syntax.parseBash(text), readScript, isFolder, exists: existsSync };
  const judge = new Judge(world, tools, judgeArgv);
  const state = new ShellState(cwd, Object.entries(env));
  for (const [name, value] of Object.entries(env)) await judgeVariable(judge, name, knownWord(value), state, true);
  await judge.script(command, state);
  return { findings: judge.findings, understood: false, notUnderstood: [] };
}

async function readScript(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MAX_SCRIPT_BYTES) return undefined;
    const text = await readFile(path, 'utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined; // What cannot be read is judged by where it is.
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
