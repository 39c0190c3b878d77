/** Makes a grammar of the data of its YAML file. Strict: what is not part of the format is a mistake, with file and key. */
import type { Tier } from '../api.ts';
import type { FlagSpec, Grammar, Operands, OperandStep, Style, ValueSpec } from './grammar.ts';
import { isListRole, isRole, languageOf } from './role.ts';

const GRAMMAR_KEYS: ReadonlySet<string> = new Set([
  'names',
  'shared',
  'style',
  'mixed',
  'tier',
  'why',
  'flags',
  'everywhere',
  'operands',
  'subcommands',
  'alone',
  'check',
  'words',
  'lists',
  'filters',
  'appends',
]);
const FLAG_KEYS: ReadonlySet<string> = new Set([
  'value',
  'optional',
  'last',
  'tier',
  'why',
  'lowers',
  'operands',
  'only',
  'lists',
  'replaced',
]);
const STYLES: ReadonlySet<string> = new Set(['gnu', 'posix', 'long', 'plain']);
const PROGRAM_NAME = /^[\w.+[-]+$/;

/** A mistake in a grammar. */
export class GrammarMistake extends Error {
  readonly file: string;
  readonly key: string;

  constructor(file: string, key: string, problem: string) {
    super(`${file}: ${key === '' ? '' : `${key}: `}${problem}`);
    this.name = 'GrammarMistake';
    this.file = file;
    this.key = key;
  }
}

/** A grammar with the names of the programs that it is for. */
export interface GrammarFile {
  readonly names: readonly string[];
  readonly grammar: Grammar;
}

/** Reads the data of a grammar; `file` is named in mistakes, and its name without ending is the program's. */
export function readGrammar(data: unknown, file: string): GrammarFile {
  const source = new Source(file);
  const map = source.map(data, '');
  const own = file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '');
  const names = map['names'] === undefined ? [own] : source.words(map['names'], 'names');
  for (const name of names) if (!PROGRAM_NAME.test(name)) source.fail('names', `"${name}" is not a program name`);
  return {
    names,
    grammar: grammarOf(source, map, '', {
      path: [names[0] ?? own],
      style: 'gnu',
      isMixed: false,
      tier: 0,
      why: '',
      everywhere: new Map(),
    }),
  };
}

/** Names of the readers and checks that a grammar needs. */
export function partsOf(grammar: Grammar): {
  readonly languages: ReadonlySet<string>;
  readonly checks: ReadonlySet<string>;
} {
  const languages = new Set<string>();
  const checks = new Set<string>();
  const visit = (own: Grammar): void => {
    if (own.words !== undefined) languages.add(own.words);
    if (own.check !== undefined) checks.add(own.check);
    const flags = [...own.flags.values(), ...(own.numberFlag ? [own.numberFlag] : [])];
    const lists = [own.operands, ...flags.map(({ operands }) => operands)];
    const values = [
      ...flags.map(({ value }) => value),
      ...lists.flatMap((list) => (Array.isArray(list) ? list.map(({ value }: OperandStep) => value) : [])),
    ];
    for (const value of values) {
      const language = typeof value === 'string' ? languageOf(value) : undefined;
      if (language !== undefined) languages.add(language);
    }
    for (const inner of own.subcommands?.values() ?? []) visit(inner);
    if (own.alone) visit(own.alone);
  };
  visit(grammar);
  return { languages, checks };
}

interface Inherited {
  readonly path: readonly string[];
  readonly style: Style;
  readonly isMixed: boolean;
  readonly tier: Tier;
  readonly why: string;
  /** Flags of the grammars above that may stand here, too. */
  readonly everywhere: ReadonlyMap<string, FlagSpec>;
}

