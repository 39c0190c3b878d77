/** Logins at MCP servers, kept where the credentials for models are: encrypted, the key in the keychain where there is one. */
import { createHash, type webcrypto } from 'node:crypto';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { AuthStore } from '@tenon/models/api';

/** All that is remembered about a login. */
export interface Login {
  readonly tokens?: StoredOAuthTokens;
  /** Who we are there: registered by ourselves, or by the user. */
  readonly client?: StoredOAuthClientInformation;
  readonly discovery?: OAuthDiscoveryState;
  /** What the server asked for beyond what was granted; the next login asks for it. */
  readonly wantedScope?: string;
  /** The private key that the tokens are bound to. */
  readonly boundKey?: webcrypto.JsonWebKey;
}

/** Where logins are kept. */
export type LoginKeeper = Pick<AuthStore, 'keys' | 'store' | 'remove'>;

/** Keeps logins for as long as the process runs: for programs that embed Tenon without its credential store. */
export function memoryKeeper(): LoginKeeper {
  const kept = new Map<string, string>();
  return {
    keys: async (name) => [kept.get(name)].filter((text) => text !== undefined),
    store: async (name, credential) => void (credential.kind === 'oauth' && kept.set(name, credential.access)),
    remove: async (name) => kept.delete(name),
  };
}

/** The login at one server. */
export class LoginStore {
  readonly #store: () => Promise<LoginKeeper>;
  readonly #key: string;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(store: () => Promise<LoginKeeper>, server: string, url: string) {
    this.#store = store;
    // A server that moves, or another one of the same name, must not get the tokens of the first.
    this.#key = `mcp:${server}:${createHash('sha256').update(url).digest('hex').slice(0, 12)}`;
  }

  /** Read anew each time: another process may have renewed the tokens. */
  async read(): Promise<Login> {
    const [text] = await (await this.#store()).keys(this.#key);
    if (text === undefined) return {};
    try {
      return JSON.parse(text) as Login;
    } catch {
      return {}; // written by something else; a new login replaces it
    }
  }

  /** Changes what is remembered; one change after the other. */
  async change(edit: (login: Login) => Login): Promise<void> {
    const change = this.#changing.then(async () => {
      const access = JSON.stringify(edit(await this.read()));
      await (await this.#store()).store(this.#key, { kind: 'oauth', access });
    });
    this.#changing = change.catch(() => undefined); // told to whoever asked for the change
    await change;
  }

  async remove(): Promise<boolean> {
    return (await this.#store()).remove(this.#key);
  }
}
