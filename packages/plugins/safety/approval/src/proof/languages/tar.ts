/** The words of tar: old style (`tar xzf a.tgz`), several `-C`, and what both GNU tar and bsdtar read in the same way. */
import { resolve } from 'node:path';
import { knownWord, type CallWord, type Language, type Meaning } from '../language.ts';
import { valueOf } from './known-words.ts';

const MODES: Readonly<Record<string, Mode>> = {
  c: 'create',
  r: 'create',
  u: 'create',
  x: 'extract',
  t: 'list',
  '--create': 'create',
  '--append': 'create',
  '--update': 'create',
  '--extract': 'extract',
  '--get': 'extract',
  '--list': 'list',
};
type Mode = 'create' | 'extract' | 'list';

/** Letters without a value. `-P`, `-s`, `-H` and others are not here: they leave the folder, or take a value in one of the two. */
const BARE = /[aBhijJkmnOopSUvzZ]/;
const LONG =
  /^--(?:verbose|gzip|gunzip|ungzip|bzip2|xz|zstd|lzma|lz4|auto-compress|no-auto-compress|exclude-vcs|exclude-vcs-ignores|exclude-backups|exclude-caches|wildcards|no-wildcards|anchored|no-anchored|numeric-owner|no-same-owner|no-same-permissions|same-permissions|preserve-permissions|totals|show-transformed-names|keep-old-files|skip-old-files|keep-newer-files|overwrite|touch|to-stdout|one-file-system|ignore-failed-read|dereference|no-recursion|sparse|unlink-first|full-time|acls|no-acls|xattrs|no-xattrs|null|(?:sort|owner|group|mode|mtime|format|warning|exclude|strip-components|blocking-factor|level|checkpoint)=[^\n]*)$/s;
/** Long flags whose value is the next word. */
const LONG_TEXTS: ReadonlySet<string> = new Set([
  '--exclude',
  '--strip-components',
  '--owner',
  '--group',
  '--mode',
  '--mtime',
  '--sort',
  '--format',
]);
const COMPRESSOR = /^(?:zstd|pigz|xz|gzip|bzip2|lz4|lzma|pbzip2|pixz|zstdmt)(?: -(?:T?\d+|k))*$/;

class Reader {
  readonly #words: readonly CallWord[];
  readonly #meaning: Meaning;
  #at = 0;
  #mode: Mode | undefined;
  #isToOutput = false;
  #removes = false;
  #archive: CallWord | undefined;
  #transforms = false;
  /** The folder that operands count from, and all folders that were named. */
  #folder: string;
  readonly #folders: string[] = [];
  readonly #operands: { readonly word: CallWord; readonly folder: string }[] = [];

  constructor(words: readonly CallWord[], meaning: Meaning) {
    this.#words = words;
    this.#meaning = meaning;
    this.#folder = meaning.cwd;
  }

