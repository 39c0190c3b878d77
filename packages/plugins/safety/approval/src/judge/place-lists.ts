/** Which places on a machine are special, as data. */

/** Device files that swallow or show what is written to them. */
export const DEVICES_WITHOUT_EFFECT =
  /^\/dev\/(null|zero|full|u?random|tty|stdin|stdout|stderr|ptmx|fd(\/\d+)?|shm\/.+)$/;

/** Names of folders that builds make and that can be made again. */
export const GENERATED_FOLDERS =
  /^(node_modules|dist|build|out|output|target|coverage|tmp|temp|\.cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.vite|\.svelte-kit|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|venv|\.eggs|.+\.egg-info|\.gradle|\.dart_tool|_build|cmake-build-.+|\.nyc_output|htmlcov|\.angular|storybook-static)$/;

/** Names that are protected wherever they stand: version control, Tenon, other agents, and what shells run by themselves. */
export const PROTECTED_NAMES =
  /^(\.git|\.hg|\.svn|\.jj|\.tenon|\.claude|\.codex|\.gemini|\.qwen|\.cursor|\.opencode|\.continue|\.windsurf|\.codeium|\.roo|\.kiro|\.amp|\.omp|\.pi|\.agents|\.aider.*|\.goosehints|\.clinerules|\.?mcp\.json|opencode\.jsonc?|\.cline|\.claude\.json|\.envrc|\.ssh|\.gnupg)$/;

/** Configuration in the home folder that programs read or run when they start. */
export const HOME_CONFIG =
  /^(\.(bash|zsh|ksh|csh|tcsh)(rc|env|_?profile|_?login|_?logout|_aliases|_history)|\.z(profile|login|logout|shenv)|\.profile|\.login|\.inputrc|\.xinitrc|\.xprofile|\.xsession|\.pam_environment|\.vimrc|\.emacs|\.tmux\.conf|\.gitconfig|\.npmrc|\.yarnrc(\.yml)?|\.pypirc|\.netrc|\.git-credentials|\.(aws|azure|kube|docker|terraform\.d|emacs\.d|vim|m2|gradle)(\/.*)?|\.cargo\/(config|credentials|env|bin).*|\.local\/bin\/.*|bin\/.*|Library\/Launch(Agents|Daemons)(\/.*)?|\.config\/(fish|git|gh|gcloud|systemd|autostart|environment\.d|nvim|direnv|op|containers)(\/.*)?)$/;

/** Folders of the operating system. Some below them are for everybody, and those count as outside only. */
export const SYSTEM_FOLDERS = [
  '/bin',
  '/boot',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/sys',
  '/usr/bin',
  '/usr/include',
  '/usr/lib',
  '/usr/libexec',
  '/usr/sbin',
  '/usr/share',
  '/var/lib',
  '/var/log',
  '/var/spool',
  '/System',
  '/Library',
  '/private/etc',
] as const;

/** Files that hold keys and passwords; paths are relative to the home folder or to the root. */
export const SECRETS: readonly { readonly under: 'home' | 'root'; readonly match: RegExp }[] = [
  { under: 'home', match: /^\.ssh(\/(?!known_hosts|config$|.*\.pub$).*)?$/ },
  { under: 'home', match: /^\.gnupg(\/.*)?$/ },
  {
    under: 'home',
    match: /^\.(aws\/credentials|aws\/sso.*|azure\/.*|kube\/config|docker\/config\.json|netrc|pypirc|npmrc)$/,
  },
  {
    under: 'home',
    match: /^\.(git-credentials|pgpass|my\.cnf|password-store(\/.*)?|vault-token|cargo\/credentials.*)$/,
  },
  { under: 'home', match: /^\.config\/(gh\/hosts\.yml|gcloud\/.*|op\/.*|hub|rclone\/.*|sops\/.*)$/ },
  {
    under: 'home',
    match: /^\.(local\/share\/keyrings|mozilla|thunderbird|config\/(google-chrome|chromium|BraveSoftware))(\/.*)?$/,
  },
  { under: 'home', match: /^Library\/(Keychains|Cookies)(\/.*)?$/ },
  { under: 'root', match: /^etc\/(g?shadow-?|sudoers|sudoers\.d\/.*|ssh\/ssh_host_.*_key)$/ },
  { under: 'root', match: /^proc\/[^/]+(\/task\/[^/]+)?\/(environ|mem)$/ },
  { under: 'root', match: /^(root\/\.ssh(\/.*)?|run\/secrets(\/.*)?|var\/run\/secrets(\/.*)?)$/ },
];

/** Files of the list above in the home folder, one for each folder that holds some: whoever looks through what holds them finds keys. */
export const SECRET_EXAMPLES = [
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.vault-token',
  '.ssh/id_rsa',
  '.gnupg/private-keys',
  '.aws/credentials',
  '.azure/token',
  '.kube/config',
  '.docker/config.json',
  '.password-store/key',
  '.cargo/credentials.toml',
  '.config/gh/hosts.yml',
  '.config/gcloud/token',
  '.config/op/token',
  '.config/rclone/rclone.conf',
  '.config/sops/keys',
  '.local/share/keyrings/login',
  '.mozilla/logins',
  '.thunderbird/logins',
  '.config/google-chrome/cookies',
  '.config/chromium/cookies',
  '.config/BraveSoftware/cookies',
  'Library/Keychains/login',
  'Library/Cookies/cookies',
] as const;

/** Names of files in Tenon's own folders that hold credentials. */
export const OWN_SECRETS = /auth|credential|secret/i;
