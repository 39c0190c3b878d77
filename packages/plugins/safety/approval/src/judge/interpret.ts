/** Shells and interpreters: what code they would run, and where it comes from. */
import type { ProgramCall } from './bench.ts';
import { type Finding, unclearBelow3, worstTier } from './finding.ts';
import { findFlags, readOptions } from './options.ts';
import { placesOf } from './places.ts';
import { DESTRUCTIVE_CODE, type Interpreter, PYTHON_MODULES } from './rules/interpreters.ts';
import { RULES } from './rules/index.ts';
import { applyRule } from './apply-rule.ts';
import type { Word } from './words.ts';

/** Names of files that may be shell scripts. */
export const SHELL_FILE = /(^|\/)[^/.]+$|\.(sh|bash|zsh|ksh|command)$/;

/** `bash -c`, `bash file`, `bash < file`, `… | bash`. */
export async function judgeShell(call: ProgramCall): Promise<void> {
  const { judge, args, argv, name } = call;
  const { flags, rest } = readOptions(args, { takes: '-O -o --rcfile --init-file', stops: true });
  for (const { value } of findFlags(flags, '--rcfile --init-file'))
    if (value) judge.add({ tier: 2, reason: 'loads a file of its own first', argv, unclear: true });
  const [first, ...words] = rest;
  if (findFlags(flags, '-n').length > 0 && findFlags(flags, '-c').length === 0)
    return judge.add({ tier: 0, reason: '', argv });
  if (findFlags(flags, '-c').length > 0) {
    judge.add({ tier: 0, reason: '', argv });
    if (first === undefined) return;
    if (first.value === undefined) unknownCode(call, first);
    const inner = call.state.fork();
    inner.positional = words.slice(1);
    const [zero] = words;
    if (zero) inner.variables.set('0', zero.pattern);
    return judge.script(first.template, inner);
  }
  if (first !== undefined && findFlags(flags, '-s').length === 0) {
    if (first.value === undefined) return unknownCode(call, first);
    if (first.value !== '-' && first.value !== '/dev/stdin') {
      const inner = { ...call, state: call.state.fork() };
      inner.state.positional = words;
      for (const path of call.state.resolve(first.value)) await judgeScriptFile(inner, path, argv, true);
      return;
    }
  }
  await judgeInput(call, `\`${name}\` runs`, async (text) => judge.script(text, call.state.fork()), true);
}

/** Code that comes through the input. */
async function judgeInput(
  call: ProgramCall,
  who: string,
  judgeText: (text: string) => Promise<void>,
  isShell = false,
): Promise<void> {
  const { judge, argv, stdin, state } = call;
  switch (stdin.kind) {
    case 'none':
      return judge.add({ tier: 1, reason: `\`${call.name}\` waits for commands`, argv });
    case 'text':
      judge.add({
        tier: stdin.isPartial ? 2 : 0,
        reason: stdin.isPartial ? `${who} code that is only known when it runs` : '',
        argv,
        ...(stdin.isPartial && { unclear: true as const }),
      });
      return judgeText(stdin.text ?? '');
    case 'file':
      if (stdin.file?.value === undefined)
        return judge.add({ tier: 2, reason: `${who} a file that is only known when it runs`, argv, unclear: true });
      for (const path of state.resolve(stdin.file.value)) await judgeScriptFile(call, path, argv, isShell);
      return;
    default: {
      const isHidden = (stdin.traits?.size ?? 0) > 0;
      const what = stdin.traits?.has('network')
        ? 'code from another machine that nobody has seen'
        : 'code that was hidden by encoding';
      judge.add({
        tier: isHidden ? 3 : 2,
        reason: `${who} ${isHidden ? what : 'the output of another command'}`,
        argv,
        ...(!isHidden && { unclear: true as const }),
      });
    }
  }
}

/** Code in a word that is only known when it runs. */
function unknownCode({ judge, argv, name }: ProgramCall, word: Word): void {
  const traits = judge.traitsOf(word);
  const what = traits.size > 0 ? 'code that it fetches or decodes first' : 'code that is only known when it runs';
  judge.add(unclearBelow3({ tier: traits.size > 0 ? 3 : 2, reason: `\`${name}\` runs ${what}`, argv }));
}

/** A file that is run. Shell scripts are read: what destroys in them makes them ask. */
export async function judgeScriptFile(
  call: ProgramCall,
  path: string | undefined,
  argv: Finding['argv'],
  /** A shell runs it, whatever its name. */
  isShell = false,
): Promise<void> {
  const { judge, state } = call;
  const add = (tier: Finding['tier'], reason: string, unclear = false) =>
    judge.add({
      tier,
      reason,
      ...(argv && { argv }),
      ...(path !== undefined && { path }),
      ...(unclear && { unclear: true as const }),
    });
  if (path === undefined) return add(2, 'runs a file that is only known when it runs', true);
  const fresh = state.written.get(path);
  if (fresh?.text !== undefined) await judge.script(fresh.text, state.fork());
  if (fresh?.isPartial === false && !fresh.fromNetwork) return add(1, 'runs a program of the workspace');
  if (fresh)
    return add(
      fresh.fromNetwork ? 3 : 2,
      `runs ${path}, which the same command has just ${fresh.fromNetwork ? 'fetched' : 'written'}`,
      !fresh.fromNetwork,
    );
  const places = placesOf(path, judge.world);
  if (!places.every((place) => ['workspace', 'generated', 'temporary', 'installed'].includes(place))) {
    return add(2, `runs ${path}, which is outside of the workspace`, true);
  }
  add(1, 'runs a program of the workspace');
  if (!isShell && !SHELL_FILE.test(path)) return;
  const text = await judge.tools.readScript(path);
  if (text === undefined || (!isShell && !isShellScript(path, text))) return;
  const inside = judge.probe();
  const inner = state.fork();
  inner.calls = [...inner.calls, path];
  if (state.calls.includes(path)) return;
  await inside.script(text, inner);
  // A script of the project that cleans up after itself should not always ask, so only the worst counts, and less.
  if (worstTier(inside.findings) === 3) {
    const reason = inside.findings.find(({ tier }) => tier === 3)?.reason ?? '';
    add(2, `runs a script that ${reason.replace(/^may do this: /, '')}`);
  }
}

