import type { Accelerators } from '@tenon/native';
import { errors } from './errors.ts';

const MAX_SHELLS = 8;

type Shell = ReturnType<Accelerators['shell']['openSession']>;

/** How shells are started. */
export interface ShellStart {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bash?: string;
}

/** One persistent shell per session. */
export class ShellPool {
  readonly #accelerator: () => Promise<Accelerators['shell']>;
  readonly #start: ShellStart;
  // Maps keep the order of insertion, so the first shell is the one that was used longest ago.
  readonly #shells = new Map<string, Shell>();
  readonly #busy = new Map<string, number>();
  #isClosed = false;

  constructor(accelerator: () => Promise<Accelerators['shell']>, start: ShellStart) {
    this.#accelerator = accelerator;
    this.#start = start;
  }

  /** Uses the session's shell, which is started when there is none or the last one has ended. */
  async use<T>(session: string, cwd: string, work: (shell: Shell) => Promise<T>): Promise<T> {
    this.#busy.set(session, (this.#busy.get(session) ?? 0) + 1);
    try {
      return await work(await this.#open(session, cwd));
    } finally {
      const left = (this.#busy.get(session) ?? 1) - 1;
      if (left > 0) this.#busy.set(session, left);
      else this.#busy.delete(session);
    }
  }

  /** Ends all shells and everything they started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const shells = [...this.#shells.values()];
    this.#shells.clear();
    await Promise.all(shells.map((shell) => shell.close()));
  }

  async #open(session: string, cwd: string): Promise<Shell> {
    const accelerator = await this.#accelerator();
    const known = this.#shells.get(session);
    this.#shells.delete(session);
    const shell = known && known.closedReason === undefined ? known : this.#startShell(accelerator, cwd);
    this.#shells.set(session, shell);
    await this.#closeIdle();
    return shell;
  }

  #startShell(accelerator: Accelerators['shell'], cwd: string): Shell {
    if (this.#isClosed) throw errors.create('SHELL_TOOLS_NO_BASH', { reason: 'the plugin is being unloaded' });
    const { env, bash } = this.#start;
    try {
      return accelerator.openSession({ cwd, env, ...(bash !== undefined && { bash }) });
    } catch (fault) {
      throw errors.create(
        'SHELL_TOOLS_NO_BASH',
        { reason: fault instanceof Error ? fault.message : String(fault) },
        fault,
      );
    }
  }

  async #closeIdle(): Promise<void> {
    for (const [session, shell] of this.#shells) {
      if (this.#shells.size <= MAX_SHELLS) return;
      if (this.#busy.has(session)) continue;
      this.#shells.delete(session);
      await shell.close();
    }
  }
}
