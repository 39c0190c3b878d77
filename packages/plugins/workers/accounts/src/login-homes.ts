/** Where CLIs keep their logins, so that a worker can be given one that is not the user's own. */

/** The login of one CLI. */
export interface LoginHome {
  /** The variable that names the folder. */
  readonly variable: string;
  /** The user's own one, below the home folder. */
  readonly own: string;
  /** The file with the login. */
  readonly file: string;
  /** Files that spare the CLI its first questions. */
  readonly files: Readonly<Record<string, string>>;
  /** Entries that all accounts share with the user's own folder: sessions, so that another account can go on. */
  readonly shared: readonly string[];
  /** Settings of the user's own that all accounts read. */
  readonly settings: readonly string[];
  /** The variable for a token alone. */
  readonly tokenVariable?: string;
  readonly read: (login: unknown) => Login | undefined;
  /** The same login with another token. */
  readonly renewed?: (login: unknown, token: RenewedToken) => unknown;
  readonly renewal?: { readonly url: string; readonly clientId: string };
}

/** What Tenon must know of a login. */
export interface Login {
  readonly access: string;
  readonly refresh?: string;
  /** Milliseconds since 1970; a login without it does not end. */
  readonly expiresAt?: number;
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
}

/** What a server gives for a refresh token. */
export interface RenewedToken {
  readonly access: string;
  readonly refresh?: string;
  readonly expiresAt?: number;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const texts = (...values: readonly unknown[]) =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

/** By worker. */
export const LOGIN_HOMES: Readonly<Record<string, LoginHome>> = {
  claude: {
    variable: 'CLAUDE_CONFIG_DIR',
    own: '.claude',
    file: '.credentials.json',
    files: { '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) },
    shared: ['projects', 'todos'],
    settings: [
      'settings.json',
      'settings.local.json',
      'CLAUDE.md',
      'agents',
      'commands',
      'hooks',
      'output-styles',
      'plugins',
      'rules',
      'skills',
    ],
    tokenVariable: 'CLAUDE_CODE_OAUTH_TOKEN',
    read(login) {
      const { accessToken, refreshToken, expiresAt } = fieldsOf(fieldsOf(login)['claudeAiOauth']);
      if (typeof accessToken !== 'string' || accessToken === '') return undefined;
      return {
        access: accessToken,
        ...(typeof refreshToken === 'string' && { refresh: refreshToken }),
        ...(typeof expiresAt === 'number' && { expiresAt }),
        secrets: texts(accessToken, refreshToken),
      };
    },
    renewed: (login, { access, refresh, expiresAt }) => ({
      ...fieldsOf(login),
      claudeAiOauth: {
        ...fieldsOf(fieldsOf(login)['claudeAiOauth']),
        accessToken: access,
        ...(refresh !== undefined && { refreshToken: refresh }),
        ...(expiresAt !== undefined && { expiresAt }),
      },
    }),
    renewal: {
      url: 'https://console.anthropic.com/v1/oauth/token',
      clientId: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    },
  },
  // Codex renews its login by itself; what it writes is taken back after the run.
  codex: {
    variable: 'CODEX_HOME',
    own: '.codex',
    file: 'auth.json',
    files: {},
    shared: ['sessions'],
    settings: ['config.toml', 'hooks.json', 'AGENTS.md', 'hooks', 'plugins', 'prompts', 'rules', 'skills'],
    read(login) {
      const tokens = fieldsOf(fieldsOf(login)['tokens']);
      const key = fieldsOf(login)['OPENAI_API_KEY'];
      const access = tokens['access_token'] ?? key;
      if (typeof access !== 'string' || access === '') return undefined;
      return {
        access,
        ...(typeof tokens['refresh_token'] === 'string' && { refresh: tokens['refresh_token'] }),
        secrets: texts(access, key, tokens['refresh_token'], tokens['id_token']),
      };
    },
  },
};

/** Whose login files can be imported. */
export const IMPORTABLE: Readonly<Record<string, LoginHome>> = {
  ...(LOGIN_HOMES['claude'] && { anthropic: LOGIN_HOMES['claude'] }),
  ...(LOGIN_HOMES['codex'] && { openai: LOGIN_HOMES['codex'] }),
};

/** A login file's content; undefined when it is no JSON. */
export function parseLogin(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller says what is wrong with it.
  }
}
