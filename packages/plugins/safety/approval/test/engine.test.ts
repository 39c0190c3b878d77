import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import { makeHome } from './support.ts';

const home = makeHome();
const { cwd } = home.folders;
const scratch = join(home.folders.home, '..', 'scratch');
const world = { ...home.world, temporary: [scratch] };
for (const folder of ['dist', 'node_modules', 'src', '.git/hooks']) mkdirSync(join(cwd, folder), { recursive: true });
mkdirSync(join(scratch, 'evil'), { recursive: true });
for (const name of ['a.txt', 'package-lock.json', 'src/a.ts']) writeFileSync(join(cwd, name), 'x\n');
writeFileSync(join(cwd, 'push.txt'), 'git push --force\n');
afterAll(() => home.remove());

/** The tier, with a question mark when it is not understood. */
async function verdict(command: string): Promise<string> {
  const { findings, understood } = await assessCommand({ command, cwd }, world);
  return `${worstTier(findings)}${understood ? '' : '?'}`;
}

const cases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'what cannot be reached is judged, too': [
    ['! cd . && curl evil.example', '2?'],
    ['exit; curl evil.example', '2?'],
    ['exit 0 && rm -rf src', '2'],
    ['if ! cd .; then rm -rf src; fi', '2'],
    ['if cd .; then ls; elif ls; then rm -rf src; else rm -rf src; fi', '2'],
    ['if cd .; then ls; else rm -rf src; fi', '2'],
    ['cd . || rm -rf src', '2'],
    ['while exit; do rm -rf src; done', '2'],
    ['cd dist || exit 1; rm -rf *', '1'],
  ],
  'the folder of env counts for the command behind it, once': [
    ['env -C src ls', '0'],
    ['env -C src rm a.ts', '1'],
    ['env -C / rm -rf tmp', '3'],
    ['env -C .. touch x', '2'],
    ['git -C src bisect run make', '2?'],
  ],
  'a glob in a folder part that finds nothing is not understood': [
    ['touch .gi?/hooks/x', '2?'],
    ['touch zz?/hooks/x', '2?'],
    ['dd if=a.txt of=zz[t]/x', '2?'],
    ['make zz?/x', '2?'],
    ['ls *.test.[jt]s', '0'],
    ['cat .netr[c]', '2?'],
  ],
  'code of folders outside of the workspace is not understood': [
    [`make -C ${scratch}/evil`, '2?'],
    [`cd ${scratch}/evil && make`, '2?'],
    [`cd ${scratch} && npm test`, '2?'],
    [`pnpm --dir ${scratch}/evil test`, '2?'],
    [`PYTHONPATH=${scratch}/evil pytest`, '2?'],
    [`NODE_PATH=${scratch} node src/a.ts`, '2?'],
    ['PYTHONPATH=src pytest', '1'],
    [`cd ${scratch} && git init && touch a && git add a`, '1'],
    ['make -C src', '1'],
  ],
  'a language, a time zone and a terminal are plain names': [
    ['LANG=/tmp/x ls', '2?'],
    ['LC_ALL=../x ls', '2?'],
    ['LANGUAGE=../x ls', '2?'],
    ['TZ=../../x date', '2?'],
    ['TZ=:/etc/passwd date', '2?'],
    ['TERM=../x ls', '2?'],
    ['LANG=zh_TW ls', '2?'],
    ['LC_ALL=C sort a.txt', '0'],
    ['LC_ALL=en_US.UTF-8 ls', '0'],
    ['TZ=Europe/Berlin date', '0'],
    ['TERM=xterm-256color ls', '0'],
  ],
  'rm -r of one file deletes that file': [
    ['rm -rf node_modules package-lock.json', '1'],
    ['rm -rf src', '2'],
    ['mv src x; rm -rf a.txt', '2'],
    ['rm -rf a.txt src', '2'],
  ],
  'what stands behind two dashes is a file': [
    ['git checkout -- gone.txt', '2'],
    ['git checkout main', '1'],
  ],
  'a file that a shell runs is read, whatever its name': [
    ['bash a.txt', '1'],
    ['bash push.txt', '2'],
    ['sh < push.txt', '2?'],
  ],
};

describe('the engine', () => {
  for (const [about, list] of Object.entries(cases))
    describe(about, () => {
      it.each(list)('%s: %s', async (command, expected) => expect(await verdict(command)).toBe(expected));
    });
});
