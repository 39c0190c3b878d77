/**
 * Files in the exchange folder. The worker writes there: no link of its own may lead Tenon to a file which the worker could not read or
 * write itself.
 */
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, readPlainFile } from '@tenon/host';
import { replaceFile } from '@tenon/state-files';
import type { SecretMask } from '../masking/mask.ts';

/** Makes folders below `root`, one in the other. Whatever stands in the way and is no folder goes: `mkdir` would follow a link. */
export async function makeOwnFolders(root: string, ...names: readonly string[]): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  let folder = root;
  for (const name of names) {
    folder = join(folder, name);
    const isFolder = await lstat(folder).then(
      (stats) => stats.isDirectory(),
      () => false, // Nothing is there, or nothing that can be looked at: making the folder tells.
    );
    if (isFolder) continue;
    await rm(folder, { force: true });
    await mkdir(folder, { mode: 0o700 });
  }
  return folder;
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
  return (await proposalFiles(root, folder)).map(({ name, text }) => ({ name, ...frontMatter(name, text) }));
}

/** Takes secrets out of the proposals of a worker that has ended. */
export async function maskProposals(root: string, folder: string, mask: SecretMask): Promise<void> {
  if (mask.isEmpty) return;
  for (const { name, text } of await proposalFiles(root, folder)) {
    const masked = mask.text(text);
    if (masked !== text) await replaceFile(join(folder, name), masked, { flush: false, followLinks: false });
  }
}

async function proposalFiles(root: string, folder: string): Promise<readonly Pick<Proposal, 'name' | 'text'>[]> {
  let names: string[];
  try {
    if (!isInside(await realpath(folder), await realpath(root))) return [];
    names = await readdir(folder);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
  const found: Pick<Proposal, 'name' | 'text'>[] = [];
  for (const name of names
    .filter((one) => one.endsWith('.md'))
    .sort()
    .slice(0, MAX_PROPOSALS)) {
    const file = await readPlainFile(root, `${folder}/${name}`);
    if ('text' in file) found.push({ name, text: file.text });
  }
  return found;
}

function frontMatter(name: string, text: string): Pick<Proposal, 'title' | 'text'> {
  const [, head = '', body = text] = /^---\r?\n([^]*?)\r?\n---\r?\n?([^]*)$/.exec(text) ?? [];
  const title = /^title:\s*(?:"(.*)"|'(.*)'|(.*))\s*$/m.exec(head);
  return { title: (title?.[1] ?? title?.[2] ?? title?.[3] ?? name.replace(/\.md$/, '')).trim(), text: body.trim() };
}
