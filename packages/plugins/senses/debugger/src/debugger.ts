/** The debug sessions of all agent sessions: one at a time for each, ended when nobody uses it. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeFolder } from '@tenon/host';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import { type Confinement, type Sandboxes, withheldVariables } from '@tenon/sandbox/api';
import { fill } from './adapters/definition.ts';
import type { KnownAdapter } from './adapters/definition.ts';
import { pythons } from './adapters/choose.ts';
import { OLD_DELVE_NOTICE, readableByDelve } from './adapters/go-debug-info.ts';
import type { DebugSnapshot } from './api.ts';
import { Companion, type CompanionOptions } from './companion/companion.ts';
import { errors } from './errors.ts';
import type { DapChannel } from './protocol/channel.ts';
import type { RequestLimits } from './protocol/dap-client.ts';
import { BreakpointBook, type BreakpointKind, type BreakpointRecord } from './session/breakpoints.ts';
import { DebugSession, type SessionBegin } from './session/debug-session.ts';
import { openAdapter } from './session/open-adapter.ts';
import { OutputRing } from './session/output-ring.ts';
import { TextPieces } from './session/text-pieces.ts';

/** What the sessions need from the rest of Tenon. */
export interface DebuggerHost {
  sandboxes(): Promise<Sandboxes>;
  readonly log: Logger;
  readonly idleMs: number;
  readonly outputBytes: number;
}

/** A session that is to be opened. */
export interface OpenRequest {
  /** The agent session that it belongs to. */
  readonly owner: string;
  readonly adapter: KnownAdapter;
  readonly commands: readonly (readonly string[])[];
  readonly program: string;
  readonly cwd: string;
  /** The workspace: what the sandbox is made for. */
  readonly workspace: string;
  readonly request: SessionBegin['request'];
  readonly template: Readonly<Record<string, unknown>>;
  readonly fillings: Readonly<Record<string, unknown>>;
  readonly breakpoints: readonly (readonly [BreakpointKind, BreakpointRecord])[];
}

interface Held {
  readonly session: DebugSession;
  readonly companion: Companion;
  readonly confinement: Confinement;
  usedAt: number;
  calls: number;
  closing?: Promise<void>;
}

/** What programs find in their environment beside the user's variables: no colours, no pagers, no questions. */
const UNATTENDED = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', PYTHONUNBUFFERED: '1' };
/** A debugger takes its breakpoints out of a process that it was attached to, before it ends. */
const DETACH_SECONDS = 2;
const SWEEP_MS = 15_000;
/** Output of a program that has ended may still be under way. */
const LINGER_MS = 700;

