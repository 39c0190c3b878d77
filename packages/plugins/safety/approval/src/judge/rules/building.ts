/** Compilers, test runners, package managers, task runners. */
import type { Rule, RuleTable } from './rule.ts';

const BUILDS: Rule = { tier: 1, why: 'builds, checks or tests the project', operands: 'text' };
const LOOKS: Rule = { tier: 0, operands: 'text' };
const INSTALLS: Rule = {
  tier: 2,
  why: 'installs packages, which can run code of others',
  operands: 'text',
  trait: 'network',
};
const PUBLISHES: Rule = { tier: 3, why: 'publishes, which cannot be taken back', operands: 'text' };
const ASKS_REGISTRY: Rule = { tier: 1, why: 'asks a registry', operands: 'text', trait: 'network' };
const REMOVES: Rule = { tier: 2, why: 'removes packages', operands: 'text' };
const TASK: Rule = { ...BUILDS, special: 'task-name' };
const ACCOUNT: Rule = { tier: 2, why: 'changes access to a registry', operands: 'text' };

const NODE_PACKAGES: Rule = {
  tier: 2,
  why: 'installs what the project asks for',
  operands: 'text',
  takes: '-C --prefix --cwd --dir -w --workspace --filter -F',
  otherwise: TASK,
  subcommands: {
    'ls list ll la why explain help bin root prefix licenses query help-search': LOOKS,
    'view info show outdated search fund docs repo bugs doctor whoami ping': ASKS_REGISTRY,
    audit: { ...ASKS_REGISTRY, words: [{ match: /^fix$/, tier: 2, why: 'installs packages' }] },
    'init create innit': { ...BUILDS, words: [{ match: /./, tier: 2, why: 'runs a package from the network' }] },
    'run run-script rum urn test t tst start stop restart build dev lint check format typecheck workspace workspaces foreach turbo nx':
      TASK,
    'install i add ci in ins isntall install-test it cit update up upgrade install-ci-test dedupe ddp rebuild rb import fetch dlx create init':
      INSTALLS,
    'uninstall remove rm un r unlink prune': REMOVES,
    'link ln pack version pkg set get store cache shrinkwrap patch completion': BUILDS,
    'publish unpublish deprecate': PUBLISHES,
    'login logout adduser token owner access dist-tag team org profile star hook trust': ACCOUNT,
    'config c': {
      tier: 1,
      why: 'changes the configuration',
      operands: 'text',
      flags: { '-g --global --location': { tier: 2, why: 'changes the configuration of the user' } },
    },
  },
};

