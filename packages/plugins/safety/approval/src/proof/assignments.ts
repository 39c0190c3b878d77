/** Which variables a command may set without doing more than that. */
import { lstatSync } from 'node:fs';
import { COMMAND_VARIABLES, LOADING_VARIABLES, OWN_VARIABLES, PATH_VARIABLES } from '../judge/rules/variables.ts';

/** Variables for programs that only change how they look or what they are told. */
const HARMLESS =
  /^(NODE_ENV|BABEL_ENV|APP_ENV|RAILS_ENV|RACK_ENV|MIX_ENV|FLASK_ENV|FLASK_DEBUG|DJANGO_SETTINGS_MODULE|CI|CONTINUOUS_INTEGRATION|COLORTERM|COLUMNS|LINES|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|GCC_COLORS|DEBUG|VERBOSE|QUIET|LOG_LEVEL|LOGLEVEL|RUST_LOG|RUST_BACKTRACE|RUST_TEST_THREADS|RUST_MIN_STACK|CARGO_TERM_COLOR|CARGO_TERM_VERBOSE|CARGO_INCREMENTAL|CARGO_NET_OFFLINE|CARGO_BUILD_JOBS|PORT|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONUTF8|PYTHONIOENCODING|PYTHONFAULTHANDLER|PYTHONASYNCIODEBUG|GOOS|GOARCH|GOARM|GOMAXPROCS|GO111MODULE|GOTRACEBACK|CGO_ENABLED|TS_NODE_TRANSPILE_ONLY|NX_DAEMON|NX_SKIP_NX_CACHE|PYTEST_DISABLE_PLUGIN_AUTOLOAD|ESLINT_USE_FLAT_CONFIG|GENERATE_SOURCEMAP|NEXT_TELEMETRY_DISABLED|DO_NOT_TRACK|DOCKER_BUILDKIT|BUILDKIT_PROGRESS|HUSKY|SKIP_HOOKS|PUPPETEER_SKIP_DOWNLOAD|SOURCE_DATE_EPOCH|DEBIAN_FRONTEND|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_AUTHOR_(NAME|EMAIL|DATE)|GIT_COMMITTER_(NAME|EMAIL|DATE)|TEST_TIMEOUT|TEST_SEED|SEED|UPDATE_SNAPSHOTS?|INSTA_UPDATE|VITEST_[A-Z_]+|JEST_WORKER_ID|CYPRESS_baseUrl|TURBO_TELEMETRY_DISABLED|ASTRO_TELEMETRY_DISABLED|UV_NO_PROGRESS|MYPY_FORCE_COLOR|PY_COLORS|MALLOC_ARENA_MAX)$/;

/** Variables whose value names a file of the system: only names without a way elsewhere. */
const NAMES_OF_FILES: readonly (readonly [RegExp, RegExp])[] = [
  // Encodings of Chinese, Japanese and Korean could hold quotes and backslashes inside of letters.
  [
    /^(LANG|LC_[A-Z]+)$/,
    /^(|C|POSIX|(?!(?:zh|ja|ko)_[A-Z]{2}(?:$|@))(C|[a-z]{2,3}_[A-Z]{2})(\.(utf-?8|UTF-?8|ISO-?8859-1|iso-?8859-1|iso88591))?(@[a-z]{1,16})?)$/,
  ],
  [/^LANGUAGE$/, /^[A-Za-z_:]*$/],
  [/^TZ$/, /^:?([A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*){0,2})?$/],
  [/^TERM$/, /^[\w+-]*$/],
];

/** Names that are nobody's: no program that Tenon has a grammar of looks at them. */
const NOBODYS =
  /^(FOO|BAR|BAZ|QUX|FOOBAR|MSG|MESSAGE|GREETING|COUNT|X|Y|Z|(MY|APP|TEST|E2E|EXAMPLE|DEMO|SAMPLE|FIXTURE)_[A-Z0-9_]+)$/;

