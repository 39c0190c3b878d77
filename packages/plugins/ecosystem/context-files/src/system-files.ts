/** SYSTEM.md and APPEND_SYSTEM.md: of several, the nearest of the project counts, else the user's. */
import type { ContextFile, Discovered } from '@tenon/discovery/api';

type Item = Discovered<ContextFile>;

/** What becomes of the files. */
export interface SystemFiles {
  readonly system: string | undefined;
  readonly append: string | undefined;
  /** Files of projects that are not trusted: nobody but the user decides what the agent is. */
  readonly refused: readonly Item[];
  /** All others. */
  readonly others: readonly Item[];
}

/** Sorts the files. */
export function systemFiles(files: readonly Item[], isWanted: boolean): SystemFiles {
  const others = files.filter(({ value }) => value.role === undefined);
  const special = isWanted ? files.filter(({ value, pack }) => value.role !== undefined && pack === undefined) : [];
  const trusted = special.filter(({ isUntrusted }) => isUntrusted !== true);
  return {
    system: nearest(trusted, 'system'),
    append: nearest(trusted, 'append'),
    refused: special.filter((item) => !trusted.includes(item)),
    others,
  };
}

function nearest(files: readonly Item[], role: ContextFile['role']): string | undefined {
  const ranked = files.filter(({ value }) => value.role === role).toSorted((a, b) => distance(a) - distance(b));
  return ranked[0]?.value.content;
}

function distance({ level, value: { depth = 0 } }: Item): number {
  return level === 'user' ? Number.MAX_SAFE_INTEGER : depth;
}
