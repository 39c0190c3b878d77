/** The words of find: roots, then an expression of tests and actions. */
import { isAbsolute, join, resolve } from 'node:path';
import { GENERATED_FOLDERS } from '../../judge/place-lists.ts';
import { knownWord, type CallWord, type Language, type Meaning } from '../language.ts';
import { valueOf } from './known-words.ts';

const ALONE: ReadonlySet<string> = new Set(
  (
    '-empty -executable -readable -writable -nouser -nogroup -true -false -depth -d -mount -xdev -noleaf -daystart -follow ' +
    '-ignore_readdir_race -noignore_readdir_race -warn -nowarn -print -print0 -ls -prune -quit'
  ).split(' '),
);
const WITH_VALUE: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime ' +
    '-amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -samefile -fstype -used -maxdepth -mindepth -printf'
  ).split(' '),
);
const WRITES: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fls', '-fprintf']);
/** Files that builds and editors leave behind. */
const LEFT_BEHIND =
  /^(?:\*\.(?:py[cod]|o|obj|a|so|class|log|tmp|temp|bak|orig|rej|swp|swo|tsbuildinfo|map|gc(?:da|no|ov)|profraw|elc|hi|aux|toc|stackdump)|\*~|\.DS_Store|Thumbs\.db|\*\.log\.\*|\*\.egg-info|npm-debug\.log\*?|\.coverage)$/;

/** A folder that stands for all that can be made again. */
const MADE_BY_BUILDS = '__pycache__';

/** What tests have narrowed the files down to; `made`: what builds make, leave behind, or is empty. */
type Narrowed = 'all' | 'some' | 'made';

class Reader {
  readonly #words: readonly CallWord[];
  readonly #meaning: Meaning;
  #at = 0;
  #roots: readonly CallWord[] = [];
  #followsLinks = false;
  #acts = false;
  #runs = false;
  /** What holds for everything that is printed. */
  #printed: Narrowed | undefined;
  #printsOnly = true;

  constructor(words: readonly CallWord[], meaning: Meaning) {
    this.#words = words;
    this.#meaning = meaning;
  }

