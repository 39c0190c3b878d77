/** The `$` that plugins are given: commands as template strings, run where the module runs, so that its sandbox holds them too. */
import { spawn } from 'node:child_process';

const MAX_OUTPUT = 8 * 1024 * 1024;

/** What a command gave. */
export interface ShellOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
  text(encoding?: BufferEncoding): string;
  json(): unknown;
  bytes(): Uint8Array;
}

/** A command that failed. */
export class ShellError extends Error {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;

  constructor(command: string, { stdout, stderr, exitCode }: ShellOutput) {
    super(`"${command}" ended with exit code ${exitCode}: ${stderr.toString().trim().slice(-500)}`);
    this.name = 'ShellError';
    this.stdout = stdout;
    this.stderr = stderr;
    this.exitCode = exitCode;
  }
}

interface ShellSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly throws: boolean;
}

/** A command that runs when somebody waits for it. */
export class ShellPromise implements PromiseLike<ShellOutput> {
  readonly #command: string;
  #settings: ShellSettings;
  readonly #explain: Explain;
  #running: Promise<ShellOutput> | undefined;

  constructor(command: string, settings: ShellSettings, explain: Explain) {
    this.#command = command;
    this.#settings = settings;
    this.#explain = explain;
    // A command that nobody waits for runs all the same, as in OpenCode.
    queueMicrotask(() => void this.#run().catch(() => undefined));
  }

  // oxlint-disable-next-line unicorn/no-thenable -- plugins await it
  then<A = ShellOutput, B = never>(
    done?: ((output: ShellOutput) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(done, failed);
  }

  catch<B>(failed: (reason: unknown) => B | PromiseLike<B>): Promise<ShellOutput | B> {
    return this.#run().catch(failed);
  }

  finally(work: () => void): Promise<ShellOutput> {
    return this.#run().finally(work);
  }

  /** Output goes nowhere but to the plugin in any case. */
  quiet(): this {
    return this;
  }

  nothrow(): this {
    return this.throws(false);
  }

  throws(throws: boolean): this {
    this.#settings = { ...this.#settings, throws };
    return this;
  }

  cwd(cwd: string): this {
    this.#settings = { ...this.#settings, cwd };
    return this;
  }

  env(env: ShellSettings['env']): this {
    this.#settings = { ...this.#settings, env };
    return this;
  }

  async text(encoding?: BufferEncoding): Promise<string> {
    return (await this.#run()).text(encoding);
  }

  async json(): Promise<unknown> {
    return (await this.#run()).json();
  }

  async bytes(): Promise<Uint8Array> {
    return (await this.#run()).bytes();
  }

  async *lines(): AsyncGenerator<string> {
    for (const line of (await this.text()).replace(/\n$/, '').split('\n')) yield line;
  }

  #run(): Promise<ShellOutput> {
    return (this.#running ??= runCommand(this.#command, this.#settings, this.#explain));
  }
}

type Explain = (fault: NodeJS.ErrnoException, program: string) => Error;

/** Makes a `$` for a folder. `explain` says what to do when the sandbox does not let a program run. */
export function createShell(cwd: string, explain: Explain) {
  let settings: ShellSettings = { cwd, env: process.env, throws: true };
  const tag = (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
    new ShellPromise(join(strings, values), settings, explain);
  return Object.assign(tag, {
    cwd: (path: string) => void (settings = { ...settings, cwd: path }),
    env: (env: ShellSettings['env']) => void (settings = { ...settings, env }),
    nothrow: () => void (settings = { ...settings, throws: false }),
    throws: (throws: boolean) => void (settings = { ...settings, throws }),
    escape: quote,
    ShellError,
  });
}

/** The command line: values are quoted, lists word by word, `{ raw }` as it is. */
function join(strings: TemplateStringsArray, values: readonly unknown[]): string {
  const word = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(word).join(' ');
    const isRaw = typeof value === 'object' && value !== null && 'raw' in value;
    return isRaw ? String((value as { raw: unknown }).raw) : quote(String(value));
  };
  return strings.reduce((text, part, index) => text + (index === 0 ? '' : word(values[index - 1])) + part, '');
}

/** A word that the shell takes as it is. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The words of a command without any shell syntax; nothing for others. So a sandbox needs to allow only the program itself. */
export function plainWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== '') {
    let word = '';
    for (;;) {
      const [piece = ''] = /^(?:[\w@%+=:,./-]+|'[^']*'|"[^"$`\\]*"|\\'|\\ )/.exec(rest) ?? [];
      if (piece === '') break;
      word += /^['"]/.test(piece) ? piece.slice(1, -1) : piece.startsWith('\\') ? piece.slice(1) : piece;
      rest = rest.slice(piece.length);
    }
    const [space = ''] = /^[ \t]+/.exec(rest) ?? [];
    if (rest !== '' && space === '') return undefined;
    rest = rest.slice(space.length);
    words.push(word);
  }
  // `A=1 program` sets a variable, and words of the shell are no programs.
  const [first = ''] = words;
  return first === '' || first.includes('=') || BUILTINS.has(first) ? undefined : words;
}

const BUILTINS = new Set(
  'cd echo exit export pwd set unset true false test type command exec if for while case eval printf read wait . source :'.split(
    ' ',
  ),
);

function runCommand(command: string, { cwd, env, throws }: ShellSettings, explain: Explain): Promise<ShellOutput> {
  const [program = 'sh', ...args] = plainWords(command) ?? ['sh', '-c', command];
  return new Promise((resolve, reject) => {
    const fail = (fault: unknown) => reject(explain(fault as NodeJS.ErrnoException, program));
    let child;
    try {
      child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (fault) {
      // A sandbox that allows no programs at all refuses at once.
      return fail(fault);
    }
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const sizes = { stdout: 0, stderr: 0 };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        if ((sizes[name] += chunk.length) <= MAX_OUTPUT) chunks[name].push(chunk);
      });
    child.on('error', fail);
    child.on('close', (code) => {
      const output = outputOf(Buffer.concat(chunks.stdout), Buffer.concat(chunks.stderr), code ?? 1);
      if (output.exitCode !== 0 && throws) reject(new ShellError(command, output));
      else resolve(output);
    });
  });
}

function outputOf(stdout: Buffer, stderr: Buffer, exitCode: number): ShellOutput {
  return {
    stdout,
    stderr,
    exitCode,
    text: (encoding) => stdout.toString(encoding),
    json: () => JSON.parse(stdout.toString()) as unknown,
    bytes: () => new Uint8Array(stdout),
  };
}
