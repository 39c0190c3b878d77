/**
 * Which variables a program of the agent does not get: those that are secrets and, in a sandbox, those that lead to daemons.
 * Without a sandbox daemons could be reached anyway, and `git push` needs the agent of ssh, which shows no key.
 */

/** Whole words of a name that mark a secret. */
const SECRET_WORDS =
  /(?:^|_)(?:KEY|KEYS|TOKEN|TOKENS|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|PWD_HASH|CREDENTIAL|CREDENTIALS|CREDS|AUTH|COOKIE|DSN|PRIVATE|APIKEY|PAT|JWT|BEARER)(?:_|$)/i;
/** Written without a separator, as some programs do. */
const SECRET_ENDINGS = /(?:apikey|token|secret|password|passwd|credentials)$/i;
/** A password, as `MYSQL_PWD` is; or the path of a working folder. */
const PASSWORD_OR_FOLDER = /[A-Z0-9]_PWD?$/i;
/** A value that carries a password: `scheme://user:password@host`. */
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** A value that is a well-known credential, whatever its variable is called. */
const CREDENTIAL =
  /^(?:sk-[\w-]{20}|gh[pousr]_\w{20}|github_pat_\w{20}|gl(?:pat|dt|rt)-[\w-]{16}|xox[abeoprs]-[\w-]{16}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30}|GOCSPX-|ya29\.|npm_\w{30}|pypi-AgE|hf_\w{30}|gsk_\w{30}|xai-\w{30}|[rs]k_(?:live|test)_\w{16}|whsec_\w{20}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY)|AccountKey=[\w+/]{30}/;
const WHOLE_FAMILIES = /^(?:AWS|AZURE|GOOGLE|GCP|DOCKER|KUBE|VAULT|SSH|GPG)_/;
const DAEMONS = new Set([
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'GNOME_KEYRING_CONTROL',
  'KUBECONFIG',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'TMUX',
  'TMUX_PANE',
]);
/** These look like secrets and are none. */
const HARMLESS = new Set([
  'SSH_TTY',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'GOOGLE_CLOUD_PROJECT',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
]);

/** Whether a variable holds a secret, by its name or by its value. */
export function isSecretVariable(name: string, value: string): boolean {
  if (HARMLESS.has(name)) return false;
  if (PASSWORD_OR_FOLDER.test(name) && !/^[/~.]/.test(value)) return true;
  return SECRET_WORDS.test(name) || SECRET_ENDINGS.test(name) || PASSWORD_IN_URL.test(value) || CREDENTIAL.test(value);
}

/** Whether a variable stays outside of a sandbox. */
export function isWithheld(name: string, value: string): boolean {
  if (HARMLESS.has(name)) return false;
  return DAEMONS.has(name) || WHOLE_FAMILIES.test(name) || isSecretVariable(name, value);
}

/** The variables to remove, as a confinement's `env` says it. `keep` are the user's exceptions. */
export function withheldVariables(
  env: NodeJS.ProcessEnv,
  keep: readonly string[] = [],
  isRemoved: (name: string, value: string) => boolean = isWithheld,
): Record<string, undefined> {
  const names = Object.entries(env)
    .filter(([name, value]) => value !== undefined && !keep.includes(name) && isRemoved(name, value))
    .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** What an agent's program without a sandbox does not get: secrets alone. A path is no secret: `SSH_AUTH_SOCK`, `AWS_SHARED_CREDENTIALS_FILE`. */
export function secretVariables(env: NodeJS.ProcessEnv, keep: readonly string[] = []): Record<string, undefined> {
  return withheldVariables(env, keep, (name, value) => isSecretVariable(name, value) && !/^[/~]/.test(value));
}