  read(): void {
    for (; /^-(?:[HLPE]|O[0-3])$/.test(this.#peek() ?? ''); this.#at++) this.#followsLinks ||= this.#peek() === '-L';
    const start = this.#at;
    while (this.#at < this.#words.length && !this.#isExpression()) this.#at++;
    const roots = this.#words.slice(start, this.#at);
    this.#roots = roots.length > 0 ? roots : [knownWord('.')];
    this.#followsLinks ||= this.#words.some(({ value }) => value === '-follow');
    if (this.#at < this.#words.length) {
      const known = this.#alternatives('all');
      this.#printed ??= known;
      if (this.#at < this.#words.length) this.#meaning.refuse('a word of find', this.#words[this.#at]);
    }
    if (this.#acts && this.#followsLinks) this.#meaning.refuse('find with links that may lead elsewhere');
    // A command may read everything that was found.
    for (const root of this.#roots) this.#meaning.role(this.#runs ? 'search' : 'read', root);
    if (this.#printsOnly) this.#meaning.lists(this.#roots.map((root) => this.#listed(root)));
  }

  #isExpression(): boolean {
    const word = this.#words[this.#at];
    if (word === undefined || word.below !== undefined) return false;
    if (word.isMany || word.prefix === '')
      return word.value === ''
        ? false
        : this.#meaning.refuse('a word that is only known when it runs, where an expression could begin', word);
    return /^-./.test(word.prefix) || /^[(),!]$/.test(word.value ?? '');
  }

  /** `a -o b`: each alternative begins with what is known before. Gives what is known behind all of them. */
  #alternatives(before: Narrowed): Narrowed {
    let result = this.#sequence(before);
    while (this.#peek() === '-o' || this.#peek() === '-or') {
      this.#at++;
      const other = this.#sequence(before);
      if (other !== result) result = result === 'all' || other === 'all' ? 'all' : 'some';
    }
    return result;
  }

  #sequence(before: Narrowed): Narrowed {
    let known = this.#term(before);
    for (;;) {
      const next = this.#peek();
      if (next === undefined || next === ')' || next === '-o' || next === '-or') return known;
      if (next === '-a' || next === '-and') this.#at++;
      known = this.#term(known);
    }
  }

  #term(before: Narrowed): Narrowed {
    const word = this.#words[this.#at];
    const text = valueOf(word, this.#meaning, 'a word of the expression');
    this.#at++;
    if (text === '!' || text === '-not') {
      this.#term(before);
      return before;
    }
    if (text === '(') {
      const known = this.#alternatives(before);
      if (this.#peek() !== ')') this.#meaning.refuse('a parenthesis that is not closed', word);
      this.#at++;
      return known;
    }
    if (ALONE.has(text)) {
      if (text === '-ls') this.#printsOnly = false;
      if (text.startsWith('-print'))
        this.#printed = this.#printed === undefined || this.#printed === before ? before : 'all';
      return text === '-empty' ? narrower(before, 'made') : before;
    }
    if (WITH_VALUE.has(text) || /^-newer[aBcm][aBcmt]$/.test(text)) return this.#test(text, before);
    if (text === '-delete') this.#delete(before);
    else if (text === '-exec') this.#exec(before);
    else if (WRITES.has(text)) {
      this.#meaning.role('write', this.#value(text));
      if (text === '-fprintf') this.#value(text);
      this.#printsOnly = false;
    } else this.#meaning.refuse(`the word ${text} of find`, word);
    return before;
  }

  #test(name: string, before: Narrowed): Narrowed {
    const value = this.#value(name);
    if (name === '-printf') this.#printsOnly = false;
    if (/depth$|^-printf$|^-regextype$|^-x?type$|^-perm$|^-fstype$/.test(name) || value.value === undefined)
      return before;
    if (name === '-name' || name === '-iname') {
      if (/^[*?]*$/.test(value.value)) return before;
      if (LEFT_BEHIND.test(value.value)) return narrower(before, 'made');
      return narrower(before, GENERATED_FOLDERS.test(value.value) && !/[*?[]/.test(value.value) ? 'made' : 'some');
    }
    if (name === '-path' || name === '-wholename') {
      const parts = value.value.split('/');
      if (/^[*?/.]*$/.test(value.value)) return before;
      return narrower(
        before,
        parts.some((part) => GENERATED_FOLDERS.test(part) && !/[*?[]/.test(part)) ? 'made' : 'some',
      );
    }
    return narrower(before, 'some');
  }

  #delete(known: Narrowed): void {
    this.#acts = true;
    for (const root of this.#roots) {
      if (known === 'all') this.#meaning.role('delete-tree', root);
      else if (known === 'some') {
        this.#meaning.role('delete', below(root, 'some', this.#meaning));
        this.#meaning.add(2, 'deletes what it finds');
      } else this.#meaning.role('delete', below(root, known, this.#meaning));
    }
  }

  /** `-exec … ;` and `-exec … {} +`: the braces are something below the roots. */
  #exec(known: Narrowed): void {
    this.#acts = true;
    this.#runs = true;
    this.#printsOnly = false;
    const start = this.#at;
    for (; this.#at < this.#words.length; this.#at++) {
      const text = this.#peek();
      if (text === ';' || (text === '+' && this.#words[this.#at - 1]?.value === '{}' && this.#at > start + 1)) break;
    }
    const end = this.#words[this.#at++];
    const command = this.#words.slice(start, this.#at - 1);
    if (end === undefined || command.length === 0) this.#meaning.refuse('-exec without an end', this.#words[start]);
    const isDeletion = /^(?:rm|unlink|rmdir|shred)$/.test(command[0]?.value ?? '');
    if (isDeletion && known === 'some') this.#meaning.add(2, 'deletes what it finds');
    for (const root of this.#roots) {
      this.#meaning.command(command.map((word) => this.#filledIn(word, root, known)));
      // Whatever happens to all files below a folder happens to the folder.
      if (known === 'all') this.#meaning.command(command.map((word) => (word.value === '{}' ? root : word)));
    }
  }

  #listed(root: CallWord): CallWord {
    if (this.#printed !== 'made') return root;
    return knownWord(join(valueOf(root, this.#meaning, 'where find begins'), MADE_BY_BUILDS));
  }

  #filledIn(word: CallWord, root: CallWord, known: Narrowed): CallWord {
    if (word.value === undefined || !word.value.includes('{}')) return word;
    if (word.value !== '{}') return this.#meaning.refuse('braces inside of a word', word);
    return below(root, known, this.#meaning);
  }

  #value(name: string): CallWord {
    const value = this.#words[this.#at++];
    if (value === undefined || value.isMany) return this.#meaning.refuse(`${name} of find without a value`, value);
    return value;
  }

  /** The next word; one that is only known when it runs is no operator, and is refused where it stands. */
  #peek(): string | undefined {
    const word = this.#words[this.#at];
    return word === undefined ? undefined : (word.value ?? '?');
  }
}

/** What two tests one after the other leave. */
function narrower(before: Narrowed, next: Narrowed): Narrowed {
  return before === 'made' ? before : next;
}

/** A file that was found. What builds make is judged as lying in a folder of theirs. */
function below(root: CallWord, known: Narrowed, meaning: Meaning): CallWord {
  const text = valueOf(root, meaning, 'where find begins');
  const folder = isAbsolute(text) ? text : resolve(meaning.cwd, text);
  // Relative to a root that begins with a dash, names would be flags; find takes no such root.
  const place = known === 'made' ? join(folder, MADE_BY_BUILDS) : folder;
  return { value: undefined, prefix: text, isMany: false, below: [place] };
}

/** Reads all words. */
export const language: Language = {
  read(words, meaning) {
    new Reader(words, meaning).read();
  },
};
