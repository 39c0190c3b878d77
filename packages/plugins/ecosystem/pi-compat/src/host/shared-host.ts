/**
 * One process for several extensions of the same trust, level and permissions. It starts when the first of them is needed and
 * ends with the last. When it ends badly, the extension to blame gets a process of its own; the others start again together.
 */
import { createHash } from 'node:crypto';
import type { Permissions, TenonError } from '@tenon/kernel';
import {
  type BrokeredRequest,
  type Connection,
  createFetchBroker,
  type HostStatus,
  type Method,
  type PackHost,
  type PackHosts,
  type Wire,
} from '@tenon/pack-host/api';
import type { HostStart, RuntimeStart } from '../protocol.ts';
import type { Answers } from './link.ts';
import type { Trust } from './records.ts';

/** Extensions are translated as they are loaded, and some are large. */
const START_SECONDS = 60;
/** A process of many may use as much memory as this many of one. */
const MAX_MEMORY_SHARES = 4;

/** What all extensions of a process have in common. */
export interface HostKind {
  readonly trust: Trust;
  readonly level: string;
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly home: string;
  readonly own: readonly string[];
  hosts(): Promise<PackHosts>;
}

/** An extension in a process. */
export interface Member {
  readonly start: RuntimeStart;
  /** The folders that its code lies in. */
  readonly folders: readonly string[];
  readonly answers: Answers;
  /** A process begins to load it. */
  onStart(): void;
  /** The process ended badly, whoever is the reason. */
  onEnd(): void;
  /** The process ended badly, and this extension is (or, when not certain, may be) the reason. It is no longer in the process. */
  onBlamed(error: TenonError, isCertain: boolean): void;
}

interface Seat {
  readonly member: Member;
  readonly fetch: ReturnType<typeof createFetchBroker>;
  /** Why it could not be loaded. */
  failure?: unknown;
  /** Requests that it has not answered. */
  pending: number;
}

/** A name for the process of some modules in a folder. */
export function hostId(names: readonly string[], files: readonly string[], cwd: string): string {
  const words = names
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 30);
  const hash = createHash('sha256')
    .update([...files, cwd].join('\n'))
    .digest('hex')
    .slice(0, 8);
  return ['pi', words, hash].filter(Boolean).join('-');
}

/** The process and those who sit in it. */
export class SharedHost {
  readonly #kind: HostKind;
  /** By the file of the extension. */
  readonly #seats = new Map<string, Seat>();
  #host: Promise<PackHost> | undefined;
  #started: PackHost | undefined;
  #isLoading = false;

  constructor(kind: HostKind) {
    this.#kind = kind;
  }

  /** Once it has been started, what its sandbox shows is settled, and nobody else can come in. */
  get isOpen(): boolean {
    return this.#host === undefined;
  }

