/** Words for a program of the project: its code could do anything anyway, but who names a place outside or a risky task means it. */
import type { CallWord, Check, Meaning } from '../language.ts';
import { isLoopback } from '../languages/loopback.ts';

/** Tasks that throw away data or leave this machine. */
const RISKY =
  /^(?:[\w-]+[:.])?(?:drop|destroy|flush|wipe|reset|purge|fresh|rollback|deploy|publish|release|teardown|nuke|truncate|shutdown)(?:[:_-][\w:-]*)?$/i;
/** Flags that are no name for the word behind them. */
const SWITCH = /^(?:-y|-f|-v|-q|--yes|--force|--verbose|--quiet|--no-input|--noinput|--non-interactive|--all|--)$/;
/** Flags that say where a result goes. */
const RESULT = /^--?[\w.-]*(?:out|report|log|dest|coverage|cache|tmp|temp|snapshot|junit|xml)[\w.-]*$/i;
const LISTENS = /^--?(?:host|hostname|bind|binding|listen|listen-address|address)$/i;
const PLACE = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/;

/** What is done with the words: a task's tool takes code from places, a program of the project files. */
export type ProgramKind = 'program' | 'task' | 'tests';

/** Judges words for a program of the project. */
export function readProgramWords(words: readonly CallWord[], meaning: Meaning, kind: ProgramKind = 'program'): void {
  let before = '';
  for (const word of words) {
    const { value } = word;
    if (value === undefined) {
      before = '';
      continue;
    }
    const [, flag = before, text = value] = /^(--?[\w.-]+)=(.*)$/s.exec(value) ?? [];
    if (LISTENS.test(flag) && !isLoopback(text)) meaning.refuse('a server that others could reach', word);
    if (PLACE.test(text)) readPlace(text, flag, meaning, kind);
    const isTask = !value.startsWith('-') && (!before.startsWith('-') || SWITCH.test(before));
    if (kind !== 'tests' && isTask && RISKY.test(value)) meaning.add(2, `does more than build (${value})`);
    before = value;
  }
  if (LISTENS.test(before)) meaning.refuse('a server that others could reach');
}

function readPlace(text: string, flag: string, meaning: Meaning, kind: ProgramKind): void {
  const path = text.replace(/^~(?=\/|$)/, meaning.home);
  meaning.text(kind === 'program' || RESULT.test(flag) ? 'write' : 'file-of-code', path);
}

/** Words behind a task (`npm run test …`) or a file (`ruby a.rb …`). */
export const check: Check = {
  check({ operands: [, ...words] }, meaning) {
    readProgramWords(words, meaning);
  },
};

/** What the words behind a task of this name are. */
export function kindOfTask(task: string | undefined): ProgramKind {
  return /test|spec|lint|jest|check|format|bench|coverage|build|compile/i.test(task ?? 'test') ? 'tests' : 'task';
}
