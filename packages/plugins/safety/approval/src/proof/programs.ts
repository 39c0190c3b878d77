/** One program and its words: finds what knows it, and judges every word by its role. */
import { basename, resolve } from 'node:path';
import { BUILTINS, OTHER_BUILTINS } from './builtins.ts';
import type { Finding } from '../judge/finding.ts';
import type { Grammar } from './grammar.ts';
import { builtInGrammar } from './grammars.ts';
import { type CallWord, knownWord, NotUnderstood, type ParsedCall } from './language.ts';
import { makeMeaning, settleDemands } from './meaning.ts';
import { type SortedCall, sortWords } from './parse-call.ts';
import { loadCheck, loadLanguage } from './parts.ts';
import { placesOf } from '../judge/places.ts';
import { isOfWorkspace, touched } from './paths.ts';
import type { Call, Ran } from './proof.ts';
import { type CallFacts, settle, settleCode, settleList } from './roles.ts';
import { runShell, SHELLS } from './shells.ts';
import { type Input, NO_INPUT, type Output, UNKNOWN_INPUT } from './state.ts';

/** Where the programs of the system are: there, a name means what it means without a folder. */
const SYSTEM_PROGRAM = /^(\/usr(\/local)?)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

/** What they write is built from the sources of the project, and may run like those. */
const COMPILERS =
  /^(gcc|g\+\+|cc|c\+\+|clang(\+\+)?(-\d+)?|rustc|cargo|go|zig|nim|ghc|ocamlfind|ocamlopt|ocamlc|swiftc|javac|kotlinc|dotnet|fpc|nasm|ld|ar|tsc|esbuild|make|cmake|ninja|meson|bun|deno)$/;

/** They run their command in the folder of their flag, and only there. */
const ENTERS_FOLDER: ReadonlySet<string> = new Set(['env']);

/** They change files and run no code of the folder that they work in, but for what git's check looks at. */
const WORKS_ANYWHERE =
  /^(git|jj|hg|svn|patch|tar|bsdtar|unzip|zip|7z|rsync|cp|mv|ln|mkdir|mktemp|touch|truncate|chmod|rm|rmdir|unlink|install|tee|sed|split|csplit|ar|strip|curl|wget|psql|redis-cli|gofmt|shfmt|gcc|g\+\+|cc|c\+\+|clang(\+\+)?|rustc|javac)$/;

/** Runs a program: what it gives back is how it may end. */
export async function runProgram(call: Call, program: string): Promise<Ran> {
  const isPlain = !program.includes('/');
  const builtin = isPlain ? BUILTINS.get(program) : undefined;
  if (builtin) {
    call.proof.add({ tier: 0, reason: '', argv: call.argv });
    return builtin(call);
  }
  if (isPlain && OTHER_BUILTINS.has(program)) throw new NotUnderstood(`\`${program}\``);
  refuseHidden(call.words);
  if (!isPlain && !SYSTEM_PROGRAM.test(program)) return ranWith(call, await runFile(call, program));
  if (SHELLS.has(call.name)) return ranWith(call, await runShell(call));
  const grammar = await grammarOf(call);
  if (grammar === undefined) throw new NotUnderstood(`the program ${call.name}`);
  return ranWith(call, await applyGrammar(call, grammar));
}

/** No program gets a glob that finds nothing and could hide the name of a folder. */
function refuseHidden(words: readonly CallWord[]): void {
  const hidden = words.find(({ isUnmatched }) => isUnmatched);
  if (hidden) throw new NotUnderstood('a glob that finds nothing here', hidden);
}

function ranWith({ shell }: Call, output: Output): Ran {
  return { outcomes: [{ shell, ok: undefined }], output };
}

async function grammarOf({ proof, name }: Call): Promise<Grammar | undefined> {
  return builtInGrammar(name) ?? (await proof.tools.userGrammar(name));
}

/** A program that is named by its path: code of the workspace, or unknown. */
async function runFile(call: Call, program: string): Promise<Output> {
  const { proof, shell, words, argv } = call;
  const facts = factsOf(call, { path: [call.name], flags: new Map(), operands: [] });
  await settleCode(program, { value: program, prefix: program, isMany: false }, facts);
  const path = resolve(shell.cwd, program);
  const grammar = isOfWorkspace(path, proof.world) ? builtInGrammar(basename(program)) : undefined;
  if (grammar) await applyGrammar(call, grammar);
  else
    for (const word of words) {
      if (word.value === undefined)
        throw new NotUnderstood(`a word of ${program} that is only known when it runs`, word);
      // The code could do anything anyway; but who names a place outside means that place.
      const place = /(?:^|=)((?:\/|\.\.(?:\/|$)).*)$/s.exec(word.value)?.[1];
      if (place !== undefined)
        proof.add(...touched('write', place, [shell.cwd], proof.world).map((found) => ({ ...found, argv })));
    }
  return UNKNOWN_INPUT;
}

function factsOf(call: Call, parsed: ParsedCall, builds = false): CallFacts {
  return { call, parsed, folders: [call.shell.cwd], builds };
}

