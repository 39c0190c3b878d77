/** Files whose text goes into every conversation, with what they include by `@path`. */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { ContextFile } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

const MAX_DEPTH = 5;
const MAX_INCLUDED = 32;
/** An `@path` at the beginning of a word. */
const INCLUDE = /(?:^|\s)@((?:~\/)?[\w./-]*\w)/g;
const WHOLE_LINE = /^\s*(?:[-*]\s+)?@(\S+)\s*$/;

/** How a tool writes its context files. */
export interface ContextOptions {
  /** Whether `@path` includes another file. */
  readonly includes?: boolean;
  readonly priority?: number;
  readonly role?: ContextFile['role'];
}

/** A context file, if it is there and says something. */
export async function readContextFile(
  search: Search<ContextFile>,
  place: Origin,
  options: ContextOptions = {},
): Promise<void> {
  const text = await search.text(place);
  if (text === undefined || text.trim() === '') return;
  const content = options.includes === true ? await withIncludes(search, place, text) : text.trim();
  const depth = place.level === 'project' && place.bundle === undefined ? depthOf(search, place) : undefined;
  search.add({
    key: place.path,
    value: {
      path: place.path,
      content,
      ...(depth !== undefined && { depth }),
      ...(options.role !== undefined && { role: options.role }),
    },
    place,
    ...(options.priority !== undefined && { priority: options.priority }),
  });
}

/** How many folders are between the file's project folder and the working folder. */
function depthOf(search: Search<ContextFile>, place: Origin): number {
  const at = search.project.folders.findIndex((folder) => isInside(place.path, folder));
  return Math.max(at, 0);
}

/** The text with the files that it includes: a line with nothing else is replaced, others are added at the end. */
async function withIncludes(search: Search<ContextFile>, place: Origin, text: string): Promise<string> {
  const tree = place.level === 'project' ? [search.project.root] : [dirname(place.path), ...userFolders(search)];
  const includedFiles = new Set([identityOf(search, place.path)]);
  let budget = MAX_INCLUDED;

  const expand = async (file: string, source: string, level: number): Promise<string> => {
    const lines: string[] = [];
    const added: string[] = [];
    let fence = '';
    for (const line of source.split('\n')) {
      const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? '';
      if (fence === '' ? mark !== '' : mark.startsWith(fence)) fence = fence === '' ? mark : '';
      if (fence !== '' || mark !== '' || !line.includes('@')) {
        lines.push(line);
        continue;
      }
      const whole = WHOLE_LINE.exec(line)?.[1];
      if (whole !== undefined) {
        lines.push((await include(file, whole, level, true)) ?? line);
        continue;
      }
      for (const [, target = ''] of line.replaceAll(/`[^`]*`/g, '').matchAll(INCLUDE)) {
        const content = await include(file, target, level, false);
        if (content !== undefined) added.push(content);
      }
      lines.push(line);
    }
    return [lines.join('\n').trim(), ...added].join('\n\n');
  };

  const include = async (
    file: string,
    target: string,
    level: number,
    isOwnLine: boolean,
  ): Promise<string | undefined> => {
    const path = target.startsWith('~/') ? join(search.home, target.slice(2)) : resolve(dirname(file), target);
    const { stamp, problem } = search.files.look(path);
    search.report(problem);
    const complain = (reason: string) =>
      search.report(errors.create('DISCOVERY_IMPORT', { file: place.path, target: `@${target}`, reason }));
    if (stamp?.type !== 'file') {
      // In running text `@name` is often a person or a package; alone on a line with an ending it is meant as a file.
      if (isOwnLine && !problem && /\.\w+$/.test(target))
        complain(stamp ? 'which is not a file' : 'which is not there');
      return undefined;
    }
    if (!isReallyInside(path, tree)) return void complain('which is outside of what it may include');
    if (includedFiles.has(stamp.identity)) return isOwnLine ? '' : undefined;
    if (level >= MAX_DEPTH || budget === 0) return void complain('but too much is included already');
    budget--;
    includedFiles.add(stamp.identity);
    const text = await search.text({ ...place, path });
    return text === undefined ? undefined : expand(path, text.trim(), level + 1);
  };

  return expand(place.path, text, 0);
}

function userFolders(search: Search<ContextFile>): readonly string[] {
  return ['.claude', '.gemini', '.codex', '.agents', '.config'].map((name) => join(search.home, name));
}

function identityOf(search: Search<ContextFile>, path: string): string {
  return search.files.look(path).stamp?.identity ?? path;
}

/** By real path, so that a link inside the tree does not lead out of it. */
function isReallyInside(path: string, folders: readonly string[]): boolean {
  const real = realPath(path);
  return folders.some((folder) => isInside(real, realPath(folder)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (fault) {
    // What is not there is inside of nothing.
    return `/\0${messageOf(fault)}`;
  }
}
