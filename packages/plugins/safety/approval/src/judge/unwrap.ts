/** Takes wrappers such as `sudo`, `env`, `xargs` and `timeout` off, and judges what they run. */
import type { ProgramCall } from './bench.ts';
import { findFlags, type Flag, readOptions } from './options.ts';
import { type Wrapper, WRAPPER_WORDS, WRAPPERS } from './rules/wrappers.ts';
import { knownWord, unknownWord, type Word } from './words.ts';
import { judgeVariable } from './variables.ts';

/** Judges what a wrapper runs; nothing when the program is no wrapper. */
export function unwrap(call: ProgramCall): Promise<void> | undefined {
  const direct = WRAPPERS.get(call.name);
  if (direct) return runWrapped(call, direct, call.args, 0);
  // `poetry run x`, `git bisect run x`: the wrapper is the first two or three words.
  const values = call.args.slice(0, 2).map(({ value }) => value);
  for (let length = values.length; length > 0; length--) {
    const words = values.slice(0, length);
    if (words.includes(undefined)) continue;
    const key = [call.name, ...words].join('-');
    const wrapper = WRAPPERS.get(key);
    if (wrapper) return runWrapped(call, wrapper, call.args.slice(length), WRAPPER_WORDS.get(key) ?? 0);
  }
  return undefined;
}

async function runWrapped(call: ProgramCall, wrapper: Wrapper, args: readonly Word[], ownWords: number): Promise<void> {
  const { judge, name, argv, stdin } = call;
  const takes = [wrapper.takes, wrapper.script, wrapper.writes].filter((part) => part !== undefined).join(' ');
  const { flags, rest: operands } = readOptions(args, { takes, stops: true });
  if (findFlags(flags, wrapper.looks).length > 0) return judge.add({ tier: 0, reason: '', argv });
  const state = call.state.fork();
  let rest = operands.slice((wrapper.operands ?? 0) === 9 ? operands.length : (wrapper.operands ?? 0) + ownWords);
  // `su user -c …` has its flags behind the operand.
  const late = wrapper.operands === 9 || wrapper.operands === 1 ? readOptions(operands, { takes }).flags : [];
  for (const { value } of findFlags(flags, wrapper.writes)) if (value) judge.touch('write', value, state, argv);
  await enterFolder(flags, name, state);
  while (wrapper.assigns) {
    const assignment = /^([A-Za-z_]\w*)=/.exec(rest[0]?.prefix ?? '');
    const [word] = rest;
    if (!assignment || word === undefined) break;
    const [whole, variable = ''] = assignment;
    const value = word.value === undefined ? unknownWord(word.text) : knownWord(word.value.slice(whole.length));
    await judgeVariable(judge, variable, value, state, true);
    state.variables.set(variable, value.pattern);
    rest = rest.slice(1);
  }
  const scripts = findFlags([...flags, ...late], wrapper.script);
  for (const { value } of scripts) await runText(call, value, state);
  if (wrapper.operands === 1 && scripts.length > 0) rest = [];
  const isAlone = rest.length === 0 && scripts.length === 0;
  const tier = isAlone ? (wrapper.alone ?? 0) : wrapper.tier;
  judge.add({ tier, reason: tier > 0 ? `\`${name}\` ${wrapper.why ?? 'runs something else'}` : '', argv });
  if (rest.length > 0) await runRest(call, wrapper, rest, state, stdin, flags);
  // A builtin that was called through `command` changes this shell.
  if (/^(command|builtin|time|exec)$/.test(name)) call.state.cwds = state.cwds;
}

async function runRest(
  call: ProgramCall,
  wrapper: Wrapper,
  rest: readonly Word[],
  state: ProgramCall['state'],
  stdin: ProgramCall['stdin'],
  flags: readonly Flag[],
): Promise<void> {
  const { judge } = call;
  if (wrapper.joined) {
    const end = rest.findIndex(({ value }) => value?.startsWith(':::') ?? false);
    const words = end < 0 ? rest : rest.slice(0, end);
    if (words.some(({ value }) => value === undefined)) await runText(call, undefined, state);
    if (words.length === 0) await runText(call, undefined, state);
    // Some take several command lines, others one in several words: both are judged.
    for (const { value } of words) if (value?.includes(' ')) await judge.script(value, state.fork());
    const more = wrapper.moreWords ? [unknownWord('').template] : [];
    await judge.script([...words.map(({ template }) => template), ...more].join(' '), state.fork());
    if (end >= 0) await judge.suspiciousWords(rest.slice(end + 1), state);
    return;
  }
  const words = wrapper.moreWords ? withInput(rest, stdin, flags) : rest;
  await judge.argv(words, state, wrapper.moreWords ? { kind: 'none' } : stdin);
}

/** `xargs`: words of the input are added at the end, or put in the place of a mark. */
function withInput(rest: readonly Word[], stdin: ProgramCall['stdin'], flags: readonly Flag[]): Word[] {
  const mark = findFlags(flags, '-I -i --replace')[0];
  const input =
    stdin.kind === 'text' && stdin.text !== undefined ? stdin.text.split(/\s+/).filter((word) => word !== '') : [];
  const inputFile: Word = { ...unknownWord('(files of the input)'), pattern: './{}', prefix: './' };
  const unknown = stdin.lists === true ? inputFile : unknownWord('(words of the input)');
  const added = input.length > 0 ? input.map(knownWord) : [unknown];
  if (mark === undefined) return [...rest, ...added];
  const text = mark.value?.value ?? '{}';
  const isKnown = input.length === 1;
  return rest.map((word) => {
    if (word.value === undefined || !word.value.includes(text)) return word;
    return isKnown
      ? knownWord(word.value.replaceAll(text, input[0] ?? ''))
      : {
          ...unknownWord(word.value),
          prefix: word.value.slice(0, word.value.indexOf(text)),
          template: word.value.replaceAll(text, '${TENON_UNKNOWN}'),
        };
  });
}

async function enterFolder(flags: readonly Flag[], name: string, state: ProgramCall['state']): Promise<void> {
  if (name !== 'env') return;
  for (const { value } of findFlags(flags, '-C --chdir')) state.enter(value?.value, true);
}

async function runText({ judge }: ProgramCall, value: Word | undefined, state: ProgramCall['state']): Promise<void> {
  if (value?.value !== undefined) return judge.script(value.value, state.fork());
  judge.add({ tier: 2, reason: 'runs a command that is only known when it runs', unclear: true });
  if (value) await judge.script(value.template, state.fork());
}
