/** The protected places that no plugin declares: keys, accounts, histories, what shells and editors run by themselves. */
import type { PlaceDeclaration } from './protected-places.ts';

/** Keys, tokens and passwords. */
const SECRETS = [
  '~/.ssh',
  '~/.gnupg',
  '~/.aws',
  '~/.azure',
  '~/.kube',
  '~/.docker',
  '~/.colima',
  '~/.netrc',
  '~/.git-credentials',
  '~/.config/git/credentials',
  '~/.npmrc',
  '~/.yarnrc.yml',
  '~/.pypirc',
  '~/.gem/credentials',
  '~/.cargo/credentials*',
  '~/.m2/settings.xml',
  '~/.gradle/gradle.properties',
  '~/.terraform.d',
  '~/.terraformrc',
  '~/.vault-token',
  '~/.pgpass',
  '~/.my.cnf',
  '~/.s3cfg',
  '~/.boto',
  '~/.databrickscfg',
  '~/.password-store',
  '~/.fly',
  '~/.wrangler',
  '~/.config/gcloud',
  '~/.config/gh',
  '~/.config/glab-cli',
  '~/.config/hub',
  '~/.config/op',
  '~/.config/1Password',
  '~/.config/Bitwarden',
  '~/.config/rclone',
  '~/.config/doctl',
  '~/.config/heroku',
  '~/.config/sops',
  '~/.config/age',
  '~/.config/containers/auth.json',
  '~/.local/share/keyrings',
  '~/.local/share/kwalletd',
  '~/.mozilla',
  '~/.thunderbird',
  '~/.config/google-chrome',
  '~/.config/chromium',
  '~/.config/BraveSoftware',
  '~/.config/microsoft-edge',
  '~/Library/Keychains',
  '~/Library/Cookies',
  '~/Library/Mail',
  '~/Library/Messages',
  '~/Library/Application Support/Google/Chrome',
  '~/Library/Application Support/Firefox',
  '~/Library/Application Support/com.apple.TCC',
  '/root/.ssh',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh/ssh_host_*_key',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager/system-connections',
  '/etc/kubernetes',
  '/run/secrets',
  '/var/run/secrets',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/kubelet',
];

/** What people typed, and what shows the machine itself. */
const PRIVATE = [
  '~/.bash_history',
  '~/.zsh_history',
  '~/.local/share/fish/fish_history',
  '~/.python_history',
  '~/.node_repl_history',
  '~/.psql_history',
  '~/.config/github-copilot',
  '/boot',
  '/proc/kcore',
  '/proc/keys',
  '/proc/acpi',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/latency_stats',
  '/sys/firmware',
];

/** Start files of shells and desktops, folders of programs, and what editors run when a project is opened. */
const RUNS_CODE = [
  './.tenon',
  './.vscode',
  './.idea',
  './.zed',
  './.helix',
  './.devcontainer',
  './.devcontainer.json',
  './.envrc',
  '~/.bash*',
  '~/.zsh*',
  '~/.ksh*',
  '~/.csh*',
  '~/.tcsh*',
  '~/.zprofile',
  '~/.zlogin',
  '~/.zlogout',
  '~/.profile',
  '~/.login',
  '~/.inputrc',
  '~/.xinitrc',
  '~/.xprofile',
  '~/.xsession',
  '~/.pam_environment',
  '~/.vimrc',
  '~/.vim',
  '~/.emacs',
  '~/.emacs.d',
  '~/.tmux.conf',
  '~/.gitconfig',
  '~/.yarnrc',
  '~/.m2',
  '~/.gradle',
  '~/.cargo/config*',
  '~/.cargo/env*',
  '~/.cargo/bin*',
  '~/.local/bin',
  '~/bin',
  '~/.config/fish',
  '~/.config/git',
  '~/.config/systemd',
  '~/.config/autostart',
  '~/.config/environment.d',
  '~/.config/nvim',
  '~/.config/direnv',
  '~/.config/containers',
  '~/Library/LaunchAgents',
  '~/Library/LaunchDaemons',
];

/** Version control, whose folders have rules of their own in sandboxes, and keys wherever they are copied to. */
const GUARDED = ['./.git', './.hg', './.svn', './.jj', './.ssh', './.gnupg'];

/** Other agents whose files no plugin reads. A plugin that reads those of an agent declares them itself. */
const OTHER_AGENTS = [
  ...['./.qwen', './.continue', './.roo', './.kiro', './.amp', './.aider*', './.goosehints', './.amazonq', './.trae'],
  ...['./.kilocode', './.factory', './.augment', './.junie', './.crush.json', './crush.json'],
];

/** Every fixed place. */
export const FIXED_PLACES: PlaceDeclaration = {
  secrets: SECRETS,
  private: PRIVATE,
  runsCode: RUNS_CODE,
  guarded: [...GUARDED, ...OTHER_AGENTS],
};

/** Parts of secret places that hold no secrets and may be read. */
export const READABLE_PARTS: readonly string[] = ['~/.ssh/config', '~/.ssh/known_hosts*', '~/.ssh/*.pub'];

/** Sockets of daemons, which act for whoever connects. What systems need to run programs is shown again below. */
export const SOCKET_FOLDERS: readonly string[] = ['/run'];

/** Parts of the above that hold programs and libraries on some systems. */
export const SHOWN_AGAIN: readonly string[] = ['/run/current-system', '/run/booted-system', '/run/opengl-driver'];

/** The folder of a project that must not come into being inside a sandbox: Tenon reads it on its next start. */
export const RESERVED_IN_PROJECT = '.tenon';

/** Inside git's folder: what makes git run programs or read its settings from elsewhere. Commits change the rest. */
export const TRIGGERS_OF_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'info',
  'modules',
  'commondir',
];
