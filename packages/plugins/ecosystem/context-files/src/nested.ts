/** AGENTS.md and its like in folders below the working folder: each comes with the result of the first call that reads or changes a file there. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isBelow } from '@tenon/host';
import type { ContextFile, Discovered } from '@tenon/discovery/api';
import { renderPrompt } from '@tenon/prompts';
import type { ToolResultEvent } from '@tenon/tools/api';
import { cutText, fencedText, tagValue } from '@tenon/wording';
import nestedPrompt from './prompts/nested.md';

/** Looked for before discovery is asked, which reads much more. */
const NAMES = ['AGENTS.md', 'AGENTS.override.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md'];
const MAX_CHARS = 20_000;
const MAX_DEPTH = 32;

/** What a session was told. */
interface Known {
  readonly files: Set<string>;
  readonly folders: Set<string>;
}

/** Finds the context files for a folder. */
export type LoadFiles = (folder: string, signal: AbortSignal) => Promise<readonly Discovered<ContextFile>[]>;

/** Keeps what each session was told, so that it is told once. */
export class NestedFiles {
  readonly #load: LoadFiles;
  readonly #known = new Map<string, Known>();

  constructor(load: LoadFiles) {
    this.#load = load;
  }

  /** What the system prompt of a session says already. */
  begin(session: string, files: readonly string[]): void {
    for (const file of files) this.#of(session).files.add(file);
  }

  forget(session: string): void {
    this.#known.delete(session);
  }

  /** The text that goes with a result; undefined when there is nothing new. */
  async textFor({ touches, scope, result }: ToolResultEvent, signal: AbortSignal): Promise<string | undefined> {
    if (!scope || result.isError === true) return undefined;
    const { session, cwd } = scope;
    const known = this.#of(session);
    const touched = [...(touches.reads ?? []), ...(touches.writes ?? [])];
    const folders = new Set(touched.flatMap((file) => foldersBetween(cwd, dirname(file))));
    const fresh = [...folders].filter((folder) => !known.folders.has(folder));
    for (const folder of fresh) known.folders.add(folder);
    const files = new Map<string, Discovered<ContextFile>>();
    for (const folder of fresh.filter(hasInstructions)) {
      for (const item of await this.#load(folder, signal)) {
        const isNew = item.level === 'project' && item.pack === undefined && !known.files.has(item.file);
        if (isNew && item.value.role === undefined && isBelow(item.file, cwd)) files.set(item.file, item);
      }
    }
    for (const file of files.keys()) known.files.add(file);
    return files.size === 0 ? undefined : render([...files.values()], cwd);
  }

  #of(session: string): Known {
    const known = this.#known.get(session) ?? { files: new Set(), folders: new Set() };
    this.#known.set(session, known);
    return known;
  }
}

/** The folders from just below the working folder down to another; none when that is not below. */
function foldersBetween(cwd: string, folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; isBelow(at, cwd) && folders.length < MAX_DEPTH; at = dirname(at)) folders.push(at);
  return folders.reverse();
}

function hasInstructions(folder: string): boolean {
  return NAMES.some((name) => existsSync(join(folder, name)));
}

function render(files: readonly Discovered<ContextFile>[], cwd: string): string {
  let room = MAX_CHARS;
  const parts = files.map(({ value, file, isUntrusted = false }) => {
    const content = cutText(fencedText(value.content), Math.max(room, 0));
    room -= content.length;
    return { path: tagValue(relative(cwd, file)), content, untrusted: isUntrusted };
  });
  return renderPrompt(nestedPrompt, { files: parts, hasUntrusted: parts.some(({ untrusted }) => untrusted) });
}
