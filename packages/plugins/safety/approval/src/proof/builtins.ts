/** Builtins of bash, each as strictly as a grammar. What is not listed here is not understood. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellMeaning } from './assignments.ts';
import { type CallWord, NotUnderstood } from './language.ts';
import { isOfWorkspace } from './paths.ts';
import { onlyPrints } from './languages/printf.ts';
import type { Call, Ran } from './proof.ts';
import { settleCode } from './roles.ts';
import { known, UNKNOWN, type Value } from './shell/values.ts';
import { type Output, type Shell, UNKNOWN_INPUT } from './state.ts';

type Builtin = (call: Call) => Ran | Promise<Ran>;

function done({ shell }: Call, output: Output = UNKNOWN_INPUT): Ran {
  return { outcomes: [{ shell, ok: undefined }], output };
}

function goesOn(shell: Shell, ok?: boolean): Ran {
  return { outcomes: [{ shell, ok }], output: { kind: 'text', text: '' } };
}

function refuse(what: string, word?: CallWord): never {
  throw new NotUnderstood(what, word);
}

/** Every word must be known. */
function texts({ words, name }: Call): string[] {
  return words.map((word) => word.value ?? refuse(`a word of \`${name}\` that is only known when it runs`, word));
}

/** `cd DIR`. It may fail, and then the shell stays where it is. */
function changeFolder(call: Call): Ran {
  const { shell, proof } = call;
  const words = [...call.words];
  while (/^-[PL]$/.test(words[0]?.value ?? '')) words.shift();
  if (words[0]?.value === '--') words.shift();
  const [word, ...more] = words;
  if (more.length > 0) refuse('`cd` with several words', more[0]);
  if (word === undefined) return goesOn(entered(shell, proof.world.home), true);
  const { value } = word;
  if (value === undefined || word.isMany) return refuse('a folder that is only known when it runs', word);
  if (value === '-')
    return shell.oldCwd === undefined ? refuse('the folder before', word) : goesOn(entered(shell, shell.oldCwd), true);
  if (value.startsWith('-') || value.startsWith('+')) return refuse(`the flag ${value} of \`cd\``, word);
  if (value === '') return goesOn(shell, true);
  if (!/^(\/|\.\.?(\/|$))/.test(value) && (process.env['CDPATH'] ?? '') !== '') refuse('`cd` with CDPATH', word);
  const target = resolve(shell.cwd, value);
  const moved = { shell: entered(shell, target), ok: true };
  const isCertain = !proof.isChanged && canEnter(target);
  return {
    outcomes: isCertain ? [moved] : [moved, { shell, ok: false }],
    output: UNKNOWN_INPUT,
  };
}

function entered(shell: Shell, cwd: string): Shell {
  return { ...shell, cwd, oldCwd: shell.cwd };
}

