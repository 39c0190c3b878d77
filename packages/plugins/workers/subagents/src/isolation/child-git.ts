/**
 * Gives a workspace a git folder of its own that borrows the objects of the repository. Branches, stashes and settings of the repository are
 * out of a subagent's reach, and nothing has to be cleaned up in it.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '@tenon/host';
import type { RepositoryFacts } from './store.ts';

/** Makes `.git` in a folder, at the same commit, with the same branches and the same staged changes. */
export async function makeChildGit(files: string, facts: RepositoryFacts, signal?: AbortSignal): Promise<void> {
  const folder = join(files, '.git');
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  const env = { GIT_DIR: facts.gitFolder };
  const ask = async (...args: readonly string[]) => (await runGit(facts.gitFolder, args, { env, signal })).out;
  const refs = (await ask('for-each-ref', '--format=%(objectname) %(refname)')).trim();
  const who = [await ask('config', '--get', 'user.name'), await ask('config', '--get', 'user.email')] as const;
  const isNewFormat = facts.format !== 'sha1';
  const settings = [
    '[core]',
    `\trepositoryformatversion = ${isNewFormat ? 1 : 0}`,
    '\tbare = false',
    '\tlogallrefupdates = true',
    ...(isNewFormat ? ['[extensions]', `\tobjectFormat = ${facts.format}`] : []),
    '[user]',
    ...[`name = ${settingValue(who[0])}`, `email = ${settingValue(who[1])}`].map((line) => `\t${line}`),
  ];
  writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`);
  writeFileSync(join(folder, 'objects/info/alternates'), `${facts.objects}\n`);
  if (refs !== '') writeFileSync(join(folder, 'packed-refs'), `${refs}\n`);
  writeFileSync(join(folder, 'HEAD'), readFileSync(join(facts.gitFolder, 'HEAD')));
  for (const [from, to] of [
    [facts.index, 'index'],
    [facts.exclude, 'info/exclude'],
    [join(facts.objects, '../shallow'), 'shallow'],
  ] as const)
    if (existsSync(from)) copyFileSync(from, join(folder, to));
}

function settingValue(text: string): string {
  return `"${text
    .trim()
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', ' ')}"`;
}