  join(member: Member): void {
    const fetch = createFetchBroker(member.start.name, this.#kind.permissions.net ?? []);
    this.#seats.set(member.start.file, { member, fetch, pending: 0 });
  }

  has({ start }: Member): boolean {
    return this.#seats.has(start.file);
  }

  /** How many extensions are in it. */
  get size(): number {
    return this.#seats.size;
  }

  /** Starts the process, if need be, and loads everybody in it. Throws why `member` could not be loaded. */
  async load({ start: { file } }: Member): Promise<Connection> {
    const connection = await (await (this.#host ??= this.#make())).use();
    const failure = this.#seats.get(file)?.failure;
    if (failure !== undefined) throw failure;
    return connection;
  }

  /** Whether a member itself is the reason why it could not be loaded. */
  hasFailed({ start: { file } }: Member): boolean {
    return this.#seats.get(file)?.failure !== undefined;
  }

  /** The way to the runtime of a member, in one process of the host. */
  requests({ start: { file } }: Member, { peer }: Connection): Send {
    return async (method, args) => {
      const seat = this.#seats.get(file);
      if (!seat) throw new Error('it was stopped');
      seat.pending++;
      try {
        return await peer.request(method, [file, ...args]);
      } finally {
        seat.pending--;
      }
    };
  }

  /** Takes a member out; the last one ends the process. */
  async leave(member: Member): Promise<void> {
    if (!this.#seats.delete(member.start.file) || this.#seats.size > 0) return;
    await (await this.#host)?.stop();
  }

  status(): HostStatus | undefined {
    return this.#started?.status();
  }

  async #make(): Promise<PackHost> {
    const { trust, permissions, cwd, home, own, hosts } = this.#kind;
    const members = [...this.#seats.values()].map(({ member }) => member);
    const id = hostId(
      members.map(({ start }) => start.name),
      members.map(({ start }) => start.file),
      cwd,
    );
    const [folder = cwd, ...more] = [...new Set(members.flatMap(({ folders }) => folders))];
    const granted: Permissions = {
      ...permissions,
      fs: { ...permissions.fs, read: [...(permissions.fs?.read ?? []), ...more] },
    };
    const pack = { manifest: { id, version: '0.0.0', kernel: '^1' }, folder, permissions: granted };
    const host = await (
      await hosts()
    ).host(
      pack,
      { workspace: cwd, home, own },
      {
        name: 'pi-host',
        confined: trust === 'isolated',
        startSeconds: START_SECONDS,
        libraries: true,
        memoryShares: Math.min(members.length, MAX_MEMORY_SHARES),
      },
    );
    this.#started = host;
    const config = () => this.#config();
    const methods = this.#methods();
    const questions = this.#served('questions');
    // Not awaited: whoever asked for the process waits for it with `use`, and hears of a failure there.
    const loading = host.activate({
      get config() {
        return config();
      },
      needs: {},
      methods: () => methods,
      questions: () => questions,
      onRestart: () => this.#begin(),
      report: (error) => this.#ended(error),
    });
    loading.catch(() => undefined);
    return host;
  }

  #config(): HostStart {
    const { cwd, trust } = this.#kind;
    const seats = [...this.#seats.values()].filter(({ failure }) => failure === undefined);
    return { cwd, trusted: trust !== 'isolated', members: seats.map(({ member }) => member.start) };
  }

  #begin(): void {
    this.#isLoading = true;
    for (const { member, failure } of this.#seats.values()) if (failure === undefined) member.onStart();
  }

  /** The process is gone. Who has to go is found in what it printed, else among those who were asked something. */
  #ended(error: TenonError): void {
    const wasLoading = this.#isLoading;
    this.#isLoading = false;
    const seats = [...this.#seats.values()];
    const printed = [String(error.details['reason'] ?? ''), ...(this.status()?.output ?? [])].join('\n');
    const members = seats.map(({ member }) => member);
    const named = seats.filter(({ member }) => isNamedIn(printed, member, members));
    const asked = seats.filter(({ pending }) => pending > 0);
    const blamed = [named, wasLoading ? seats : asked, seats].find((candidates) => candidates.length > 0) ?? [];
    const isCertain = blamed.length === 1;
    for (const { member } of seats) member.onEnd();
    for (const { member } of blamed) {
      // Alone, it starts again where it is.
      if (seats.length > 1) this.#seats.delete(member.start.file);
      member.onBlamed(error, isCertain);
    }
  }

  #served(kind: keyof Answers): Readonly<Record<string, Method>> {
    const [any] = this.#seats.values();
    const answer =
      (name: string): Method =>
      (params: Wire[], peer) =>
        peer.serveArguments(params, ([file, ...values]) => {
          const method = this.#seats.get(String(file))?.member.answers[kind][name];
          if (!method) throw new Error('the extension was stopped');
          return method(...(values as never[]));
        });
    return Object.fromEntries(Object.keys(any?.member.answers[kind] ?? {}).map((name) => [name, answer(name)]));
  }

  #methods(): Readonly<Record<string, Method>> {
    return {
      ...this.#served('methods'),
      // The last one that is loaded, or is not, ends the loading.
      loaded: (params, peer) =>
        peer.serveArguments(params, ([failures]) => {
          this.#isLoading = false;
          for (const [file, failure] of failures as readonly (readonly [string, unknown])[]) {
            const seat = this.#seats.get(file);
            if (seat) seat.failure = failure;
          }
        }),
      fetch: (params, peer) =>
        peer.serveArguments(params, ([file, request, signal]) => {
          const [first] = this.#seats.values();
          const seat = this.#seats.get(String(file)) ?? first;
          if (!seat) throw new Error('the extension was stopped');
          return seat.fetch(request as BrokeredRequest, signal as AbortSignal | undefined);
        }),
    };
  }
}

/** Asks a runtime something. */
export type Send = (method: string, args: readonly unknown[]) => Promise<unknown>;

/** Whether a stack trace leads to the file of an extension, or into a package that is only its own. */
function isNamedIn(printed: string, { start, folders: [folder] }: Member, all: readonly Member[]): boolean {
  if (printed.includes(`${start.file}:`)) return true;
  const isOwn = all.filter(({ folders: [other] }) => other === folder).length === 1;
  return folder !== undefined && isOwn && printed.includes(`${folder}/`);
}

/** The processes of one folder that still take extensions in. */
export class SharedHosts {
  readonly #open = new Map<string, SharedHost>();

  /** The process for an extension of this kind; with `alone`, one for nobody else. */
  hostFor(kind: HostKind, alone = false): SharedHost {
    if (alone) return new SharedHost(kind);
    const key = JSON.stringify([kind.trust, kind.level, kind.cwd, sorted(kind.permissions)]);
    const known = this.#open.get(key);
    if (known?.isOpen === true) return known;
    const host = new SharedHost(kind);
    this.#open.set(key, host);
    return host;
  }
}

function sorted({ fs, ...rest }: Permissions): unknown {
  const lists = { read: fs?.read, write: fs?.write, ...rest };
  return Object.entries(lists)
    .map(([name, values]) => [name, [...(values ?? [])].sort()])
    .sort();
}
