/** What others may use of accounts: which one a run uses, and what a worker is given of it. */
import { service } from '@tenon/kernel';

export { errors } from './errors.ts';

/** How an account proves itself. */
export type AccountKind = 'api-key' | 'setup-token' | 'oauth' | 'config-folder';

/** An account of a vendor. Its credential is never part of it. */
export interface Account {
  /** Short and unique: `anthropic-2`. */
  readonly id: string;
  /** As in a worker's `spec.vendor`. */
  readonly vendor: string;
  /** What the user calls it: an e-mail address, `work`. */
  readonly label: string;
  readonly kind: AccountKind;
  /** ISO 8601. */
  readonly added: string;
  readonly lastUsed?: string;
  /** Not to be used before this time, and why. */
  readonly exhaustedUntil?: string;
  readonly exhaustedFor?: string;
  readonly usage: AccountUsage;
  /** What the vendor last said about what is left, per window. */
  readonly limits: readonly AccountLimit[];
  /** False when the user has put it aside. */
  readonly isEnabled: boolean;
  /** The folder of a `config-folder` account. */
  readonly folder?: string;
}

/** What runs have used of an account. */
export interface AccountUsage {
  readonly runs: number;
  readonly input: number;
  readonly output: number;
  /** US dollars, as far as the CLIs say. */
  readonly cost: number;
}

/** What is left of one limit. */
export interface AccountLimit {
  /** `requests`, `tokens`, `5h`, `week`… */
  readonly window: string;
  /** 0 to 1. */
  readonly left: number;
  readonly resetsAt?: string;
  readonly seen: string;
}

/** What a worker is given so that it works as an account. */
export interface Injection {
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the account that the worker reads and writes. */
  readonly folders: readonly string[];
  /** Settings of the user's own that the worker only reads: the user's own CLI runs what they name. */
  readonly reads?: readonly string[];
  /** What must never be shown. */
  readonly secrets: readonly string[];
  /** Takes what the CLI has renewed back into the store, and removes what was written for it. */
  release(): Promise<void>;
}

/** For which worker an account is prepared. */
export interface InjectionPlace {
  readonly worker: string;
  /** Variables that the worker takes a key from; the first is set. */
  readonly keyVariables?: readonly string[];
  readonly signal: AbortSignal;
}

/** Whose secrets are asked for. */
export interface SecretsPlace {
  readonly worker: string;
  /** The id of its account. */
  readonly account?: string;
  /** Its variables, which may move the folder of its login. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A new account. */
export interface NewAccount {
  readonly vendor: string;
  readonly label?: string;
  readonly kind: AccountKind;
  /** A key, a token, or the text of a CLI's own login file. Not for `config-folder`. */
  readonly secret?: string;
  readonly folder?: string;
}

/** Accounts of the coding CLIs. */
export interface Accounts {
  add(account: NewAccount): Promise<Account>;
  /** False when there is none with this id. */
  remove(id: string): Promise<boolean>;
  /** Puts one aside, or takes it back; the latter also forgets that it was used up. */
  enable(id: string, isEnabled: boolean): Promise<Account>;
  list(vendor?: string): Promise<readonly Account[]>;
  /**
   * The account for the next run, marked as used: the one used longest ago of those that are not used up. Undefined when the vendor has no account here: then the CLI's own login serves.
   * Throws `ACCOUNTS_EXHAUSTED`, which says when the first is free again.
   */
  next(vendor: string, options?: { readonly except?: readonly string[] }): Promise<Account | undefined>;
  /** Prepares what the worker needs, after renewing what ends soon. */
  inject(account: Account, place: InjectionPlace): Promise<Injection>;
  /** What must never be shown of a worker: the credential of its account, else the login of its CLI as far as that lies in files. */
  secrets(place: SecretsPlace): Promise<readonly string[]>;
  markExhausted(id: string, until: Date, reason: string): Promise<void>;
  /** Adds what a run used, and what the vendor said about limits. An account with almost nothing left is rotated away before it fails. */
  record(
    id: string,
    seen: {
      readonly usage?: Partial<Omit<AccountUsage, 'runs'>>;
      readonly limits?: readonly Omit<AccountLimit, 'seen'>[];
    },
  ): Promise<void>;
}

/** Accounts of the coding CLIs. */
export const accounts = service<Accounts>('accounts');
