/** What is remembered about a session while it lasts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASH_LINE, runShellCommand } from './command-run.ts';
import { type HookTable, NO_HOOKS } from './hook-table.ts';
import type { OccasionFacts } from './occasion.ts';
import type { Outcome } from './outcome.ts';

const ENV_TIMEOUT_MS = 10_000;
const MAX_CALLS = 500;

/** A verdict about a call, kept until the gate asks for it. */
export interface CallVerdict {
  readonly outcome: Outcome;
  /** What the model is told when it is refused. */
  readonly refused?: string;
  /** The input that nobody need be asked about any more; whatever others make of it later was not judged. */
  readonly allowed?: Readonly<Record<string, unknown>>;
}

/** One session. */
export class SessionState {
  readonly cwd: string;
  readonly startedAt = Date.now();
  readonly verdicts = new Map<string, CallVerdict>();
  /** When the tools of running calls began. */
  readonly callsBegan = new Map<string, number>();
  /** What the model is told with the next request. */
  readonly pending: string[] = [];
  /** Notices that the user has seen. */
  readonly said = new Set<string>();
  /** Calls since the last request to the model. */
  batch: OccasionFacts['tool-batch']['calls'][number][] = [];
  table: HookTable = NO_HOOKS;
  /** True once the hooks were looked for. */
  isLoaded = false;
  /** Resolves when the hooks were looked for the first time. */
  ready: Promise<void> | undefined;
  /** Folders of projects whose hooks may run. */
  trusted: ReadonlySet<string> = new Set();
  /** A set of hooks that the user does not want, or could not be asked about. */
  refusedTable: string | undefined;
  prompt = '';
  continues = 0;
  compactTrigger: 'manual' | 'auto' = 'auto';
  /** The hooks after the last summary: the next request waits for what they say. */
  afterCompact: Promise<void> | undefined;
  /** Variables for commands, from hooks at the start of the session. */
  env: Record<string, string> = {};
  readonly #controller = new AbortController();
  /** What runs, and how long the end of the session waits for it. */
  readonly #background = new Map<Promise<unknown>, number>();
  /** For each moment, what its hooks were told last. */
  readonly #last = new Map<string, Promise<unknown>>();
  #folder: string | undefined;

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  /** Keeps a verdict. Calls that others refuse never come back for theirs. */
  decide(callId: string, verdict: CallVerdict): void {
    this.verdicts.delete(callId);
    this.verdicts.set(callId, verdict);
    for (const kept of [this.verdicts, this.callsBegan]) {
      const [oldest] = kept.keys();
      if (kept.size > MAX_CALLS && oldest !== undefined) kept.delete(oldest);
    }
  }

  /** True when hooks were looked for, there are none, and none have left anything to say. */
  get hasNone(): boolean {
    const isSilent = this.pending.length === 0 && this.batch.length === 0 && Object.keys(this.env).length === 0;
    return this.isLoaded && this.table.all.length === 0 && isSilent;
  }

  /** Aborts when the session is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Does something that nobody waits for, until the session ends; the end itself waits for `graceMs`. */
  inBackground(work: Promise<unknown>, graceMs: number): void {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.set(tracked, graceMs);
  }

  /** The same, after what was begun before under this name has ended. */
  inTurn(name: string, begin: () => Promise<unknown>, graceMs: number): void {
    const before = this.#last.get(name);
    const work = before ? before.then(begin) : begin();
    const ended = work.finally(() => {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    });
    this.#last.set(name, ended);
    this.inBackground(ended, graceMs);
  }

  /** Waits a little for what runs in the background, then ends it. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#background].map(async ([work, graceMs]) => {
        let timer: NodeJS.Timeout | undefined;
        const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
        await Promise.race([Promise.allSettled([work]), tooLong]);
        clearTimeout(timer);
      }),
    );
    this.#controller.abort();
    await Promise.allSettled(this.#background.keys());
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  /** The file in which hooks write down variables. */
  async envFile(): Promise<string> {
    if (this.#folder === undefined) {
      this.#folder = await mkdtemp(join(tmpdir(), 'tenon-hooks-'));
      await writeFile(join(this.#folder, 'env.sh'), '', { mode: 0o600 });
    }
    return join(this.#folder, 'env.sh');
  }

  /** Takes over what hooks wrote down: the file is for a shell, so that a shell says what it comes to. */
  async readEnvFile(): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    const file = join(this.#folder, 'env.sh');
    if ((await readFile(file, 'utf8')).trim() === '') return undefined;
    const end = await runShellCommand({
      command: [...BASH_LINE, 'set -a; . "$1" >/dev/null 2>&1 || exit 1; exec env -0', 'tenon-hook', file],
      cwd: this.cwd,
      env: process.env,
      stdin: '',
      timeoutMs: ENV_TIMEOUT_MS,
      signal: this.signal,
    });
    if (end.exitCode !== 0)
      return 'What hooks wrote into CLAUDE_ENV_FILE could not be read; it must be a shell script.';
    for (const pair of end.stdout.split('\0')) {
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (at > 0 && !SHELL_OWN.has(name) && process.env[name] !== value) this.env[name] = value;
    }
    return undefined;
  }
}

/** Variables that every shell sets for itself. */
const SHELL_OWN = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'BASHOPTS', 'SHELLOPTS']);
