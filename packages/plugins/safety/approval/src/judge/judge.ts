/**
 * Reads a shell command the way the shell would and collects everything that it could do. Nothing runs. Where something is
 * only known when it runs, the worse is assumed.
 */
import type { BashAssignment, BashCommand, BashRedirect, BashStatement, BashWord } from './bash.ts';
import type { Bench, CallOptions, JudgeTools, Stdin } from './bench.ts';
import { isKnownProgram } from './known-programs.ts';
import type { Finding, Trait } from './finding.ts';
import { literalOutput, type Output } from './literal-output.ts';
import { type Touch, touch, type Surroundings } from './places.ts';
import { judgeVariable } from './variables.ts';
import type { ShellDefinitions } from '@tenon/tools/api';
import type { ShellState } from './state.ts';
import { expandWord, type Expansion, knownWord, substitutionEnd, unknownWord, type Value, type Word } from './words.ts';

/** Judges words as a command. Handed in, because it judges scripts in turn. */
export type JudgeArgv = (
  judge: Bench,
  words: readonly Word[],
  state: ShellState,
  stdin: Stdin,
  options?: CallOptions,
) => Promise<void>;

const MAX_DEPTH = 12;
const MAX_LENGTH = 100_000;
const MAX_LOOPS = 32;
const MAX_FINDINGS = 5000;
/** Functions that call each other twice would otherwise keep the judge busy for ever. */
const MAX_STATEMENTS = 20_000;

/** Collects what one command could do. */
export class Judge implements Bench {
  readonly findings: Finding[] = [];
  readonly world: Surroundings;
  readonly tools: JudgeTools;
  readonly #judgeArgv: JudgeArgv;
  readonly #traits = new WeakMap<readonly BashStatement[], ReadonlySet<Trait>>();
  #depth = 0;
  #isOver = false;
  /** The text of the script that is being judged. */
  #text = '';

  /** Shared with probes. */
  readonly #budget: { left: number };

  constructor(world: Surroundings, tools: JudgeTools, judgeArgv: JudgeArgv, budget = { left: MAX_STATEMENTS }) {
    this.#budget = budget;
    this.world = world;
    this.tools = tools;
    this.#judgeArgv = judgeArgv;
  }

  probe(world: Surroundings = this.world): Bench {
    return new Judge(world, this.tools, this.#judgeArgv, this.#budget);
  }

  argv(words: readonly Word[], state: ShellState, stdin: Stdin, options?: CallOptions): Promise<void> {
    return this.#judgeArgv(this, words, state, stdin, options);
  }

  /** Notes something. */
  add(...findings: readonly Finding[]): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(...findings);
    else if (this.findings.length === MAX_FINDINGS)
      this.findings.push({ tier: 3, reason: 'does too many things to judge them' });
  }

  /** Judges the text of a script. */
  async script(text: string, state: ShellState): Promise<void> {
    if (++this.#depth > MAX_DEPTH) {
      this.add({ tier: 3, reason: 'hides commands in commands too often' });
    } else if (text.length > MAX_LENGTH) {
      this.add({ tier: 3, reason: 'is too long to be judged' });
    } else {
      this.#oddities(text);
      const before = state.fork();
      await this.#parsed(text, state);
      // Bash joins a line that ends in a backslash with the next, even inside of a word, but not in a comment.
      const joined = text.replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1');
      if (joined !== text) await this.#parsed(joined, before);
    }
    this.#depth--;
  }