  read(): void {
    const first = this.#words[0];
    if (first?.value !== undefined && /^[A-Za-z]+$/.test(first.value)) {
      this.#at = 1;
      this.#letters(first.value, first, true);
    }
    let isEnded = false;
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++] as CallWord;
      if (word.below === undefined && word.isMany) this.#meaning.refuse('a word that may become several', word);
      if (word.below === undefined && word.value === undefined && word.prefix === '' && !isEnded)
        this.#meaning.refuse('a word that is only known when it runs, where a flag could stand', word);
      // tar goes on reading flags behind `--` in lists only; here it ends them.
      if (isEnded || word.below !== undefined || !word.prefix.startsWith('-') || word.value === '-')
        this.#operand(word);
      else if (word.value === '--') isEnded = true;
      else this.#flag(valueOf(word, this.#meaning, 'a flag of tar'), word);
    }
    this.#judge();
  }

  #operand(word: CallWord): void {
    // bsdtar reads another archive here.
    if (word.prefix.startsWith('@')) this.#meaning.refuse('an archive in an archive', word);
    this.#operands.push({ word, folder: this.#folder });
  }

  #flag(text: string, word: CallWord): void {
    if (!text.startsWith('--')) return this.#letters(text.slice(1), word, false);
    const [, name = text, value] = /^(--[^=]+)=(.*)$/s.exec(text) ?? [];
    const mode = MODES[text];
    if (mode !== undefined) this.#setMode(mode, word);
    else if (name === '--file') this.#setArchive(value === undefined ? this.#next(word) : knownWord(value));
    else if (name === '--directory' || name === '--cd')
      this.#enter(value === undefined ? this.#next(word) : knownWord(value));
    else if (name === '--exclude-from')
      this.#meaning.role('read', value === undefined ? this.#next(word) : knownWord(value));
    else if (name === '--use-compress-program')
      this.#compressor(value === undefined ? this.#next(word) : knownWord(value));
    else if (name === '--transform' || name === '--xform') {
      this.#transforms = true;
      if (value === undefined) this.#next(word);
    } else if (name === '--one-top-level') {
      // Without a value, the folder is named after the archive.
      if (value !== undefined) this.#folders.push(resolve(this.#folder, value));
    } else if (text === '--remove-files') this.#removes = true;
    else if (LONG_TEXTS.has(text)) this.#next(word);
    else if (LONG.test(text)) this.#isToOutput ||= text === '--to-stdout';
    else this.#meaning.refuse(`the flag ${name} of tar`, word);
  }

  /** In the old style, values are the words behind, in order; with a dash, what is left of the word or the next one. */
  #letters(letters: string, word: CallWord, isOld: boolean): void {
    for (let at = 0; at < letters.length; at++) {
      const letter = letters.charAt(at);
      const mode = MODES[letter];
      if (mode !== undefined) this.#setMode(mode, word);
      else if (BARE.test(letter)) this.#isToOutput ||= letter === 'O';
      else if (/[fCbXI]/.test(letter)) {
        const rest = letters.slice(at + 1);
        const isAttached = !isOld && rest !== '';
        this.#valueOf(letter, isAttached ? knownWord(rest) : this.#next(word), word);
        if (isAttached) return;
      } else this.#meaning.refuse(`the flag -${letter} of tar`, word);
    }
  }

  #valueOf(letter: string, value: CallWord, word: CallWord): void {
    if (letter === 'f') this.#setArchive(value);
    else if (letter === 'C') this.#enter(value);
    else if (letter === 'X') this.#meaning.role('read', value);
    // bsdtar reads a list of files here.
    else if (letter === 'I' && process.platform === 'linux') this.#compressor(value);
    else if (letter !== 'b') this.#meaning.refuse(`the flag -${letter} of tar`, word);
  }

  #setMode(mode: Mode, word: CallWord): void {
    if (this.#mode !== undefined) this.#meaning.refuse('two verbs of tar', word);
    this.#mode = mode;
  }

  #setArchive(word: CallWord): void {
    // `host:file` runs a remote shell.
    if (/^[^/]*:/.test(valueOf(word, this.#meaning, 'the archive')))
      this.#meaning.refuse('an archive on another machine', word);
    if (this.#archive) this.#meaning.refuse('two archives', word);
    this.#archive = word;
  }

  #enter(word: CallWord): void {
    this.#folder = resolve(this.#folder, valueOf(word, this.#meaning, 'the folder of tar'));
    this.#folders.push(this.#folder);
  }

  #compressor(word: CallWord): void {
    if (!COMPRESSOR.test(word.value ?? '')) this.#meaning.refuse('the program that compresses', word);
    this.#meaning.role('script', word);
  }

  #next(word: CallWord): CallWord {
    const value = this.#words[this.#at++];
    if (value === undefined || value.isMany) return this.#meaning.refuse('a flag of tar without a value', word);
    return value;
  }

  #judge(): void {
    const archive = this.#archive?.value === '-' ? undefined : this.#archive;
    if (this.#mode === undefined) this.#meaning.refuse('tar without a verb');
    if (this.#mode !== 'create') {
      if (this.#removes || this.#transforms) this.#meaning.refuse('a flag of tar that changes names');
      if (archive) this.#meaning.role('read', archive);
      if (this.#mode === 'list' || this.#isToOutput) return;
      for (const folder of this.#folders.length > 0 ? this.#folders : [this.#meaning.cwd])
        this.#meaning.text('write', folder);
      return;
    }
    if (archive) this.#meaning.role('write', archive);
    for (const { word, folder } of this.#operands) {
      this.#meaning.role('search', word, { folder: knownWord(folder) });
      if (this.#removes) this.#meaning.role('delete-tree', word, { folder: knownWord(folder) });
    }
  }
}

/** Reads all words. */
export const language: Language = {
  read(words, meaning) {
    new Reader(words, meaning).read();
  },
};
