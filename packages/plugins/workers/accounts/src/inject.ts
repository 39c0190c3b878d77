/** Gives a worker one account: variables, or a folder with a login. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { replaceFile } from '@tenon/state-files';
import type { Account, Injection, InjectionPlace } from './api.ts';
import { errors } from './errors.ts';
import { type Login, LOGIN_HOMES, type LoginHome, parseLogin } from './login-homes.ts';
import { isEnding, renew } from './renew.ts';

/** Keys under the names that the vendors' own tools read, for workers that name none. */
const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY'],
  moonshot: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
  sourcegraph: ['AMP_API_KEY'],
  cursor: ['CURSOR_API_KEY'],
};

/** What injecting needs of its surroundings. */
export interface InjectionParts {
  /** Where the folders of accounts lie. */
  readonly folder: string;
  readonly home: string;
  secret(id: string): Promise<string | undefined>;
  changeSecret(id: string, change: (present: string | undefined) => Promise<string | undefined>): Promise<void>;
  /** Takes the place of the real logins in tests. */
  readonly homes?: Readonly<Record<string, LoginHome>>;
}

/** The worker writes to the folder: a link that it has left there must not lead what is written elsewhere. */
const IN_PLACE = { followLinks: false } as const;

const NOTHING: Injection = { env: {}, folders: [], secrets: [], release: async () => undefined };

/** Prepares an account for a worker. */
export async function inject(parts: InjectionParts, account: Account, place: InjectionPlace): Promise<Injection> {
  const { id, kind, vendor } = account;
  const home = (parts.homes ?? LOGIN_HOMES)[place.worker];
  const unfit = () => errors.create('ACCOUNTS_KIND', { worker: place.worker, id, kind, vendor });
  if (kind === 'config-folder') {
    if (!home || account.folder === undefined) throw unfit();
    return { ...NOTHING, env: { [home.variable]: account.folder }, folders: [account.folder] };
  }
  const secret = await parts.secret(id);
  if (secret === undefined) throw ended(account, 'its credential is gone');
  if (kind === 'oauth') {
    if (!home) throw unfit();
    return injectLogin(parts, account, place, home);
  }
  if (kind === 'setup-token' && home?.tokenVariable === undefined) throw unfit();
  const own = KEY_VARIABLES[vendor] ?? [];
  const names =
    kind === 'setup-token'
      ? [home?.tokenVariable ?? '']
      : own.length > 0
        ? own
        : (place.keyVariables ?? []).slice(0, 1);
  if (names.length === 0) throw unfit();
  return { ...NOTHING, env: Object.fromEntries(names.map((name) => [name, secret])), secrets: [secret] };
}

async function injectLogin(
  parts: InjectionParts,
  account: Account,
  { worker, signal }: InjectionPlace,
  home: LoginHome,
): Promise<Injection> {
  const folder = join(parts.folder, account.id, worker);
  // What the CLI has renewed in a run that nobody saw end.
  await takeBack(parts, account.id, home, folder);
  const text = await validLogin(parts, account, home, signal);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(home.files))
    if (!existsSync(join(folder, name))) await replaceFile(join(folder, name), content, IN_PLACE);
  const shared = home.shared.flatMap((name) => share(parts, worker, home, folder, name));
  const reads = home.settings.flatMap((name) => shareSettings(parts, worker, home, folder, name));
  await replaceFile(join(folder, home.file), text, IN_PLACE);
  return {
    env: { [home.variable]: folder },
    folders: [folder, ...shared],
    reads,
    secrets: home.read(parseLogin(text))?.secrets ?? [],
    // A CLI that renews its login writes the file anew; another run of the same account may use it meanwhile, so it stays.
    release: () => takeBack(parts, account.id, home, folder),
  };
}

/** Renews under the lock of the store: refresh tokens often work once. */
async function validLogin(
  parts: InjectionParts,
  account: Account,
  home: LoginHome,
  signal: AbortSignal,
): Promise<string> {
  let text = '';
  await parts.changeSecret(account.id, async (present) => {
    const login = present === undefined ? undefined : home.read(parseLogin(present));
    if (present === undefined || !login) throw ended(account, 'it cannot be read');
    text = present;
    if (!isEnding(login) || home.renewed === undefined) return present;
    try {
      text = JSON.stringify(home.renewed(parseLogin(present), await renew(home, login, signal)));
    } catch (fault) {
      signal.throwIfAborted();
      throw ended(account, messageOf(fault));
    }
    return text;
  });
  return text;
}

/** Only a plain file: a link could lead to the login of another account, which this one would then have. */
async function takeBack(parts: InjectionParts, id: string, home: LoginHome, folder: string): Promise<void> {
  const file = await readPlainFile(folder, join(folder, home.file));
  if (!('text' in file)) return;
  const written = file.text;
  const login = home.read(parseLogin(written));
  if (!login) return;
  await parts.changeSecret(id, async (present) => {
    // The account may have been removed meanwhile.
    if (present === undefined) return undefined;
    return isNewer(login, home.read(parseLogin(present))) ? written : present;
  });
}

function isNewer(written: Login, kept: Login | undefined): boolean {
  if (!kept || written.access === kept.access) return false;
  return (written.expiresAt ?? Infinity) >= (kept.expiresAt ?? 0);
}

/** Links an entry of the account's folder to the user's own one, or to one that all accounts have in common. Gives where it leads. */
function share(parts: InjectionParts, worker: string, home: LoginHome, folder: string, name: string): string[] {
  const link = join(folder, name);
  const target = targetOf(parts, worker, home, name);
  if (target === undefined) return [];
  if (!existsSync(target)) mkdirSync(target, { recursive: true, mode: 0o700 });
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(target, link);
  return [target];
}

/** The same for settings. A worker may have put others in their place, and a person who takes over would run what they name. */
function shareSettings(parts: InjectionParts, worker: string, home: LoginHome, folder: string, name: string): string[] {
  const link = join(folder, name);
  const found = lstatSync(link, { throwIfNoEntry: false });
  const leadsTo = found?.isSymbolicLink() === true ? readlinkSync(link) : undefined;
  if (found !== undefined && (leadsTo === undefined || leadsTo !== targetOf(parts, worker, home, name)))
    rmSync(link, { recursive: true, force: true });
  return share(parts, worker, home, folder, name);
}

/** Where an entry leads: to the user's own one, else to a folder that all accounts have in common; a file must be there. */
function targetOf(parts: InjectionParts, worker: string, home: LoginHome, name: string): string | undefined {
  const own = join(parts.home, home.own, name);
  if (existsSync(own)) return own;
  return name.includes('.') ? undefined : join(parts.folder, 'shared', worker, name);
}

function ended({ id, vendor }: Account, reason: string): Error {
  return errors.create('ACCOUNTS_LOGIN_ENDED', { id, vendor, reason });
}
