/**
 * Patterns as automata that read each character once, as Rust's regex crate does: the time is linear in the text, where
 * a RegExp of JavaScript may try every way to match. States are sets of nodes, made when they are first needed.
 */
import { EDGE_BIT, type Border, CR_BIT, LF_BIT, RAW_BIT, type RegexNode, WORD_BIT } from './js-regex-node.ts';
import { invalid, WORD } from './js-regex-text.ts';

/** Where the text of a match starts and ends, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Larger patterns are refused; Rust's engine has such a limit, too. */
const MOST_NODES = 100_000;
/** When the nodes of all states are more than this, the states are forgotten and made anew. */
const MOST_KEPT = 1_000_000;
/** Steps until a search lets others have a turn. */
const TURN = 1 << 20;

type Node =
  | { readonly type: 'set'; readonly set: number; readonly next: number }
  | { readonly type: 'border'; readonly border: Border; readonly next: number }
  /** Ways to go on, the preferred one first. */
  | { readonly type: 'fork'; ways: readonly number[] }
  | { readonly type: 'match' };

const ANY = '[^]';

/** The sets of a pattern, and the classes of characters that no set and no border tells apart. */
class Alphabet {
  readonly bits: number[] = [0, EDGE_BIT];
  readonly members: (readonly boolean[])[] = [[], []];
  readonly edge = 1;
  usesBorders = false;
  readonly #flags: string;
  readonly #sets = new Map<string, number>();
  readonly #tests: RegExp[] = [];
  readonly #word = new RegExp(`^${WORD}$`, 'v');
  readonly #ids = new Map<string, number>();
  readonly #units = new Uint16Array(0x1_0000);
  readonly #others = new Map<number, number>();

  constructor(ignoreCase: boolean) {
    this.#flags = ignoreCase ? 'iv' : 'v';
  }

  set(source: string): number {
    const known = this.#sets.get(source);
    if (known !== undefined) return known;
    const id = this.#tests.length;
    this.#sets.set(source, id);
    this.#tests.push(new RegExp(`^(?:${source})$`, this.#flags));
    return id;
  }

  /** The class of a character. Called only after all sets are known. */
  classOf(code: number): number {
    const known = code < 0x1_0000 ? this.#units[code] : this.#others.get(code);
    if (known) return known;
    const character = String.fromCodePoint(code);
    const members = this.#tests.map((test) => test.test(character));
    const bits = this.usesBorders ? this.#bitsOf(code, character) : 0;
    const signature = `${bits} ${members.map(Number).join('')}`;
    let id = this.#ids.get(signature);
    if (id === undefined) {
      id = this.bits.length;
      this.#ids.set(signature, id);
      this.bits.push(bits);
      this.members.push(members);
    }
    if (code < 0x1_0000) this.#units[code] = id;
    else this.#others.set(code, id);
    return id;
  }

  #bitsOf(code: number, character: string): number {
    if (code === 10) return LF_BIT;
    if (code === 13) return CR_BIT;
    if (code >= 0xd800 && code <= 0xdfff) return RAW_BIT;
    return this.#word.test(character) ? WORD_BIT : 0;
  }
}

/** A set of nodes, the preferred ones first, behind a character. */
interface State {
  readonly nodes: readonly number[];
  /** What borders see of the character behind. */
  readonly bits: number;
  /** A match ended before that character. */
  readonly ended: boolean;
  /** By the class of the next character. */
  readonly next: (State | undefined)[];
}

/** One direction of a pattern. Forwards the preferred match is found, backwards the longest. */
class Automaton {
  readonly #alphabet: Alphabet;
  readonly #backwards: boolean;
  readonly #nodes: Node[] = [{ type: 'match' }];
  readonly #entry: number;
  readonly #states = new Map<string, State>();
  readonly #seen: Uint32Array;
  #round = 0;
  #kept = 0;
  /** Nodes that were looked at to make states; it counts as work. */
  work = 0;

  constructor(root: RegexNode, alphabet: Alphabet, backwards: boolean) {
    this.#alphabet = alphabet;
    this.#backwards = backwards;
    const entry = this.#compile(root, 0);
    this.#entry = backwards ? entry : this.#anywhere(entry);
    this.#seen = new Uint32Array(this.#nodes.length);
  }

