/** Builtins of the shell that run or change something. */
import type { ProgramCall } from './bench.ts';
import { unclearBelow3 } from './finding.ts';
import { judgeScriptFile } from './interpret.ts';
import { findFlags, readOptions } from './options.ts';

type Builtin = (call: ProgramCall) => Promise<void>;

/** By name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', changeFolder],
  ['pushd', changeFolder],
  ['popd', async ({ state }) => state.enter(undefined, false)],
  ['eval', evaluate],
  ['source', runFile],
  ['.', runFile],
  ['alias', defineAliases],
  ['trap', onSignal],
  ['export', setVariables],
  ['declare', setVariables],
  ['typeset', setVariables],
  ['local', setVariables],
  ['readonly', setVariables],
  ['read', forget],
  ['mapfile', mapLines],
  ['readarray', mapLines],
  ['getopts', forget],
  ['printf', print],
  ['let', forget],
]);

async function changeFolder({ judge, state, args }: ProgramCall): Promise<void> {
  const { operands } = readOptions(args, {});
  const [target] = operands;
  if (target === undefined) return state.enter(judge.world.home, true);
  const { value } = target;
  if (value === '-' || value === undefined) return state.enter(undefined, true);
  const paths = state.resolve(value);
  const isThere = paths.every((path) => path !== undefined && judge.tools.isFolder(path));
  state.enter(value, isThere || state.succeeds);
  if (!isThere && state.succeeds) state.isUnsure = true;
}

/** `eval` joins its words and runs them as a command. */
async function evaluate(call: ProgramCall): Promise<void> {
  const { judge, state, args } = call;
  const values = args.map(({ value }) => value);
  if (values.every((value) => value !== undefined)) return judge.script(values.join(' '), state);
  const isFetched = args.some((word) => judge.traitsOf(word).size > 0);
  judge.add(
    unclearBelow3({
      tier: isFetched ? 3 : 2,
      reason: 'runs a command that is only known when it runs',
      argv: call.argv,
    }),
  );
  await judge.script(args.map(({ template }) => template).join(' '), state.fork());
}

async function runFile(call: ProgramCall): Promise<void> {
  const { judge, state, args, argv } = call;
  const [file] = args;
  if (file === undefined) return;
  if (file.runs.length > 0) {
    judge.add(
      unclearBelow3({ tier: judge.traitsOf(file).size > 0 ? 3 : 2, reason: 'runs the output of a command', argv }),
    );
  } else if (file.value === undefined) {
    judge.add({ tier: 2, reason: 'runs a file that is only known when it runs', argv, unclear: true });
  } else if (file.value === '/dev/stdin') {
    judge.add({ tier: 2, reason: 'runs its input', argv, unclear: true });
  } else {
    for (const path of state.resolve(file.value)) await judgeScriptFile(call, path, argv);
  }
  for (const name of state.variables.keys()) state.variables.set(name, undefined);
}

async function defineAliases({ judge, state, args }: ProgramCall): Promise<void> {
  for (const { value } of args) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(value ?? '') ?? [];
    if (name !== undefined && text !== undefined) await judge.alias(name, text, state);
    else if (value === undefined)
      judge.add({ tier: 2, reason: 'defines an alias that is only known when it runs', unclear: true });
  }
}

async function onSignal({ judge, state, args }: ProgramCall): Promise<void> {
  const { operands } = readOptions(args, {});
  const [action] = operands;
  if (action === undefined || action.value === '-') return;
  if (action.value === undefined)
    judge.add({ tier: 2, reason: 'runs a command that is only known when it runs', unclear: true });
  await judge.script(action.template, state.fork());
}

/** Reached only in forms that the parser does not take for declarations, such as `command export X=1`. */
async function setVariables({ judge, state, args }: ProgramCall): Promise<void> {
  const { judgeVariable } = await import('./variables.ts');
  const { knownWord, unknownWord } = await import('./words.ts');
  for (const word of args) {
    const [whole, name] = /^([A-Za-z_]\w*)=/.exec(word.prefix) ?? [];
    if (whole === undefined || name === undefined) continue;
    const value = word.value === undefined ? unknownWord(word.text) : knownWord(word.value.slice(whole.length));
    await judgeVariable(judge, name, value, state, true);
    state.variables.set(name, value.pattern);
  }
}

async function forget({ state, args }: ProgramCall): Promise<void> {
  for (const { value } of args) if (value !== undefined) state.variables.set(value.replace(/[=[].*$/s, ''), undefined);
}

async function mapLines(call: ProgramCall): Promise<void> {
  const { flags } = readOptions(call.args, { takes: '-C -c -d -n -O -s -u' });
  for (const { value } of findFlags(flags, '-C')) {
    if (value?.value === undefined)
      call.judge.add({ tier: 2, reason: 'runs a command that is only known when it runs', unclear: true });
    else await call.judge.script(value.value, call.state.fork());
  }
  await forget(call);
}

async function print({ state, args }: ProgramCall): Promise<void> {
  if (args[0]?.value === '-v' && args[1]?.value !== undefined) state.variables.set(args[1].value, undefined);
}