/** Judges a call by the grammar of its program. */
async function applyGrammar(call: Call, grammar: Grammar): Promise<Output> {
  return grammar.words === undefined
    ? applySorted(call, sortWords(grammar, call.words, call.name))
    : applyWords(call, grammar, grammar.words);
}

async function applyWords(call: Call, grammar: Grammar, language: string): Promise<Output> {
  const facts = factsOf(call, { path: grammar.path, flags: new Map(), operands: [] }, COMPILERS.test(call.name));
  const [only, ...more] = call.words;
  if (more.length === 0 && (only?.value === '--help' || only?.value === '--version')) {
    call.proof.add({ tier: 0, reason: '', argv: call.argv });
    return UNKNOWN_INPUT;
  }
  noteProgram(facts, grammar, call.name);
  const meaning = makeMeaning(facts);
  (await loadLanguage(language)).read(call.words, meaning);
  await settleDemands(meaning, facts, settle);
  return listing(meaning.listed, facts) ?? (grammar.lists ? listing([[]], facts) : undefined) ?? UNKNOWN_INPUT;
}

/** The names that it prints. */
function listing(listed: readonly (readonly CallWord[])[], { folders }: CallFacts): Output | undefined {
  const [words] = listed;
  if (words === undefined) return undefined;
  const below = words.length === 0 ? folders : words.flatMap((word) => placeOf(word, folders) ?? []);
  return below.length < words.length || below.length === 0 ? undefined : { kind: 'names', below };
}

function placeOf(word: CallWord, folders: readonly string[]): readonly string[] | undefined {
  const { value } = word;
  return value === undefined ? word.below : folders.map((folder) => resolve(folder, value));
}

function noteProgram({ call }: CallFacts, { tier, why }: Grammar, shown: string): void {
  const { proof, argv, shell } = call;
  proof.add({ tier, reason: tier === 0 ? '' : `\`${shown}\` ${why}`, argv });
  // What builds changes the folder that it works in.
  if (tier === 1) noteFolder(call, shell.cwd);
}

/** What a program does to the folder that it works in; code of other folders than the workspace is unknown. */
function noteFolder({ proof, argv, name }: Call, folder: string): void {
  const isTemporary = placesOf(folder, proof.world).some((place) => place.startsWith('temporary'));
  if (isTemporary && !WORKS_ANYWHERE.test(name))
    throw new NotUnderstood(`code of a folder outside of the workspace, which \`${name}\` runs`);
  const found = touched('write', folder, [folder], proof.world).filter((finding) => finding.tier > 1);
  proof.add(...found.map((finding) => ({ ...finding, argv })));
}

async function applySorted(given: Call, sorted: SortedCall): Promise<Output> {
  const { grammar, flags, uses, operands, list, command } = sorted;
  const argv = [given.name, ...sorted.argv.slice(1)];
  const call = { ...given, argv };
  const { proof } = call;
  const since = proof.findings.length;
  if (sorted.isOnly) {
    proof.add({ tier: 0, reason: '', argv });
    if (sorted.checks.includes('configured-here'))
      await settle('folder-of-code', knownWord('.'), factsOf(call, sorted.call));
    return UNKNOWN_INPUT;
  }
  const facts = {
    ...factsOf(call, sorted.call, COMPILERS.test(call.name)),
    folders: foldersOf(call, sorted),
    wasChanged: proof.isChanged,
  };
  noteProgram(facts, grammar, sorted.shown);
  for (const { tier, why = '', spelling } of flags)
    if (tier !== undefined && tier > 0) proof.add({ tier, reason: `\`${sorted.shown} ${spelling}\` ${why}`, argv });
  const ofFlags = new Set<Finding>();
  for (const { value, word, flag } of uses) {
    const before = proof.findings.length;
    await settle(value, word, facts);
    // A dry run still opens the files that its flags name: `patch --dry-run -o x` writes x.
    if (flag) for (const finding of proof.findings.slice(before)) ofFlags.add(finding);
    if (value === 'folder' && grammar.tier > 0 && word.value !== undefined)
      noteFolder(call, resolve(call.shell.cwd, word.value));
  }
  if (list !== undefined) settleList(list, operands, facts);
  const hasSearch = Array.isArray(grammar.operands) && grammar.operands.some(({ value }) => value === 'search');
  if (hasSearch && call.input.kind === 'none' && !uses.some(({ value }) => value === 'search'))
    await settle('search', { value: '.', prefix: '.', isMany: false }, facts);
  let output: Output | undefined;
  for (const check of sorted.checks) {
    const meaning = makeMeaning(facts);
    (await loadCheck(check)).check(sorted.call, meaning);
    await settleDemands(meaning, facts, settle);
    output ??= listing(meaning.listed, facts);
  }
  const ran = command ? await runCommand(inItsFolder(call, facts, command), sorted, command) : undefined;
  // Names that the command lists are what the wrapper prints, too.
  if (ran?.output.kind === 'names') output ??= ran.output;
  const lowest = flags.flatMap(({ lowers }) => (lowers === undefined ? [] : [lowers]));
  if (lowest.length > 0) proof.lower(since, Math.min(...lowest) as 0 | 1 | 2 | 3, ofFlags);
  return output ?? outputOf(sorted, facts);
}