/** Keeps the sessions. */
export class Debugger {
  readonly #host: DebuggerHost;
  readonly #held = new Map<string, Held>();
  readonly #opening = new Set<string>();
  #count = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(host: DebuggerHost) {
    this.#host = host;
  }

  /** The session of an agent session, while it lives or its end can still be asked about. */
  find(owner: string): DebugSession | undefined {
    return this.#held.get(owner)?.session;
  }

  /** Whether the program of an agent session runs outside of the sandbox. */
  isOutside(owner: string): boolean {
    return this.#held.get(owner)?.confinement.profile === 'full';
  }

  /** Uses a session; it does not count as idle meanwhile. */
  async use<T>(owner: string, work: (session: DebugSession) => Promise<T>): Promise<T> {
    const held = this.#held.get(owner);
    if (held === undefined) throw errors.create('DEBUG_NO_SESSION');
    held.calls++;
    try {
      return await work(held.session);
    } finally {
      held.calls--;
      held.usedAt = Date.now();
    }
  }

  /** Opens a session. Nothing of it is left when that fails. */
  async open(request: OpenRequest, limits: RequestLimits): Promise<DebugSession> {
    const { owner } = request;
    const known = this.#held.get(owner);
    if (this.#opening.has(owner) || (known !== undefined && known.session.state !== 'ended'))
      throw errors.create('DEBUG_SESSION_ACTIVE', {
        id: known?.session.parts.id ?? 'that is being started',
        program: known?.session.parts.program ?? request.program,
      });
    this.#opening.add(owner);
    try {
      await this.#drop(owner);
      return await this.#start(request, limits);
    } finally {
      this.#opening.delete(owner);
    }
  }

  /** Ends the session of an agent session; gives its last state. */
  async end(owner: string): Promise<DebugSnapshot | undefined> {
    const held = this.#held.get(owner);
    if (held === undefined) return undefined;
    await held.session.terminate();
    const snapshot = held.session.snapshot();
    await this.#drop(owner);
    return snapshot;
  }

  /** Ends the session of an agent session that is over: at once where the program is Tenon's own. */
  async abandon(owner: string): Promise<void> {
    if (this.#held.get(owner)?.session.request === 'attach') await this.end(owner);
    else await this.#drop(owner);
  }

  /** All sessions of an agent session. */
  list(owner: string): readonly DebugSession[] {
    const held = this.#held.get(owner);
    const family = (session: DebugSession): DebugSession[] => [session, ...session.children.flatMap(family)];
    return held === undefined ? [] : family(held.session);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    await Promise.all([...this.#held.keys()].map((owner) => this.abandon(owner)));
  }

  /** Ends sessions that nobody has used for long. */
  async sweep(now: number = Date.now()): Promise<void> {
    const idle = [...this.#held].filter(([, held]) => held.calls === 0 && now - held.usedAt >= this.#host.idleMs);
    await Promise.all(idle.map(([owner]) => this.end(owner)));
    if (this.#held.size === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
    }
  }

  async #start(request: OpenRequest, limits: RequestLimits): Promise<DebugSession> {
    const { adapter, cwd } = request;
    const confinement = await this.#confine(request);
    let companion: Companion | undefined;
    try {
      const isConfined = confinement.profile !== 'full';
      const scratch = join(isConfined ? '/tmp' : tmpdir(), `tenon-debug-${randomBytes(6).toString('hex')}`);
      // Printing the environment must not put keys into the conversation, sandbox or not.
      const env = { ...process.env, ...UNATTENDED, ...withheldVariables(process.env) };
      companion = await startCompanion(adapter, confinement, {
        cwd,
        env,
        graceSeconds: request.request === 'attach' ? DETACH_SECONDS : 0,
      });
      const output = new OutputRing(this.#host.outputBytes);
      const fillings: Record<string, unknown> = { ...this.#common(request), ...request.fillings, scratch };
      const ofGo = await goVariables(request);
      const { channel, openChild, program } = await openAdapter({
        companion,
        adapter,
        commands: request.commands,
        cwd,
        env: { ...variablesOf(adapter, fillings, isConfined), ...ofGo },
        output,
        timeoutMs: limits.timeoutMs,
        port: portOf(request),
      });
      noteInterpreter(output, fillings['python'], program, adapter);
      if (Object.keys(ofGo).length > 0) output.push('console', OLD_DELVE_NOTICE);
      const session = this.#session(request, confinement, companion, output, openChild, channel);
      await this.#begin(session, request, { ...fillings, adapterProgram: program }, limits);
      if (this.#isClosed) throw errors.create('DEBUG_CLOSED', { reason: 'the plugin is being unloaded' });
      this.#hold(request.owner, { session, companion, confinement, usedAt: Date.now(), calls: 0 });
      return session;
    } catch (fault) {
      await companion?.close();
      await confinement.dispose();
      throw fault;
    }
  }

  async #confine({ adapter, workspace, request }: OpenRequest): Promise<Confinement> {
    const sandboxes = await this.#host.sandboxes();
    if (request === 'attach') {
      // The process to attach to is not in a sandbox of ours: from inside of one it could not even be seen.
      if (sandboxes.isRequired === true) throw errors.create('DEBUG_ATTACH_CONFINED');
      return sandboxes.wrap({ cwd: workspace, profile: 'full' });
    }
    return sandboxes.wrap({ cwd: workspace, ...(adapter.traces === true && { tracing: true }) });
  }

  #common({ cwd }: OpenRequest): Record<string, unknown> {
    return { cwd, python: pythons({ cwd, env: process.env })[0] ?? 'python3', home: homeFolder(process.env) };
  }

  #session(
    request: OpenRequest,
    confinement: Confinement,
    companion: Companion,
    output: OutputRing,
    openChild: (() => Promise<DapChannel>) | undefined,
    channel: DapChannel,
  ): DebugSession {
    const { adapter, program, cwd, breakpoints } = request;
    const book = new BreakpointBook();
    for (const [kind, record] of breakpoints) book.replace(kind, book.with(kind, record));
    return new DebugSession(
      {
        id: `debug-${++this.#count}`,
        adapter: adapter.key,
        adapterId: adapter.adapterId ?? adapter.key,
        program,
        cwd,
        sandbox: confinement.describe(),
        output,
        book,
        openChild,
        runInTerminal: (args) => runInTerminal(companion, output, cwd, args),
      },
      channel,
    );
  }

  async #begin(
    session: DebugSession,
    { request, template, adapter }: OpenRequest,
    fillings: Readonly<Record<string, unknown>>,
    limits: RequestLimits,
  ): Promise<void> {
    try {
      await session.begin({ request, arguments: fill(template, fillings) as Record<string, unknown> }, limits);
    } catch (fault) {
      const words = session.parts.output.text().trim().slice(-2_000);
      if (!(fault instanceof TenonError) || words === '') throw fault;
      throw errors.create(
        'DEBUG_ADAPTER_FAILED',
        { adapter: adapter.key, reason: `${messageOf(fault)}\n${words}` },
        fault,
      );
    }
  }

  #hold(owner: string, held: Held): void {
    this.#held.set(owner, held);
    this.#sweeper ??= setInterval(() => {
      this.sweep().catch((fault: unknown) => this.#host.log.error(`an idle debug session: ${messageOf(fault)}`));
    }, SWEEP_MS).unref();
    // Its sandbox is not needed any more; what it wrote is kept.
    void held.session.ended.then(() => {
      setTimeout(() => void release(held), LINGER_MS).unref();
    });
  }

  async #drop(owner: string): Promise<void> {
    const held = this.#held.get(owner);
    if (held === undefined) return;
    this.#held.delete(owner);
    await release(held);
  }
}