  /** The state at a position, by the class of the character on its far side. */
  start(classId: number): State {
    return this.#state([this.#entry], this.#alphabet.bits[classId] ?? 0, false);
  }

  /** The state behind the next character. */
  step(state: State, classId: number): State {
    const bits = this.#alphabet.bits[classId] ?? 0;
    const members = this.#alphabet.members[classId] ?? [];
    const next: number[] = [];
    let ended = false;
    this.#round += 1;
    const open = state.nodes.toReversed();
    const [behind, ahead] = this.#backwards ? [bits, state.bits] : [state.bits, bits];
    while (open.length > 0) {
      const id = open.pop() ?? 0;
      if (this.#seen[id] === this.#round) continue;
      this.#seen[id] = this.#round;
      this.work += 1;
      const node = this.#nodes[id];
      if (node?.type === 'fork') {
        for (let way = node.ways.length - 1; way >= 0; way -= 1) open.push(node.ways[way] ?? 0);
      } else if (node?.type === 'border') {
        if (node.border(behind, ahead)) open.push(node.next);
      } else if (node?.type === 'set') {
        if (members[node.set]) next.push(node.next);
      } else {
        ended = true;
        // What is preferred less than a match is given up; the longest match prefers nothing.
        if (!this.#backwards) break;
      }
    }
    if (this.#kept > MOST_KEPT) this.#forget();
    const made = this.#state([...new Set(next)], bits, ended);
    state.next[classId] = made;
    return made;
  }

  #state(nodes: readonly number[], bits: number, ended: boolean): State {
    const key = `${nodes.join(' ')},${bits},${ended}`;
    let state = this.#states.get(key);
    if (!state) {
      state = { nodes, bits, ended, next: [] };
      this.#states.set(key, state);
      this.#kept += nodes.length + 32;
    }
    return state;
  }

  #forget(): void {
    for (const state of this.#states.values()) state.next.length = 0;
    this.#states.clear();
    this.#kept = 0;
  }

  #add(node: Node): number {
    if (this.#nodes.length >= MOST_NODES) {
      throw invalid('it is too large; use smaller counts of repetition');
    }
    this.#nodes.push(node);
    return this.#nodes.length - 1;
  }

  /** Before the pattern any characters may come, as few as possible. */
  #anywhere(entry: number): number {
    const fork = { type: 'fork' as const, ways: [entry] as readonly number[] };
    const id = this.#add(fork);
    fork.ways = [entry, this.#add({ type: 'set', set: this.#alphabet.set(ANY), next: id })];
    return id;
  }

  /** Adds the nodes of a part that goes on at `next`, and gives the first. */
  #compile(part: RegexNode, next: number): number {
    switch (part.type) {
      case 'set':
        return this.#add({ type: 'set', set: this.#alphabet.set(part.source), next });
      case 'border':
        this.#alphabet.usesBorders = true;
        return this.#add({ type: 'border', border: part.border, next });
      case 'sequence': {
        const parts = this.#backwards ? part.parts : part.parts.toReversed();
        return parts.reduce((entry, each) => this.#compile(each, entry), next);
      }
      case 'choice':
        return this.#add({ type: 'fork', ways: part.branches.map((branch) => this.#compile(branch, next)) });
      case 'repeat':
        return this.#repeat(part, next);
    }
  }

  #repeat({ body, least, most, lazy }: RegexNode & { readonly type: 'repeat' }, next: number): number {
    const fork = (again: number): number => this.#add({ type: 'fork', ways: lazy ? [next, again] : [again, next] });
    let entry = next;
    let copies = least;
    if (most === Infinity) {
      const loop = { type: 'fork' as const, ways: [] as readonly number[] };
      const id = this.#add(loop);
      const first = this.#compile(body, id);
      loop.ways = lazy ? [next, first] : [first, next];
      if (least > 0) {
        entry = first;
        copies = least - 1;
      } else {
        // A body that may be empty must be left by its own end, or what it prefers would be lost.
        entry = canBeEmpty(body) ? fork(first) : id;
      }
    } else {
      for (let count = least; count < most; count += 1) entry = fork(this.#compile(body, entry));
    }
    for (let count = 0; count < copies; count += 1) entry = this.#compile(body, entry);
    return entry;
  }
}

function canBeEmpty(part: RegexNode): boolean {
  switch (part.type) {
    case 'set':
      return false;
    case 'border':
      return true;
    case 'sequence':
      return part.parts.every(canBeEmpty);
    case 'choice':
      return part.branches.some(canBeEmpty);
    case 'repeat':
      return part.least === 0 || canBeEmpty(part.body);
  }
}

/** The text that every match starts with, as far as it is easily known. */
function prefixOf(root: RegexNode): string {
  let prefix = '';
  for (const part of root.type === 'sequence' ? root.parts : [root]) {
    if (part.type === 'border') continue;
    if (part.type !== 'set' || part.only === undefined) break;
    prefix += part.only;
  }
  return prefix;
}

/** Finds the matches of a pattern in time that grows with the text alone. */
export class Finder {
  readonly #alphabet: Alphabet;
  readonly #forwards: Automaton;
  readonly #backwards: Automaton;
  readonly #prefix: string;

