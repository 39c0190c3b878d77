/** One shell of a session, with its sandbox and the file that holds its state. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MARK_SCRIPT } from '@tenon/host';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { type Confinement, isBridge, type Profile } from '@tenon/sandbox/api';
import type { ShellDefinitions } from '@tenon/tools/api';
import type { Confiner } from './confinement.ts';
import { networkEnvironment } from './environment.ts';
import { readDefinitions } from './definitions.ts';
import { errors } from './errors.ts';
import { noteScript, restoreScript } from './shell-state.ts';
import type { StartFiles } from './start-files.ts';

const NOTE_LIMIT_MS = 5_000;
/** Words before everything that runs: Tenon knows its own programs by the mark when they call it. */
export const MARKED: readonly string[] = ['/bin/sh', '-c', `${MARK_SCRIPT}exec "$@"`, 'tenon-agent'];

/** A session of the shell accelerator. */
export type Shell = ReturnType<Accelerators['shell']['openSession']>;
/** How a command of it ended. */
export type RunResult = Awaited<ReturnType<Shell['run']>>;
type RunOptions = NonNullable<Parameters<Shell['run']>[1]>;

/** What shells are started with. */
export interface ShellHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bash: string | undefined;
  readonly log: Logger;
  /** Folders that commands of a session may read whatever the sandbox hides: the session's own files. */
  readable(session: string, cwd: string): Promise<readonly string[]>;
  readonly confiner: Confiner;
  /** Absent when the user's start files are not wanted. */
  readonly startFiles: StartFiles | undefined;
  shell(): Promise<Accelerators['shell']>;
}

/** Where a program on a terminal is started. */
export interface TerminalPlace {
  /** To be disposed of when the program has ended. */
  readonly confinement: Confinement;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables that the sandboxes have a say in. */
  readonly surroundings: Readonly<Record<string, string | undefined>>;
}

/** How a shell is started. */
export interface OpenShellOptions {
  readonly profile?: Profile | undefined;
  /** The shell whose state it takes over. */
  readonly from?: OpenShell | undefined;
  /** Opens the public network to it, with the profile as it is. */
  readonly network?: 'public' | undefined;
  /** Folders that it shows beside what its profile does. */
  readonly shown?: readonly string[] | undefined;
}

/** A shell that runs, or has run, commands of a session. */
export class OpenShell {
  readonly shell: Shell;
  readonly confinement: Confinement;
  readonly stateFile: string;
  /** Folders that it shows beside what its profile does. */
  readonly shown: readonly string[];
  /** What the user's own start files define. */
  readonly startFile: string | undefined;
  /** What programs of this shell are started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #host: ShellHost;
  readonly #project: string;
  #isNoted = false;
  #definitions: ShellDefinitions | undefined;
  #folder: string | undefined;
  #heard: Buffer[] = [];

  private constructor(
    host: ShellHost,
    project: string,
    opened: Pick<OpenShell, 'shell' | 'confinement' | 'stateFile' | 'env' | 'startFile' | 'shown'>,
  ) {
    this.#host = host;
    this.#project = project;
    this.shell = opened.shell;
    this.confinement = opened.confinement;
    this.stateFile = opened.stateFile;
    this.env = opened.env;
    this.startFile = opened.startFile;
    this.shown = opened.shown;
  }

  /** Starts a shell for a project; with the state of `from`, if that is known. */
  static async start(
    host: ShellHost,
    project: string,
    { profile, from, network, shown = [] }: OpenShellOptions = {},
  ): Promise<OpenShell> {
    const accelerator = await host.shell();
    const snapshot = await host.startFiles?.snapshot();
    // Removed with the shell, also when this process is killed. The shell may change the folder of its state only.
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-shell-')));
    const stateFolder = join(folder, 'state');
    await mkdir(stateFolder);
    let confinement: Confinement | undefined;
    try {
      const extraRead = [
        ...shown,
        folder,
        ...(snapshot === undefined ? [] : [snapshot]),
        ...(from?.isNoted ? [dirname(from.stateFile)] : []),
      ];
      confinement = await host.confiner.confine({
        cwd: project,
        profile,
        extraRead,
        extraWrite: [stateFolder],
        network,
      });
      const { argv } = confinement;
      const own = { ...host.env, ...confinement.env };
      const env = network === undefined ? own : { ...own, ...networkEnvironment(own, confinement) };
      const bash = host.bash ?? 'bash';
      // Sandboxes start programs in the project; the shell finds its script in its own folder.
      const confined = argv.length === 0 ? [] : [...argv, bash, '--norc', '-c', 'cd -- "$0" && exec "$@"', folder];
      const wrap = [...MARKED, ...confined];
      const shell = accelerator.openSession({
        bash,
        env,
        folder,
        cwd: project,
        wrap: () => wrap,
        ...(snapshot !== undefined && { snapshot }),
      });
      const stateFile = join(stateFolder, 'shell.sh');
      const opened = new OpenShell(host, project, { shell, confinement, stateFile, env, startFile: snapshot, shown });
      if (from) await opened.#takeOver(from);
      return opened;
    } catch (fault) {
      await confinement?.dispose();
      await rm(folder, { recursive: true, force: true });
      if (fault instanceof TenonError) throw fault;
      throw errors.create('SHELL_TOOLS_NO_BASH', { reason: messageOf(fault) }, fault);
    }
  }