function grammarOf(source: Source, map: Record<string, unknown>, key: string, above: Inherited): Grammar {
  const at = (name: string) => (key === '' ? name : `${key}.${name}`);
  source.onlyKeys(map, GRAMMAR_KEYS, key);
  if (above.path.length > 1)
    for (const name of ['names', 'shared'])
      if (map[name] !== undefined) source.fail(at(name), 'stands at the top only');
  const style = map['style'] === undefined ? above.style : source.style(map['style'], at('style'));
  const isMixed = map['mixed'] === undefined ? above.isMixed : source.yes(map['mixed'], at('mixed'));
  const tier = map['tier'] === undefined ? above.tier : source.tier(map['tier'], at('tier'));
  const why =
    map['why'] === undefined ? (map['tier'] === undefined ? above.why : '') : source.text(map['why'], at('why'));
  if (tier > 0 && why === '' && map['subcommands'] === undefined)
    source.fail(at('why'), `is missing, and tier ${tier} needs it`);
  const everywhere = new Map([...above.everywhere, ...flagsOf(source, map['everywhere'], at('everywhere'), style)]);
  const own = flagsOf(source, map['flags'], at('flags'), style);
  for (const flag of own.keys())
    if (everywhere.has(flag) && !above.everywhere.has(flag))
      source.fail(at('flags'), `${flag} stands under everywhere, too`);
  const flags = new Map([...everywhere, ...own]);
  const numberFlag = flags.get('-#');
  flags.delete('-#');
  if (map['words'] !== undefined && (map['flags'] !== undefined || map['operands'] !== undefined))
    source.fail(at('words'), 'reads all words, so flags and operands have no place beside it');
  if (map['subcommands'] !== undefined && map['operands'] !== undefined)
    source.fail(at('operands'), 'has no place beside subcommands; use alone');
  const inherited = { style, isMixed, tier, why, everywhere };
  const subcommands =
    map['subcommands'] === undefined
      ? undefined
      : subcommandsOf(source, map['subcommands'], at('subcommands'), { ...inherited, path: above.path });
  const alone =
    map['alone'] === undefined
      ? undefined
      : // Its flags are those that stand before subcommands, too.
        grammarOf(source, source.map(map['alone'], at('alone')), at('alone'), {
          ...inherited,
          everywhere: flags,
          path: above.path,
        });
  return {
    path: above.path,
    style,
    isMixed,
    tier,
    why,
    flags,
    ...(numberFlag && { numberFlag }),
    ...(map['operands'] !== undefined && { operands: operandsOf(source, map['operands'], at('operands')) }),
    ...(subcommands && { subcommands }),
    ...(alone && { alone }),
    ...(map['check'] !== undefined && { check: source.text(map['check'], at('check')) }),
    ...(map['words'] !== undefined && { words: source.text(map['words'], at('words')) }),
    ...(map['lists'] !== undefined && { lists: source.listing(map['lists'], at('lists')) }),
    ...(map['filters'] !== undefined && {
      filters: new Set(
        source
          .text(map['filters'], at('filters'))
          .split(/\s+/)
          .filter((flag) => flag !== ''),
      ),
    }),
    appends: map['appends'] === undefined ? false : source.yes(map['appends'], at('appends')),
  };
}

function subcommandsOf(source: Source, data: unknown, key: string, above: Inherited): ReadonlyMap<string, Grammar> {
  const found = new Map<string, Grammar>();
  for (const [names, value] of Object.entries(source.map(data, key))) {
    const [first = '', ...more] = names.split(/\s+/).filter((name) => name !== '');
    const at = `${key}.${first}`;
    const grammar = grammarOf(source, value === null ? {} : source.map(value, at), at, {
      ...above,
      path: [...above.path, first],
    });
    for (const name of [first, ...more]) {
      if (name === '' || name.startsWith('-')) source.fail(at, `"${name}" cannot be a subcommand`);
      if (found.has(name)) source.fail(at, `"${name}" stands there twice`);
      found.set(name, grammar);
    }
  }
  return found;
}

function flagsOf(source: Source, data: unknown, key: string, style: Style): ReadonlyMap<string, FlagSpec> {
  const found = new Map<string, FlagSpec>();
  if (data === undefined) return found;
  for (const [spellings, value] of Object.entries(source.map(data, key))) {
    const names = spellings.split(/\s+/).filter((name) => name !== '');
    const flag = flagOf(source, names[0] ?? spellings, value, `${key}.${spellings}`);
    for (const name of names) {
      if (!isSpelling(name, style)) source.fail(`${key}.${spellings}`, `"${name}" is not a flag of style ${style}`);
      if (found.has(name)) source.fail(`${key}.${spellings}`, `"${name}" stands there twice`);
      found.set(name, flag);
    }
  }
  return found;
}

function isSpelling(name: string, style: Style): boolean {
  if (style === 'plain') return false;
  if (name === '-#') return true;
  if (style === 'long') return /^-{1,2}[A-Za-z0-9?][\w.:-]*$/.test(name);
  // `+x` of bash and set.
  return /^-[^-\s=]$|^--[A-Za-z0-9][\w.-]*$|^\+[a-zA-Z]$/.test(name);
}