function canEnter(path: string): boolean {
  try {
    if (!statSync(path).isDirectory()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or closed: both ways are followed.
  }
}

function pushFolder(call: Call): Ran {
  const [word, ...more] = call.words;
  if (word?.value === undefined || more.length > 0 || /^[-+]/.test(word.value))
    return refuse('this form of `pushd`', word);
  const { outcomes, output } = changeFolder(call);
  const stack = [...(call.shell.stack ?? []), call.shell.cwd];
  return {
    outcomes: outcomes.map(({ shell, ok }) => ({ ok, shell: ok === false ? shell : { ...shell, stack } })),
    output,
  };
}

function popFolder(call: Call): Ran {
  const stack = call.shell.stack ?? [];
  const cwd = stack.at(-1);
  if (cwd === undefined || call.words.length > 0) return refuse('`popd` without its `pushd`', call.words[0]);
  return goesOn({ ...entered(call.shell, cwd), stack: stack.slice(0, -1) }, true);
}

/** `echo` shows whatever it gets. */
function echo(call: Call): Ran {
  const values = call.words.map(({ value }) => value);
  if (values.includes(undefined) || values[0]?.startsWith('-')) return done(call);
  return done(call, { kind: 'text', text: `${values.join(' ')}\n` });
}

function printf(call: Call): Ran {
  const words = call.words[0]?.value === '--' ? call.words.slice(1) : call.words;
  const [format, ...args] = words;
  if (format === undefined) return done(call);
  // `-v` sets a variable.
  if (format.value === undefined ? !/^[^-]/.test(format.prefix) : format.value.startsWith('-'))
    refuse('the flags of `printf`', format);
  // `%n` sets a variable, too.
  if (args.length > 0 && (format.value === undefined || !onlyPrints(format.value)))
    refuse('the format of `printf`', format);
  const values = args.map(({ value }) => value);
  if (format.value === undefined || values.includes(undefined)) return done(call);
  if (format.value === '%s\\n' || format.value === '%s') {
    const end = format.value === '%s' ? '' : '\n';
    return done(call, { kind: 'text', text: values.map((value) => `${value ?? ''}${end}`).join('') });
  }
  const isLiteral = args.length === 0 && !/[%\\]/.test(format.value.replaceAll('\\n', ''));
  return done(call, isLiteral ? { kind: 'text', text: format.value.replaceAll('\\n', '\n') } : UNKNOWN_INPUT);
}

const UNARY = /^-[abcdefghknprstuwxzGLNOS]$/;
const BINARY = /^(==?|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** `test`: only looks, but for `-v`, which runs what stands in a subscript. */
function test(call: Call): Ran {
  const words = [...call.words];
  if (call.name === '[' && words.pop()?.value !== ']') refuse('`[` without its bracket', call.words.at(-1));
  const many = words.find(({ isMany }) => isMany);
  if (many) refuse('a word that may become several', many);
  const operators = words.map(({ value }) => value);
  let parts: CallWord[] = [];
  const groups: CallWord[][] = [parts];
  for (const word of words) {
    // More than four words are read by rules that nobody remembers, so `-a` and `-o` must separate plain tests.
    if ((word.value === '-a' || word.value === '-o') && parts.length > 0 && words.length > 4) groups.push((parts = []));
    else parts.push(word);
  }
  if (groups.length > 1 && operators.includes(undefined))
    refuse('`-a` or `-o` beside a word that is only known when it runs', words[0]);
  for (const group of groups) checkTest(group);
  return done(call, { kind: 'text', text: '' });
}

function checkTest(words: readonly CallWord[]): void {
  const [first, second, third, ...more] = words;
  if (first?.value === '!' && words.length > 1) return checkTest(words.slice(1));
  if (words.length <= 1) return;
  if (words.length === 2 && UNARY.test(first?.value ?? '')) return;
  if (third !== undefined && more.length === 0 && BINARY.test(second?.value ?? '')) return;
  refuse('this form of `test`', first);
}

const LETTERS = /^[-+][eux]+$/;
const OPTION_NAMES = new Set(['pipefail', 'errexit', 'nounset', 'xtrace']);

/** `set -euo pipefail` and the like. */
function set(call: Call): Ran {
  const words = texts(call);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^[-+][eux]*o$/.test(word) && OPTION_NAMES.has(words[at + 1] ?? '')) at++;
    else if (!LETTERS.test(word)) refuse(`\`set ${word}\``, call.words[at]);
  }
  return goesOn(call.shell);
}

/** `read` puts a line of the input into variables. */
function read(call: Call): Ran {
  const { words, shell, input } = call;
  let at = 0;
  let isPlain = true;
  for (; at < words.length; at++) {
    const value = words[at]?.value ?? refuse('a word of `read` that is only known when it runs', words[at]);
    if (/^-[rs]+$/.test(value)) continue;
    if (/^-r?[pnNtd]$/.test(value)) {
      if (!value.endsWith('p') && !value.endsWith('t')) isPlain = false;
      at++;
    } else break;
  }
  const names = words.slice(at).map(({ value }) => value ?? '');
  for (const name of names) checkName(name, words[at]);
  const isName = names.length === 1 && isPlain && input.kind === 'names' && call.proof.areWords(input.below ?? []);
  const value: Value = isName && input.below ? { text: undefined, prefix: '', below: input.below } : UNKNOWN;
  const variables = new Map([
    ...shell.variables,
    ...(names.length > 0 ? names : ['REPLY']).map((name) => [name, value] as const),
  ]);
  return goesOn({ ...shell, variables });
}

function checkName(name: string, word: CallWord | undefined): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) refuse('an unusual name of a variable', word);
  if (shellMeaning(name, undefined) !== 'harmless') refuse(`the variable ${name}, which programs look at`, word);
}

/** `export NAME=value`, `export NAME`. */
function exportNames(call: Call): Ran {
  const { proof, words } = call;
  let { shell } = call;
  for (const word of words) {
    const [, name, equals] = /^([A-Za-z_]\w*)(=)?/.exec(word.prefix) ?? [];
    if (name === undefined || word.isMany) return refuse('this form of `export`', word);
    if (equals === undefined && word.value !== name) return refuse('this form of `export`', word);
    const value: Value =
      equals === undefined
        ? (shell.variables.get(name) ?? UNKNOWN)
        : word.value === undefined
          ? UNKNOWN
          : known(word.value.slice(name.length + 1));
    proof.exported(name, value.text, shell, word);
    shell = { ...shell, variables: new Map([...shell.variables, [name, value]]) };
  }
  return goesOn(shell);
}

function unset(call: Call): Ran {
  const variables = new Map(call.shell.variables);
  for (const word of call.words) {
    if (word.value === '-v' && word === call.words[0]) continue;
    checkName(word.value ?? '', word);
    variables.set(word.value ?? '', known(''));
  }
  return goesOn({ ...call.shell, variables });
}

