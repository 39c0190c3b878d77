import { TenonError } from '@tenon/kernel';
import type { FlagSetting } from './api.ts';
import { flagsOf } from './flags.ts';
import { commandFirst } from './leading-flags.ts';
import { knownFlags } from './parse.ts';
import type { CommandTable, TableEntry } from './table.ts';

/**
 * The flags of a command line that only people may give, and the settings that they stand for. These have to be known before
 * anything that reads settings starts, and also where an extension brings another flag of the line later.
 */
export function settingsIn(table: CommandTable, words: readonly string[]): readonly FlagSetting[] {
  const sorted = commandFirst(table, words);
  const match = sorted.kind === 'words' ? table.match(sorted.words) : undefined;
  if (match?.kind !== 'command') return [];
  const given = flagsOrNothing(match.entry, match.rest);
  return Object.entries(flagsOf(match.entry.spec)).flatMap(([name, { setting, personOnly }]): FlagSetting[] => {
    const value = given[name];
    if (value === undefined || value === false) return [];
    if (Array.isArray(value) && value.length === 0) return [];
    const flag = `--${name}`;
    if (setting === undefined) return personOnly ? [{ flag }] : [];
    const text = Array.isArray(value) ? JSON.stringify(value) : value;
    return [{ flag, assignment: value === true ? setting : `${setting}=${String(text)}` }];
  });
}

function flagsOrNothing(entry: TableEntry, words: readonly string[]): ReturnType<typeof knownFlags> {
  try {
    return knownFlags(entry, words);
  } catch (fault) {
    // The line is parsed again when it runs, and that reports the same error.
    if (fault instanceof TenonError) return {};
    throw fault;
  }
}
