/** Follows a declaration through a project: which mentions mean it for certain, and which are in doubt. */
import type { Binding, FileFacts, Mention } from './facts.ts';
import type { Bridge, ModuleMap } from './modules/module-map.ts';
import type { Origin } from './roles.ts';

/** A mention that may or may not mean the declaration. */
export interface Doubt {
  readonly mention: Mention;
  readonly why: string;
}

/** Where a declaration is meant. */
export interface Reach {
  readonly certain: readonly Mention[];
  readonly doubts: readonly Doubt[];
  /** All that has the new name afterwards: the declaration and what is imported under the same name. */
  readonly bindings: ReadonlySet<Binding>;
}

/** What is followed through which files. */
export interface Followed {
  readonly target: Binding;
  readonly files: readonly FileFacts[];
  readonly map: ModuleMap;
  readonly bridges: readonly Bridge[];
  /** True when what cannot be told is taken for the declaration. */
  readonly assume: boolean;
}

type Answer = 'yes' | 'no' | 'unknown';

/** Follows a declaration that other files can see. */
export function reachOf(followed: Followed): Reach {
  const { target, files } = followed;
  const offers = new Offers(followed);
  offers.settle();
  const certain: Mention[] = [];
  const doubts: Doubt[] = [];
  for (const file of files) {
    for (const mention of file.mentions) {
      if (mention.name !== target.name) continue;
      const [answer, why] = offers.judge(mention, file);
      if (answer === 'yes' || (answer === 'unknown' && followed.assume)) certain.push(mention);
      else if (answer === 'unknown') doubts.push({ mention, why });
    }
  }
  return { certain, doubts, bindings: offers.bindings };
}

/** Who offers the declaration under which name, and who takes it. */
class Offers {
  readonly bindings: Set<Binding>;
  readonly #followed: Followed;
  /** Module and name, joined. */
  readonly #offered = new Set<string>();
  /** The same, where it cannot be told. */
  readonly #perhaps = new Set<string>();
  readonly #home: FileFacts | undefined;

  constructor(followed: Followed) {
    this.#followed = followed;
    this.bindings = new Set([followed.target]);
    this.#home = followed.files.find(({ path }) => path === followed.target.path);
    if (this.#home) this.#offer(followed.target, this.#home, 'yes');
  }

  /** Goes on until no file learns anything new. */
  settle(): void {
    const size = () => this.#offered.size + this.#perhaps.size + this.bindings.size;
    for (let previous = -1; previous !== size();) {
      previous = size();
      for (const file of this.#followed.files) this.#take(file);
      for (const { path, from } of this.#followed.bridges) {
        this.#passOn({ path, module: { stars: [], isModule: true } }, from, []);
      }
    }
  }

  #take(file: FileFacts): void {
    const { map } = this.#followed;
    for (const binding of file.bindings) {
      if (this.bindings.has(binding) || binding.name !== this.#followed.target.name) continue;
      const answer = this.#settled(this.#isOurs(binding, file));
      if (answer === 'yes') this.bindings.add(binding);
      if (answer !== 'no') this.#offer(binding, file, answer);
    }
    for (const { origin, as, inner } of file.mentions) {
      const answer = origin && as !== undefined ? this.#settled(this.#matches(origin, file, inner)) : 'no';
      if (answer !== 'no') this.#entries(answer).add(key(map.idOf(file, inner), as ?? ''));
    }
    for (const { from, inner, isPassedOn } of file.module.stars) if (isPassedOn) this.#passOn(file, from, inner);
  }

  /** What cannot be told counts as the user decided. */
  #settled(answer: Answer): Answer {
    return answer === 'unknown' && this.#followed.assume ? 'yes' : answer;
  }

  #entries(answer: 'yes' | 'unknown'): Set<string> {
    return answer === 'yes' ? this.#offered : this.#perhaps;
  }