function flagOf(source: Source, name: string, data: unknown, key: string): FlagSpec {
  if (data === null) return { name, isOptional: false, isOnly: false, isReplaced: false };
  if (typeof data === 'string' || Array.isArray(data))
    return { name, value: source.value(data, key), isOptional: false, isOnly: false, isReplaced: false };
  const map = source.map(data, key);
  source.onlyKeys(map, FLAG_KEYS, key);
  const tier = map['tier'] === undefined ? undefined : source.tier(map['tier'], `${key}.tier`);
  if (tier !== undefined && tier > 0 && map['why'] === undefined)
    source.fail(`${key}.why`, `is missing, and tier ${tier} needs it`);
  const isOptional = map['optional'] === undefined ? false : source.yes(map['optional'], `${key}.optional`);
  if (isOptional && map['value'] === undefined) source.fail(`${key}.optional`, 'needs a value');
  const isLast = map['last'] === undefined ? false : source.yes(map['last'], `${key}.last`);
  if (isLast && (isOptional || map['value'] === undefined))
    source.fail(`${key}.last`, 'needs a value that is not optional');
  return {
    name,
    isOptional,
    ...(isLast && { isLast }),
    ...(map['value'] !== undefined && map['value'] !== null && { value: source.value(map['value'], `${key}.value`) }),
    ...(tier !== undefined && { tier }),
    ...(map['why'] !== undefined && { why: source.text(map['why'], `${key}.why`) }),
    ...(map['lowers'] !== undefined && { lowers: source.tier(map['lowers'], `${key}.lowers`) }),
    ...(map['operands'] !== undefined && { operands: operandsOf(source, map['operands'], `${key}.operands`) }),
    isOnly: map['only'] === undefined ? false : source.yes(map['only'], `${key}.only`),
    ...(map['lists'] !== undefined && { lists: source.boolean(map['lists'], `${key}.lists`) }),
    isReplaced: map['replaced'] === undefined ? false : source.yes(map['replaced'], `${key}.replaced`),
  };
}

function operandsOf(source: Source, data: unknown, key: string): Operands {
  if (typeof data === 'string') {
    if (isListRole(data)) return data;
    return [
      /[?*+]$/.test(data) ? stepOf(source, data, key) : { value: source.value(data, key), min: 0, isRepeated: true },
    ];
  }
  if (!Array.isArray(data)) return source.fail(key, 'is neither a role nor a sequence of roles');
  const steps = data.map((step, index) => stepOf(source, step, `${key}[${index}]`));
  // One step that repeats or may be missing can be matched without a choice; those behind it must be single.
  if (steps.filter(({ isRepeated }) => isRepeated).length > 1) source.fail(key, 'repeats more than one role');
  return steps;
}

function stepOf(source: Source, data: unknown, key: string): OperandStep {
  if (Array.isArray(data)) return { value: source.value(data, key), min: 1, isRepeated: false };
  const text = source.text(data, key);
  const mark = /[?*+]$/.exec(text)?.[0] ?? '';
  const value = source.value(mark === '' ? text : text.slice(0, -1), key);
  return { value, min: mark === '?' || mark === '*' ? 0 : 1, isRepeated: mark === '*' || mark === '+' };
}

/** The data of one file, with checks that name the place of a mistake. */
class Source {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  fail(key: string, problem: string): never {
    throw new GrammarMistake(this.#file, key, problem);
  }

  map(data: unknown, key: string): Record<string, unknown> {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return this.fail(key, 'is not a map');
    return data as Record<string, unknown>;
  }

  onlyKeys(map: Record<string, unknown>, keys: ReadonlySet<string>, key: string): void {
    for (const name of Object.keys(map))
      if (!keys.has(name)) this.fail(key === '' ? name : `${key}.${name}`, 'is not a key of grammars');
  }

  text(data: unknown, key: string): string {
    return typeof data === 'string' && data !== '' ? data : this.fail(key, 'is not a text');
  }

  words(data: unknown, key: string): readonly string[] {
    if (!Array.isArray(data) || data.length === 0) return this.fail(key, 'is not a list of words');
    return data.map((word, index) =>
      // YAML reads some words as numbers.
      typeof word === 'number' ? String(word) : this.text(word, `${key}[${index}]`),
    );
  }

  value(data: unknown, key: string): ValueSpec {
    if (Array.isArray(data)) return this.words(data, key);
    const text = this.text(data, key);
    return isRole(text) ? text : this.fail(key, `"${text}" is not a role`);
  }

  tier(data: unknown, key: string): Tier {
    return data === 0 || data === 1 || data === 2 || data === 3 ? data : this.fail(key, 'is not a tier from 0 to 3');
  }

  style(data: unknown, key: string): Style {
    return typeof data === 'string' && STYLES.has(data) ? (data as Style) : this.fail(key, 'is not a style');
  }

  boolean(data: unknown, key: string): boolean {
    return typeof data === 'boolean' ? data : this.fail(key, 'is neither true nor false');
  }

  yes(data: unknown, key: string): true {
    return data === true ? true : this.fail(key, 'can only be true');
  }

  listing(data: unknown, key: string): 'folder' | 'operands' {
    if (data === true) return 'folder';
    return data === 'operands' ? data : this.fail(key, 'is neither true nor "operands"');
  }
}
