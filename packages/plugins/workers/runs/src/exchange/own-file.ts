/**
 * Reads files that a worker wrote. Tenon sees more than the worker's sandbox does, so that a link must not lead it to a file
 * which the worker could not read itself.
 */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInside } from '@tenon/host';

const MAX_BYTES = 1024 * 1024;

/** What was found at a path. */
export type OwnFile = { readonly text: string } | { readonly missing: true } | { readonly refused: string };

/** The text of a plain file below `root`, which may not be reached by way of a link. */
export async function readOwnFile(root: string, path: string): Promise<OwnFile> {
  try {
    const folder = await realpath(dirname(path));
    if (!isInside(folder, await realpath(root))) return { refused: 'its folder is a link that leads elsewhere' };
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.nlink > 1) return { refused: 'it is no plain file' };
      if (stats.size > MAX_BYTES) return { refused: `it is larger than ${MAX_BYTES / 1024 / 1024} MB` };
      return { text: await file.readFile('utf8') };
    } finally {
      await file.close();
    }
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true };
    if (code === 'ELOOP' || code === 'EMLINK' || code === 'ENXIO') return { refused: 'it is a link, or no file' };
    throw fault;
  }
}

/** Something that a worker proposes. */
export interface Proposal {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const MAX_PROPOSALS = 200;

/** The proposals in a folder, by name; what is no plain Markdown file is left out. */
export async function readProposals(root: string, folder: string): Promise<readonly Proposal[]> {
  let names: string[];
  try {
    if (!isInside(await realpath(folder), await realpath(root))) return [];
    names = await readdir(folder);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
  const found: Proposal[] = [];
  for (const name of names
    .filter((one) => one.endsWith('.md'))
    .sort()
    .slice(0, MAX_PROPOSALS)) {
    const file = await readOwnFile(root, `${folder}/${name}`);
    if ('text' in file) found.push({ name, ...frontMatter(name, file.text) });
  }
  return found;
}

function frontMatter(name: string, text: string): Pick<Proposal, 'title' | 'text'> {
  const [, head = '', body = text] = /^---\r?\n([^]*?)\r?\n---\r?\n?([^]*)$/.exec(text) ?? [];
  const title = /^title:\s*(?:"(.*)"|'(.*)'|(.*))\s*$/m.exec(head);
  return { title: (title?.[1] ?? title?.[2] ?? title?.[3] ?? name.replace(/\.md$/, '')).trim(), text: body.trim() };
}