  #isOurs(binding: Binding, file: FileFacts): Answer {
    const { target, map } = this.#followed;
    if (binding.origin) {
      const answer = this.#matches(binding.origin, file, binding.inner);
      return answer === 'yes' && binding.unclear !== undefined ? 'unknown' : answer;
    }
    // A prototype means the definition elsewhere.
    const isSame = map.sharesNames && binding.level === 'module' && binding.exports.length > 0;
    if (!isSame || !(binding.isForward || target.isForward)) return 'no';
    return map.idOf(file, binding.inner) === this.#homeId() ? 'yes' : 'unknown';
  }

  #homeId(): string {
    const { target, map } = this.#followed;
    return this.#home ? map.idOf(this.#home, target.inner) : '';
  }

  #offer(binding: Binding, file: FileFacts, answer: 'yes' | 'unknown'): void {
    const id = this.#followed.map.idOf(file, binding.inner);
    for (const name of binding.exports) this.#entries(answer).add(key(id, name));
  }

  /** A module that opens another offers all its names, but for the default. */
  #passOn(file: Pick<FileFacts, 'path' | 'module'>, from: string, inner: readonly string[]): void {
    const { map } = this.#followed;
    const ids = map.resolve(from, file, inner);
    const own = map.idOf(file, inner);
    for (const certainty of ['yes', 'unknown'] as const) {
      for (const entry of this.#entries(certainty)) {
        const [id = '', name = ''] = entry.split(SEPARATOR);
        if (name === 'default' || (ids !== 'unknown' && !ids.includes(id))) continue;
        const answer = this.#settled(ids === 'unknown' ? 'unknown' : certainty);
        if (answer !== 'no') this.#entries(answer).add(key(own, name));
      }
    }
  }

  #matches({ from, name }: Origin, file: FileFacts, inner: readonly string[]): Answer {
    const { map, files } = this.#followed;
    // `whole.name` of `import whole from './old.cjs'`: the object that such a module offers.
    const [, ofDefault] = /^default\.(.+)$/.exec(name) ?? [];
    const exported = ofDefault ?? name;
    const isOffered = (entry: string) => entry.endsWith(`${SEPARATOR}${exported}`);
    if (![...this.#offered, ...this.#perhaps].some(isOffered)) return 'no';
    const ids = map.resolve(from, file, inner);
    if (ids === 'unknown') return 'unknown';
    const moduleId = ids.find((id) => this.#offered.has(key(id, exported)));
    if (moduleId === undefined) return ids.some((id) => this.#perhaps.has(key(id, exported))) ? 'unknown' : 'no';
    if (ofDefault === undefined) return 'yes';
    return files.some(({ path, module }) => path === moduleId && module.isCommonJs) ? 'yes' : 'no';
  }

  /** What a place of the name means. */
  judge(mention: Mention, file: FileFacts): [Answer, why: string] {
    const { usage, binding, origin, inner, why = '' } = mention;
    if (usage === 'outside' && origin) {
      return [this.#matches(origin, file, inner), `it is not clear what ${quoted(origin.from)} means here`];
    }
    if (usage === 'name' || usage === 'export') {
      if (!binding) return usage === 'name' ? this.#judgeFree(mention, file) : ['no', ''];
      if (this.bindings.has(binding)) return ['yes', ''];
      const from = binding.origin?.from;
      return [
        this.#isOurs(binding, file),
        binding.unclear ??
          (from === undefined ? 'nothing says where it comes from' : `it is not clear what ${quoted(from)} means here`),
      ];
    }
    if (usage === 'unclear' && (file === this.#home || this.#isTouched(file))) return ['unknown', why];
    return ['no', ''];
  }

  #isTouched({ bindings }: FileFacts): boolean {
    return bindings.some((binding) => this.bindings.has(binding));
  }

  /** A name that the file itself neither declares nor imports by name. */
  #judgeFree({ inner, name }: Mention, file: FileFacts): [Answer, why: string] {
    const { map, target } = this.#followed;
    const own = map.idOf(file, inner);
    if (map.sharesNames && this.#offered.has(key(own, name)) && target.level === 'module') return ['yes', ''];
    const opened = file.module.stars.filter((star) => star.inner.join('::') === inner.join('::'));
    const answers = opened.map(({ from }) => this.#matches({ from, name }, file, inner));
    if (answers.includes('yes')) {
      const isHidden = map.laterHides === true && answers.some((answer) => answer !== 'yes');
      return [isHidden ? 'unknown' : 'yes', 'more than one import opens everything of a module'];
    }
    if (answers.includes('unknown')) return ['unknown', 'an import opens everything of a module that is not known'];
    // The names of scripts without imports, and of C, are seen by whoever is put together with them.
    const isShared = this.#home?.module.isModule === false && (!map.sharesNames || target.exports.length > 0);
    return isShared && file !== this.#home ? ['unknown', 'nothing says where it comes from'] : ['no', ''];
  }
}

const SEPARATOR = '\u0000';

function key(id: string, name: string): string {
  return `${id}${SEPARATOR}${name}`;
}

function quoted(from: string): string {
  return `\`${from}\``;
}