/** The port that speaks DAP itself. */
function portOf({ request, adapter, fillings: { host, port } }: OpenRequest) {
  if (request !== 'attach' || adapter.portIsAdapter !== true || typeof port !== 'number') return undefined;
  return { host: String(host), port };
}

/** The Python of the project may lack the debugger; another one then runs the program, which may miss modules. */
function noteInterpreter(
  output: OutputRing,
  python: unknown,
  used: string | undefined,
  { commands }: KnownAdapter,
): void {
  if (used === undefined || used === python || !commands.some(([program]) => program === '{python}')) return;
  output.push('console', `[${String(python)} has no debugger for Python; the program runs with ${used}.]\n`);
}

async function release(held: Held): Promise<void> {
  held.closing ??= held.companion.close().then(() => held.confinement.dispose());
  await held.closing;
}

async function startCompanion(
  adapter: KnownAdapter,
  confinement: Confinement,
  options: CompanionOptions,
): Promise<Companion> {
  try {
    return await Companion.start(confinement, options);
  } catch (fault) {
    throw errors.create('DEBUG_ADAPTER_FAILED', { adapter: adapter.key, reason: messageOf(fault) }, fault);
  }
}

/** Variables of the adapter's definition. In a sandbox, caches go where something can be written. */
function variablesOf(
  { env = {}, confinedEnv = {} }: KnownAdapter,
  fillings: Readonly<Record<string, unknown>>,
  isConfined: boolean,
): Record<string, string> {
  const missing = Object.entries(confinedEnv).filter(([name]) => process.env[name] === undefined);
  return fill({ ...env, ...(isConfined && Object.fromEntries(missing)) }, fillings) as Record<string, string>;
}

/** What Delve's own Go needs to know. */
async function goVariables({ adapter, commands }: OpenRequest): Promise<Record<string, string>> {
  const delve = commands[0]?.[0];
  return adapter.key === 'dlv' && delve !== undefined ? readableByDelve(delve, process.env) : {};
}

/** There is no terminal: the program's output goes where the rest does. */
async function runInTerminal(
  companion: Companion,
  output: OutputRing,
  sessionCwd: string,
  { args, cwd, env }: Readonly<Record<string, unknown>>,
): Promise<number> {
  if (!Array.isArray(args) || args.length === 0) throw new Error('there are no arguments');
  const program = await companion.start({
    argv: args.map(String),
    cwd: typeof cwd === 'string' && cwd !== '' ? cwd : sessionCwd,
    env: (env ?? {}) as Record<string, string | null>,
  });
  const pieces = { stdout: new TextPieces(), stderr: new TextPieces() };
  program.onData((bytes) => output.push('stdout', pieces.stdout.push(bytes)));
  program.onErrorText((bytes) => output.push('stderr', pieces.stderr.push(bytes)));
  return program.pid;
}
