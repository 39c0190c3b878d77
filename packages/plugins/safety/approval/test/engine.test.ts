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
for (const folder of ['odd/x /etc', 'dashed']) mkdirSync(join(cwd, folder), { recursive: true });
for (const name of ['odd/x /etc/passwd', 'dashed/-rf']) writeFileSync(join(cwd, name), 'x');
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
  'names that a command lists are words where nothing on the disk says otherwise': [
    ["cat $(find src -name '*.ts')", '0'],
    ['find src -type f | xargs cat', '0'],
    ['for f in $(find src -type f); do wc -l $f; done', '0'],
    ['find odd | xargs cat', '2?'],
    ['cat $(find odd)', '2?'],
    ['for f in $(find odd); do cat $f; done', '2?'],
    ['find dashed | xargs cat', '2?'],
    ['ls dashed | xargs cat', '2?'],
    ['find odd | while read -r f; do cat $f; done', '2?'],
    ['touch "src/x y"; cat $(find src)', '2?'],
  ],
  'functions are followed where they are called': [
    ['f() { echo hi; }; f', '0'],
    ['f() { cat "$1"; }; f a.txt', '0'],
    ['f() { cat "$1"; }; f ~/.ssh/id_rsa', '2'],
    ['f() { rm -rf "$1"; }', '3?'],
    ['f() { rm -rf src; }', '2'],
    ['f() { cd .. && return; cd src; }; f; touch x', '2'],
    ['f() { cd /etc && return; cd "$1"; }; f src; touch x', '3'],
    ['f() { x=$1; }; f src; rm -rf $x', '2'],
    ['f() { echo ~/.ssh/id_rsa; }; cat $(f)', '2'],
    ['f() { ls; }; f() { rm -rf src; }; f', '2'],
    ['if true; then f() { ls; }; else f() { rm -rf src; }; fi; f', '2'],
    ['f() { ls; }; while read x; do f() { rm -rf src; }; done; f', '2?'],
    ['f() { ls; }; while read x; do f; f() { rm -rf src; }; done', '2?'],
    ['f() { g() { rm -rf src; }; }; f; g', '2'],
    ['(f() { ls; }); f', '2?'],
    ['f() { ls; }; xargs f < a.txt', '2?'],
    ['f() { ls; }; X=1 f', '2?'],
    ['f() { ls; } > /etc/x; f', '3'],
    ['f() { f; }; f', '2?'],
    ['ls() { echo hi; }; ls', '2?'],
    ['cd() { echo hi; }; cd /', '2?'],
    ['command_not_found_handle() { echo x; }', '2?'],
    ['cat <<EOF; f()\n{\nEOF\nrm -rf src; }', '2'],
  ],
  'what a loop changes is not known behind it': [
    [`bash -c 'while :; do cat "$1"; shift; done' x a.txt ~/.ssh/id_rsa`, '2?'],
    ['while read x; do cd /etc; cd -; done; cd -; touch x', '2?'],
    ['while read x; do pushd src; popd; done; popd; touch y', '2?'],
  ],
  'builtins that only look are understood': [
    ['builtin echo hi', '0'],
    ['builtin cd /; rm -rf tmp', '3'],
    ['builtin eval ls', '2?'],
    ['ulimit -a', '0'],
    ['ulimit -n 5', '2?'],
    ['history | tail', '0'],
    ['history -c', '2?'],
    ['make -j$(nproc)', '1'],
    ['x=$(nproc); cat $x a.txt', '2?'],
    ["bash -lc 'npm test'", '1'],
  ],
  "a name that is nobody's may be set": [
    ['export FOO=bar', '0'],
    ['FOO=bar ls', '0'],
    ['MY_NAME=x node src/a.ts', '1'],
    ['export PATH=/tmp/x', '2?'],
    ['export FOO_CONFIG=x', '2?'],
    ['APP_PROXY=x ls', '2?'],
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

  it.each([
    ['substitutions', 'echo $('.repeat(500)],
    ['brackets', '('.repeat(20_000)],
    [
      'functions that call the next one twice',
      Array.from({ length: 40 }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join('\n') + '\nf0',
    ],
    ['ways', 'cd a; cd b; '.repeat(200)],
    ['length', `echo ${'x '.repeat(40_000)}`],
  ])('ends with unusual input, and does not understand it: %s', async (_, command) => {
    expect(await verdict(command)).toMatch(/^[23]\?$/);
  });
});