  constructor(root: RegexNode, ignoreCase: boolean) {
    this.#alphabet = new Alphabet(ignoreCase);
    this.#forwards = new Automaton(root, this.#alphabet, false);
    this.#backwards = new Automaton(root, this.#alphabet, true);
    this.#prefix = prefixOf(root);
  }

  /** The first match that starts at `at` or later. Yields now and then, so that the caller can give up. */
  *find(text: string, at: number): Generator<undefined, Span | undefined> {
    const first = text.indexOf(this.#prefix, at);
    if (first < 0) return undefined;
    const ahead: Reading = { at: first, state: this.#forwards.start(this.#behind(text, first)), found: -1 };
    while (!this.#readOn(text, ahead)) yield;
    if (ahead.found < 0) return undefined;
    const to = ahead.found;
    // Every match that ends here starts where the preferred one does, or later.
    const back: Reading = { at: to, state: this.#backwards.start(this.#ahead(text, to)), found: -1 };
    while (!this.#readBack(text, at, back)) yield;
    return { from: back.found, to };
  }

  /** Is there a match? Without turns for others, so for texts of moderate size. */
  test(text: string): boolean {
    const search = this.find(text, 0);
    for (;;) {
      const { done, value } = search.next();
      if (done === true) return value !== undefined;
    }
  }

  #behind(text: string, at: number): number {
    return at === 0 ? this.#alphabet.edge : this.#alphabet.classOf(codeBefore(text, at));
  }

  #ahead(text: string, at: number): number {
    return at >= text.length ? this.#alphabet.edge : this.#alphabet.classOf(text.codePointAt(at) ?? 0);
  }

  /** Reads until the end is known (true) or the turn is over. */
  #readOn(text: string, reading: Reading): boolean {
    const automaton = this.#forwards;
    const alphabet = this.#alphabet;
    const limit = automaton.work + TURN;
    let { at, state } = reading;
    const stop = at + TURN;
    for (;;) {
      if (at > stop || automaton.work > limit) {
        reading.at = at;
        reading.state = state;
        return false;
      }
      const isEnd = at >= text.length;
      let code = isEnd ? 0 : text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff) code = text.codePointAt(at) ?? 0;
      const classId = isEnd ? alphabet.edge : alphabet.classOf(code);
      state = state.next[classId] ?? automaton.step(state, classId);
      if (state.ended) reading.found = at;
      if (isEnd || state.nodes.length === 0) return true;
      at += code > 0xffff ? 2 : 1;
    }
  }

  #readBack(text: string, from: number, reading: Reading): boolean {
    const automaton = this.#backwards;
    const limit = automaton.work + TURN;
    let { at, state } = reading;
    const stop = at - TURN;
    for (;;) {
      if (at < stop || automaton.work > limit) {
        reading.at = at;
        reading.state = state;
        return false;
      }
      const classId = this.#behind(text, at);
      state = state.next[classId] ?? automaton.step(state, classId);
      if (state.ended) reading.found = at;
      if (at <= from || state.nodes.length === 0) return true;
      at -= codeBefore(text, at) > 0xffff ? 2 : 1;
    }
  }
}

interface Reading {
  at: number;
  state: State;
  found: number;
}

function codeBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  if (unit < 0xdc00 || unit > 0xdfff || at < 2) return unit;
  const pair = text.codePointAt(at - 2) ?? 0;
  return pair > 0xffff ? pair : unit;
}
