/** What is known about a shell while a command is read: folder, variables, functions, files that it has just written. */
import { resolve } from 'node:path';
import type { BashStatement } from './bash.ts';
import type { Value, Word } from './words.ts';

/** A file that the same command wrote before. */
export interface WrittenFile {
  /** The content, where something is known about it. */
  readonly text?: string;
  /** True when there is more in it than the text. */
  readonly isPartial: boolean;
  readonly fromNetwork: boolean;
}

/** A shell's state. Where something may or may not have happened, it is unknown. */
export class ShellState {
  /** The folders that the shell may be in; undefined is a folder that cannot be known. */
  cwds: readonly (string | undefined)[];
  readonly variables: Map<string, Value>;
  readonly functions: Map<string, readonly BashStatement[]>;
  readonly aliases: Map<string, string>;
  readonly written: Map<string, WrittenFile>;
  /** The words of the function or script that runs; undefined at the top. */
  positional: readonly Word[] | undefined;
  /** What is being run: bodies of functions and paths of scripts. A name would not do, since it can be defined anew. */
  calls: readonly unknown[];
  /** True for what runs while the rest goes on. */
  isAside: boolean;
  /** True while what follows only runs when this has worked. */
  succeeds: boolean;
  /** True when a folder was entered that may not be there. */
  isUnsure: boolean;

  constructor(cwd: string, variables: Iterable<readonly [string, Value]> = []) {
    this.cwds = [cwd];
    this.variables = new Map(variables);
    this.functions = new Map();
    this.aliases = new Map();
    this.written = new Map();
    this.positional = undefined;
    this.calls = [];
    this.isAside = false;
    this.succeeds = false;
    this.isUnsure = false;
  }

  /** A copy, for what happens in a process of its own. */
  fork(): ShellState {
    const copy = new ShellState('');
    copy.cwds = this.cwds;
    copy.positional = this.positional;
    copy.calls = this.calls;
    copy.isAside = this.isAside;
    for (const name of ['variables', 'functions', 'aliases'] as const) {
      for (const [key, value] of this[name]) (copy[name] as Map<string, unknown>).set(key, value);
    }
    // Files are there for everybody.
    (copy as { written: Map<string, WrittenFile> }).written = this.written;
    return copy;
  }

  /** After something that may not have happened: what it changed is unknown, and the folder is one of both. */
  mergeUncertain(before: ShellState): void {
    for (const [name, value] of this.variables) {
      if (before.variables.get(name) !== value) this.variables.set(name, undefined);
    }
    this.cwds = someOf([...before.cwds, ...this.cwds]);
  }

  /** Goes to a folder that is certainly there, or perhaps not. */
  enter(target: string | undefined, isCertain: boolean): void {
    const next = this.cwds.map((cwd) =>
      target === undefined ? undefined : target.startsWith('/') ? resolve(target) : cwd && resolve(cwd, target),
    );
    this.cwds = someOf(isCertain ? next : [...this.cwds, ...next]);
  }

  /** Remembers what was written to a file. */
  wrote(
    path: string,
    output: { readonly text: string; readonly isPartial: boolean } | undefined,
    { fromNetwork, appends }: { readonly fromNetwork: boolean; readonly appends: boolean },
  ): void {
    const before = appends ? (this.written.get(path) ?? { isPartial: true, fromNetwork: false }) : undefined;
    const text =
      output === undefined && before?.text === undefined ? undefined : `${before?.text ?? ''}${output?.text ?? ''}`;
    this.written.set(path, {
      ...(text !== undefined && { text }),
      isPartial: (output?.isPartial ?? true) || before?.isPartial === true,
      fromNetwork: fromNetwork || before?.fromNetwork === true,
    });
  }

  /** Entering a folder may have failed, and then the shell is still where it was. */
  staysPerhaps(cwds: readonly (string | undefined)[]): void {
    this.cwds = someOf([...cwds, ...this.cwds]);
    this.isUnsure = false;
  }

  /** The absolute paths that a path may mean. */
  resolve(path: string): (string | undefined)[] {
    if (path.startsWith('/')) return [resolve(path)];
    return unique(this.cwds.map((cwd) => (cwd === undefined ? undefined : resolve(cwd, path))));
  }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

const MAX_FOLDERS = 32;

/** Every `cd` that may fail doubles the folders, so of too many some stay, beside one that cannot be known. */
function someOf(folders: readonly (string | undefined)[]): (string | undefined)[] {
  const all = unique(folders);
  return all.length <= MAX_FOLDERS ? all : [...all.slice(0, MAX_FOLDERS), undefined];
}
