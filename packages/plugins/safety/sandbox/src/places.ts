/** Which places of a machine a sandboxed program must not see, and which of a workspace it must not change. */

/** Below the user's home: keys, tokens, histories, other agents' accounts, browsers. */
export const SECRETS_OF_HOME: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.colima',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.gem/credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.terraform.d',
  '.terraformrc',
  '.vault-token',
  '.pgpass',
  '.my.cnf',
  '.s3cfg',
  '.boto',
  '.databrickscfg',
  '.password-store',
  '.fly',
  '.wrangler',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/1Password',
  '.config/Bitwarden',
  '.config/rclone',
  '.config/doctl',
  '.config/heroku',
  '.config/sops',
  '.config/age',
  '.config/containers/auth.json',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.bash_history',
  '.zsh_history',
  '.local/share/fish/fish_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.cursor',
  '.omp',
  '.pi',
  '.config/github-copilot',
  '.config/opencode',
  '.local/share/opencode',
  '.mozilla',
  '.thunderbird',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Mail',
  'Library/Messages',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Application Support/com.apple.TCC',
];

/** Of the machine: other users' passwords and keys, and what only matters when Tenon runs as root. */
export const SECRETS_OF_MACHINE: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager/system-connections',
  '/etc/kubernetes',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/kubelet',
  '/var/run/secrets',
  '/boot',
  '/proc/kcore',
  '/proc/keys',
  '/proc/acpi',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/latency_stats',
  '/sys/firmware',
];

/** Sockets of daemons, which act for whoever connects. What systems need to run programs is shown again below. */
export const SOCKET_FOLDERS: readonly string[] = ['/run'];

/** Parts of the above that hold programs and libraries on some systems. */
export const SHOWN_AGAIN: readonly string[] = ['/run/current-system', '/run/booted-system', '/run/opengl-driver'];

/**
 * In a workspace: what makes Tenon, another agent or an editor run code. Changing these from inside a sandbox would be a
 * way out of it. Git's folder has rules of its own. Those that do not exist can still be made: a folder where one came into
 * being after it was trusted is not trusted any more until somebody says so again.
 */
export const TRIGGERS_OF_WORKSPACE: readonly string[] = [
  '.tenon',
  '.agents',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.windsurf',
  '.opencode',
  '.omp',
  '.pi',
  '.cline',
  '.mcp.json',
  'mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.github/mcp.json',
  '.vscode',
  '.idea',
  '.zed',
  '.devcontainer',
  '.envrc',
];

/** The one that must not come into being either: Tenon reads it on its next start. */
export const RESERVED_IN_WORKSPACE = '.tenon';

/** Inside git's folder: what makes git run programs or read its settings from elsewhere. */
export const TRIGGERS_OF_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'info',
  'modules',
  'commondir',
];