/** What builds and tests projects, and what brings packages. */
export const BUILDING: RuleTable = {
  'npm pnpm yarn bun': NODE_PACKAGES,
  'tsc tsgo eslint oxlint oxfmt prettier biome vitest jest mocha ava tap c8 nyc vite webpack rollup esbuild swc tsup parcel turbo nx lerna stylelint svelte-check vue-tsc next nuxt astro ng knip madge size-limit typedoc playwright cypress karma wdio ncc tsd attw publint depcheck markdownlint cspell commitlint':
    BUILDS,
  'pytest py.test tox nox ruff black isort flake8 pylint mypy pyright pyre bandit coverage sphinx-build mkdocs yapf autopep8 pyflakes pycodestyle vulture interrogate pre-commit djlint':
    BUILDS,
  'gcc g++ cc c++ clang clang++ ld as rustc rustfmt clippy-driver javac kotlinc scalac swiftc ghc ocamlc dmd zig nim crystal nvcc tcc protoc buf thrift flatc bison flex yacc m4 cpp gfortran nasm ranlib strip objcopy clang-format cppcheck shellcheck shfmt hadolint yamllint actionlint ajv golangci-lint gofmt goimports staticcheck ktlint detekt checkstyle rubocop standardrb phpunit phpcs phpstan psalm credo dialyzer swiftlint swiftformat stylua luacheck hlint ormolu taplo typos vale codespell terraform-docs tflint buildifier':
    { ...BUILDS, writes: '-o', operands: 'read' },
  'make gmake bmake': { ...TASK, takes: '-C -f -j -I -o -W --directory --file --makefile --jobs', runs: '--eval' },
  'just task rake invoke mage ninja meson scons waf gulp grunt ant sbt mill lein boot mix rebar3 cabal stack dune bazel bazelisk buck buck2 pants please earthly cmake ctest cpack autoconf automake autoreconf configure xcodebuild swift gradle gradlew mvn mvnw msbuild':
    { ...TASK, takes: '-C -f -j' },
  cargo: {
    tier: 0,
    operands: 'text',
    takes: '--config -Z -C --color --manifest-path',
    otherwise: { tier: 2, why: 'is a subcommand of cargo that is not known', operands: 'text', unclear: true },
    subcommands: {
      'tree metadata search info pkgid locate-project verify-project read-manifest version help report list': LOOKS,
      'build b check c test t run r bench doc d clippy fmt fix clean nextest miri rustc rustdoc expand llvm-cov tarpaulin package vendor generate-lockfile init new machete udeps deny audit sort criterion insta hack xtask make':
        TASK,
      'install add update fetch binstall upgrade outdated': INSTALLS,
      'uninstall remove rm': REMOVES,
      'publish yank': PUBLISHES,
      'login logout owner': ACCOUNT,
    },
  },
  rustup: {
    tier: 0,
    operands: 'text',
    otherwise: INSTALLS,
    subcommands: {
      'show which doc help': LOOKS,
      'toolchain target component': { ...INSTALLS, subcommands: { list: LOOKS } },
    },
  },
  go: {
    tier: 0,
    operands: 'text',
    longFlags: true,
    subcommands: {
      'version env list doc help tool': LOOKS,
      'build test vet fmt run generate clean fix work telemetry': {
        ...BUILDS,
        longFlags: true,
        runs: '-exec -toolexec -vettool',
        writes: '-o',
        words: [{ match: /@/, tier: 2, why: 'runs a package from the network' }],
      },
      mod: { ...BUILDS, otherwise: BUILDS, subcommands: { download: INSTALLS, 'graph why verify': LOOKS } },
      'get install': INSTALLS,
    },
  },
  'pip pip2 pip3 pipx uv poetry pdm rye hatch pipenv conda mamba micromamba easy_install': {
    tier: 0,
    operands: 'text',
    otherwise: { tier: 2, why: 'is a subcommand that is not known', operands: 'text', unclear: true },
    subcommands: {
      'list show freeze check search help debug inspect version env info tree export': LOOKS,
      'install add sync lock update upgrade download wheel init create tool python self inject reinstall': INSTALLS,
      'uninstall remove uninject': REMOVES,
      'build test lint fmt format venv config cache new shell': BUILDS,
      pip: { tier: 0, operands: 'text', otherwise: INSTALLS, subcommands: { 'list show freeze check tree': LOOKS } },
      publish: PUBLISHES,
    },
  },
  twine: { tier: 0, operands: 'text', subcommands: { check: LOOKS, upload: PUBLISHES } },
  virtualenv: { ...BUILDS },
  'gem bundle bundler composer luarocks cpan cpanm opam nuget pod carthage vcpkg conan': {
    tier: 1,
    why: 'installs what the project asks for',
    operands: 'text',
    otherwise: INSTALLS,
    subcommands: {
      'list show info search help outdated check validate why env version contents which': LOOKS,
      'uninstall remove clean': REMOVES,
      'push publish upload yank': PUBLISHES,
      'build test': BUILDS,
    },
  },
  dotnet: {
    tier: 0,
    operands: 'text',
    otherwise: { tier: 2, why: 'is a subcommand that is not known', operands: 'text', unclear: true },
    subcommands: {
      '--info --version --list-sdks help list': LOOKS,
      'build test run publish clean format pack new sln msbuild vstest watch': BUILDS,
      'restore add tool workload': INSTALLS,
      remove: REMOVES,
      nuget: { ...INSTALLS, subcommands: { push: PUBLISHES, delete: PUBLISHES, list: LOOKS } },
    },
  },
  'apt apt-get aptitude dpkg rpm yum dnf zypper pacman yay apk brew port snap flatpak emerge nix nix-env nix-shell guix choco scoop winget asdf mise rtx nvm fnm volta pyenv rbenv sdk':
    {
      tier: 2,
      why: 'installs or changes software of the machine',
      operands: 'text',
      otherwise: INSTALLS,
      subcommands: {
        'list search show info policy depends rdepends help leaves deps outdated desc cat which current ls version':
          LOOKS,
        'remove purge autoremove uninstall erase -R -Rns -r': {
          tier: 2,
          why: 'removes software of the machine',
          operands: 'text',
        },
      },
      looks: '-l --list -L --status -q',
    },
};
