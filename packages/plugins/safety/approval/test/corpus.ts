/** Commands with the tiers that they must have. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Tier } from '../src/api.ts';

/** One command of the corpus. */
export interface CorpusEntry {
  readonly file: string;
  readonly about: string;
  readonly tier: Tier;
  readonly command: string;
}

interface Group {
  readonly about: string;
  readonly tier: Tier;
  /** One command per line. */
  readonly lines?: string;
  readonly scripts?: readonly string[];
}

/** The whole corpus. */
export function readCorpus(): CorpusEntry[] {
  const folder = new URL('corpus/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .flatMap((file) =>
      (parse(readFileSync(new URL(file, folder), 'utf8')) as Group[]).map((group) => ({ file, ...group })),
    )
    .flatMap(({ file, about, tier, lines = '', scripts = [] }) =>
      [...lines.split('\n').filter((line) => line !== ''), ...scripts].map((command) => ({
        file,
        about,
        tier,
        command,
      })),
    );
}
