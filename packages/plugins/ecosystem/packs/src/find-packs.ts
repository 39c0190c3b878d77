/** Finds packs: those of the user, those linked from elsewhere, and those that a project brings along. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import { type Manifest, messageOf, type TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';
import { installedFolders } from './installed-folders.ts';
import { PackIndex } from './pack-index.ts';
import { type PackLevel, type PackRecord, type PackRecords, readRecords, recordsFile } from './trust-records.ts';

/** A pack that was found. */
export interface FoundPack {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly file: string;
  readonly level: PackLevel;
  readonly record: PackRecord | undefined;
  /** What it reaches for that no isolated pack may have. */
  readonly reach?: readonly string[];
}

/** Everything that was found, and what is wrong with the rest. */
export interface FoundPacks {
  readonly packs: readonly FoundPack[];
  readonly problems: readonly TenonError[];
  /** Why the index could not be written, which only makes the next start slower. */
  readonly indexFault: unknown;
}

/** Looks through all places. What is broken is reported and does not stop the rest. */
export async function findPacks(folders: Folders): Promise<FoundPacks> {
  const records = readRecords(recordsFile(folders.data));
  const problems: TenonError[] = [];
  const index = new PackIndex(folders.cache);
  const places: { level: PackLevel; candidates: string[] }[] = [
    { level: 'user', candidates: foldersIn(join(folders.data, 'packs'), problems) },
    {
      level: 'linked',
      candidates: Object.entries(records).flatMap(([folder, { linked }]) => (linked ? [folder] : [])),
    },
    { level: 'installed', candidates: installedFolders(records, folders) },
    {
      level: 'project',
      candidates: folders.project === undefined ? [] : foldersIn(join(folders.project, 'packs'), problems),
    },
  ];
  const packs = new Map<string, FoundPack>();
  for (const { level, candidates } of places) {
    for (const candidate of candidates) {
      const pack = await readOne(candidate, level, records, index, problems);
      if (pack && !packs.has(pack.folder)) packs.set(pack.folder, pack);
    }
  }
  return { packs: [...packs.values()], problems, indexFault: index.save() };
}

async function readOne(
  candidate: string,
  level: PackLevel,
  records: PackRecords,
  index: PackIndex,
  problems: TenonError[],
): Promise<FoundPack | undefined> {
  try {
    const folder = realpathSync.native(candidate);
    const file = join(folder, 'package.json');
    const read = await index.read(file, statSync(file));
    if ('manifest' in read) return { manifest: read.manifest, folder, file, level, record: records[folder] };
    problems.push(...read.problems);
  } catch (fault) {
    problems.push(lookProblem(candidate, fault));
  }
  return undefined;
}

function lookProblem(candidate: string, fault: unknown): TenonError {
  if ((fault as NodeJS.ErrnoException).code === 'ENOENT') {
    return errors.create(
      'PACKS_NO_MANIFEST',
      { folder: candidate, reason: 'it, or its package.json, does not exist' },
      fault,
    );
  }
  return errors.create('PACKS_UNREADABLE', { file: candidate, reason: messageOf(fault) }, fault);
}

/** The folders in a folder; those of a scope (`@name`) count one by one. */
function foldersIn(parent: string, problems: TenonError[]): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) =>
        entry.name.startsWith('@') ? foldersIn(join(parent, entry.name), problems) : [join(parent, entry.name)],
      );
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') {
      problems.push(errors.create('PACKS_UNREADABLE', { file: parent, reason: messageOf(fault) }, fault));
    }
    return [];
  }
}
