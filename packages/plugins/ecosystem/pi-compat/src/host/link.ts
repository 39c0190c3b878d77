/** The way from Tenon to the runtime of one extension: across a process boundary, or inside Tenon. */
import { messageOf, type Permissions, type TenonError } from '@tenon/kernel';
import type { HostStatus, PackHosts } from '@tenon/pack-host/api';
import type { Bridge, RuntimeStart } from '../protocol.ts';
import type { Trust } from './records.ts';
import type { HostKind, Member, SharedHost, SharedHosts } from './shared-host.ts';

/** What the other side may ask; the same names in both kinds of process. */
export interface Answers {
  /** Answered without any call to the other side, which waits meanwhile. */
  readonly questions: Readonly<Record<string, (...args: never[]) => unknown>>;
  readonly methods: Readonly<Record<string, (...args: never[]) => unknown>>;
}

/** A runtime. */
export interface Link {
  /** Starts it; what it registers comes through the answers. */
  start(): Promise<void>;
  request(method: string, args: readonly unknown[]): Promise<unknown>;
  /** Asks the runtime that runs now, without a word before; fails when none runs. */
  requestNow(method: string, args: readonly unknown[]): Promise<unknown>;
  stop(): Promise<void>;
  status(): HostStatus | undefined;
}

/** What a link is made from. */
export interface LinkParts {
  /** The processes that it may share with others. */
  readonly shared: SharedHosts;
  readonly start: RuntimeStart;
  readonly trust: Trust;
  /** Whose it is: what comes with a project shares no process with what is the user's own. */
  readonly level: string;
  readonly permissions: Permissions;
  /** The folders that its code lies in. */
  readonly folders: readonly string[];
  readonly own: readonly string[];
  readonly answers: Answers;
  hosts(): Promise<PackHosts>;
  /** Called when it runs in another process, before anything else is asked of it there. */
  restarted(request: Link['request']): Promise<void>;
  /** The process is gone, whoever is the reason. */
  ended(): void;
  /** Not certain when several shared the process and nothing tells which of them was the reason. */
  stopped(error: TenonError, isCertain: boolean): void;
}

/** Connects to a runtime as its trust says. Nothing starts yet. */
export function connect(parts: LinkParts): Link {
  return parts.trust === 'in-process' ? new InsideLink(parts) : new ProcessLink(parts);
}

/** An extension in a process that others of its kind share. */
class ProcessLink implements Link {
  readonly #parts: LinkParts;
  readonly #member: Member;
  readonly #kind: HostKind;
  #host: SharedHost;
  #starts = 0;
  #running: Link['request'] | undefined;
  #welcome: Promise<void> | undefined;

  constructor(parts: LinkParts) {
    const { start, trust, level, permissions, own, folders, answers } = parts;
    this.#parts = parts;
    this.#kind = { trust, level, permissions, cwd: start.cwd, home: start.home, own, hosts: () => parts.hosts() };
    this.#member = {
      start,
      folders,
      answers,
      onStart: () => {
        this.#welcome = undefined;
        this.#starts++;
      },
      onEnd: () => {
        this.#running = undefined;
        parts.ended();
      },
      onBlamed: (error, isCertain) => this.#blamed(error, isCertain),
    };
    this.#host = parts.shared.hostFor(this.#kind);
    this.#host.join(this.#member);
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async request(method: string, args: readonly unknown[]): Promise<unknown> {
    const send = await this.#connect();
    // A process that was started anew is told where it is before it is asked anything.
    if (this.#starts > 1) await (this.#welcome ??= this.#parts.restarted(send));
    return send(method, args);
  }

  async requestNow(method: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.#running) throw new Error('it does not run');
    return this.#running(method, args);
  }

  async stop(): Promise<void> {
    this.#running = undefined;
    await this.#host.leave(this.#member);
  }

  status(): HostStatus | undefined {
    return this.#host.status();
  }

  /** When a process does not start, the others in it may be the reason: it is tried without them. */
  async #connect(): Promise<Link['request']> {
    for (;;) {
      const host = this.#host;
      const { size } = host;
      try {
        return (this.#running = host.requests(this.#member, await host.load(this.#member)));
      } catch (fault) {
        if (size === 1 || host.hasFailed(this.#member)) throw fault;
        const hasOtherCompany = this.#host !== host || host.size < size;
        if (!hasOtherCompany) await this.#moveOut();
      }
    }
  }

  #blamed(error: TenonError, isCertain: boolean): void {
    if (!this.#host.has(this.#member)) this.#host = this.#alone();
    this.#parts.stopped(error, isCertain);
  }

  async #moveOut(): Promise<void> {
    await this.#host.leave(this.#member);
    this.#host = this.#alone();
  }

  #alone(): SharedHost {
    const host = this.#parts.shared.hostFor(this.#kind, true);
    host.join(this.#member);
    return host;
  }
}

/** The extension inside Tenon: for those that the user trusts with that. */
class InsideLink implements Link {
  readonly #parts: LinkParts;
  #runtime: { answer(method: string, args: readonly unknown[]): unknown } | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const [{ Runtime }, { importForeignModule }] = await Promise.all([
      import('../runtime/runtime.ts'),
      import('@tenon/pack-host/api'),
    ]);
    const { answers, start } = this.#parts;
    const find = (table: Answers['methods'], method: string) => {
      const answer = Object.hasOwn(table, method) ? table[method] : undefined;
      if (!answer) throw new TypeError(`there is no "${method}"`);
      return answer;
    };
    const bridge: Bridge = {
      ask: (method, ...args) => {
        const answer = find(answers.questions, method)(...(args as never[]));
        if (!(answer instanceof Promise)) return answer;
        // Nobody can wait here; what is changed is changed a moment later.
        answer.catch((fault: unknown) => this.#fault(method, fault));
        return undefined;
      },
      call: async (method, ...args) => find({ ...answers.questions, ...answers.methods }, method)(...(args as never[])),
    };
    const runtime = new Runtime(start, bridge);
    this.#runtime = runtime;
    await runtime.load(importForeignModule);
  }

  async request(method: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.#runtime) throw new Error('it was not started');
    return this.#runtime.answer(method, args);
  }

  requestNow(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.request(method, args);
  }

  async stop(): Promise<void> {
    this.#runtime = undefined;
  }

  status(): HostStatus | undefined {
    return undefined;
  }

  #fault(method: string, fault: unknown): void {
    const report = this.#parts.answers.methods['fault'] as ((...args: unknown[]) => unknown) | undefined;
    report?.(`pi.${method}()`, messageOf(fault));
  }
}
