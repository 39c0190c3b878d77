/** Removes the program and says what of the user's stays. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import type { Folders } from '@tenon/host';
import { shellWord } from '@tenon/wording';
import { confirm } from './confirm.ts';
import { alone } from './folders.ts';
import type { Npm } from './npm.ts';
import { type GlobalPlace, PACKAGE, PREVIOUS, refuseReadOnly } from './place.ts';

/** What a removal works with. */
export interface RemovalParts {
  readonly place: GlobalPlace;
  readonly folders: Pick<Folders, 'config' | 'data' | 'state' | 'cache'>;
  readonly npm: Npm;
}

const HOLDS = {
  config: 'settings, policies, your rules, skills and commands',
  data: 'sessions, packs, stored credentials',
  state: 'log, copies of files for undo',
  cache: 'what can be made again',
} as const;

/** What docs/guide/install.md tells people to install beside Tenon; others may use it, too. */
const COMPANIONS = ['@tenon/grammars', 'libsql', 'sharp', 'playwright-core', '@napi-rs/keyring'];

/** `tenon uninstall`. */
export async function uninstall(parts: RemovalParts, { io, flags, signal }: CommandCall): Promise<number> {
  const { place, folders, npm } = parts;
  const previous = join(place.modules, PREVIOUS);
  const removed = [place.folder, place.command, ...(existsSync(previous) ? [previous] : [])];
  const kept = (Object.keys(HOLDS) as (keyof typeof HOLDS)[]).filter((name) => existsSync(folders[name]));
  const companions = COMPANIONS.filter((name) => existsSync(join(place.modules, name)));
  const lines = [
    `Removes Tenon ${place.version}:`,
    ...removed.map((path) => `  ${path}`),
    '',
    'Leaves, because it is yours:',
    ...kept.map((name) => `  ${folders[name]}  (${HOLDS[name]})`),
    ...(companions.length > 0
      ? [`  npm packages that Tenon used if you installed them for it: npm uninstall -g ${companions.join(' ')}`]
      : []),
    '  .tenon folders in projects, lines in start-up files of your shell, an entry "tenon" in the keychain if you stored credentials',
    ...(kept.length > 0
      ? ['', `To remove the folders too: rm -rf ${kept.map((name) => shellWord(folders[name])).join(' ')}`]
      : []),
  ];
  await io.out(`${lines.join('\n')}\n\n`);
  refuseReadOnly(place);
  if (!(await confirm(io, flags['yes'] === true, `Remove Tenon ${place.version}?`))) {
    await io.out('Nothing was changed.\n');
    return EXIT.ok;
  }
  await alone(place, signal, async () => {
    await npm(['uninstall', '--global', '--prefix', place.prefix, PACKAGE], signal);
    rmSync(previous, { recursive: true, force: true });
  });
  await io.out(`Tenon ${place.version} is removed.\n`);
  return EXIT.ok;
}
