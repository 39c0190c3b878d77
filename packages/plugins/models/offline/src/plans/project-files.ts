/** How projects say what to run: which file, and what it means. Data with as little code as that allows. */

/** A file that tells how to run something. */
export interface ProjectFile {
  readonly name: string;
  /** True when the answer depends on what is in the file. */
  readonly needsText?: boolean;
  /** True when a file or folder can follow the command. */
  readonly takesPath?: boolean;
  /** The command for a script such as `test` or `build`; absent for files that only accompany others. */
  command?(
    script: string,
    text: string,
    files: readonly string[],
  ): { readonly command: string; readonly script?: string } | undefined;
}

/** Other names under which projects keep a script. */
const SCRIPT_NAMES: Readonly<Record<string, readonly string[]>> = {
  test: ['test', 'tests', 'test:unit'],
  build: ['build', 'compile'],
  lint: ['lint', 'eslint', 'check:lint'],
  typecheck: ['typecheck', 'type-check', 'types', 'check:types', 'check-types', 'tsc'],
  format: ['format', 'fmt', 'prettier'],
};

const fixed =
  (commands: Readonly<Record<string, string>>): NonNullable<ProjectFile['command']> =>
  (script) => {
    const command = commands[script];
    return command === undefined ? undefined : { command };
  };

const namesFor = (script: string) => SCRIPT_NAMES[script] ?? [script];

/** Project files, the more telling ones first. */
export const PROJECT_FILES: readonly ProjectFile[] = [
  { name: 'package.json', needsText: true, takesPath: true, command: packageScript },
  {
    name: 'deno.json',
    takesPath: true,
    command: fixed({ test: 'deno test', lint: 'deno lint', format: 'deno fmt', typecheck: 'deno check .' }),
  },
  {
    name: 'Cargo.toml',
    command: fixed({
      test: 'cargo test',
      build: 'cargo build',
      lint: 'cargo clippy',
      format: 'cargo fmt',
      typecheck: 'cargo check',
    }),
  },
  {
    name: 'go.mod',
    command: fixed({
      test: 'go test ./...',
      build: 'go build ./...',
      lint: 'go vet ./...',
      format: 'go fmt ./...',
      typecheck: 'go vet ./...',
    }),
  },
  {
    name: 'pyproject.toml',
    takesPath: true,
    needsText: true,
    command: (script, text) =>
      script === 'test' && /pytest/.test(text)
        ? { command: 'python -m pytest' }
        : script === 'test'
          ? { command: 'python -m unittest' }
          : undefined,
  },
  { name: 'pytest.ini', takesPath: true, command: fixed({ test: 'python -m pytest' }) },
  { name: 'tox.ini', command: fixed({ test: 'tox' }) },
  { name: 'pom.xml', command: fixed({ test: 'mvn test', build: 'mvn package' }) },
  { name: 'build.gradle', command: fixed({ test: './gradlew test', build: './gradlew build' }) },
  { name: 'build.gradle.kts', command: fixed({ test: './gradlew test', build: './gradlew build' }) },
  {
    name: 'mix.exs',
    takesPath: true,
    command: fixed({ test: 'mix test', build: 'mix compile', format: 'mix format' }),
  },
  {
    name: 'Gemfile',
    needsText: true,
    takesPath: true,
    command: (script, text) =>
      script === 'test' ? { command: /rspec/.test(text) ? 'bundle exec rspec' : 'bundle exec rake test' } : undefined,
  },
  {
    name: 'composer.json',
    needsText: true,
    command: (script, text) =>
      scriptsIn(text)[script] === undefined ? undefined : { command: `composer run-script ${script}` },
  },
  { name: 'justfile', needsText: true, command: (script, text) => targetIn(text, script, 'just') },
  { name: 'Makefile', needsText: true, command: (script, text) => targetIn(text, script, 'make') },
  { name: 'pnpm-lock.yaml' },
  { name: 'yarn.lock' },
  { name: 'bun.lock' },
  { name: 'bun.lockb' },
];

function scriptsIn(text: string): Record<string, unknown> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>) : {};
  } catch {
    // A file that is no JSON names no script; whoever runs the package manager will be told why.
    return {};
  }
}

function packageScript(
  script: string,
  text: string,
  files: readonly string[],
): { command: string; script?: string } | undefined {
  const scripts = scriptsIn(text);
  const name = namesFor(script).find((other) => typeof scripts[other] === 'string');
  if (name === undefined || /no test specified/.test(String(scripts[name]))) return undefined;
  const manager = files.includes('pnpm-lock.yaml')
    ? 'pnpm'
    : files.includes('yarn.lock')
      ? 'yarn'
      : files.some((file) => file.startsWith('bun.lock'))
        ? 'bun'
        : 'npm';
  const command = name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`;
  return { command, script: name };
}

function targetIn(text: string, script: string, program: string): { command: string } | undefined {
  const name = namesFor(script).find((other) =>
    new RegExp(String.raw`^${other.replace(/\W/g, '.')}(?:\s[^:=]*)?:(?!=)`, 'm').test(text),
  );
  return name === undefined ? undefined : { command: `${program} ${name}` };
}
