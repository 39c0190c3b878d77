import type { Allowance } from './deadline.ts';
import { type Disposable, disposable } from './disposable.ts';
import { joinFaults } from './errors.ts';
import { kernelErrors } from './kernel-errors.ts';
import type { Registration, RegistrationInfo } from './plugin-record.ts';

interface Staged {
  readonly info: RegistrationInfo;
  readonly publish: () => Disposable;
  published?: Disposable;
  cancelled: boolean;
}

/**
 * The life of one activation: everything that the plugin registers, in order.
 * Until commit() registrations are only staged, so that a failure leaves no trace and success shows all at once.
 */
export class Scope {
  readonly plugin: string;
  readonly controller = new AbortController();
  allowance: Allowance | undefined;
  #staged: Staged[] | undefined = [];
  #live: Registration[] = [];
  #ended = false;

  /** `allowance` is the time that the start has; there is none any more once it is over. */
  constructor(plugin: string, allowance?: Allowance) {
    this.plugin = plugin;
    this.allowance = allowance;
  }

  /** Throws when the plugin was unloaded. */
  assertOpen(use: string): void {
    if (this.#ended) throw kernelErrors.create('KERNEL_CONTEXT_UNLOADED', { plugin: this.plugin, use });
  }

  /** The one way in which anything is registered. */
  register(info: RegistrationInfo, publish: () => Disposable): Disposable {
    // A clean-up belongs to something that was opened already, so it counts from now on, also if the start fails.
    if (!this.#staged || info.kind === 'cleanup') return this.#publish(info, publish);
    const staged: Staged = { info, publish, cancelled: false };
    this.#staged.push(staged);
    return disposable(() => {
      staged.cancelled = true;
      return staged.published?.dispose();
    });
  }

  /** What is registered or about to be. */
  registrations(): RegistrationInfo[] {
    const staged = (this.#staged ?? []).filter(({ cancelled }) => !cancelled);
    return [...this.#live, ...staged].map(({ info }) => info);
  }

  /** Publishes what was staged. When one publication fails, the caller ends the scope and with it the others. */
  commit(): void {
    const staged = this.#staged ?? [];
    this.#staged = undefined;
    for (const item of staged) if (!item.cancelled) item.published = this.#publish(item.info, item.publish);
  }

  #publish(info: RegistrationInfo, publish: () => Disposable): Disposable {
    const published = publish();
    const registration: Registration = {
      info,
      dispose: () => {
        this.#live = this.#live.filter((other) => other !== registration);
        return published.dispose();
      },
    };
    this.#live.push(registration);
    return disposable(() => registration.dispose());
  }

  /** Aborts the context: from now on the plugin can do nothing with it. */
  close(): void {
    this.#ended = true;
    this.#staged = this.#staged && [];
    this.controller.abort(kernelErrors.create('KERNEL_CONTEXT_UNLOADED', { plugin: this.plugin, use: 'signal' }));
  }

  /** Undoes everything, newest first. A failing clean-up does not stop the others; all failures come back together. */
  async end(): Promise<Error | undefined> {
    this.close();
    const faults: unknown[] = [];
    for (const registration of [...this.#live].reverse()) {
      try {
        await registration.dispose();
      } catch (fault) {
        faults.push(fault);
      }
    }
    return joinFaults(faults, 'several clean-ups failed');
  }
}
