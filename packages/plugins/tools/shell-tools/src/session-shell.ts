/** The shells of one session: one that commands share, one for commands outside of the sandbox, and those of jobs. */
import { isInside } from '@tenon/host';
import type { Profile } from '@tenon/sandbox/api';
import type { ShellDefinitions } from '@tenon/tools/api';
import { isWider } from './confinement.ts';
import { type LeftRunning, ProcessNames } from './left-running.ts';
import { OpenShell, type OpenShellOptions, type RunResult, type ShellHost } from './open-shell.ts';

/** The right to run one command; others of the session wait. */
export interface Lease {
  readonly shell: OpenShell;
  /** What the caller should be told about the shell. */
  readonly notes: readonly string[];
  /** The command has ended: notes where the session is now, brings the state back if the shell was lost. */
  ended(result: RunResult, options: { readonly staysInFolder: boolean }): Promise<void>;
  /** Leaves the shell, which is busy, to a job. The next command gets a new one with the state before this command. */
  leave(): void;
  /** Lets the next command run. May be called more than once. */
  release(): void;
}

const FOLDER_ONLY =
  '[The sandbox profile has become wider, so this is a new shell: only the folder was kept, no variables or functions.]';
const ASIDE = '[Another command runs: this one had a shell of its own, and what it changed there is gone.]';

/** Variables that every shell has for itself. */
const OF_SHELLS = /^(?:_|PWD|OLDPWD|SHLVL|SHELLOPTS|BASHOPTS|BASH_.*|TENON_.*)$/;

/** The persistent shell of a session. */
export class SessionShell {
  readonly #host: ShellHost;
  readonly #project: string;
  readonly #id: string;
  /** Files and folders that commands were told about, beside those that are known from the start. */
  readonly #told = new Set<string>();
  #folder: string;
  #main: OpenShell | undefined;
  #unsandboxed: OpenShell | undefined;
  /** The shell that was left to a job last: the next one goes on from its state. */
  #left: OpenShell | undefined;
  /** Shells whose job runs, or that have background processes. */
  readonly #others = new Set<OpenShell>();
  readonly #names = new ProcessNames();
  #tail: Promise<void> = Promise.resolve();
  /** Resolves when the state is written down. */
  #noted: Promise<void> = Promise.resolve();
  #isNoting = false;
  #leases = 0;
  #isClosed = false;

  constructor(host: ShellHost, project: string, id: string) {
    this.#host = host;
    this.#id = id;
    this.#project = project;
    this.#folder = project;
  }

  /** Where the next command runs unless it says otherwise. */
  get folder(): string {
    return this.#folder;
  }

  set folder(folder: string) {
    this.#folder = folder;
  }

