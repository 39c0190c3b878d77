/** How the files of a project know each other. */
import type { FileFacts } from '../facts.ts';

/** A file, as far as modules are concerned. */
export type ModuleFile = Pick<FileFacts, 'path' | 'module'>;

/** Which module an import means. Modules have ids that mean nothing outside. */
export interface ModuleMap {
  /** The module that a place of a file belongs to. */
  idOf(file: ModuleFile, inner: readonly string[]): string;
  /** The modules that a specifier means; none for what is not of this project, `unknown` where that cannot be told. */
  resolve(from: string, file: ModuleFile, inner: readonly string[]): readonly string[] | 'unknown';
  /** True when the files of one module know each other's names without imports. */
  readonly sharesNames: boolean;
  /** True when, of two modules that are opened with `*`, the later one hides names of the other. */
  readonly laterHides?: boolean;
}

/** A module that passes on all names of another: `export * from './a'`. */
export interface Bridge {
  readonly path: string;
  readonly from: string;
}
