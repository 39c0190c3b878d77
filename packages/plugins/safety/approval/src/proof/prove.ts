/**
 * Proves what a command does: every statement, every word. The result is everything that it could do, or what is not understood
 * in it. Ways through the command that differ (a `cd` that may fail, two branches) are followed one by one.
 */
import { basename, join, resolve } from 'node:path';
import { type Finding } from '../judge/finding.ts';
import { findUp } from './find-up.ts';
import { builtInGrammar } from './grammars.ts';
import type { Surroundings } from '../judge/places.ts';
import type { ShellDefinitions } from '@tenon/tools/api';
import { exportedMeaning, isProjectVariable, leadsElsewhere, shellMeaning } from './assignments.ts';
import { BUILTINS, OTHER_BUILTINS } from './builtins.ts';
import { type CallWord, NotUnderstood } from './language.ts';
import { ListedNames } from './listed-names.ts';
import { checkNewName, isOfWorkspace, meanings, touched } from './paths.ts';
import { type EarlierDefinitions, readDefinitions } from './earlier-definitions.ts';
import { runProgram } from './programs.ts';
import type { Proof, ProofTools, Ran } from './proof.ts';
import { expandValue, expandWords, type Expansion, foldersOf } from './shell/expand.ts';
import { readShell } from './shell/reader.ts';
import { SHELLS } from './shells.ts';
import type { Assignment, Node, Redirect, Script, Span, WordNode } from './shell/syntax.ts';
import { isNumeric, known, NUMBER, UNKNOWN, type Value } from './shell/values.ts';
import { distinct, type Input, NO_INPUT, type Outcome, type Output, type Shell, UNKNOWN_INPUT } from './state.ts';

const MAX_STATEMENTS = 2000;
const MAX_ROUNDS = 48;
const MAX_DEPTH = 8;

/** Something that is not understood. */
export interface Unclear {
  readonly what: string;
  readonly start?: number;
  readonly end?: number;
  readonly argv?: readonly (string | undefined)[];
}

/** What was proven. It only counts when `unclear` is empty. */
export interface Proven {
  readonly findings: readonly Finding[];
  readonly unclear: readonly Unclear[];
}

/** A command and where it runs. */
export interface ProvenCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What earlier commands of the same shell have defined. */
  readonly definitions?: ShellDefinitions;
}

/** Proves a command. */
export async function prove(
  { command, cwd, env, definitions }: ProvenCommand,
  world: Surroundings,
  tools: ProofTools,
): Promise<Proven> {
  const earlier = readDefinitions(definitions);
  const prover = new Prover(world, tools, earlier);
  try {
    prover.checkEarlier(command);
    const variables = new Map(Object.entries(env).map(([name, value]) => [name, known(value)]));
    const shell: Shell = { cwd, variables, functions: earlier.functions };
    for (const [name, value] of Object.entries(env)) prover.exported(name, value, shell, {});
    await prover.statements(readShell(command), shell, NO_INPUT);
    await prover.uncalled();
  } catch (fault) {
    if (!(fault instanceof NotUnderstood)) throw fault;
    prover.unclear.push(unclearOf(fault));
  }
  return { findings: prover.findings, unclear: prover.unclear };
}

function unclearOf({ what, start, end, argv }: NotUnderstood): Unclear {
  return { what, ...(start !== undefined && { start }), ...(end !== undefined && { end }), ...(argv && { argv }) };
}

class Prover implements Proof {
  readonly world: Surroundings;
  readonly tools: ProofTools;
  readonly findings: Finding[] = [];
  readonly unclear: Unclear[] = [];
  readonly writtenData = new Map<string, string | undefined>();
  /** Shells that have left the loop that runs. */
  #left: Shell[][] = [];
  /** Shells that have left the functions that run. */
  #returned: Shell[][] = [];
  readonly #uncalled = new Map<Node, { readonly shell: Shell; readonly isInner: boolean }>();
  readonly #names = new ListedNames();
  #budget = MAX_STATEMENTS;
  #depth = 0;
  /** Whether offsets are those of the command. */
  #isInner = false;

