/** Keeps accounts, chooses the next one, and prepares it for a worker. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AuthStore } from '@tenon/models/api';
import { didYouMean } from '@tenon/wording';
import type { Account, Accounts } from './api.ts';
import { chooseAccount } from './choice.ts';
import { errors } from './errors.ts';
import { inject, type InjectionParts } from './inject.ts';
import { folderSecrets, ownLoginSecrets, secretsInLogin } from './login-secrets.ts';
import { IMPORTABLE, type LoginHome, parseLogin } from './login-homes.ts';
import { dropAccount, putAccount, readAccounts } from './records.ts';

/** What the service is made of. */
export interface AccountsParts {
  readonly data: string;
  readonly state: string;
  readonly home: string;
  auth(): Promise<Pick<AuthStore, 'secret' | 'changeSecret'>>;
  /** Takes the place of the real logins in tests. */
  readonly homes?: Readonly<Record<string, LoginHome>>;
  now?(): number;
}

const NOTHING_USED = { runs: 0, input: 0, output: 0, cost: 0 };
const secretName = (id: string) => `account ${id}`;

/** Makes the service. */
export function createAccounts(parts: AccountsParts): Accounts {
  const { data } = parts;
  const now = () => parts.now?.() ?? Date.now();
  const injection: InjectionParts = {
    folder: join(parts.state, 'accounts'),
    home: parts.home,
    secret: async (id) => (await parts.auth()).secret(secretName(id)),
    changeSecret: async (id, change) => (await parts.auth()).changeSecret(secretName(id), change),
    ...(parts.homes && { homes: parts.homes }),
  };

  const change = (id: string, by: (account: Account) => Account): Promise<Account> =>
    putAccount(data, (all) => {
      const present = all[id];
      if (!present) throw unknown(id, Object.keys(all));
      return by(present);
    });

  return {
    list: async (vendor) => readAccounts(data).filter((account) => vendor === undefined || account.vendor === vendor),

    async add({ vendor, kind, secret, folder, label }) {
      if (!/^[a-z][a-z0-9-]{0,40}$/.test(vendor)) throw errors.create('ACCOUNTS_VENDOR', { vendor });
      if (kind === 'config-folder') requireFolder(folder ?? '');
      else requireSecret(vendor, kind, secret ?? '');
      const added = await putAccount(data, (all) => {
        const id = freeId(vendor, Object.keys(all));
        return {
          id,
          vendor,
          label: label ?? id,
          kind,
          added: new Date(now()).toISOString(),
          usage: NOTHING_USED,
          limits: [],
          // Without its credential it is of no use: it is taken in only when that is stored.
          isEnabled: kind === 'config-folder',
          ...(folder !== undefined && { folder }),
        };
      });
      if (kind === 'config-folder') return added;
      const { id } = added;
      await injection.changeSecret(id, async () => secret?.trim());
      return change(id, (account) => ({ ...account, isEnabled: true }));
    },

    async remove(id) {
      if (!readAccounts(data).some((account) => account.id === id)) return false;
      await injection.changeSecret(id, async () => undefined);
      await dropAccount(data, id);
      rmSync(join(injection.folder, id), { recursive: true, force: true });
      return true;
    },

    enable: (id, isEnabled) =>
      change(id, ({ exhaustedUntil: _until, exhaustedFor: _why, ...account }) => ({
        ...account,
        isEnabled,
        limits: isEnabled ? [] : account.limits,
      })),

    async next(vendor, { except = [] } = {}) {
      if (!readAccounts(data).some((account) => account.vendor === vendor && account.isEnabled)) return undefined;
      return putAccount(data, (all) => {
        const candidates = Object.values(all).filter(
          (account) => account.vendor === vendor && account.isEnabled && !except.includes(account.id),
        );
        const choice = chooseAccount(candidates, now());
        if (!('account' in choice)) {
          const until = choice.freeAt === undefined ? 'no known time' : new Date(choice.freeAt).toISOString();
          throw errors.create('ACCOUNTS_EXHAUSTED', { vendor, until });
        }
        // Marked here and not when it starts: two that ask at the same time get two accounts.
        return { ...choice.account, lastUsed: new Date(now()).toISOString() };
      });
    },

    inject: (account, place) => inject(injection, account, place),

    async secrets({ worker, account: id, env }) {
      const account = id === undefined ? undefined : readAccounts(data).find((one) => one.id === id);
      if (account === undefined) return ownLoginSecrets(worker, parts.home, env);
      if (account.folder !== undefined) return folderSecrets(worker, account.folder);
      const secret = await injection.secret(account.id);
      if (account.kind !== 'oauth') return secret === undefined ? [] : [secret];
      // Also what the CLI itself has renewed, which is taken back when its session ends.
      const renewed = await folderSecrets(worker, join(injection.folder, account.id, worker));
      return [...(secret === undefined ? [] : secretsInLogin(secret)), ...renewed];
    },

    async markExhausted(id, until, reason) {
      await change(id, (account) => ({ ...account, exhaustedUntil: until.toISOString(), exhaustedFor: reason }));
    },

    async record(id, { usage, limits }) {
      const seen = new Date(now()).toISOString();
      await change(id, (account) => ({
        ...account,
        usage: {
          runs: account.usage.runs + (usage ? 1 : 0),
          input: account.usage.input + (usage?.input ?? 0),
          output: account.usage.output + (usage?.output ?? 0),
          cost: account.usage.cost + (usage?.cost ?? 0),
        },
        limits: [
          ...account.limits.filter(({ window }) => !limits?.some((limit) => limit.window === window)),
          ...(limits ?? []).map((limit) => ({ ...limit, seen })),
        ],
      }));
    },
  };
}

function freeId(vendor: string, taken: readonly string[]): string {
  let number = 1;
  while (taken.includes(`${vendor}-${number}`)) number++;
  return `${vendor}-${number}`;
}

function requireFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw errors.create('ACCOUNTS_FOLDER', { folder });
}

function requireSecret(vendor: string, kind: Account['kind'], secret: string): void {
  if (secret.trim() === '') throw errors.create('ACCOUNTS_NO_SECRET');
  if (kind !== 'oauth') return;
  const refuse = (reason: string) => errors.create('ACCOUNTS_LOGIN_FILE', { file: 'The file', vendor, reason });
  const home = IMPORTABLE[vendor];
  if (!home) throw refuse(`logins of ${Object.keys(IMPORTABLE).join(' and ')} can be imported`);
  if (!home.read(parseLogin(secret))) throw refuse('it has no token');
}

function unknown(id: string, ids: readonly string[]): Error {
  return errors.create('ACCOUNTS_UNKNOWN', { id, hint: didYouMean(id, ids) });
}
