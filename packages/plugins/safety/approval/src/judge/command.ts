/** One program and its words: takes wrappers off, follows shells and interpreters, and applies the rules. */
import { basename } from 'node:path';
import { applyRule } from './apply-rule.ts';
import { BUILTINS } from './builtins.ts';
import { unclearBelow3 } from './finding.ts';
import { judgeInterpreter, judgeScriptFile, judgeShell } from './interpret.ts';
import type { Bench, CallOptions, ProgramCall, Stdin } from './bench.ts';
import { isKnownProgram } from './known-programs.ts';
import { placesOf } from './places.ts';
import { RULES } from './rules/index.ts';
import { INTERPRETERS, SHELLS } from './rules/interpreters.ts';
import type { ShellState } from './state.ts';
import { unwrap } from './unwrap.ts';
import type { Word } from './words.ts';

const SYSTEM_PROGRAMS = /^(\/usr(\/local)?)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;
const MAX_ARGV = 4000;

/** The name that the rules know: `mkfs.ext4` is mkfs, `clang-17` is clang. */
function commonName(name: string): string {
  if (isKnownProgram(name)) return name;
  const shorter = name.replace(/^((?:mkfs|fsck|mount))\..*$/, '$1').replace(/[-.]?\d+(\.\d+)*$/, '');
  return isKnownProgram(shorter) ? shorter : name;
}

/** Judges words as a command. */
export async function judgeArgv(
  judge: Bench,
  words: readonly Word[],
  state: ShellState,
  stdin: Stdin,
  options: CallOptions = {},
): Promise<void> {
  const [first, ...args] = words;
  if (first === undefined) return;
  if (words.length > MAX_ARGV) judge.add({ tier: 2, reason: 'has too many words', unclear: true });
  const program = first.value;
  if (program === undefined) return dynamicProgram(judge, first, args, state);
  if (program === '') return;
  const isPlain = !program.includes('/');
  if (isPlain && state.functions.has(program)) {
    await judge.callFunction(program, args, state, stdin);
    // Behind `env` and its like it is the program after all.
    if (!isKnownProgram(program)) return;
  }
  const alias = isPlain ? state.aliases.get(program) : undefined;
  if (alias !== undefined && alias.trim().split(/\s+/)[0] !== program) {
    await judge.script([alias, ...args.map(({ text }) => text)].join(' '), state.fork());
  }
  const name = commonName(isPlain ? program : basename(program));
  const { redirects = [] } = options;
  const argv = [name, ...args.map(({ value }) => value)];
  const call: ProgramCall = { judge, state, name, args, argv, stdin, redirects };
  if (!isPlain && !SYSTEM_PROGRAMS.test(program)) {
    await localProgram(call, program);
    if (!isKnownProgram(name)) return;
  }
  await namedProgram(call, options.isProbe ?? false);
}

async function namedProgram(call: ProgramCall, isProbe: boolean): Promise<void> {
  const { judge, name, args, argv } = call;
  const builtin = BUILTINS.get(name);
  if (builtin) {
    judge.add({ tier: 0, reason: '', argv });
    return builtin(call);
  }
  const only = args.length === 1 ? args[0]?.value : undefined;
  const rule = RULES.get(name);
  const knowsVersion = rule !== undefined || INTERPRETERS.has(name) || SHELLS.has(name);
  if (knowsVersion && (only === '--version' || only === '--help')) return judge.add({ tier: 0, reason: '', argv });
  const wrapped = unwrap(call);
  if (wrapped) return wrapped;
  if (SHELLS.has(name)) return judgeShell(call);
  const interpreter = INTERPRETERS.get(name);
  if (interpreter) return judgeInterpreter(call, interpreter);
  if (rule) return applyRule(call, rule);
  if (isProbe) return;
  judge.add({ tier: 2, reason: `\`${name}\` is not known`, argv, unclear: true });
  for (const word of args) judge.touch('read', word, call.state, argv);
  await judge.suspiciousWords(args, call.state);
}

/** A program whose name is only known when it runs. */
async function dynamicProgram(judge: Bench, name: Word, args: readonly Word[], state: ShellState): Promise<void> {
  const argv = [undefined, ...args.map(({ value }) => value)];
  const isArgument = /^"?\$(\{?[@*1-9]\}?)"?$/.test(name.text) && state.positional?.length === 0;
  if (isArgument) {
    // What the function is called with is judged at the call.
    judge.add({ tier: 1, reason: 'defines a function that runs what it is given', argv });
    return;
  }
  judge.add(
    unclearBelow3({
      tier: judge.traitsOf(name).size > 0 ? 3 : 2,
      reason: `runs a program whose name is only known when it runs (${name.text.slice(0, 40)})`,
      argv,
    }),
  );
  // It could be `rm`.
  const probe = [{ ...name, value: 'rm', pattern: 'rm', prefix: 'rm' }, ...args];
  await judge.suspiciousWords(probe, state);
  await judge.suspiciousWords(args, state);
}

/** A program that is named by its path. */
async function localProgram(call: ProgramCall, given: string): Promise<void> {
  const { judge, state, argv } = call;
  for (const path of state.resolve(given)) {
    const places = path === undefined ? ['unknown'] : placesOf(path, judge.world);
    const isOwn = places.every((place) => ['workspace', 'generated', 'installed'].includes(place));
    if (isOwn && path !== undefined) await judgeScriptFile(call, path, argv);
    else judge.add({ tier: 2, reason: `runs ${given}, a program outside of the workspace`, argv, unclear: true });
  }
}