  /** What commands have defined in the shell that the next one gets. */
  definitions(unsandboxed: boolean): ShellDefinitions | undefined {
    const inside = this.#main ?? this.#left;
    if (!unsandboxed) return inside?.definitions;
    // Outside nothing is known that was defined inside.
    return (this.#unsandboxed ?? (inside?.confinement.profile === 'full' ? inside : undefined))?.definitions;
  }

  /** Resolves when what the last command has changed is known; undefined when it is. */
  get noting(): Promise<void> | undefined {
    return this.#isNoting ? this.#noted : undefined;
  }

  #note(shell: OpenShell): Promise<void> {
    this.#isNoting = true;
    const noted = shell.note().finally(() => {
      if (this.#noted === noted) this.#isNoting = false;
    });
    return (this.#noted = noted);
  }

  /** Commands are told about a file or folder: the next one can read it. */
  show(path: string): void {
    this.#told.add(path);
  }

  get isBusy(): boolean {
    return this.#leases > 0 || this.#others.size > 0;
  }

  /** Everything that outlived its command. */
  background(): Promise<readonly LeftRunning[]> {
    return this.#names.of(() => this.#all().flatMap((open) => (open.isAlive ? open.background() : [])));
  }

  /** Waits for its turn. */
  async lease({ unsandboxed, signal }: { unsandboxed: boolean; signal: AbortSignal }): Promise<Lease> {
    const before = this.#tail;
    let next: () => void = () => {};
    this.#tail = new Promise((resolve) => (next = resolve));
    this.#leases++;
    let isReleased = false;
    const release = (afterwards?: Promise<void>) => {
      if (isReleased) return;
      isReleased = true;
      this.#leases--;
      if (afterwards) void afterwards.then(next);
      else next();
    };
    try {
      await orAborted(before, signal);
      return await this.#ready(unsandboxed, release);
    } catch (fault) {
      void before.then(() => release());
      throw fault;
    }
  }

  /** Does not wait: while another command runs, this one gets a shell of its own, with the state from before that command. */
  async leaseNow(signal: AbortSignal): Promise<Lease> {
    if (this.#leases === 0) return this.lease({ unsandboxed: false, signal });
    await this.#noted;
    const profile = await this.#host.confiner.profileFor(this.#project);
    const shell = await this.#start(profile, this.#main && this.#allows(profile, this.#main) ? this.#main : undefined);
    this.#others.add(shell);
    let retired: Promise<void> | undefined;
    const retire = () => (retired ??= this.retire(shell));
    return { shell, notes: [ASIDE], ended: retire, leave: () => {}, release: () => void retire() };
  }

  /** A shell of its own for a job, with the state that commands see now. */
  async fork(options: {
    unsandboxed: boolean;
    signal: AbortSignal;
  }): Promise<{ shell: OpenShell; notes: readonly string[] }> {
    const lease = await this.lease(options);
    try {
      const { profile } = lease.shell.confinement;
      const { shown } = lease.shell;
      const shell = await OpenShell.start(this.#host, this.#project, { profile, from: lease.shell, shown });
      this.#others.add(shell);
      return { shell, notes: lease.notes };
    } finally {
      lease.release();
    }
  }

  /** A shell for one command alone, with nothing of what ran in the others: that may have prepared a trap for it. */
  async fresh(options: Pick<OpenShellOptions, 'network'> & { readonly outside: boolean }): Promise<OpenShell> {
    const { outside, network } = options;
    const profile = outside ? 'full' : await this.#host.confiner.profileFor(this.#project);
    const shown = profile === 'full' ? [] : await this.#host.readable(this.#id, this.#project);
    const shell = await OpenShell.start(this.#host, this.#project, { profile, network, shown });
    this.#others.add(shell);
    return shell;
  }

  /** Whether commands run in a sandbox here that they may leave. */
  async mayLeave(): Promise<boolean> {
    const { confiner } = this.#host;
    return (await confiner.mayLeave()) && (await confiner.profileFor(this.#project)) !== 'full';
  }

  /** The variables that commands have set for those after them, compared with a shell that nobody has used. */
  async setVariables(unused: OpenShell, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (!this.#main?.isAlive) return {};
    const lease = await this.lease({ unsandboxed: false, signal });
    try {
      const [now, before] = await Promise.all([lease.shell.exported(), unused.exported()]);
      const isOwn = (name: string) => name in lease.shell.confinement.env || OF_SHELLS.test(name);
      return Object.fromEntries([...now].filter(([name, value]) => !isOwn(name) && before.get(name) !== value));
    } finally {
      lease.release();
    }
  }

  /** A job is done with its shell. It lives on for the next command, if there was none yet, and for what it left running. */
  async retire(open: OpenShell): Promise<void> {
    if (this.#left === open && open.isAlive && !this.#main && !this.#isClosed) {
      this.#left = undefined;
      this.#others.delete(open);
      this.#main = open;
      return open.note();
    }
    if (open.isAlive && open.background().length > 0) return void this.#others.add(open);
    this.#others.delete(open);
    await open.close();
  }

  /** Ends all shells and everything they started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = this.#all();
    this.#main = undefined;
    this.#unsandboxed = undefined;
    this.#others.clear();
    await Promise.all(all.map((open) => open.close()));
  }

  async #ready(unsandboxed: boolean, release: (afterwards?: Promise<void>) => void): Promise<Lease> {
    const usual = await this.#host.confiner.profileFor(this.#project);
    const isOutside = unsandboxed && usual !== 'full';
    const notes: string[] = [];
    const shell = isOutside ? await this.#outside() : await this.#inside(usual, notes);
    if (this.#isClosed) await shell.close();
    let isLeft = false;
    let noted: Promise<void> | undefined;
    return {
      shell,
      notes,
      release: () => release(noted),
      ended: async (result, { staysInFolder }) => {
        if (isLeft) return this.retire(shell);
        if (!staysInFolder) this.#folder = result.cwd;
        if (result.shell === 'fresh' && (await shell.recover())) return;
        // Not awaited here: the next command waits for it, and that one is mostly seconds away.
        noted = this.#note(shell);
      },
      leave: () => {
        isLeft = true;
        this.#others.add(shell);
        if (this.#main === shell) this.#main = undefined;
        if (this.#unsandboxed === shell) this.#unsandboxed = undefined;
        if (!isOutside) this.#left = shell;
      },
    };
  }

  async #inside(profile: Profile, notes: string[]): Promise<OpenShell> {
    const known = this.#main;
    const isShown = [...this.#told].every((path) => known?.shown.some((shown) => isInside(path, shown)));
    if (known?.isAlive && known.confinement.profile === profile && (profile === 'full' || isShown)) return known;
    const source = known?.isAlive ? known : this.#left;
    const isTaken = source !== undefined && this.#allows(profile, source);
    if (source?.isAlive && !isTaken) notes.push(FOLDER_ONLY);
    const main = await this.#start(profile, isTaken ? source : undefined);
    this.#main = main;
    this.#left = undefined;
    if (known) await this.retire(known);
    return main;
  }

  async #outside(): Promise<OpenShell> {
    if (this.#unsandboxed?.isAlive) return this.#unsandboxed;
    this.#unsandboxed = await this.#start('full', undefined);
    return this.#unsandboxed;
  }

  /** What ran in a narrow sandbox may have prepared functions and variables for a wider one. */
  #allows(profile: Profile, source: OpenShell): boolean {
    return !isWider(profile, source.confinement.profile);
  }

  async #start(profile: Profile, from: OpenShell | undefined): Promise<OpenShell> {
    const readable = profile === 'full' ? [] : await this.#host.readable(this.#id, this.#project);
    const shown = [...new Set([...readable, ...this.#told])];
    return OpenShell.start(this.#host, this.#project, { profile, from, shown });
  }

  #all(): OpenShell[] {
    return [this.#main, this.#unsandboxed, ...this.#others].filter((open) => open !== undefined);
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