/** Names that mean something to bash or to many programs, beside those on the lists of the judge. */
const MEANINGFUL =
  /^(BASH.*|_|IFS|HOME|PWD|OLDPWD|OPTARG|OPTIND|OPTERR|REPLY|MAPFILE|READLINE_.*|COMP.*|DIRSTACK|EPOCH.*|EUID|UID|PPID|FUNCNAME|FUNCNEST|GLOBIGNORE|GROUPS|HIST.*|HOST.*|INPUTRC|INSIDE_EMACS|LINENO|MACHTYPE|MAIL.*|OSTYPE|PIPESTATUS|POSIXLY_CORRECT|PROMPT.*|PS\d|RANDOM|SECONDS|SHELL.*|SHLVL|SRANDOM|TIMEFORMAT|TMOUT|TMPDIR|TEMP|TMP|USER|LOGNAME|CHILD_MAX|EXECIGNORE|FIGNORE|COPROC|.*_?(PROXY|proxy)|GIT_.*|NPM_.*|npm_.*|NODE_.*|PYTHON.*|PIP_.*|UV_.*|POETRY_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|LUA.*|JAVA.*|JDK_.*|MAVEN_.*|GRADLE_.*|CARGO_.*|RUST.*|GO[A-Z]+|CGO_.*|CC|CXX|CPP|LD|AR|AS|.*FLAGS|MAKE.*|CMAKE_.*|LESS.*|MORE|GREP_.*|RIPGREP_CONFIG_PATH|FZF_.*|BAT_.*|TAR_.*|GZIP|XZ_.*|ZSTD_.*|RSYNC_.*|SSH_.*|SSL_.*|CURL_.*|WGETRC|AWS_.*|AZURE_.*|GOOGLE_.*|CLOUDSDK_.*|KUBE.*|DOCKER_.*|COMPOSE_.*|HELM_.*|TF_.*|VAULT_.*|GH_.*|GITHUB_.*|GLAB_.*|GITLAB_.*|HOMEBREW_.*|XDG_.*|SUDO_.*|PG[A-Z]+|MYSQL.*|SQLITE_.*|REDIS.*|PSQLRC|EDITOR|VISUAL|PAGER|BROWSER|DISPLAY|DBUS_.*|SYSTEMD_.*|LS_COLORS|TERMCAP|TERMINFO.*|ENV|MANPATH|INFOPATH|CDPATH|PATH|LIBPATH|SHLIB_PATH|NIX_.*|DENO_.*|BUN_.*|YARN_.*|PNPM_.*|COREPACK_.*|NVM_.*|VIRTUAL_ENV|CONDA_.*|AWKPATH|AWKLIBPATH|ED|MAGICK_.*|GST_.*|QT_.*|GTK_.*|PKG_CONFIG.*|TEXINPUTS|R_.*|JULIA_.*|MIX_.*|ERL_.*|ELIXIR_.*|PHP.*|COMPOSER_.*|PYTEST_.*|TOX_.*|NOX[A-Z_]*|TS_NODE_.*|RAKEOPT|JUST_.*|TURBO_.*|NX_.*|S?CCACHE_.*|PUPPETEER_.*|PROTOC.*|M2_.*|.*_(?:OPTS|OPTIONS|EDITOR|BUNDLE)|DOTNET_.*|MSBUILD.*|VSCODE_.*|ELECTRON_.*|CHROME_.*|PLAYWRIGHT_.*|SELENIUM_.*|auto_resume|histchars|http_.*|https_.*|ftp_.*|no_proxy|all_proxy)$/;

/** Values with which a variable that names a command names none that does anything. */
const QUIET_COMMANDS = /^(cat|less|more|true|:|none|)$/;
const NODE_OPTIONS =
  /^(\s*--(max-old-space-size=\d+|no-warnings|enable-source-maps|trace-warnings|experimental-vm-modules|unhandled-rejections=\w+|no-deprecation|trace-deprecation))+\s*$/;

