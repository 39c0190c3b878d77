/** Judges a whole shell command. Loaded with the first command that has to be judged. */
import { existsSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { loadAccelerator } from '@tenon/native';
import type { ShellDefinitions } from '@tenon/tools/api';
import { type Finding, worstTier } from './finding.ts';
import type { JudgeTools } from './bench.ts';
import { judgeArgv } from './command.ts';
import { judgeScriptFile, SHELL_FILE } from './interpret.ts';
import { Judge } from './judge.ts';
import { prove } from '../proof/prove.ts';
import type { Grammar } from '../proof/grammar.ts';
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
  /** What earlier commands of the same shell have defined. */
  readonly definitions?: ShellDefinitions;
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

/** Everything that a command could do. Proven, or looked through for known danger. */
export async function assessCommand(
  { command, cwd, env = {}, definitions }: ShellCommand,
  world: Surroundings,
): Promise<Assessment> {
  const defined = definitions && { definitions };
  const proven = await prove({ command, cwd, env, ...defined }, world, {
    userGrammar: (program) => userGrammar(program, world),
    dangersIn: (path, argv, isShell) => dangersIn(path, argv, { isShell, cwd }, world),
  });
  if (proven.unclear.length === 0 && worstTier(proven.findings) < 2)
    return { findings: proven.findings, understood: true, notUnderstood: [] };
  const found = await dangers({ command, cwd, env, ...defined }, world);
  // It asks anyway; the judge may know worse about it.
  if (proven.unclear.length === 0)
    return {
      findings: [...proven.findings, ...found.filter(({ tier }) => tier === 3)],
      understood: true,
      notUnderstood: [],
    };
  const known = new Set(found.filter(({ unclear }) => unclear).map(({ argv }) => JSON.stringify(argv)));
  const open = proven.unclear
    .filter(({ argv }) => argv === undefined || !known.has(JSON.stringify(argv)))
    .map((part): Finding => ({
      tier: 2,
      reason: `not understood: ${part.what}`,
      unclear: true,
      ...(part.argv && { argv: part.argv }),
      ...spanOf(part),
    }));
  return { findings: [...found, ...open], understood: false, notUnderstood: proven.unclear };
}

function spanOf({ start, end }: NotUnderstoodPart): Pick<Finding, 'span'> {
  return start === undefined || end === undefined ? {} : { span: { start, end } };
}

async function userGrammar(program: string, { grammars }: Surroundings): Promise<Grammar | undefined> {
  if (grammars === undefined || !existsSync(grammars)) return undefined;
  const { userGrammars } = await import('../proof/user-grammars.ts');
  return (await userGrammars(grammars)).grammars.get(program);
}

/** Looks for known danger, whatever the spelling. */
export async function dangers(
  { command, cwd, env = {}, definitions }: ShellCommand,
  world: Surroundings,
): Promise<readonly Finding[]> {
  const judge = await makeJudge(world);
  const state = new ShellState(cwd, Object.entries(env));
  if (definitions) await judge.defined(definitions, state);
  for (const [name, value] of Object.entries(env)) await judgeVariable(judge, name, knownWord(value), state, true);
  await judge.script(command, state);
  return judge.findings;
}

async function makeJudge(world: Surroundings): Promise<Judge> {
  const syntax = await loadAccelerator('syntax');
  const tools: JudgeTools = { parse: (text) => syntax.parseBash(text), readScript, isFolder, exists: existsSync };
  return new Judge(world, tools, judgeArgv);
}

/** A shell script of the workspace that destroys something asks, although code of the workspace may run. */
async function dangersIn(
  path: string,
  argv: Finding['argv'],
  { isShell, cwd }: { readonly isShell: boolean; readonly cwd: string },
  world: Surroundings,
): Promise<readonly Finding[]> {
  if ((!isShell && !SHELL_FILE.test(path)) || !existsSync(path)) return [];
  const judge = await makeJudge(world);
  const call = {
    judge,
    state: new ShellState(cwd),
    name: '',
    args: [],
    argv: [],
    stdin: { kind: 'none' },
    redirects: [],
  } as const;
  await judgeScriptFile(call, path, argv, isShell);
  return judge.findings.filter(({ tier, unclear }) => tier > 1 && unclear !== true);
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