function isShellScript(path: string, text: string): boolean {
  const [first = ''] = text.split('\n', 1);
  return first.startsWith('#!') ? /\b(ba|z|k|da|a)?sh\b/.test(first) : /\.(sh|bash|zsh|ksh|command)$/.test(path);
}

/** `python -c`, `node file.js`, `perl -ne`. */
export async function judgeInterpreter(call: ProgramCall, interpreter: Interpreter): Promise<void> {
  const { judge, args, argv, name, state } = call;
  const { code, takes = '', loads = '', module = '', looks, verbs = '', codeVerbs = '' } = interpreter;
  const isLong = /^(java|erl|elixir|osascript|pwsh|powershell)$/.test(name);
  const { flags, rest } = readOptions(args, {
    takes: `${code} ${takes} ${loads} ${module}`,
    stops: true,
    longFlags: isLong,
  });
  const codeFlags = findFlags(flags, code);
  if (codeFlags.length === 0 && findFlags(flags, looks).length > 0) return judge.add({ tier: 0, reason: '', argv });
  for (const { value } of codeFlags) judgeCode(call, value);
  for (const { value } of findFlags(flags, loads)) {
    const isLocal =
      value?.value !== undefined &&
      state.resolve(value.value).every((path) => path !== undefined && judge.tools.exists(path));
    if (!isLocal) judge.add({ tier: 2, reason: `\`${name}\` loads code first`, argv, unclear: true });
  }
  const [moduleFlag] = findFlags(flags, module);
  if (moduleFlag) return judgeModule(call, moduleFlag.value, rest);
  if (codeFlags.length > 0) {
    for (const word of rest) judge.touch('read', word, state, argv);
    return;
  }
  let [first, ...after] = rest;
  if (first?.value !== undefined && codeVerbs.split(' ').includes(first.value)) return judgeCode(call, after[0]);
  if (first?.value !== undefined && verbs.split(' ').includes(first.value))
    [first, ...after] = after.filter(({ prefix }) => !prefix.startsWith('-'));
  const runsTests = flags.some((flag) => flag.name === '--test');
  if (runsTests || (first === undefined && verbs !== '' && rest.length > 0))
    return judge.add({ tier: 1, reason: 'builds, checks or tests the project', argv });
  if (first === undefined || first.value === '-') {
    return judgeInput(call, `\`${name}\` runs`, async (text) => void judgeText(call, text));
  }
  if (first.value === undefined) return unknownCode(call, first);
  if (/^[a-z]+:\/\//.test(first.value))
    return judge.add({ tier: 3, reason: `\`${name}\` runs code from another machine`, argv });
  for (const path of state.resolve(first.value)) await judgeScriptFile(call, path, argv);
}

function judgeCode(call: ProgramCall, word: Word | undefined): void {
  if (word?.value === undefined && word) unknownCode(call, word);
  if (word) judgeText(call, word.template);
}

function judgeText({ judge, name, argv }: ProgramCall, code: string): void {
  const isDestructive = DESTRUCTIVE_CODE.test(code);
  judge.add({
    tier: isDestructive ? 3 : 2,
    reason: `\`${name}\` runs code ${isDestructive ? 'that deletes' : 'that is not checked'}`,
    argv,
    ...(!isDestructive && { unclear: true as const }),
  });
}

async function judgeModule(call: ProgramCall, word: Word | undefined, rest: readonly Word[]): Promise<void> {
  const { judge, state, argv } = call;
  const name = word?.value;
  if (name === undefined)
    return judge.add({ tier: 2, reason: 'runs a module that is only known when it runs', argv, unclear: true });
  const [top = name] = name.split('.');
  const rule = RULES.get(top);
  if (rule && !PYTHON_MODULES.has(name))
    return applyRule({ ...call, name: top, args: rest, argv: [top, ...argv.slice(-rest.length)] }, rule);
  const places = [top, `${top}.py`, `src/${top}`].flatMap((path) => state.resolve(path));
  const isOwn = places.some((path) => path !== undefined && judge.tools.exists(path));
  const tier = PYTHON_MODULES.get(name) ?? PYTHON_MODULES.get(top) ?? (isOwn ? 1 : 2);
  judge.add({
    tier,
    reason: tier === 0 ? '' : tier === 1 ? 'runs a module of the project' : `runs the module ${name}`,
    argv,
    ...(tier === 2 && !PYTHON_MODULES.has(name) && !PYTHON_MODULES.has(top) && { unclear: true as const }),
  });
}