  /** True once its state was written down. */
  get isNoted(): boolean {
    return this.#isNoted && this.isAlive;
  }

  get isAlive(): boolean {
    return this.shell.closedReason === undefined;
  }

  /** What its commands have defined, as far as that was noted. */
  get definitions(): ShellDefinitions | undefined {
    return this.#definitions;
  }

  /** What its commands have left running. */
  background(): ReturnType<Shell['background']> {
    return this.shell.background().filter(({ command }) => !isBridge(command));
  }

  /** Runs a command in a folder. A shell that is in it already does not enter it again, so that `cd -` stays useful. */
  async run(command: string, { cwd, ...options }: RunOptions & { readonly cwd: string }): Promise<RunResult> {
    const entering = cwd === this.#folder ? {} : { cwd };
    let result: RunResult;
    try {
      result = await this.shell.run(command, { ...options, ...entering });
    } catch (fault) {
      if (this.isAlive) throw fault;
      throw errors.create('SHELL_TOOLS_SHELL_LOST', { reason: this.shell.closedReason ?? messageOf(fault) }, fault);
    }
    this.#folder = result.cwd;
    return result;
  }

  /** Writes the shell's state down, so that another shell can go on from here while this one is busy. */
  async note(): Promise<void> {
    if (!this.isAlive) return;
    const mayBeHeard = this.background().length > 0;
    try {
      const { outcome } = await this.shell.run(noteScript(this.stateFile, this.#definitionsFile), {
        timeoutMs: NOTE_LIMIT_MS,
        // What background processes write in this moment is theirs; anything else is the shell tracing itself.
        onOutput: ({ bytes }) => void (mayBeHeard && this.#heard.push(Buffer.from(bytes))),
      });
      this.#isNoted = outcome === 'exited';
      this.#definitions = await readDefinitions(this.#definitionsFile, this.startFile);
    } catch (fault) {
      this.#isNoted = false;
      if (this.isAlive) this.#host.log.warn(`the state of a shell could not be noted: ${messageOf(fault)}`);
    }
  }

  /** The variables that programs of this shell get. What the shell says about itself is only a claim: it may have been told to lie. */
  async exported(): Promise<ReadonlyMap<string, string>> {
    const parts: Buffer[] = [];
    await this.shell.run('\\builtin command env -0', {
      timeoutMs: NOTE_LIMIT_MS,
      onOutput: ({ bytes }) => void parts.push(Buffer.from(bytes)),
    });
    const entries = Buffer.concat(parts).toString('utf8').split('\0');
    return new Map(entries.flatMap((entry) => variableIn(entry)));
  }

  /** Brings back what was noted last, after the shell was lost. False when nothing was. */
  async recover(): Promise<boolean> {
    if (!this.isNoted) return false;
    await this.#takeOver(this);
    return true;
  }

  /** What background processes wrote between commands. */
  takeBackgroundOutput(): Buffer {
    const heard = this.#heard;
    this.#heard = [];
    return Buffer.concat([...heard, this.shell.takeBackgroundOutput().bytes]);
  }

  /** Where a program on a terminal is started: under the same profile. */
  async terminalPlace(): Promise<TerminalPlace> {
    const confinement = await this.#host.confiner.confine({
      cwd: this.#project,
      profile: this.confinement.profile,
      terminal: true,
      network: this.confinement.network === 'public' ? 'public' : undefined,
      extraRead: [...this.shown, dirname(this.stateFile)],
    });
    const own = { ...this.#host.env, ...confinement.env };
    const env = confinement.network === 'public' ? { ...own, ...networkEnvironment(own, confinement) } : own;
    return { confinement, env, surroundings: surroundingsOf(env, this.confinement, confinement) };
  }

  /** Ends the shell and everything it started. */
  async close(): Promise<void> {
    await this.shell.close();
    await this.confinement.dispose();
  }

  get #definitionsFile(): string {
    return join(dirname(this.stateFile), 'definitions');
  }

  async #takeOver({ stateFile, confinement, isNoted, definitions }: OpenShell): Promise<void> {
    if (!isNoted) return;
    this.#definitions = definitions;
    const surroundings = surroundingsOf(this.env, confinement, this.confinement);
    await this.shell.run(restoreScript(stateFile, surroundings), { timeoutMs: NOTE_LIMIT_MS });
  }
}

function variableIn(entry: string): [string, string][] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(entry) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

/** The variables that two sandboxes have a say in, as they must be in the second. */
function surroundingsOf(env: OpenShell['env'], first: Confinement, second: Confinement): OpenShell['env'] {
  const names = [...Object.keys(first.env), ...Object.keys(second.env)];
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}
