/** Sorts the words of a call by the grammar of its program: flags, their values, subcommands, operands. Unknown means not understood. */
import type { FlagSpec, Grammar, Operands, OperandStep, ValueSpec } from './grammar.ts';
import { type CallWord, NotUnderstood, type ParsedCall } from './language.ts';

/** A word with what it is. */
export interface Use {
  readonly value: ValueSpec;
  readonly word: CallWord;
  readonly flag?: FlagSpec;
}

/** A flag as it stands there. */
export interface UsedFlag extends FlagSpec {
  /** How it was written; `name` is the first of its spellings. */
  readonly spelling: string;
}

/** A call, sorted. */
export interface SortedCall {
  /** The grammar of the subcommand. */
  readonly grammar: Grammar;
  readonly call: ParsedCall;
  /** The checks of the program and of its subcommands. */
  readonly checks: readonly string[];
  /** The flags that stand there, in order. */
  readonly flags: readonly UsedFlag[];
  /** Values of flags and operands, but for the command and lists of operands. */
  readonly uses: readonly Use[];
  /** The words of the command that it runs. */
  readonly command?: readonly CallWord[];
  /** Operands of a role for all of them. */
  readonly list?: Exclude<Operands, readonly OperandStep[]>;
  readonly operands: readonly CallWord[];
  /** The program's name, its subcommands and their words, without the flags in front of those: `git -C x push` is `git push`. */
  readonly argv: readonly (string | undefined)[];
  /** The program and its subcommands, as they were written. */
  readonly shown: string;
  /** Only `--help` or the like stands there. */
  readonly isOnly: boolean;
}

/** Sorts the words behind a program's name. */
export function sortWords(grammar: Grammar, words: readonly CallWord[], program: string): SortedCall {
  return new Sorter(grammar, words, program).sort();
}

class Sorter {
  readonly #program: string;
  #grammar: Grammar;
  readonly #words: readonly CallWord[];
  #at = 0;
  readonly #flags: UsedFlag[] = [];
  readonly #uses: Use[] = [];
  readonly #values = new Map<string, CallWord[]>();
  readonly #operands: CallWord[] = [];
  #flagsEnded = false;
  #dashes: number | undefined;
  readonly #checks = new Set<string>();
  /** The number of words before the subcommand's own. */
  #ownFrom = 0;
  readonly #names: string[] = [];

  constructor(grammar: Grammar, words: readonly CallWord[], program: string) {
    this.#program = program;
    this.#grammar = this.#entered(grammar);
    this.#words = words;
  }

