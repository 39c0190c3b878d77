/** The files of a folder on this machine, as entries of a tree. Links are not followed. */
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { TreeEntry } from './write-tree.ts';

/** Walks a folder. What belongs to version control is left out; what is neither file, folder nor link is refused. */
export async function* folderEntries(root: string, what: string, below = ''): AsyncGenerator<TreeEntry> {
  const names = await readdir(join(root, below), { encoding: 'buffer' }).catch((fault: unknown) => {
    throw errors.create('MARKETPLACE_UNREADABLE', { file: join(root, below), reason: messageOf(fault) }, fault);
  });
  for (const bytes of names.sort(Buffer.compare)) {
    const name = decodeName(bytes, what);
    if (/^\.git$/i.test(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    const file = join(root, path);
    const stats = await lstat(file);
    if (stats.isDirectory()) yield* folderEntries(root, what, path);
    else if (stats.isSymbolicLink()) {
      const target = Buffer.from(await readlink(file));
      yield { path, kind: 'link', executable: false, size: target.length, bytes: [target] };
    } else if (stats.isFile()) {
      const executable = (stats.mode & 0o111) !== 0;
      yield { path, kind: 'file', executable, size: stats.size, bytes: createReadStream(file) };
    } else {
      const reason = `${JSON.stringify(path)} is a device, a pipe or a socket`;
      throw errors.create('MARKETPLACE_HOSTILE', { what, reason });
    }
  }
}

function decodeName(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const reason = `the name ${JSON.stringify(bytes.toString('latin1'))} is not valid Unicode`;
    throw errors.create('MARKETPLACE_HOSTILE', { what, reason });
  }
}