  readonly #earlier: EarlierDefinitions;

  constructor(world: Surroundings, tools: ProofTools, earlier: EarlierDefinitions) {
    this.world = world;
    this.tools = tools;
    this.#earlier = earlier;
  }

  /** Refuses what an earlier command has given a meaning that cannot be followed. */
  checkEarlier(text: string): void {
    const { aliases, builtins } = this.#earlier;
    // A shell without its own words can be told anything.
    if (builtins.length > 0) throw new NotUnderstood(`a shell in which \`${builtins[0]}\` has a new meaning`);
    // An alias needs its name, unquoted, in the text.
    const alias = aliases.find((name) => text.includes(name));
    if (alias !== undefined) throw new NotUnderstood(`the alias \`${alias}\`, which an earlier command has made`);
  }

  get isChanged(): boolean {
    return this.unclear.length > 0 || this.findings.some(({ tier }) => tier > 0);
  }

  areWords(folders: readonly string[]): boolean {
    // Names that something just made could look like anything.
    return !this.isChanged && this.#names.areWords(folders);
  }

  add(...findings: readonly Finding[]): void {
    this.findings.push(...findings);
  }

  lower(since: number, tier: Finding['tier'], kept: ReadonlySet<Finding>): void {
    for (let at = since; at < this.findings.length; at++) {
      const finding = this.findings[at] as Finding;
      if (finding.tier > tier && !kept.has(finding))
        this.findings[at] = { ...finding, tier, ...(tier === 0 && { reason: '' }) };
    }
  }

  leaveLoop(shell: Shell): void {
    const left = this.#left.at(-1);
    if (left === undefined) throw new NotUnderstood('leaving a loop outside of one');
    left.push(shell);
  }

  leaveFunction(shell: Shell): boolean {
    const returned = this.#returned.at(-1);
    returned?.push(shell);
    return returned !== undefined;
  }

  exported(name: string, value: string | undefined, shell: Shell, word: Partial<Span>, program?: string): void {
    if (isProjectVariable(name, program)) {
      const isInside = (path: string): boolean =>
        meanings(path, shell.cwd).every((place) => isOfWorkspace(place, this.world));
      if (value !== undefined && leadsElsewhere(value, isInside))
        throw new NotUnderstood(`the variable ${name}, whose value leads out of the project`, word);
      return;
    }
    this.#checked(name, exportedMeaning(name, value), shell, word);
  }