  async #parsed(text: string, state: ShellState): Promise<void> {
    const script = await this.tools.parse(text);
    const around = this.#text;
    this.#text = text;
    for (const { text: part } of script.problems) {
      this.add({ tier: 2, reason: `cannot be understood: ${part.slice(0, 60)}`, unclear: true });
      await this.suspiciousWords(roughWords(part), state);
    }
    if (script.incomplete) await this.suspiciousWords(roughWords(text), state);
    await this.statements(script.statements, state);
    this.#text = around;
  }

  /** Bash knows only blanks and tabs between words; the parser takes more for that. */
  #oddities(text: string): void {
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text))
      this.add({ tier: 2, reason: 'contains control characters', unclear: true });
    if (/(^|[\s;|&(])\\[ \t]/.test(text))
      this.add({ tier: 2, reason: 'has a word that begins with a blank', unclear: true });
  }

  /** Statements one after another. */
  async statements(list: readonly BashStatement[], state: ShellState): Promise<void> {
    for (const statement of list) await this.statement(statement, state, { kind: 'none' });
  }

  /** One statement. */
  async statement(statement: BashStatement, state: ShellState, stdin: Stdin): Promise<void> {
    if (this.#budget.left-- <= 0) {
      if (!this.#isOver) this.add({ tier: 3, reason: 'does too many things to judge them' });
      this.#isOver = true;
      return;
    }
    const inner = statement.background ? state.fork() : state;
    if (statement.background) inner.isAside = true;
    await this.redirects(statement.redirects, inner);
    const input = this.stdinOf(statement.redirects, inner) ?? stdin;
    switch (statement.type) {
      case 'command':
        return this.#command(statement, inner, input);
      case 'pipeline':
        return this.#pipeline(statement.commands, inner, input);
      case 'list': {
        const { cwds, succeeds } = inner;
        // What stands behind `cd x &&` runs in x, or not at all.
        const mustWork = statement.operator === '&&' || leaves(statement.right);
        if (mustWork) inner.succeeds = true;
        await this.statement(statement.left, inner, input);
        inner.succeeds = succeeds;
        const before = inner.fork();
        await this.statement(statement.right, inner, input);
        if (statement.operator === '||' && mustWork) inner.isUnsure = false;
        else inner.mergeUncertain(before);
        if (inner.isUnsure && !succeeds) inner.staysPerhaps(cwds);
        return;
      }
      case 'not':
        return this.statement(statement.command, inner, input);
      case 'subshell':
        return this.#body(statement.body, inner.fork(), input);
      case 'group':
        return this.#body(statement.body, inner, input);
      case 'for':
      case 'select':
        return this.#loop(statement, inner, input);
      case 'if':
      case 'while':
      case 'until':
      case 'case': {
        await this.words(statement.words, inner);
        const before = inner.fork();
        await this.#body(statement.body, inner, input);
        inner.mergeUncertain(before);
        return;
      }
      case 'function':
        return this.#define(statement.functionName, statement.body, inner);
      case 'test':
        return void (await this.words(statement.words, inner));
      case 'declaration':
        await this.words(statement.args, inner);
        for (const assignment of statement.assignments) await this.assign(assignment, inner, true);
        return;
      default:
        this.add({ tier: 2, reason: `cannot be understood: ${statement.text.slice(0, 60)}`, unclear: true });
        return this.suspiciousWords(roughWords(statement.text), inner);
    }
  }

  async #body(list: readonly BashStatement[], state: ShellState, stdin: Stdin): Promise<void> {
    for (const statement of list) await this.statement(statement, state, stdin);
  }

  async #command(command: BashCommand, state: ShellState, stdin: Stdin): Promise<void> {
    if (command.name?.text.startsWith('((')) {
      await this.#runs([command.name], state);
      return;
    }
    for (const assignment of command.assignments) {
      await this.assign(assignment, command.name === undefined ? state : state.fork(), command.name !== undefined);
    }
    const words = command.name === undefined ? [] : await this.words([command.name, ...command.args], state);
    if (words.length === 0) return;
    const start = this.findings.length;
    const inner = command.assignments.length === 0 ? state : withAssignments(this, command.assignments, state);
    await this.argv(words, inner, stdin, { redirects: command.redirects });
    if (inner !== state) state.cwds = inner.cwds;
    const output = literalOutput({ ...command, redirects: [] }, stdin, (list) => this.#quiet(list, state));
    this.#noteFiles(command.redirects, output, this.traitsSince(start).has('network'), state);
  }

  /** Remembers what was written where: the same command may run it. */
  #noteFiles(list: readonly BashRedirect[], output: Output | undefined, fromNetwork: boolean, state: ShellState): void {
    for (const { operator, target } of list) {
      if (!operator.includes('>') || target === undefined) continue;
      for (const { value } of this.#quiet([target], state)) {
        for (const path of value === undefined ? [] : state.resolve(value)) {
          if (path !== undefined) state.wrote(path, output, { fromNetwork, appends: operator.includes('>>') });
        }
      }
    }
  }

  async #pipeline(commands: readonly BashStatement[], state: ShellState, first: Stdin): Promise<void> {
    let stdin = first;
    const start = this.findings.length;
    for (const command of commands) {
      const fork = state.fork();
      const input = this.stdinOf(command.redirects, fork) ?? stdin;
      const output = literalOutput(command, input, (words) => this.#quiet(words, fork));
      await this.statement(command, fork, stdin);
      const traits = this.traitsSince(start);
      const lists = listsFiles(command, stdin.lists === true);
      stdin = output === undefined ? { kind: 'pipe', traits, lists } : { kind: 'text', ...output, traits };
    }
  }

  async #loop(
    statement: Extract<BashStatement, { type: 'for' | 'select' | 'if' | 'while' | 'until' | 'case' }>,
    state: ShellState,
    stdin: Stdin,
  ): Promise<void> {
    const words = await this.words(statement.words, state);
    const { variable } = statement;
    const before = state.fork();
    const values = words.map(({ pattern }) => pattern);
    const isKnown = values.length > 0 && values.length <= MAX_LOOPS && values.every((value) => value !== undefined);
    for (const value of isKnown ? values : [undefined]) {
      if (variable !== undefined) state.variables.set(variable, value);
      await this.#body(statement.body, state, stdin);
    }
    state.mergeUncertain(before);
  }

  /** A function's body is judged where it is defined: a later command of the same session may call it. */
  async #define(name: string, body: readonly BashStatement[], state: ShellState): Promise<void> {
    state.functions.set(name, body);
    const inner = state.fork();
    inner.positional = [];
    inner.calls = [...inner.calls, body];
    this.#redefined(name, 'function');
    await this.#body(body, inner, { kind: 'none' });
  }

  /** Takes over what earlier commands have defined: they were judged then, and are judged again where they are called. */
  async defined({ functions, aliases }: ShellDefinitions, state: ShellState): Promise<void> {
    for (const text of Object.values(functions)) {
      for (const statement of (await this.tools.parse(text)).statements) {
        if (statement.type === 'function') state.functions.set(statement.functionName, statement.body);
      }
    }
    for (const [name, value] of Object.entries(aliases)) state.aliases.set(name, value);
  }

  #redefined(name: string, how: string): void {
    if (isKnownProgram(name) && name !== ':') {
      this.add({ tier: 2, reason: `\`${name}\` means something else from here on (${how})`, unclear: true });
    }
  }

  /** `alias name=value`. */
  async alias(name: string, value: string, state: ShellState): Promise<void> {
    state.aliases.set(name, value);
    const [first] = value.trim().split(/\s+/);
    if (first !== name) this.#redefined(name, 'alias');
    await this.script(value, state.fork());
  }

  /** Calls a function that the same command defined. */
  async callFunction(name: string, args: readonly Word[], state: ShellState, stdin: Stdin): Promise<void> {
    const body = state.functions.get(name) ?? [];
    if (state.calls.includes(body)) {
      const isBomb = state.isAside || stdin.kind === 'pipe';
      this.add({ tier: isBomb ? 3 : 1, reason: `\`${name}\` calls itself${isBomb ? ' again and again' : ''}` });
      return;
    }
    const [positional, calls] = [state.positional, state.calls];
    state.positional = args;
    state.calls = [...calls, body];
    await this.#body(body, state, stdin);
    state.positional = positional;
    state.calls = calls;
  }

  /** Expands words and judges everything that runs to make them. */
  async words(list: readonly BashWord[], state: ShellState): Promise<Word[]> {
    await this.#runs(list, state);
    return this.#quiet(list, state);
  }

  #quiet(list: readonly BashWord[], state: ShellState): Word[] {
    return this.#joined(list).flatMap((word) => expandWord(word, this.#expansion(state)));
  }

  /** The grammar ends a word at some dollars although it goes on. */
  #joined(list: readonly BashWord[]): BashWord[] {
    const words: BashWord[] = [];
    for (const word of list) {
      const last = words.at(-1);
      if (last === undefined || !last.text.endsWith('$') || !this.#text.includes(last.text + word.text))
        words.push(word);
      else {
        const [expands, runs] = [
          [...last.expands, ...word.expands],
          [...last.runs, ...word.runs],
        ];
        words[words.length - 1] = { text: last.text + word.text, expands, runs, globs: last.globs || word.globs };
      }
    }
    return words;
  }

  async #runs(list: readonly BashWord[], state: ShellState): Promise<void> {
    for (const statements of list.flatMap(({ runs }) => runs)) {
      const start = this.findings.length;
      await this.statements(statements, state.fork());
      this.#traits.set(statements, this.traitsSince(start));
    }
  }

  /** Where the output comes from that a word is made of. */
  traitsOf({ runs }: Word): ReadonlySet<Trait> {
    return new Set(runs.flatMap((statements) => [...(this.#traits.get(statements) ?? [])]));
  }

  #expansion(state: ShellState): Expansion {
    return {
      home: this.world.home,
      separators: state.variables.has('IFS') ? stringOf(state.variables.get('IFS')) : ' \t\n',
      variable: (name) => this.#variable(name, state),
      output: (statements) => {
        const [only, ...more] = statements;
        if (only === undefined || more.length > 0) return undefined;
        const fork = state.fork();
        const output = literalOutput(only, { kind: 'none' }, (words) => this.#quiet(words, fork), {
          cwd: state.cwds.length === 1 ? state.cwds[0] : undefined,
          temporary: this.world.temporary[0],
        });
        return output?.isPartial === false ? output.text.replace(/\n+$/, '') : undefined;
      },
    };
  }

  #variable(name: string, state: ShellState): Value {
    const { positional } = state;
    if (/^[1-9]$/.test(name)) return positional?.[Number(name) - 1]?.pattern;
    if (name === '@' || name === '*') {
      const values = positional?.map(({ pattern }) => pattern);
      return values && values.length > 0 && values.every((value) => value !== undefined) ? values : undefined;
    }
    if (state.variables.has(name)) return state.variables.get(name);
    if (name === 'IFS') return ' \t\n';
    if (name === 'PWD') return state.cwds.length === 1 ? state.cwds[0] : undefined;
    if (name === 'HOME') return this.world.home;
    return name === 'TMPDIR' ? this.world.temporary[0] : undefined;
  }

  /** An assignment; `isExported` ones also change programs. */
  async assign({ name, append, value }: BashAssignment, state: ShellState, isExported: boolean): Promise<void> {
    const list = value === undefined ? [] : Array.isArray(value) ? (value as BashWord[]) : [value as BashWord];
    const words = await this.words(list, state);
    const values = words.map(({ pattern }) => pattern);
    const isKnown = values.every((item) => item !== undefined);
    const single = Array.isArray(value) ? undefined : words.length === 1 ? words[0] : unknownWord(name);
    // A variable that programs already have stays exported, whatever the assignment looks like.
    await judgeVariable(this, name, single ?? knownWord(''), state, isExported);
    if (name.includes('[') || (append && state.variables.get(name) === undefined)) state.variables.set(name, undefined);
    else if (!isKnown) state.variables.set(name, undefined);
    else if (Array.isArray(value)) state.variables.set(name, values as string[]);
    else state.variables.set(name, `${append ? String(state.variables.get(name)) : ''}${values.join(' ')}`);
  }

  /** Files that redirections open. */
  async redirects(list: readonly BashRedirect[], state: ShellState): Promise<void> {
    for (const { operator, target, body } of list) {
      if (body !== undefined) await this.#heredoc(body, target, state);
      if (target === undefined || operator.startsWith('<<')) {
        if (target !== undefined) await this.#runs([target], state);
        continue;
      }
      const [word = unknownWord(target.text)] = await this.words([target], state);
      if (target.runs.length > 0 || (operator.endsWith('&') && /^(\d+-?|-)$/.test(word.value ?? ''))) continue;
      this.touch(operator.startsWith('<') && operator !== '<>' ? 'read' : 'write', word, state);
    }
  }

  async #heredoc(body: BashWord, delimiter: BashWord | undefined, state: ShellState): Promise<void> {
    if (/['"\\]/.test(delimiter?.text ?? '')) return;
    await this.#runs([body], state);
    // The grammar does not find every substitution in a here-document.
    for (let at = 0; at < body.text.length; at++) {
      if (body.text[at] === '\\') at++;
      const rest = body.text.slice(at);
      const end = /^(\$\((?!\()|`)/.test(rest) ? substitutionEnd(rest) : undefined;
      if (end === undefined) continue;
      const inner = rest.startsWith('`') ? rest.slice(1, end - 1) : rest.slice(2, end - 1);
      await this.script(inner, state.fork());
      at += end - 1;
    }
  }

  /** What a command reads because of its redirections. */
  stdinOf(list: readonly BashRedirect[], state: ShellState): Stdin | undefined {
    let stdin: Stdin | undefined;
    for (const { operator, descriptor, target, body } of list) {
      if (descriptor !== undefined && descriptor !== '0') continue;
      const [word] = target === undefined ? [] : this.#quiet([target], state);
      if (body !== undefined) stdin = { kind: 'text', text: body.text };
      else if (operator === '<<<')
        stdin = { kind: 'text', text: word?.template ?? '', isPartial: word?.value === undefined };
      else if (operator === '<' && target && target.runs.length > 0)
        stdin = { kind: 'pipe', ...(word && { traits: this.traitsOf(word) }) };
      else if (operator === '<' && word) stdin = { kind: 'file', file: word };
    }
    return stdin;
  }

  /** Notes what touching the file of a word amounts to. */
  touch(kind: Touch, word: Word, state: ShellState, argv?: Finding['argv']): void {
    const paths = word.pattern === undefined ? [undefined] : state.resolve(word.pattern);
    for (const path of paths) {
      const finding = touch(kind, path, this.world);
      this.add({ ...finding, ...(argv && { argv }) });
      if (kind === 'write' && path !== undefined && !state.written.has(path))
        state.written.set(path, { isPartial: true, fromNetwork: false });
    }
  }

  /** Where the output of what was found since then comes from. */
  traitsSince(start: number): ReadonlySet<Trait> {
    return new Set(this.findings.slice(start).flatMap(({ trait }) => (trait === undefined ? [] : [trait])));
  }

  /** Words of something that is not understood: it may run any of them, so the worst counts. */
  async suspiciousWords(words: readonly Word[], state: ShellState): Promise<void> {
    for (const [at, word] of words.slice(0, 64).entries()) {
      if (!isKnownProgram(word.value?.replace(/^.*\//, '') ?? '')) continue;
      const probe = this.probe();
      await probe.argv(words.slice(at), state.fork(), { kind: 'none' }, { isProbe: true });
      const worst = probe.findings.find(({ tier }) => tier === 3);
      if (worst) return this.add({ tier: 3, reason: `may do this: ${worst.reason}` });
    }
  }
}

function withAssignments(judge: Bench, assignments: readonly BashAssignment[], state: ShellState): ShellState {
  const inner = state.fork();
  const expansion: Expansion = {
    home: judge.world.home,
    separators: ' \t\n',
    variable: (name) => state.variables.get(name),
    output: () => undefined,
  };
  for (const { name, value } of assignments) {
    if (value === undefined || Array.isArray(value) || name === 'IFS') continue;
    const words = expandWord(value as BashWord, expansion);
    inner.variables.set(name, words.length === 1 ? words[0]?.pattern : undefined);
  }
  return inner;
}

function stringOf(value: Value): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `… || exit`: what comes after it runs only when the left side worked. */
function leaves(statement: BashStatement): boolean {
  if (statement.type === 'group') return statement.body.some(leaves);
  return statement.type === 'command' && /^(exit|return|continue|break)$/.test(statement.name?.value ?? '');
}

/** Whether a command writes names of files below the current folder, or passes them on. */
function listsFiles(statement: BashStatement, before: boolean): boolean {
  if (statement.type !== 'command') return false;
  const name = statement.name?.value ?? '';
  const words = statement.args.map(({ value }) => value ?? '/');
  if (before) return /^(grep|sort|uniq|head|tail)$/.test(name);
  if (words.some((word) => word.startsWith('/') || word.startsWith('~') || word.includes('..'))) return false;
  if (name === 'git') return words[0] === 'ls-files' || (words[0] === 'diff' && words.includes('--name-only'));
  if (name === 'rg' || name === 'grep') return words.some((word) => /^-[a-zA-Z]*l|^--files/.test(word));
  return /^(find|fd|fdfind)$/.test(name) && !words.some((word) => /^-(printf|exec|x)/.test(word));
}

/** Words of a text that did not parse. */
function roughWords(text: string): Word[] {
  return text
    .replace(/["'\\]/g, '')
    .split(/[\s,;|&(){}`$]+/)
    .filter((word) => word !== '')
    .map(knownWord);
}
