/** Which variables a sandboxed program does not get: those that are secrets, and those that lead to daemons. */

/** Whole words of a name that mark a secret. */
const SECRET_WORDS =
  /(?:^|_)(?:KEY|KEYS|TOKEN|TOKENS|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|PWD_HASH|CREDENTIAL|CREDENTIALS|CREDS|AUTH|COOKIE|DSN|PRIVATE|APIKEY|PAT|JWT|BEARER)(?:_|$)/i;
/** Written without a separator, as some programs do. */
const SECRET_ENDINGS = /(?:apikey|token|secret|password|passwd|credentials)$/i;
/** A value that carries a password: `scheme://user:password@host`. */
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
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

/** Whether a variable stays outside of a sandbox. */
export function isWithheld(name: string, value: string): boolean {
  if (HARMLESS.has(name)) return false;
  if (DAEMONS.has(name) || WHOLE_FAMILIES.test(name)) return true;
  return SECRET_WORDS.test(name) || SECRET_ENDINGS.test(name) || PASSWORD_IN_URL.test(value);
}

/** The variables to remove, as a confinement's `env` says it. `keep` are the user's exceptions. */
export function withheldVariables(env: NodeJS.ProcessEnv, keep: readonly string[] = []): Record<string, undefined> {
  const names = Object.entries(env)
    .filter(([name, value]) => value !== undefined && !keep.includes(name) && isWithheld(name, value))
    .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
