/** Configurations for the comparison with git: which excludes file counts, and whether case does. */
import { symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { type Bytes, makeRepository, put } from './ignore-worlds.ts';

/** What is written where; `HOME` and `TOP` in the texts stand for the two folders. */
export interface ConfigWorld {
  readonly user: Bytes;
  readonly xdg: Bytes;
  readonly own: Bytes;
  /** Files that others include: in the user's home and beside the repository's own. */
  readonly included: Readonly<Record<string, Bytes>>;
  readonly branch: string;
}

/** Excludes files; each hides one name that no other hides. */
const EXCLUDES = ['one', 'two', 'three four', 'five;six', 'seven#', 'eight"'];

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
const excludesPath = fc.tuple(fc.constantFrom('~/', 'HOME/', '../home/', 'TOP/../home/'), fc.constantFrom(...EXCLUDES));
const value = fc.oneof(
  excludesPath.map(([folder, file]) => `"${escaped(folder + file)}"`),
  excludesPath.map(([folder, file]) => `${escaped(folder)}"${escaped(file)}"  ; comment`),
  fc.constantFrom(
    '~/one',
    'HOME/two # comment',
    '  ~/one  ',
    '~/"one"',
    '"~/o"ne',
    '~/three four',
    '~/o\\\n   ne',
    '~/tw\\\no',
    '',
    '""',
    '~root/none',
    '~nobody-there/x',
  ),
);
const setting = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('excludesFile', 'excludesfile', 'EXCLUDESFILE'),
        fc.constantFrom('=', ' = ', '\t=  '),
        value,
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'ignorecase',
      'ignoreCase = true',
      'ignorecase=no',
      'ignorecase = 1',
      'ignorecase = 0',
      'ignorecase = on',
      'ignorecase=off',
      'ignorecase = false',
      'ignorecase = ""',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('; comment', '# excludesFile = ~/one', 'editor = "vi\\t\\"x\\""', '', 'pager'),
  },
);
const core = fc
  .tuple(
    fc.constantFrom('[core]', '[CORE]', '[core] ', '[core]\r', '[core] ; c', '[core "x"]', '[core.x]', '[ core ]'),
    fc.array(setting, { maxLength: 3 }),
    fc.constantFrom('\n', '\n', '\n\t', '\r\n'),
  )
  .map(([head, settings, end]) => [head, ...settings].join(end) + end);

const FILES = ['extra', 'more.inc', 'deep/extra'];
const target = fc
  .tuple(fc.constantFrom('', '~/', 'HOME/', './'), fc.constantFrom(...FILES, 'absent'))
  .map((parts) => parts.join(''));
const condition = fc.constantFrom(
  'gitdir:TOP/',
  'gitdir:TOP/.git',
  'gitdir:repository/',
  'gitdir:repository',
  'gitdir:~/',
  'gitdir:~/../repository/',
  'gitdir:./',
  'gitdir:**/.git',
  'gitdir:*/.git',
  'gitdir/i:REPOSITORY/',
  'gitdir/i:repository/.GIT',
  'gitdir:REPOSITORY/',
  'gitdir:HOME/link/',
  'gitdir:/**',
  'onbranch:main',
  'onbranch:m*',
  'onbranch:topic/',
  'onbranch:topic/**',
  'onbranch:*',
  'hasconfig:remote.*.url:https://example.org/**',
  'hasconfig:remote.*.url:https://*/x',
  'nonsense:x',
);
const inclusion = fc.oneof(
  target.map((path) => `[include]\n\tpath = ${path}\n`),
  // Files that include themselves, or each other.
  fc.constantFrom(...FILES).map((path) => `[include]\n\tpath = ~/${path}\n`),
  fc.tuple(condition, target).map(([when, path]) => `[includeIf "${when}"]\n\tpath = "${path}"\n`),
);
const remote = fc.constantFrom(
  '[remote "origin"]\n\turl = https://example.org/a/x\n',
  '[remote "o.p"]\nurl=https://h/x\n',
);
const broken = fc.constantFrom(
  '[core\n',
  '[core]\nexcludesFile = "~/one\n',
  '[core]\n=1\n',
  '[core]\nexcludesFile = \\q\n',
  'x\n',
);
const text = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: core }, { weight: 5, arbitrary: inclusion }, { weight: 1, arbitrary: remote }),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const sometimesBroken = fc.tuple(text, fc.option(broken, { freq: 30 })).map(([good, bad]) => good + (bad ?? ''));

/** Configurations of the user and the repository, and files that they include. */
export const configWorld: fc.Arbitrary<ConfigWorld> = fc.record({
  user: sometimesBroken,
  xdg: text,
  own: sometimesBroken,
  included: fc.dictionary(fc.constantFrom(...FILES), fc.oneof(core, core, inclusion), { maxKeys: 3 }),
  branch: fc.constantFrom('main', 'topic/a'),
});

/** Writes the files of a world and one entry for each excludes file. */
export function plantConfig(world: ConfigWorld, top: string, home: string): void {
  const filled = (template: string): string => template.replaceAll('HOME', home).replaceAll('TOP', top);
  makeRepository(top, filled(world.own));
  put(`${top}/.git/HEAD`, `ref: refs/heads/${world.branch}\n`);
  put(`${home}/.gitconfig`, filled(world.user));
  put(`${home}/.config/git/config`, filled(world.xdg));
  put(`${home}/.config/git/ignore`, 'by-default\n');
  symlinkSync(top, `${home}/link`);
  for (const [name, content] of Object.entries(world.included)) {
    for (const folder of [home, `${top}/.git`]) put(`${folder}/${name}`, filled(content));
  }
  put(`${top}/by-default`, '');
  put(`${top}/BY-DEFAULT`, '');
  EXCLUDES.forEach((name, index) => {
    put(`${home}/${name}`, `hidden-${index}\n`);
    put(`${top}/hidden-${index}`, '');
    put(`${top}/HIDDEN-${index}`, '');
  });
}
