/** Programs that run code. */
import { byName } from './rule.ts';

/** How an interpreter is told what to run. */
export interface Interpreter {
  /** Flags whose value is code. */
  readonly code: string;
  readonly takes?: string;
  /** Flags that load code before the program. */
  readonly loads?: string;
  /** Flag that runs a module by name. */
  readonly module?: string;
  /** Flags with which it only checks or shows something. */
  readonly looks?: string;
  /** Words before the file: `deno run x.ts`. */
  readonly verbs?: string;
  /** Words that run code that follows: `deno eval '…'`. */
  readonly codeVerbs?: string;
}

/** Shells: what they run is parsed. */
export const SHELLS: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh mksh ash fish rbash csh tcsh yash elvish nu xonsh'.split(' '),
);

/** Other interpreters by name. */
export const INTERPRETERS: ReadonlyMap<string, Interpreter> = byName<Interpreter>({
  'python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython py':
    { code: '-c', takes: '-W -X -Q --check-hash-based-pycs', module: '-m', looks: '-V --version -h --help' },
  'node nodejs': {
    code: '-e --eval -p --print',
    takes:
      '-C --conditions --test-name-pattern --test-reporter --input-type --env-file --max-old-space-size --stack-trace-limit',
    loads: '-r --require --import --loader --experimental-loader',
    looks: '-v --version -h --help -c --check',
  },
  'tsx ts-node ts-node-esm esno jiti babel-node': {
    code: '-e --eval -p --print',
    loads: '-r --require --import',
    takes: '--tsconfig -P',
    looks: '-v --version -h --help',
    verbs: 'watch',
  },
  deno: {
    code: '',
    takes: '-c --config --import-map',
    looks: '-V --version -h --help',
    verbs: 'run test bench check lint fmt task cache doc info serve compile bundle',
    codeVerbs: 'eval repl',
  },
  'perl perl5 raku': { code: '-e -E', takes: '-I -C', loads: '-M -m', looks: '-v -V --version -h -c' },
  'ruby jruby irb': { code: '-e', takes: '-I -C -E', loads: '-r', looks: '-v --version -h --help -c' },
  'php hhvm': { code: '-r -B -R -E --run', takes: '-d -c', loads: '-z', looks: '-v --version -h --help -l -i -m' },
  'lua luajit lua5.1 lua5.3 lua5.4 texlua': { code: '-e', loads: '-l', looks: '-v' },
  'Rscript R julia octave elixir iex erl groovy scala jshell clojure bb guile racket sbcl ghci runghc runhaskell ocaml tclsh wish expect gnuplot maxima':
    { code: '-e -E --eval -eval -c -ne', looks: '--version -v --help' },
  'osascript pwsh powershell': {
    code: '-e -c -Command -command -EncodedCommand -enc',
    takes: '-l',
    looks: '--version -Version',
  },
  java: {
    code: '',
    takes: '-cp -classpath --class-path --module-path -jar',
    looks: '-version --version -help',
    loads: '-javaagent',
  },
});

/** Modules of Python that are known, and how risky they are. */
export const PYTHON_MODULES: ReadonlyMap<string, 0 | 1 | 2> = byName<0 | 1 | 2>({
  'json.tool this calendar platform site sysconfig tokenize ast dis pydoc': 0,
  'pytest unittest doctest venv compileall py_compile build mypy ruff black isort flake8 pylint coverage tox nox pyright cProfile profile timeit trace pdb zipapp pytype pre_commit sphinx mkdocs': 1,
  'http.server webbrowser smtplib ftplib telnetlib ensurepip twine antigravity': 2,
});

/** Code that destroys, in whatever language. What is not found here is unknown, and that is tier 2. */
export const DESTRUCTIVE_CODE =
  /rmtree|remove_tree|rm_rf|remove_dir_all|rmSync|rmdirSync|rimraf|unlink|FileUtils\.rm|deleteTree|RemoveAll|Remove-Item|rm\s+-[a-z]*[rf]|mkfs|dd\s+if=|\bDROP\s+(TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE|dropDatabase|\/dev\/(sd|nvme|disk)|shutdown|child_process.{0,500}\brm\b|(system|exec|spawn|popen|subprocess|run|call)\w*\s*\(.{0,200}\brm\b|fs\.(rm|unlink)|os\.(remove|unlink|rmdir)|promises\.(rm|unlink)|format\s+c:/is;
