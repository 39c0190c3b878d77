import { basename, dirname, isAbsolute, join } from 'node:path';
import * as d from '../api.ts';

const MAX_DEPTH = 4;

/** SSH hosts of files that no other family reads: `~/.ssh/config` and `ssh.json`. */
export const family: d.Family = {
  id: 'ssh',
  priority: 5,
  places: { ssh: ['`~/.ssh/config`, `~/.omp/agent/ssh.json`', '`ssh.json`, `.ssh.json`, `.omp/ssh.json`'] },
  looks: [
    d.reads(d.sshHosts, { project: '.omp/ssh.json', user: '.omp/agent/ssh.json' }, d.readSshFile),
    d.reads(d.sshHosts, { project: ['ssh.json', '.ssh.json'] }, d.readSshFile),
    d.reads(d.sshHosts, { user: '.ssh/config' }, readSshConfig),
  ],
};

interface Block {
  readonly names: readonly string[];
  readonly place: d.Origin;
  readonly fields: Map<string, string>;
}

/** Adds every host that has a name of its own. Patterns, conditions and commands are left to ssh itself. */
async function readSshConfig(search: d.Search<d.SshHost>, file: d.Origin): Promise<void> {
  const blocks = await readBlocks(search, file, 0);
  const addedNames = new Set<string>();
  for (const { names, place, fields } of blocks) {
    for (const name of names) {
      if (addedNames.has(name)) continue;
      addedNames.add(name);
      const identity = fields.get('identityfile');
      const port = fields.get('port');
      d.addSshHost(search, place, name, {
        host: fields.get('hostname')?.replaceAll('%h', name) ?? name,
        user: fields.get('user'),
        port: port === undefined ? undefined : Number(port),
        identityFile: identity === undefined ? undefined : search.fromHome(identity.replace(/^%d/, '~')),
        description: undefined,
      });
    }
  }
}

async function readBlocks(search: d.Search<d.SshHost>, file: d.Origin, depth: number): Promise<readonly Block[]> {
  const text = await search.text(file);
  if (text === undefined) return [];
  const blocks: Block[] = [];
  let current: Block | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', value = ''] = /^([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/.exec(line.trim()) ?? [];
    const words = wordsOf(value);
    switch (key.toLowerCase()) {
      case '':
        break;
      case 'include':
        if (depth < MAX_DEPTH)
          for (const word of words)
            for (const place of await included(search, file, word))
              blocks.push(...(await readBlocks(search, place, depth + 1)));
        break;
      case 'host':
        current = { names: words.filter((word) => !/[*?!]/.test(word)), place: file, fields: new Map() };
        blocks.push(current);
        break;
      case 'match':
        current = undefined;
        break;
      default:
        // The first value of a key counts, as with ssh.
        if (current && words[0] !== undefined && !current.fields.has(key.toLowerCase()))
          current.fields.set(key.toLowerCase(), words[0]);
    }
  }
  return blocks;
}

/** Included files are below `~/.ssh` unless their path says otherwise; `*` stands for any letters of a name. */
async function included(search: d.Search<d.SshHost>, file: d.Origin, word: string): Promise<readonly d.Origin[]> {
  const path = word.startsWith('~') || isAbsolute(word) ? search.fromHome(word) : join(search.home, '.ssh', word);
  const pattern = basename(path);
  if (!pattern.includes('*')) return [{ ...file, path }];
  const folder = { ...file, path: dirname(path) };
  return (await search.list(folder))
    .filter(({ name }) => d.matchesName(pattern, name))
    .map((entry) => ({ ...file, path: entry.path }));
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));
}