/** `source venv/bin/activate`, which only changes where programs are found. */
async function source(call: Call): Promise<Ran> {
  const [file, ...more] = call.words;
  const { shell, proof } = call;
  if (
    file?.value === undefined ||
    more.length > 0 ||
    !/(^|\/)bin\/activate$/.test(file.value) ||
    !isOfWorkspace(resolve(shell.cwd, file.value), proof.world)
  )
    return refuse('commands of a file that run in this shell', file);
  await settleCode(file.value, file, {
    call,
    parsed: { path: [call.name], flags: new Map(), operands: [] },
    folders: [shell.cwd],
    builds: false,
  });
  return done(call);
}

/** `command -v x` looks, `command x` runs. */
async function command(call: Call): Promise<Ran> {
  const [first, ...rest] = call.words;
  if (first === undefined) return done(call);
  if (first.value === '-v' || first.value === '-V') {
    if (rest.some(({ value }) => value === undefined || value.startsWith('-')))
      refuse('this form of `command`', rest[0]);
    return done(call);
  }
  if (first.prefix.startsWith('-')) return refuse('this form of `command`', first);
  return call.proof.argv(call.words, call.shell, call.input);
}

/** `builtin echo x`. */
function builtinOnly(call: Call): Ran | Promise<Ran> {
  const [first, ...words] = call.words;
  const run = first?.value === undefined ? undefined : BUILTINS.get(first.value);
  if (first?.value === undefined || !run) return refuse('this form of `builtin`', first);
  return run({ ...call, name: first.value, words, argv: call.argv.slice(1) });
}

/** `history`, `history 20`. */
function history(call: Call): Ran {
  const [first, ...more] = call.words;
  if (more.length > 0 || (first !== undefined && !/^\d+$/.test(first.value ?? '')))
    refuse('this form of `history`', first);
  return done(call);
}

function look(flags: RegExp): Builtin {
  return (call) => {
    for (const word of call.words)
      if ((word.value ?? '-').startsWith('-') && !flags.test(word.value ?? ''))
        refuse(`this form of \`${call.name}\``, word);
    return done(call);
  };
}

function leave(call: Call): Ran {
  const [word, ...more] = call.words;
  if (more.length > 0 || (word?.value !== undefined && !/^-?\d+$/.test(word.value)) || word?.isMany === true)
    refuse(`this form of \`${call.name}\``, word);
  if (call.name === 'break' || call.name === 'continue') {
    if (word !== undefined && word.value !== '1') refuse(`this form of \`${call.name}\``, word);
    call.proof.leaveLoop(call.shell);
  }
  // Outside of functions, `return` fails and what follows runs.
  if (call.name === 'return' && !call.proof.leaveFunction(call.shell)) return goesOn(call.shell);
  return { outcomes: [], output: { kind: 'text', text: '' } };
}

const NOTHING = /^$/;
/** An earlier command may have given `true` another meaning, so both ways are followed. */
const quiet: Builtin = (call) => goesOn(call.shell);

/** All of them, by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', changeFolder],
  ['pushd', pushFolder],
  ['popd', popFolder],
  ['pwd', (call) => (look(/^-[LP]$/)(call), done(call, { kind: 'text', text: `${call.shell.cwd}\n` }))],
  ['echo', echo],
  ['printf', printf],
  ['test', test],
  ['[', test],
  [':', quiet],
  ['true', quiet],
  ['false', quiet],
  ['exit', leave],
  ['return', leave],
  ['break', leave],
  ['continue', leave],
  ['shift', (call) => (look(NOTHING)(call), goesOn({ ...call.shell, positional: undefined }))],
  ['set', set],
  ['read', read],
  ['export', exportNames],
  ['unset', unset],
  ['source', source],
  ['.', source],
  ['command', command],
  ['type', look(/^-[atpPf]+$/)],
  ['wait', look(NOTHING)],
  ['jobs', look(/^-[lprs]+$/)],
  ['times', look(NOTHING)],
  ['builtin', builtinOnly],
  ['history', history],
  [
    'ulimit',
    (call) =>
      call.words.some(({ value }) => !/^-[aHScdflmnstuv]+$/.test(value ?? ''))
        ? refuse('a limit', call.words[0])
        : done(call),
  ],
  ['umask', (call) => (call.words.length > 0 ? refuse('another umask', call.words[0]) : done(call))],
]);

/** Builtins that are not understood: they must not be taken for programs of the same name. */
export const OTHER_BUILTINS: ReadonlySet<string> = new Set(
  'alias bg bind caller compgen complete compopt declare dirs disown enable eval exec fc fg getopts hash help let local logout mapfile readarray readonly shopt suspend trap typeset unalias coproc'.split(
    ' ',
  ),
);
