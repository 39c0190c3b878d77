/** Which places on a machine are special, as data. Keys and what runs code by itself are in the list of protected places. */

/** Device files that swallow or show what is written to them. */
export const DEVICES_WITHOUT_EFFECT =
  /^\/dev\/(null|zero|full|u?random|tty|stdin|stdout|stderr|ptmx|fd(\/\d+)?|shm\/.+)$/;

/** Names of folders that builds make and that can be made again. */
export const GENERATED_FOLDERS =
  /^(node_modules|dist|build|out|output|target|coverage|tmp|temp|\.cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.vite|\.svelte-kit|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|venv|\.eggs|.+\.egg-info|\.gradle|\.dart_tool|_build|cmake-build-.+|\.nyc_output|htmlcov|\.angular|storybook-static)$/;

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

/** What processes know and use, keys among it. */
export const PROCESS_SECRETS = /^\/proc\/[^/]+(\/task\/[^/]+)?\/(environ|mem)$/;

/** Names of files in Tenon's own folders that hold credentials. */
export const OWN_SECRETS = /auth|credential|secret/i;