  #entered(grammar: Grammar): Grammar {
    if (grammar.check !== undefined) this.#checks.add(grammar.check);
    return grammar;
  }

  sort(): SortedCall {
    if (this.#asksForHelp()) return this.#result({ isOnly: true });
    for (; this.#at < this.#words.length; this.#at++) {
      const word = this.#words[this.#at] as CallWord;
      if (this.#flagsEnded) this.#operand(word);
      else if (word.below !== undefined) this.#operand(word);
      else this.#wordOf(word);
    }
    const only = this.#flags.find(({ isOnly }) => isOnly);
    if (this.#grammar.subcommands && !only) {
      if (!this.#grammar.alone) return this.#refuse(`\`${this.#name}\` without a subcommand`);
      this.#grammar = this.#entered(this.#grammar.alone);
    }
    if (only) {
      if (this.#words.length - this.#ownFrom > 1 + (only.value === undefined || only.isOptional ? 0 : 1))
        this.#refuse(`words beside ${only.name} of \`${this.#name}\``);
      return this.#result({ isOnly: true });
    }
    return this.#matched();
  }

  get #name(): string {
    return [this.#program, ...this.#names].join(' ');
  }

  #refuse(what: string, word?: CallWord): never {
    throw new NotUnderstood(what, word);
  }

  /** `program --help` and nothing else. */
  #asksForHelp(): boolean {
    const [only, ...more] = this.#words;
    return (
      more.length === 0 &&
      this.#grammar.style !== 'plain' &&
      !this.#grammar.flags.has(only?.value ?? '') &&
      (only?.value === '--help' || only?.value === '--version')
    );
  }

  #wordOf(word: CallWord): void {
    const { value, prefix, isMany } = word;
    // More words could follow from it, and those could be flags.
    if (isMany) this.#refuse('a word that may become several, where flags could stand', word);
    if (value === undefined && prefix === '')
      this.#refuse('a word that is only known when it runs, where a flag could stand', word);
    const { style } = this.#grammar;
    if (value === '-') return this.#operand(word);
    if (style === 'plain') {
      if (prefix.startsWith('-')) this.#refuse(`the word ${prefix} of \`${this.#name}\``, word);
      return this.#operand(word);
    }
    if (value === '--') {
      if (this.#grammar.subcommands) this.#refuse(`\`--\` before the subcommand of \`${this.#name}\``, word);
      this.#flagsEnded = true;
      this.#dashes = this.#operands.length;
      return;
    }
    if (prefix.startsWith('+') && value !== undefined && this.#grammar.flags.has(value))
      return this.#take(value, undefined, word);
    if (!prefix.startsWith('-')) return this.#operand(word);
    if (style === 'long') return this.#longFlag(word);
    if (prefix.startsWith('--')) return this.#doubleFlag(word);
    this.#cluster(word);
  }

  #operand(word: CallWord): void {
    const { subcommands, style, isMixed } = this.#grammar;
    if (subcommands) {
      const next = word.value === undefined ? undefined : subcommands.get(word.value);
      if (next === undefined) {
        if (this.#grammar.alone?.operands === undefined)
          return this.#refuse(
            `the subcommand ${word.value ?? 'that is only known when it runs'} of \`${this.#name}\``,
            word,
          );
        this.#grammar = this.#entered(this.#grammar.alone);
      } else {
        this.#grammar = this.#entered(next);
        this.#names.push(word.value ?? '');
        this.#ownFrom = this.#at + 1;
        return;
      }
    }
    this.#operands.push(word);
    if (style === 'posix' || (style === 'long' && !isMixed)) this.#flagsEnded = true;
  }

  #longFlag(word: CallWord): void {
    const [, name = ''] = /^(--?[^=]*)/.exec(word.prefix) ?? [];
    const hasValue = word.prefix.length > name.length;
    if (word.value === undefined && !hasValue) this.#refuse('a flag that is only known when it runs', word);
    const bare = name.replace(/^--?/, '');
    const spelling = [name, `-${bare}`, `--${bare}`].find((spelled) => this.#grammar.flags.has(spelled));
    if (spelling === undefined && /^\d+$/.test(bare) && this.#grammar.numberFlag) return this.#number(word);
    if (spelling === undefined) return this.#refuse(`the flag ${name} of \`${this.#name}\``, word);
    this.#take(spelling, hasValue ? tail(word, name.length + 1) : undefined, word);
  }

  #doubleFlag(word: CallWord): void {
    const [, name = ''] = /^(--[^=]*)/.exec(word.prefix) ?? [];
    const hasValue = word.prefix.length > name.length;
    if (word.value === undefined && !hasValue) this.#refuse('a flag that is only known when it runs', word);
    if (!this.#grammar.flags.has(name)) this.#refuse(`the flag ${name} of \`${this.#name}\``, word);
    this.#take(name, hasValue ? tail(word, name.length + 1) : undefined, word);
  }

  #number(word: CallWord): void {
    const { numberFlag } = this.#grammar;
    if (numberFlag) this.#flags.push({ ...numberFlag, spelling: word.value ?? numberFlag.name });
    this.#note(numberFlag?.name ?? '-#', tail(word, 1));
  }

  #cluster(word: CallWord): void {
    const { prefix, value } = word;
    if (
      value !== undefined &&
      /^-\d+$/.test(value) &&
      this.#grammar.numberFlag &&
      !this.#grammar.flags.has(value.slice(0, 2))
    )
      return this.#number(word);
    for (let at = 1; at < prefix.length; at++) {
      const name = `-${prefix[at] ?? ''}`;
      const flag = this.#grammar.flags.get(name);
      if (flag === undefined) return this.#refuse(`the flag ${name} of \`${this.#name}\``, word);
      if (flag.value === undefined) {
        this.#take(name, undefined, word);
        continue;
      }
      const rest = at + 1 < prefix.length || value === undefined ? tail(word, at + 1) : undefined;
      return this.#take(name, rest, word);
    }
    if (value === undefined) this.#refuse('a flag that is only known when it runs', word);
  }

  /** Notes a flag, with the value that is attached to it or stands behind it. */
  #take(spelling: string, attached: CallWord | undefined, word: CallWord): void {
    const flag = this.#grammar.flags.get(spelling) as FlagSpec;
    this.#flags.push({ ...flag, spelling });
    if (flag.value === undefined) {
      if (attached !== undefined) this.#refuse(`a value of the flag ${spelling} of \`${this.#name}\``, word);
      if (!this.#values.has(flag.name)) this.#values.set(flag.name, []);
      return;
    }
    if (attached === undefined && flag.isOptional) {
      if (!this.#values.has(flag.name)) this.#values.set(flag.name, []);
      return;
    }
    const value = attached ?? this.#words[++this.#at];
    if (value === undefined) {
      if (flag.isLast !== true) this.#refuse(`the flag ${spelling} of \`${this.#name}\` without a value`, word);
      if (!this.#values.has(flag.name)) this.#values.set(flag.name, []);
      return;
    }
    if (value.isMany) this.#refuse('a word that may become several, as the value of a flag', value);
    this.#note(flag.name, value);
    this.#uses.push({ value: flag.value, word: value, flag });
  }

  #note(name: string, word: CallWord): void {
    const list = this.#values.get(name);
    if (list) list.push(word);
    else this.#values.set(name, [word]);
  }

  #result(more: Partial<SortedCall> & { readonly isOnly: boolean }): SortedCall {
    const call: ParsedCall = {
      path: this.#grammar.path,
      flags: this.#values,
      operands: this.#operands,
      ...(this.#dashes !== undefined && { dashes: this.#dashes }),
    };
    const own = this.#words.slice(this.#ownFrom).map(({ value }) => value);
    const argv = [...this.#grammar.path.slice(0, 1), ...this.#names, ...own];
    return {
      argv,
      shown: this.#name,
      grammar: this.#grammar,
      call,
      checks: [...this.#checks],
      flags: this.#flags,
      uses: this.#uses,
      operands: this.#operands,
      ...more,
    };
  }

  #matched(): SortedCall {
    const operands = this.#operandRoles();
    if (typeof operands === 'string') return this.#result({ isOnly: false, list: operands });
    const { uses, command } = matchOperands(operands, this.#operands, this.#name);
    this.#uses.push(...uses);
    return this.#result({ isOnly: false, ...(command && { command }) });
  }

  /** Flags may change what operands are; several must agree. */
  #operandRoles(): Operands {
    const changed = this.#flags.flatMap(({ operands }) => (operands === undefined ? [] : [operands]));
    const [first, ...more] = changed;
    if (more.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
      this.#refuse(`flags of \`${this.#name}\` that make different things of its operands`);
    return first ?? this.#grammar.operands ?? [];
  }
}

/** A word without its first letters. */
function tail(word: CallWord, length: number): CallWord {
  const { value, prefix } = word;
  const { below: _below, ...rest } = word;
  return { ...rest, value: value?.slice(length), prefix: prefix.slice(length) };
}

function matchOperands(
  steps: readonly OperandStep[],
  operands: readonly CallWord[],
  name: string,
): { readonly uses: readonly Use[]; readonly command?: readonly CallWord[] } {
  const uses: Use[] = [];
  let at = 0;
  let required = steps.reduce((sum, { min }) => sum + min, 0);
  for (const [index, { value, min, isRepeated }] of steps.entries()) {
    required -= min;
    if (value === 'command') {
      const command = operands.slice(at);
      if (command.length < min) throw new NotUnderstood(`\`${name}\` without a command`);
      return command.length > 0 ? { uses, command } : { uses };
    }
    if (value === 'assignment') {
      for (; /^[A-Za-z_]\w*=/.test(operands[at]?.prefix ?? ''); at++)
        uses.push({ value, word: operands[at] as CallWord });
      continue;
    }
    const available = operands.length - at - required;
    const count = isRepeated ? Math.max(0, available) : Math.min(1, Math.max(0, available));
    if (count < min) throw new NotUnderstood(`\`${name}\` with too few words`);
    for (const word of operands.slice(at, at + count)) {
      // A word that may be several or none moves all that follow.
      const isLast = index === steps.length - 1;
      if (word.isMany && !(isRepeated && isLast)) throw new NotUnderstood('a word that may become several', word);
      if (!isRepeated && word.glob === 'several') throw new NotUnderstood('a glob that finds several files', word);
      uses.push({ value, word });
    }
    at += count;
  }
  if (at < operands.length)
    throw new NotUnderstood(`the word ${operands[at]?.value ?? ''} of \`${name}\``, operands[at]);
  return { uses };
}