/** `env -C src make` runs make in src. */
function inItsFolder(call: Call, { folders }: CallFacts, [first]: readonly CallWord[]): Call {
  const [cwd = call.shell.cwd, other] = folders;
  if (other === undefined) return call;
  if (!ENTERS_FOLDER.has(call.name)) throw new NotUnderstood('a command in another folder', first);
  return { ...call, shell: { ...call.shell, cwd } };
}

function foldersOf(call: Call, { uses }: SortedCall): readonly string[] {
  const folders = uses.filter(({ value }) => value === 'folder').map(({ word }) => word);
  const [folder, second] = folders;
  if (folder === undefined) return [call.shell.cwd];
  if (second) throw new NotUnderstood(`two folders for \`${call.name}\``, second);
  if (folder.value === undefined) throw new NotUnderstood('a folder that is only known when it runs', folder);
  return [...new Set([resolve(call.shell.cwd, folder.value), call.shell.cwd])];
}

function outputOf({ grammar, flags, operands, call }: SortedCall, facts: CallFacts): Output {
  const changed = flags.flatMap(({ lists }) => (lists === undefined ? [] : [lists]));
  if ((grammar.lists || changed.includes(true)) && !changed.includes(false)) {
    const words = grammar.lists === 'operands' || !grammar.lists ? operands : [];
    const paths = words.filter(({ value, below }) => below !== undefined || value !== undefined);
    // Patterns among the operands lead nowhere else than the folder.
    const isPlain = (grammar.lists ?? 'folder') === 'folder';
    const outside = operands.some(({ value }) => value === undefined || /^\/|^~|(^|\/)\.\.(\/|$)/.test(value));
    if (isPlain ? !outside : true) return listing([isPlain ? [] : paths], facts) ?? UNKNOWN_INPUT;
    return UNKNOWN_INPUT;
  }
  const { filters } = grammar;
  const { input } = facts.call;
  if (facts.call.name === 'cat' && facts.call.words.length === 0) return input;
  const reads = [...call.flags.keys()].every((flag) => filters?.has(flag));
  if (filters && reads && input.kind === 'names' && !readsFiles(facts)) return input;
  return UNKNOWN_INPUT;
}

/** `grep x` has a pattern among its operands, `sort` only files. */
function readsFiles({ parsed, call }: CallFacts): boolean {
  const pattern = call.name === 'grep' || call.name === 'egrep' || call.name === 'fgrep' || call.name === 'rg' ? 1 : 0;
  return parsed.operands.length > pattern;
}

/** Runs the command of a wrapper; `xargs` adds what its input lists. */
async function runCommand(
  call: Call,
  { grammar, flags, call: parsed }: SortedCall,
  command: readonly CallWord[],
): Promise<Ran> {
  const { proof, shell, input } = call;
  if (!grammar.appends) return proof.argv(command, shell, input);
  const marks = flags.filter(({ isReplaced }) => isReplaced).flatMap(({ name }) => parsed.flags.get(name) ?? []);
  const [mark] = marks;
  if (marks.length > 1 || (mark !== undefined && (mark.value ?? '') === ''))
    throw new NotUnderstood(`what \`${call.name}\` replaces`, mark);
  const isOther =
    input.kind === 'names' ? !proof.areWords(input.below ?? []) : parsed.flags.has('-d') || parsed.flags.has('-0');
  // Text that is not split at blanks is not split here.
  const names = isOther ? UNKNOWN_INPUT : input;
  const words =
    mark?.value === undefined
      ? [...command, ...appended(names, isOneByOne(parsed))]
      : command.map((word) => replaced(word, mark.value ?? '', names));
  return proof.argv(words, shell, NO_INPUT);
}

/** `xargs -n 1` gives its command one word at a time. */
function isOneByOne({ flags }: ParsedCall): boolean {
  return flags.get('-n')?.at(-1)?.value === '1';
}

function appended(input: Input, isOne: boolean): readonly CallWord[] {
  const text = input.kind === 'text' ? input.text : undefined;
  if (text !== undefined && !isOne && !/['"\\]/.test(text))
    return text
      .split(/\s+/)
      .filter((part) => part !== '')
      .map((value) => ({ value, prefix: value, isMany: false }));
  return [{ value: undefined, prefix: '', isMany: !isOne, ...(input.below && { below: input.below }) }];
}

function replaced(word: CallWord, mark: string, { below }: Input): CallWord {
  if (word.value === undefined || !word.value.includes(mark)) return word;
  const prefix = word.value.slice(0, word.value.indexOf(mark));
  const rest = word.value.slice(prefix.length + mark.length);
  const isPath = prefix === '' && below !== undefined && !rest.includes('..') && !rest.includes(mark);
  return { ...word, value: undefined, prefix, ...(isPath && { below }) };
}