  #checked(name: string, meaning: ReturnType<typeof exportedMeaning>, shell: Shell, word: Partial<Span>): void {
    if (meaning === 'harmless') return;
    if (meaning === 'own') return this.add({ tier: 3, reason: `${name} changes Tenon's own settings` });
    if (meaning === 'unknown') throw new NotUnderstood(`the variable ${name}, which programs look at`, word);
    for (const folder of meaning.folders) {
      const isOwn = meanings(folder, shell.cwd).every((path) => isOfWorkspace(path, this.world));
      if (!isOwn) throw new NotUnderstood(`code that ${name} makes programs load from outside of the workspace`, word);
    }
  }

  async script(
    text: string,
    shell: Shell,
    input: Input,
    { isPosix = false, word }: { readonly isPosix?: boolean; readonly word?: CallWord } = {},
  ): Promise<Ran> {
    if (++this.#depth > MAX_DEPTH) throw new NotUnderstood('commands inside of commands this deep', word);
    const wasInner = this.#isInner;
    this.#isInner = true;
    try {
      // Another process: it does not know the functions of this one.
      const { functions: _functions, ...own } = shell;
      const ran = await this.statements(readShell(text, { isPosix }), own, input);
      return { outcomes: [{ shell, ok: undefined }], output: ran.output };
    } catch (fault) {
      // Offsets of the inner text mean nothing outside.
      if (fault instanceof NotUnderstood) throw new NotUnderstood(fault.what, word ?? {});
      throw fault;
    } finally {
      this.#depth--;
      this.#isInner = wasInner;
    }
  }

  /** Statements one after another. */
  async statements({ items }: Script, shell: Shell, input: Input): Promise<Ran> {
    let outcomes: readonly Outcome[] = [{ shell, ok: undefined }];
    let last = outcomes;
    let output: Output = { kind: 'text', text: '' };
    for (const [index, { node, background }] of items.entries()) {
      const next: Outcome[] = [];
      for (const outcome of reached(outcomes, last)) {
        const ran = await this.#statement(node, outcome.shell, input);
        next.push(...(background ? [{ shell: outcome.shell, ok: undefined }] : ran.outcomes));
        output = index === 0 && outcomes.length === 1 ? ran.output : UNKNOWN_INPUT;
      }
      if (outcomes.length > 0) last = outcomes;
      outcomes = outcomes.length > 0 ? this.#distinct(next, node) : [];
    }
    return { outcomes, output };
  }

  #distinct(outcomes: readonly Outcome[], span: Span): readonly Outcome[] {
    return distinct(outcomes) ?? this.#refuse('this many ways through the command', span);
  }

  #refuse(what: string, span: Partial<Span>): never {
    throw new NotUnderstood(what, span);
  }

  async #statement(node: Node, shell: Shell, input: Input): Promise<Ran> {
    if (this.#budget-- <= 0) this.#refuse('this many statements', node);
    const redirected =
      'redirects' in node ? await this.#redirects(node.redirects, shell, input) : { input, isSilent: false };
    const ran = await this.#node(node, shell, redirected.input);
    this.#noteText(node, shell, ran.output);
    return redirected.isSilent ? { ...ran, output: { kind: 'text', text: '' } } : ran;
  }

  /** Remembers the text of a file that the same command may run. */
  #noteText(node: Node, shell: Shell, { kind, text }: Output): void {
    if (node.type !== 'simple' || kind !== 'text' || text === undefined) return;
    const writes = node.redirects.filter(({ type }) => type !== 'text' && type !== 'read');
    const [only, ...more] = writes;
    if (only?.type !== 'write' || more.length > 0 || (only.descriptor ?? 1) !== 1) return;
    const [part, ...others] = only.target.parts;
    if (part?.type === 'text' && others.length === 0 && this.unclear.length === 0)
      this.writtenData.set(resolve(shell.cwd, part.value), text);
  }

  async #node(node: Node, shell: Shell, input: Input): Promise<Ran> {
    switch (node.type) {
      case 'simple':
        return this.#simple(node, shell, input);
      case 'function':
        return this.#define(node, shell);
      case 'pipeline':
        return this.#pipeline(node.commands, shell, input);
      case 'list':
        return this.#list(node, shell, input);
      case 'not': {
        const { outcomes, output } = await this.#statement(node.command, shell, input);
        return {
          outcomes: outcomes.map((one) => ({ ...one, ok: one.ok === undefined ? undefined : !one.ok })),
          output,
        };
      }
      case 'group':
        return this.statements(node.body, shell, input);
      case 'subshell': {
        const { output } = await this.#apart(() => this.statements(node.body, shell, input));
        return { outcomes: [{ shell, ok: undefined }], output };
      }
      case 'if':
        return this.#if(node, shell, input);
      case 'for':
        return this.#for(node, shell, input);
      case 'while':
        return this.#loop(shell, node, async (start) => {
          const { outcomes } = await this.statements(node.condition, start, input);
          // Also for `until`: whether the condition held does not matter.
          const ways = reached(outcomes, [{ shell: start, ok: undefined }]);
          const ends = await this.#each(ways, node, (one) => this.statements(node.body, one, input));
          return [...outcomes, ...ends.outcomes];
        });
      case 'case':
        return this.#case(node, shell, input);
      case 'test':
        for (const word of node.words) await expandValue(word, this.#expansion(shell));
        return { outcomes: [{ shell, ok: undefined }], output: { kind: 'text', text: '' } };
    }
  }

  /** What runs in a shell of its own cannot leave a loop or a function around it. */
  async #apart(run: () => Promise<Ran>): Promise<Ran> {
    const [loops, functions] = [this.#left, this.#returned];
    [this.#left, this.#returned] = [[], []];
    try {
      return await run();
    } finally {
      [this.#left, this.#returned] = [loops, functions];
    }
  }

  async #each(outcomes: readonly Outcome[], span: Span, run: (shell: Shell) => Promise<Ran>): Promise<Ran> {
    const all: Outcome[] = [];
    let output: Output = UNKNOWN_INPUT;
    for (const { shell } of outcomes) {
      const ran = await run(shell);
      all.push(...ran.outcomes);
      output = outcomes.length === 1 ? ran.output : UNKNOWN_INPUT;
    }
    return { outcomes: this.#distinct(all, span), output };
  }

  async #pipeline(commands: readonly Node[], shell: Shell, first: Input): Promise<Ran> {
    let input = first;
    for (const command of commands) {
      const ran = await this.#apart(() => this.#statement(command, shell, input));
      input = ran.output.kind === 'none' ? UNKNOWN_INPUT : ran.output;
    }
    return { outcomes: [{ shell, ok: undefined }], output: input };
  }

  async #list(node: Extract<Node, { type: 'list' }>, shell: Shell, input: Input): Promise<Ran> {
    const { outcomes } = await this.#statement(node.left, shell, input);
    const skipped = node.operator === '||';
    const goes = outcomes.filter(({ ok }) => ok !== skipped);
    const stays = outcomes.filter(({ ok }) => ok !== !skipped).map((one) => ({ ...one, ok: skipped }));
    const before = [{ shell, ok: undefined }];
    const right = await this.#each(reached(goes, before), node, (one) => this.#statement(node.right, one, input));
    const ends = goes.length > 0 ? right.outcomes : [];
    return { outcomes: this.#distinct([...stays, ...ends], node), output: UNKNOWN_INPUT };
  }

  async #if(node: Extract<Node, { type: 'if' }>, shell: Shell, input: Input): Promise<Ran> {
    const ends: Outcome[] = [];
    const before: readonly Outcome[] = [{ shell, ok: undefined }];
    let open = before;
    const follow = async (ways: readonly Outcome[], script: Script): Promise<readonly Outcome[]> => {
      const ran = await this.#each(reached(ways, before), node, (one) => this.statements(script, one, input));
      return ways.length > 0 ? ran.outcomes : [];
    };
    for (const { condition, body } of node.branches) {
      const tested = await follow(open, condition);
      ends.push(
        ...(await follow(
          tested.filter(({ ok }) => ok !== false),
          body,
        )),
      );
      open = tested.filter(({ ok }) => ok !== true);
    }
    const { otherwise } = node;
    if (otherwise) ends.push(...(await follow(open, otherwise)));
    else ends.push(...open.map(({ shell: end }) => ({ shell: end, ok: undefined })));
    return { outcomes: this.#distinct(ends, node), output: UNKNOWN_INPUT };
  }

  async #case(node: Extract<Node, { type: 'case' }>, shell: Shell, input: Input): Promise<Ran> {
    await expandValue(node.word, this.#expansion(shell));
    const ends: Outcome[] = [{ shell, ok: undefined }];
    for (const { patterns, body } of node.clauses) {
      for (const pattern of patterns) await expandValue(pattern, this.#expansion(shell));
      ends.push(...(await this.statements(body, shell, input)).outcomes);
    }
    return { outcomes: this.#distinct(ends, node), output: UNKNOWN_INPUT };
  }

  async #for(node: Extract<Node, { type: 'for' }>, shell: Shell, input: Input): Promise<Ran> {
    const words = await this.#expand(node.words, shell);
    this.#assignable(node.name, undefined, shell, node);
    const set = (start: Shell, value: Value): Shell => ({
      ...start,
      variables: new Map([...start.variables, [node.name, value]]),
    });
    const isKnown = words.every(({ value }) => value !== undefined);
    if (isKnown && words.length <= MAX_ROUNDS) {
      this.#left.push([]);
      let outcomes: readonly Outcome[] = [{ shell, ok: undefined }];
      for (const { value = '' } of words)
        outcomes = (
          await this.#each(outcomes, node, (one) => this.statements(node.body, set(one, known(value)), input))
        ).outcomes;
      const left = (this.#left.pop() ?? []).map((one) => ({ shell: one, ok: undefined }));
      if (left.length === 0)
        return { outcomes: outcomes.map((one) => ({ ...one, ok: undefined })), output: UNKNOWN_INPUT };
      // Who continues runs the next round; to be sure, all rounds are followed from there, too.
      return this.#loop(shell, node, async (start) => {
        const ends: Outcome[] = [];
        for (const { value = '' } of words)
          ends.push(...(await this.statements(node.body, set(start, known(value)), input)).outcomes);
        return ends;
      });
    }
    const listed = words.flatMap(({ value, below }) => (value === undefined ? (below ?? []) : []));
    const areWords =
      (listed.length === 0 || this.areWords(listed)) && words.every(({ value = '' }) => !/[\s'"\\]|^-/.test(value));
    const value = areWords ? valueOfWords(words, shell) : UNKNOWN;
    return this.#loop(
      shell,
      node,
      async (start) => (await this.statements(node.body, set(start, value), input)).outcomes,
    );
  }

  /** A loop whose rounds nobody knows: what it sets is unknown in every round, and it must come back to its folder. */
  async #loop(shell: Shell, node: Node, round: (shell: Shell) => Promise<readonly Outcome[]>): Promise<Ran> {
    let start: Shell = shell;
    for (let attempt = 0; attempt < 4; attempt++) {
      const wasChanged = this.isChanged;
      this.#left.push([]);
      const outcomes = await round(start);
      const left = this.#left.pop() ?? [];
      const ends = [...outcomes.map((one) => one.shell), ...left];
      if (ends.some(({ cwd }) => cwd !== shell.cwd)) this.#refuse('a loop that changes its folder', node);
      if (ends.some(({ functions }) => functions !== start.functions))
        this.#refuse('a loop that defines functions', node);
      const keeps = (name: 'oldCwd' | 'stack' | 'positional'): boolean =>
        ends.every((end) => JSON.stringify(end[name]) === JSON.stringify(start[name]));
      const isKept = keeps('oldCwd') && keeps('stack') && keeps('positional');
      const changed = new Set(
        ends.flatMap(({ variables }) =>
          [...variables]
            .filter(([name, value]) => start.variables.get(name) !== value && !isSame(start.variables.get(name), value))
            .map(([name]) => name),
        ),
      );
      const isStable = [...changed].every((name) => isSame(start.variables.get(name), UNKNOWN));
      // A counter stays a number.
      const widened = (name: string): Value =>
        [start, ...ends].every(({ variables }) => isNumeric(variables.get(name) ?? NUMBER)) ? NUMBER : UNKNOWN;
      const { oldCwd, stack, ...rest } = start;
      const result: Shell = {
        ...rest,
        ...(oldCwd !== undefined && keeps('oldCwd') && { oldCwd }),
        ...(stack && keeps('stack') && { stack }),
        positional: keeps('positional') ? start.positional : undefined,
        variables: new Map([...start.variables, ...[...changed].map((name) => [name, widened(name)] as const)]),
      };
      // The next round may meet what this one made.
      if (isStable && isKept && wasChanged === this.isChanged)
        return { outcomes: [{ shell: result, ok: undefined }], output: UNKNOWN_INPUT };
      start = result;
    }
    return this.#refuse('a loop of this kind', node);
  }

  async #simple(node: Extract<Node, { type: 'simple' }>, shell: Shell, input: Input): Promise<Ran> {
    const words = await this.#expand(node.words, shell);
    if (words.length === 0) return this.#assign(node, shell);
    const name = words[0]?.value ?? '';
    const body = shell.functions?.get(name);
    if (body) return this.#callFunction(node, body, words, shell, input);
    if (this.#earlier.unread.has(name))
      this.#refuse(`the function \`${name}\`, which an earlier command has defined`, node);
    const isRead = words[0]?.value === 'read';
    for (const { name, value, ...span } of node.assignments) {
      const given = await expandValue(value, this.#expansion(shell), true);
      // `IFS= read -r line` only says where the line is split.
      if (name === 'IFS' && isRead) continue;
      this.exported(name, given.text, shell, span, words[0]?.value);
    }
    return this.argv(words, shell, input, node);
  }

  /** Only names that mean nothing yet: shells go on living, and a later command may use them. */
  async #define({ name, body, ...span }: Extract<Node, { type: 'function' }>, shell: Shell): Promise<Ran> {
    const isTaken =
      /^command_not_found_handle$|tenon/i.test(name) ||
      BUILTINS.has(name) ||
      OTHER_BUILTINS.has(name) ||
      SHELLS.has(name) ||
      builtInGrammar(name) !== undefined ||
      (await this.tools.userGrammar(name)) !== undefined;
    if (isTaken) this.#refuse(`a new meaning of \`${name}\``, span);
    this.#uncalled.set(body, { shell, isInner: this.#isInner });
    return {
      outcomes: [
        { shell: { ...shell, functions: new Map([...(shell.functions ?? []), [name, body]]) }, ok: undefined },
      ],
      output: { kind: 'text', text: '' },
    };
  }

  async #callFunction(
    node: Extract<Node, { type: 'simple' }>,
    body: Node,
    [, ...args]: readonly CallWord[],
    shell: Shell,
    input: Input,
  ): Promise<Ran> {
    if (node.assignments.length > 0) this.#refuse('variables for a function', node);
    if (++this.#depth > MAX_DEPTH) this.#refuse('commands inside of commands this deep', node);
    this.#uncalled.delete(body);
    // What a glob says about its words beyond their text would be lost inside.
    const isMore = args.some((word) => word.isMany || word.glob !== undefined || word.isUnmatched);
    const positional = isMore ? undefined : args.map(({ value }) => (value === undefined ? UNKNOWN : known(value)));
    const [loops, functions] = [this.#left, this.#returned];
    const returned: Shell[] = [];
    this.#left = [];
    this.#returned = [...functions, returned];
    let ran: Ran;
    try {
      ran = await this.#statement(body, { ...shell, positional }, input);
    } catch (fault) {
      // Offsets of another command mean nothing here.
      if (fault instanceof NotUnderstood && this.#earlier.bodies.has(body)) throw new NotUnderstood(fault.what, node);
      throw fault;
    } finally {
      [this.#left, this.#returned] = [loops, functions];
      this.#depth--;
    }
    const { outcomes, output } = ran;
    const ends = [...outcomes, ...returned.map((one) => ({ shell: one, ok: undefined }))];
    return {
      outcomes: this.#distinct(
        ends.map(({ shell: end, ok }) => ({ shell: { ...end, positional: shell.positional }, ok })),
        node,
      ),
      output: returned.length > 0 ? UNKNOWN_INPUT : output,
    };
  }

  /** A function that nothing calls may be called by a later command. */
  async uncalled(): Promise<void> {
    for (const [body, { shell, isInner }] of this.#uncalled) {
      this.#returned = [[]];
      this.#isInner = isInner;
      await this.#statement(body, { ...shell, positional: undefined }, UNKNOWN_INPUT);
    }
  }

  async #assign(node: Extract<Node, { type: 'simple' }>, shell: Shell): Promise<Ran> {
    // `$(true)` alone: its words were nothing.
    if (node.words.length > 0 && node.assignments.length > 0)
      this.#refuse('an assignment before a command that may be nothing', node);
    let now = shell;
    for (const assignment of node.assignments) now = await this.#assignOne(assignment, now);
    return { outcomes: [{ shell: now, ok: undefined }], output: { kind: 'text', text: '' } };
  }

  async #assignOne({ name, value, ...span }: Assignment, shell: Shell): Promise<Shell> {
    if (value.parts.some((part) => part.type === 'text' && !part.quoted && /[{}]/.test(part.value)))
      this.#refuse('braces in an assignment', span);
    const [only] = value.parts;
    const given = await expandValue(value, this.#expansion(shell), true);
    // A list of names stays one: it is split where it is used.
    const list = value.parts.length === 1 && only?.type === 'output' ? this.#lastOutput : undefined;
    this.#assignable(name, given.text, shell, span);
    return { ...shell, variables: new Map([...shell.variables, [name, list ?? given]]) };
  }

  #assignable(name: string, value: string | undefined, shell: Shell, span: Partial<Span>): void {
    this.#checked(name, shellMeaning(name, value), shell, span);
  }

  /** The value of the substitution that was expanded last. */
  #lastOutput: Value | undefined;

  async argv(words: readonly CallWord[], shell: Shell, input: Input, span: Partial<Span> = {}): Promise<Ran> {
    const [first, ...args] = words;
    if (first === undefined) return { outcomes: [{ shell, ok: undefined }], output: UNKNOWN_INPUT };
    const program = first.value;
    const name = program === undefined ? undefined : basename(program);
    const argv = [name, ...args.map(({ value }) => value)];
    try {
      if (program === undefined || first.isMany)
        return this.#refuse('a program whose name is only known when it runs', first);
      if (first.glob !== undefined) return this.#refuse('a program that a glob finds', first);
      if (program === '') return this.#refuse('a program without a name', first);
      return await runProgram({ proof: this, name: name ?? '', words: args, argv, shell, input }, program);
    } catch (fault) {
      if (!(fault instanceof NotUnderstood)) throw fault;
      const spot =
        fault.start === undefined
          ? { start: first.start ?? span.start, end: args.at(-1)?.end ?? first.end ?? span.end }
          : fault;
      const located = new NotUnderstood(fault.what, this.#isInner ? {} : spot);
      located.argv = fault.argv ?? argv;
      // A program leaves the shell as it is, so the rest can be looked at; a builtin may have changed anything.
      const isProgram =
        program !== undefined && program !== '' && !BUILTINS.has(program) && !OTHER_BUILTINS.has(program);
      if (!isProgram) throw located;
      this.unclear.push(unclearOf(located));
      return { outcomes: [{ shell, ok: undefined }], output: UNKNOWN_INPUT };
    }
  }

  #expand(words: readonly WordNode[], shell: Shell): Promise<CallWord[]> {
    return expandWords(words, this.#expansion(shell));
  }

  #expansion(shell: Shell): Expansion {
    return {
      home: this.world.home,
      cwd: shell.cwd,
      isChanged: this.isChanged,
      variable: (name) => this.#variable(name, shell),
      allWords: () => {
        const all = shell.positional?.flatMap(({ text }) => text ?? []);
        return all !== undefined && all.length === shell.positional?.length ? all : undefined;
      },
      output: (script) => this.#output(script, shell),
    };
  }

  #variable(name: string, shell: Shell): Value {
    const given = shell.variables.get(name);
    if (given) return given;
    if (name === '!') return { ...NUMBER, isOwnProcess: true };
    if (name === 'PWD') return known(shell.cwd);
    if (name === 'HOME') return known(this.world.home);
    if (/^[1-9]$/.test(name) && shell.positional) return shell.positional[Number(name) - 1] ?? known('');
    return UNKNOWN;
  }

  async #output(script: Script, shell: Shell): Promise<Value> {
    if (++this.#depth > MAX_DEPTH) throw new NotUnderstood('commands inside of commands this deep');
    const { output } = await this.#apart(() => this.statements(script, shell, NO_INPUT));
    this.#depth--;
    const isOdd = output.kind === 'names' && !this.areWords(output.below ?? []);
    const value = (isOdd ? undefined : outputValue(output)) ?? this.#knownOutput(script, shell) ?? UNKNOWN;
    this.#lastOutput = value.isList ? value : undefined;
    return value;
  }

  /** What some commands print is known from the disk. */
  #knownOutput({ items }: Script, shell: Shell): Value | undefined {
    const [only, ...more] = items;
    if (only?.node.type !== 'simple' || more.length > 0) return undefined;
    const { words, redirects } = only.node;
    const text = words
      .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.value : '\0')).join(''))
      .join(' ');
    if (redirects.some(({ type }) => type !== 'duplicate' && type !== 'write')) return undefined;
    if (text === 'git rev-parse --show-toplevel' && process.env['GIT_DIR'] === undefined && !this.isChanged) {
      // Outside of a repository it prints nothing.
      return known(findUp('.git', shell.cwd) ?? '');
    }
    if (/^(nproc|getconf _NPROCESSORS_ONLN|date \+%s)$/.test(text)) return { ...NUMBER, mayBeEmpty: true };
    const [folder] = this.world.temporary;
    // A name that was never there before: one that nobody uses stands for it.
    return /^mktemp( -d)?$/.test(text) && folder !== undefined ? known(join(folder, 'tmp.made-by-mktemp')) : undefined;
  }

  /** Files that redirections open, and what the statement then reads. */
  async #redirects(
    list: readonly Redirect[],
    shell: Shell,
    before: Input,
  ): Promise<{ readonly input: Input; readonly isSilent: boolean }> {
    let input = before;
    let isSilent = false;
    for (const redirect of list) {
      if (redirect.type === 'duplicate') continue;
      if (redirect.type === 'text') {
        const body = await expandValue(redirect.body, this.#expansion(shell));
        // A here-string is a word, and may hold braces.
        if ((redirect.descriptor ?? 0) === 0)
          input = body.text === undefined ? UNKNOWN_INPUT : { kind: 'text', text: body.text };
        continue;
      }
      const [word, ...more] = await this.#expand([redirect.target], shell);
      if (word === undefined || more.length > 0 || word.isMany)
        this.#refuse('a redirection to several files', redirect);
      if (word.isUnmatched) this.#refuse('a glob that finds nothing here', redirect);
      const reads = redirect.type === 'read';
      if (word.value === undefined && word.below === undefined)
        this.#refuse('a redirection to a file that is only known when it runs', redirect);
      for (const path of word.value === undefined
        ? (word.below ?? []).map((folder) => `${folder}/a-file`)
        : [word.value]) {
        if (!reads) {
          checkNewName(path, redirect);
          this.writtenData.set(resolve(shell.cwd, path), undefined);
        }
        this.add(...touched(reads ? 'read' : 'write', path, [shell.cwd], this.world));
      }
      if (reads && (redirect.descriptor ?? 0) === 0) input = UNKNOWN_INPUT;
      if (!reads && (redirect.descriptor ?? 1) === 1) isSilent = true;
    }
    return { input, isSilent };
  }
}

/** What cannot be reached is looked at, too, with what was known before: nothing is skipped. */
function reached(ways: readonly Outcome[], before: readonly Outcome[]): readonly Outcome[] {
  return ways.length > 0 ? ways : before;
}

function isSame(left: Value | undefined, right: Value | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function outputValue(output: Output): Value | undefined {
  if (output.kind === 'text' && output.text !== undefined) return known(output.text.replace(/\n+$/, ''));
  if (output.kind === 'names' && output.below)
    return { text: undefined, prefix: '', below: output.below, isList: true };
  return undefined;
}

/** What the variable of a loop is, when its words are not known or too many. */
function valueOfWords(words: readonly CallWord[], shell: Shell): Value {
  const folders = words.flatMap((word) =>
    word.value === undefined ? (word.below ?? []) : foldersOf([word.value], shell.cwd),
  );
  const isListed = words.length > 0 && words.every(({ value, below }) => value !== undefined || below !== undefined);
  return isListed ? { text: undefined, prefix: '', below: [...new Set(folders)] } : UNKNOWN;
}
