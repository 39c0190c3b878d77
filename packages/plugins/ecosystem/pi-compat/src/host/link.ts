/** The way from Tenon to the runtime of one extension: across a process boundary, or inside Tenon. */
import { createHash } from 'node:crypto';
import { messageOf, type Permissions, type TenonError } from '@tenon/kernel';
import {
  type BrokeredRequest,
  createFetchBroker,
  type HostStatus,
  type Method,
  type PackHost,
  type PackHosts,
  type Wire,
} from '@tenon/pack-host/api';
import type { Bridge, RuntimeStart } from '../protocol.ts';
import type { Trust } from './records.ts';

/** Extensions are translated as they are loaded, and some are large. */
const START_SECONDS = 60;

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
  stop(): Promise<void>;
  status(): HostStatus | undefined;
}

/** What a link is made from. */
export interface LinkParts {
  readonly id: string;
  readonly start: RuntimeStart;
  readonly trust: Trust;
  readonly permissions: Permissions;
  /** The folders that its code lies in. */
  readonly folders: readonly string[];
  readonly own: readonly string[];
  readonly answers: Answers;
  hosts(): Promise<PackHosts>;
  /** Called when it runs in another process, before anything else is asked of it there. */
  restarted(request: Link['request']): Promise<void>;
  stopped(error: TenonError): void;
}

/** Connects to a runtime as its trust says. Nothing starts yet. */
export function connect(parts: LinkParts): Link {
  return parts.trust === 'in-process' ? new InsideLink(parts) : new ProcessLink(parts);
}

/** A name for the host of a module in a folder. */
export function hostId(name: string, file: string, cwd: string): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 30);
  const hash = createHash('sha256').update(`${file}\n${cwd}`).digest('hex').slice(0, 8);
  return ['pi', words, hash].filter(Boolean).join('-');
}

class ProcessLink implements Link {
  readonly #parts: LinkParts;
  #host: PackHost | undefined;
  #starts = 0;
  #welcome: Promise<void> | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { id, start, trust, permissions, folders, own, hosts } = this.#parts;
    const [folder = start.cwd, ...more] = folders;
    const granted: Permissions = {
      ...permissions,
      fs: { ...permissions.fs, read: [...(permissions.fs?.read ?? []), ...more] },
    };
    const pack = { manifest: { id, version: '0.0.0', kernel: '^1' }, folder, permissions: granted };
    const place = { workspace: start.cwd, home: start.home, own };
    this.#host = await (
      await hosts()
    ).host(pack, place, {
      name: 'pi-host',
      confined: trust === 'isolated',
      startSeconds: START_SECONDS,
    });
    const methods = this.#methods();
    const questions = served(this.#parts.answers.questions);
    await this.#host.activate({
      config: start,
      needs: {},
      methods: () => methods,
      questions: () => questions,
      onRestart: () => {
        this.#welcome = undefined;
        this.#starts++;
      },
      report: (error) => this.#parts.stopped(error),
    });
  }

  async request(method: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.#host) throw new Error('it was not started');
    const { peer } = await this.#host.use();
    // A process that was started anew is told where it is before it is asked anything.
    if (this.#starts > 1) await (this.#welcome ??= this.#parts.restarted((...call) => peer.request(...call)));
    return peer.request(method, args);
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
  }

  status(): HostStatus | undefined {
    return this.#host?.status();
  }

  #methods(): Readonly<Record<string, Method>> {
    const { answers, permissions, start } = this.#parts;
    const fetch = createFetchBroker(start.name, permissions.net ?? []);
    return {
      ...served(answers.methods),
      fetch: (params, peer) =>
        peer.serveArguments(params, ([request, signal]) =>
          fetch(request as BrokeredRequest, signal as AbortSignal | undefined),
        ),
    };
  }
}

function served(methods: Answers['methods']): Readonly<Record<string, Method>> {
  const entries = Object.entries(methods).map(([name, method]): [string, Method] => [
    name,
    (params: Wire[], peer) => peer.serveArguments(params, (values) => method(...(values as never[]))),
  ]);
  return Object.fromEntries(entries);
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
