/** The whole state of a folder, for comparison: bytes, modes, links, empty folders; names as bytes. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What stands at each path, in words. `.git` and `.tenon`, which a sandbox makes for as long as it runs, are left out unless asked for. */
export function stateOf(root: string, { git = false } = {}): Record<string, string> {
  const state: Record<string, string> = {};
  const walk = (folder: Buffer, prefix: string) => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const shown = prefix + name.toString('latin1');
      if (!git && ['.git', '.tenon'].includes(name.toString())) continue;
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isSymbolicLink()) state[shown] = `link ${readlinkSync(path, { encoding: 'latin1' as BufferEncoding })}`;
      else if (stat.isDirectory()) {
        state[shown] = `folder ${mode}`;
        walk(path, `${shown}/`);
      } else if (stat.isFile()) state[shown] = `file ${mode} ${readFileSync(path).toString('latin1')}`;
      else state[shown] = 'other';
    }
  };
  walk(Buffer.from(root), '');
  return state;
}
