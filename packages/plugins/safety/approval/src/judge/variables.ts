import { touch } from './places.ts';
import type { Bench } from './bench.ts';
import { COMMAND_VARIABLES, LOADING_VARIABLES, NODE_LOADS, OWN_VARIABLES, PATH_VARIABLES } from './rules/variables.ts';
import type { ShellState } from './state.ts';
import type { Word } from './words.ts';

/** What setting a variable means for the programs that get it. */
export async function judgeVariable(
  judge: Bench,
  name: string,
  value: Word,
  state: ShellState,
  isExported: boolean,
): Promise<void> {
  const text = value.value;
  if (OWN_VARIABLES.match.test(name)) judge.add({ tier: OWN_VARIABLES.tier, reason: `${name} ${OWN_VARIABLES.why}` });
  if (LOADING_VARIABLES.test(name)) {
    judge.add({ tier: 2, reason: `${name} changes which code programs load or find`, unclear: true });
  }
  if (COMMAND_VARIABLES.test(name)) {
    if (text === undefined)
      judge.add({ tier: 2, reason: `${name} names a command that is only known when it runs`, unclear: true });
    else if (text !== '') await judge.script(text.replace(/^!/, ''), state.fork());
  }
  if (name === 'NODE_OPTIONS' && (text === undefined || NODE_LOADS.test(text))) {
    judge.add({ tier: 2, reason: 'NODE_OPTIONS loads code', unclear: true });
  }
  if (isExported && PATH_VARIABLES.test(name)) judgeFolders(judge, name, value, state);
}

function judgeFolders(judge: Bench, name: string, { value }: Word, state: ShellState): void {
  const folders = value?.split(':').filter((part) => part !== '');
  const isInside = folders?.every((folder) =>
    state.resolve(folder).every((path) => touch('write', path, judge.world).tier < 2),
  );
  if (isInside !== true)
    judge.add({ tier: 2, reason: `${name} loads code from outside of the workspace`, unclear: true });
}
