/**
 * The map of a tree of code: the definitions that matter most, ranked by who refers to them, within a budget of tokens. An index of
 * all files is kept in memory and on disk; every question brings it up to date first.
 */
import type { CallLimits } from '../task.ts';

/** Which tree, and what its map may take. */
export interface CodeMapOptions {
  /** The folder. */
  readonly root: string;
  /** The file that keeps the index; without one it is lost with the process. */
  readonly store?: string | undefined;
  /** Larger files are left out; 512 KiB when absent. */
  readonly maxFileBytes?: number | undefined;
  /** More files are left out; 200,000 when absent. */
  readonly maxFiles?: number | undefined;
  /** Watch the folders, for questions to come; true when absent. */
  readonly watch?: boolean | undefined;
}

/** A question. */
export interface CodeMapRequest extends CallLimits {
  /** The estimated tokens of the text; 2,000 when absent. */
  readonly budget?: number | undefined;
  /** A file or folder to show, relative to the root with `/`; everything when absent. */
  readonly scope?: string | undefined;
  /** Files and folders from whose point of view the rest is ranked, written likewise. */
  readonly focus?: readonly string[] | undefined;
}

/** One definition of the map. */
export interface MappedSymbol {
  readonly name: string;
  /** function, method, class, interface, struct, enum, trait, type, constant, variable, macro or module. */
  readonly kind: string;
  /** 1-based. */
  readonly line: number;
  /** How deep it lies in other definitions. */
  readonly depth: number;
  /** Its line in the file, shortened. */
  readonly text: string;
  /** What it got of the weight of all files, which is 1. */
  readonly rank: number;
}

/** One file of the map. */
export interface MappedFile {
  readonly path: string;
  readonly language: string;
  readonly rank: number;
  readonly symbols: readonly MappedSymbol[];
}

/** The answer. */
export interface CodeMapAnswer {
  /** Files by rank, each with its definitions in the order of their lines. */
  readonly text: string;
  readonly tokens: number;
  readonly files: readonly MappedFile[];
  /** The size of what is indexed. */
  readonly totals: {
    readonly files: number;
    readonly definitions: number;
    readonly names: number;
    readonly connections: number;
    /** Roughly, in bytes. */
    readonly memory: number;
    /** Files that did not fit the limits. */
    readonly leftOut: number;
  };
  /** How the index was brought up to date: files read and removed, and how they were found. */
  readonly update: {
    readonly by: 'walk' | 'watch';
    /** The index came from the disk in this call. */
    readonly loaded: boolean;
    readonly read: number;
    readonly removed: number;
  };
  /** Paths of interest that hold no code. */
  readonly unknownFocus: readonly string[];
  /** Languages whose grammar broke; their files are read word by word. */
  readonly brokenLanguages: readonly string[];
  /** Why the index could not be written to disk. */
  readonly notSaved?: string;
}

/** The map of one tree; nothing is read before the first question. */
export interface CodeMap {
  map(request?: CodeMapRequest): Promise<CodeMapAnswer>;
  /** Writes what is not on disk yet, and stops watching. The map still answers afterwards. */
  close(): Promise<void>;
}

/** Makes maps; every implementation gives the same answers. */
export interface CodeMaps {
  open(options: CodeMapOptions): CodeMap;
}

/** What stands for options that are absent. */
export const CODE_MAP_DEFAULTS = { maxFileBytes: 512 * 1024, maxFiles: 200_000, budget: 2_000 } as const;
