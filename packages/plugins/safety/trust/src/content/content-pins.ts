/** What was there when the user said yes: the bytes of the files that define what runs, and of those that run. */
import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from '@tenon/host';
import type { ProjectProgram } from '../api.ts';
import { namedFiles, namedFolders, pythonParts, realOf, RUNS_PYTHON, scriptsOf } from './named-files.ts';

/** How far the folders that make Tenon run something are read when a project is trusted. */
const BASELINE = { files: 2_000, depth: 5, bytes: 1024 * 1024 };

const PACKAGE_RUNNERS = ['npm', 'npx', 'pnpm', 'yarn', 'bun'];

/** The bytes behind one program. */
export interface ProgramPin {
  /** Of the command, its arguments, its variables, its address. */
  readonly definition: string;
  /** Of each file of the project that it runs, by path from the folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a record of trust keeps about contents. */
export interface TrustedContent {
  /** Files that define what runs (`.mcp.json`, `.claude/settings.json`, …) as they were when the folder was trusted. */
  readonly files: Readonly<Record<string, string>>;
  readonly programs: Readonly<Record<string, ProgramPin>>;
}

/** A program that is not what it was, and what about it. */
export interface ProgramChange {
  readonly program: ProjectProgram;
  /** In words: `scripts/hook.sh changed`. */
  readonly what: string;
}

/** The bytes behind a program now. */
export function pinOf(folder: string, program: ProjectProgram): ProgramPin {
  const cwd = program.cwd === undefined ? folder : resolve(folder, program.cwd);
  const texts = stringsIn(program.definition);
  const named = namedFiles(texts, { folder, cwd: realOf(cwd) });
  const own = (program.files ?? []).map((file) => realOf(resolve(folder, file)));
  const files: Record<string, string> = {};
  for (const file of [...named, ...own].sort()) files[nameIn(folder, file)] = hashOfFile(file);
  const places = namedFolders(texts, { folder, cwd: realOf(cwd) });
  const runs = new Set(texts.flatMap((text) => text.split(/[\s/;&|()]+/)));
  const scripts = PACKAGE_RUNNERS.some((name) => runs.has(name)) ? places.flatMap(scriptsOf) : [];
  const python = [...RUNS_PYTHON].some((name) => runs.has(name)) ? places.flatMap(pythonParts) : [];
  return {
    definition: hashOf(JSON.stringify([program.definition ?? null, [...scripts, ...python]])),
    files,
  };
}

/** The key of a program among those of a folder. */
export function keyOf(folder: string, { name, file }: ProjectProgram): string {
  return `${nameIn(folder, realOf(file))} ${name}`;
}

/** How programs stand to what was trusted. */
export interface Comparison {
  readonly changes: readonly ProgramChange[];
  /** The bytes of what changed, to be remembered when the user agrees. */
  readonly pins: Readonly<Record<string, ProgramPin>>;
  /** Those of programs that were trusted with the folder and never looked at. */
  readonly unseen: Readonly<Record<string, ProgramPin>>;
}

/**
 * What is not as it was trusted. A program that was never looked at counts as trusted with the folder while the file that
 * defines it has the same bytes.
 */
export function compare(
  folder: string,
  content: TrustedContent | undefined,
  programs: readonly ProjectProgram[],
  triggers: readonly string[],
): Comparison {
  const changes: ProgramChange[] = [];
  const pins: Record<string, ProgramPin> = {};
  const unseen: Record<string, ProgramPin> = {};
  for (const program of programs) {
    const key = keyOf(folder, program);
    const now = pinOf(folder, program);
    const before = content?.programs[key];
    const what =
      before === undefined
        ? content && newness(folder, content, program, triggers)
        : differences(before, now, nameIn(folder, realOf(program.file)));
    if (what !== undefined) {
      pins[key] = now;
      changes.push({ program, what });
    } else if (before === undefined) unseen[key] = now;
  }
  return { changes, pins, unseen };
}

function newness(
  folder: string,
  { files }: TrustedContent,
  { name, file }: ProjectProgram,
  triggers: readonly string[],
): string | undefined {
  const path = realOf(file);
  // What the user keeps outside of the project is not the project's to change.
  if (!isInside(path, folder)) return undefined;
  const shown = nameIn(folder, path);
  if (files[shown] === undefined) {
    // What lies elsewhere is named by a trigger, or by the user: while no trigger has changed, it was named all along.
    const isTrigger = triggers.some((trigger) => isInside(path, join(folder, trigger)));
    if (!isTrigger && isSame(baselineOf(folder, triggers), files)) return undefined;
    return `${name} is new (${shown})`;
  }
  return files[shown] === hashOfFile(path) ? undefined : `${name} is new or changed (${shown})`;
}

function isSame(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => left[name] === right[name]);
}

function differences(before: ProgramPin, now: ProgramPin, definedIn: string): string | undefined {
  const names = [...new Set([...Object.keys(before.files), ...Object.keys(now.files)])].sort();
  const files = names.flatMap((name) => {
    const [old, current] = [before.files[name], now.files[name]];
    if (old === current) return [];
    return [`${name} ${old === undefined ? 'is new' : current === undefined ? 'is gone' : 'changed'}`];
  });
  const all = before.definition === now.definition ? files : [`its command in ${definedIn} changed`, ...files];
  return all.length === 0 ? undefined : all.join(', ');
}

/** The files in the places that make Tenon run something, with their hashes. */
export function baselineOf(folder: string, triggers: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {};
  let left = BASELINE.files;
  const visit = (path: string, depth: number): void => {
    if (left <= 0) return;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) {
      left--;
      if (stats.size <= BASELINE.bytes) files[nameIn(folder, realOf(path))] = hashOfFile(path);
    } else if (stats?.isDirectory() && depth < BASELINE.depth) {
      for (const { name } of entriesIn(path))
        if (name !== 'node_modules' && name !== '.git') visit(join(path, name), depth + 1);
    }
  };
  for (const trigger of triggers) {
    try {
      visit(join(folder, trigger), 0);
    } catch {
      // A link in circles, or out of reach: it has no bytes to remember, so that what it defines is asked about.
    }
  }
  return files;
}

function entriesIn(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** All texts in a value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function hashOfFile(path: string): string {
  try {
    return statSync(path).isFile() ? hashOf(readFileSync(path)) : 'no file';
  } catch {
    return 'unreadable'; // It has no bytes to compare; when it gets some, that is a change.
  }
}

function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function nameIn(folder: string, path: string): string {
  const inside = isInside(path, folder) ? relative(folder, path) : path;
  return isAbsolute(inside) ? inside : inside.split(sep).join('/');
}