/** Programs that run code of the project: what it makes of variables of its own is its business. */
const PROJECT_PROGRAMS =
  /^(npm|pnpm|yarn|bun|bunx|npx|node|tsx|ts-node|deno|python[\d.]*|pytest|tox|nox|uv|poetry|cargo|go|make|gmake|just|task|vitest|jest|mocha|playwright|ruby|bundle|rake|rails|rspec|php|composer|phpunit|mvn|gradle|gradlew|dotnet|mix|turbo|nx|next|vite|webpack|tsc|cross-env)$/;

/** Whether a program may get a variable that means nothing to anybody but the project. */
export function isProjectVariable(name: string, program: string | undefined): boolean {
  const isOwn =
    program !== undefined &&
    (PROJECT_PROGRAMS.test(program.replace(/^.*\//, '')) || /^\.{0,2}\/?[^/]+\//.test(program));
  return isOwn && /^[A-Z][A-Z0-9_]*$/.test(name) && !hasMeaning(name);
}

/** An address of another machine. */
const ELSEWHERE =
  /[a-z][a-z\d+.-]*:\/\/(?!(?:[^@/\s]*@)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)?(?::\d+)?(?:[/?#,\s]|$))/i;

/**
 * Whether a value of such a variable leads out of the project: a flag, another machine, or a place that `isInside` does not know. The name alone says
 * nothing about what programs make of it.
 */
export function leadsElsewhere(value: string, isInside: (path: string) => boolean): boolean {
  if (/^\s*-/.test(value) || ELSEWHERE.test(value)) return true;
  return value
    .replaceAll(/[a-z][a-z\d+.-]*:\/\/(?:[^/\s]\S*)?/gi, ' ')
    .split(/[\s:;,=]+/)
    .some((part) => part.startsWith('~') || (isPlace(part) && !isInside(part)));
}

/** `/api/v1` is a route where no folder `/api` is. */
function isPlace(part: string): boolean {
  const [, first] = /^\/+([^/]+)/.exec(part) ?? [];
  if (first !== undefined) return lstatSync(`/${first}`, { throwIfNoEntry: false }) !== undefined;
  return /(^|\/)\.\.(\/|$)/.test(part);
}

function hasMeaning(name: string): boolean {
  return (
    OWN_VARIABLES.match.test(name) ||
    MEANINGFUL.test(name) ||
    NAMES_OF_FILES.some(([names]) => names.test(name)) ||
    LOADING_VARIABLES.test(name) ||
    COMMAND_VARIABLES.test(name) ||
    PATH_VARIABLES.test(name)
  );
}

/** What setting a variable means. `folders` are to be checked: programs load code from there. */
export type AssignmentMeaning = 'harmless' | 'own' | 'unknown' | { readonly folders: readonly string[] };

/** What it means that programs get this variable. */
export function exportedMeaning(name: string, value: string | undefined): AssignmentMeaning {
  if (OWN_VARIABLES.match.test(name)) return 'own';
  if (PATH_VARIABLES.test(name)) {
    if (value === undefined) return 'unknown';
    const folders = value.split(':');
    // An empty entry is the current folder, and that is one of the workspace or not.
    return { folders: folders.map((folder) => (folder === '' ? '.' : folder)) };
  }
  if (COMMAND_VARIABLES.test(name))
    return value !== undefined && QUIET_COMMANDS.test(value) && !/^(SHELL|CC|CXX|RUSTC.*)$/.test(name)
      ? 'harmless'
      : 'unknown';
  const shape = NAMES_OF_FILES.find(([names]) => names.test(name))?.[1];
  if (shape) return value !== undefined && shape.test(value) ? 'harmless' : 'unknown';
  if (name === 'NODE_OPTIONS') return value !== undefined && NODE_OPTIONS.test(value) ? 'harmless' : 'unknown';
  if (NOBODYS.test(name) && !hasMeaning(name)) return 'harmless';
  return HARMLESS.test(name) && !LOADING_VARIABLES.test(name) ? 'harmless' : 'unknown';
}

/** What it means that the shell gets this variable. If it is in the environment, programs get it, too. */
export function shellMeaning(name: string, value: string | undefined): AssignmentMeaning {
  return hasMeaning(name) || process.env[name] !== undefined ? exportedMeaning(name, value) : 'harmless';
}
