/** One program under a debugger: the handshake, what it does now, and what was asked of it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { messageOf, TenonError } from '@tenon/kernel';
import type { DebugPlace, DebugSnapshot, DebugState } from '../api.ts';
import { errors } from '../errors.ts';
import { listIn } from '../protocol/answers.ts';
import type { DapChannel } from '../protocol/channel.ts';
import { DapClient, type RequestLimits } from '../protocol/dap-client.ts';
import {
  type BreakpointBook,
  type BreakpointKind,
  type BreakpointRecord,
  SET_REQUESTS,
  setArguments,
  withAnswer,
} from './breakpoints.ts';
import type { OutputRing } from './output-ring.ts';

/** What a session is made of. */
export interface SessionParts {
  readonly id: string;
  readonly adapter: string;
  readonly adapterId: string;
  readonly program: string;
  readonly cwd: string;
  /** One line about what confines it. */
  readonly sandbox: string;
  readonly output: OutputRing;
  readonly book: BreakpointBook;
  /** Starts a program for the adapter, in the same sandbox; gives its number. */
  runInTerminal(args: Readonly<Record<string, unknown>>): Promise<number>;
  /** Another connection to the same adapter; undefined when it serves only one. */
  openChild?: (() => Promise<DapChannel>) | undefined;
}

/** How a session begins. */
export interface SessionBegin {
  readonly request: 'launch' | 'attach';
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Where the program stands. */
interface StopInfo {
  readonly reason: string;
  readonly threadId: number | undefined;
  readonly description: string | undefined;
  /** The newest frame, once somebody has asked for it. */
  top?: DebugProtocol.StackFrame;
}

/** What became of a continue or a step. */
export interface ResumeOutcome {
  readonly state: DebugState;
  readonly timedOut: boolean;
}

const END_MS = 3_000;

/** A debug session. */
export class DebugSession {
  readonly parts: SessionParts;
  readonly children: DebugSession[] = [];
  capabilities: DebugProtocol.Capabilities = {};
  state: DebugState = 'starting';
  stop: StopInfo | undefined;
  exitCode: number | undefined;
  endReason: string | undefined;
  request: SessionBegin['request'] = 'launch';
  readonly #client: DapClient;
  readonly #watchers = new Set<() => void>();
  #isInitialized = false;
  /** Told when the program and its adapter are gone, however it came. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;

  constructor(parts: SessionParts, channel: DapChannel) {
    this.parts = parts;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#client = new DapClient(parts.adapter, channel, {
      event: (name, body) => this.#event(name, body),
      request: (command, args) => this.#serve(command, args),
      end: (reason) => this.#end(this.state === 'ended' ? undefined : `the debug adapter has ended: ${reason}`),
    });
  }

  /** The handshake: initialize, launch or attach, breakpoints, configurationDone. */
  async begin({ request, arguments: args }: SessionBegin, limits: RequestLimits): Promise<void> {
    this.request = request;
    this.capabilities = checkedCapabilities(
      await this.#client.request(
        'initialize',
        {
          clientID: 'tenon',
          clientName: 'Tenon',
          adapterID: this.parts.adapterId,
          locale: 'en',
          linesStartAt1: true,
          columnsStartAt1: true,
          pathFormat: 'path',
          supportsVariableType: true,
          supportsRunInTerminalRequest: true,
          supportsStartDebuggingRequest: this.parts.openChild !== undefined,
          supportsMemoryReferences: true,
          supportsProgressReporting: false,
        },
        limits,
      ),
    );
    const started = this.#client.request(request, args, limits);
    // Some adapters answer only after the configuration, others before they are ready for it.
    const refused = started.then(() => new Promise<never>(() => undefined));
    refused.catch(() => undefined); // It is raced below, and awaited through `started`.
    await Promise.race([this.#initialized(limits), refused]);
    await this.#configure(limits);
    await started;
    if (this.state === 'starting') this.state = 'running';
  }

  /** Sends a request. */
  send(command: string, args: object, limits: RequestLimits): Promise<Record<string, unknown>> {
    return this.#client.request(command, args, limits);
  }

  /** Refuses what the adapter has not said that it can do. */
  require(capability: keyof DebugProtocol.Capabilities, what: string): void {
    if (this.capabilities[capability] !== true)
      throw errors.create('DEBUG_NOT_SUPPORTED', { adapter: this.parts.adapter, what });
  }

  /** Lets the program go on, and waits until it stops again, ends, or the time is over. */
  async resume(command: string, args: object, limits: RequestLimits): Promise<ResumeOutcome> {
    const before = { state: this.state, stop: this.stop };
    this.stop = undefined;
    this.state = 'running';
    const started = Date.now();
    try {
      await this.#client.request(command, args, limits);
    } catch (fault) {
      // It has not gone on; a stop that came meanwhile counts.
      if (this.state === 'running') Object.assign(this, before);
      throw fault;
    }
    return this.settle({ ...limits, timeoutMs: Math.max(0, limits.timeoutMs - (Date.now() - started)) });
  }

  /** Waits until the program does not run. */
  async settle({ timeoutMs, signal }: RequestLimits): Promise<ResumeOutcome> {
    await this.#until(() => this.current().state === 'stopped' || this.state === 'ended', timeoutMs, signal);
    const { state } = this.current();
    return { state, timedOut: state === 'running' || state === 'starting' };
  }

  /** The session among this one and its children that a person would look at: the one that has stopped. */
  current(): DebugSession {
    if (this.state === 'stopped') return this;
    const alive = this.children.map((child) => child.current()).filter(({ state }) => state !== 'ended');
    return (
      alive.find(({ state }) => state === 'stopped') ?? (this.#isOnlyParent(alive) ? (alive.at(-1) ?? this) : this)
    );
  }

  /** The thread that is meant when none is named. */
  async thread(limits: RequestLimits): Promise<number> {
    if (this.stop?.threadId !== undefined) return this.stop.threadId;
    const [first] = listIn<DebugProtocol.Thread>(await this.send('threads', {}, limits), 'threads');
    if (first === undefined) throw errors.create('DEBUG_NOT_STOPPED', { state: this.state, what: 'thread' });
    return first.id;
  }

  /** The frame that is meant when none is named. */
  async frame(limits: RequestLimits): Promise<DebugProtocol.StackFrame | undefined> {
    const { stop } = this;
    if (this.state !== 'stopped' || stop === undefined) return undefined;
    if (stop.top === undefined) {
      const top = await this.#topFrame(limits);
      if (top !== undefined) stop.top = top;
    }
    return stop.top;
  }

  /** Puts a list of breakpoints in force; the old one stays when the adapter refuses. */
  async setBreakpoints(
    kind: BreakpointKind,
    list: readonly BreakpointRecord[],
    file: string | undefined,
    limits: RequestLimits,
  ): Promise<void> {
    const { book } = this.parts;
    const before = book.list(kind);
    book.replace(kind, list);
    try {
      await this.#sendBreakpoints(kind, file, limits);
      for (const child of this.children) await child.#sendBreakpoints(kind, file, limits);
    } catch (fault) {
      book.replace(kind, before);
      throw fault;
    }
  }

  /** Switches exception filters on; the others are off. */
  async setExceptions(filters: readonly string[], limits: RequestLimits): Promise<void> {
    await this.send('setExceptionBreakpoints', { filters }, limits);
    this.parts.book.exceptionFilters = filters;
    for (const child of this.children) await child.send('setExceptionBreakpoints', { filters }, limits);
  }

  /** Ends the program, or lets go of the one that it was attached to. What an adapter refuses then is of no interest: it is ended next. */
  async terminate(): Promise<void> {
    for (const child of this.children) await child.terminate();
    if (this.#client.endReason !== undefined) return;
    const limits = { timeoutMs: END_MS };
    const owns = this.request === 'launch';
    try {
      if (owns && this.capabilities.supportsTerminateRequest && this.state !== 'ended') {
        await this.send('terminate', {}, limits);
        await this.#until(() => this.state === 'ended', END_MS, undefined);
      }
      await this.send('disconnect', { restart: false, terminateDebuggee: owns }, limits);
    } catch (fault) {
      this.parts.output.push('console', `[disconnect: ${messageOf(fault)}]\n`);
    }
    this.#end(undefined);
    this.#client.close();
  }

  /** What there is to say about it now. */
  snapshot(): DebugSnapshot {
    const current = this.current();
    const { stop } = current;
    const { output, book, id, adapter, program, cwd, sandbox } = this.parts;
    const place = stop?.top && placeOf(stop.top);
    return {
      id,
      adapter,
      program,
      cwd,
      state: this.state === 'ended' ? 'ended' : current.state,
      ...(stop && { stopReason: stop.description ?? stop.reason }),
      ...(stop?.threadId !== undefined && { threadId: stop.threadId }),
      ...(stop?.top && { frameId: stop.top.id }),
      ...(place && { place }),
      ...(this.exitCode !== undefined && { exitCode: this.exitCode }),
      ...(this.endReason !== undefined && { endReason: this.endReason }),
      breakpoints: book.size,
      outputBytes: output.totalBytes,
      isOutputCut: output.isCut,
      sandbox,
      ...(this.children.length > 0 && { children: this.children.map(({ parts }) => parts.id) }),
    };
  }

  async #topFrame(limits: RequestLimits): Promise<DebugProtocol.StackFrame | undefined> {
    const threadId = await this.thread(limits);
    try {
      const answer = await this.send('stackTrace', { threadId, startFrame: 0, levels: 1 }, limits);
      return listIn<DebugProtocol.StackFrame>(answer, 'stackFrames')[0];
    } catch (fault) {
      // Before its first line a program may have no stack yet: Delve says so with a refusal.
      if (fault instanceof TenonError && fault.code === 'DEBUG_REQUEST_FAILED') return undefined;
      throw fault;
    }
  }

  #isOnlyParent(alive: readonly DebugSession[]): boolean {
    return alive.length > 0 && this.state === 'running' && this.parts.openChild !== undefined;
  }

  async #initialized({ timeoutMs, signal }: RequestLimits): Promise<void> {
    await this.#until(() => this.#isInitialized || this.state === 'ended', timeoutMs, signal);
    if (this.state === 'ended')
      throw errors.create('DEBUG_ADAPTER_ENDED', { adapter: this.parts.adapter, reason: this.endReason ?? 'it ended' });
    if (!this.#isInitialized)
      throw errors.create('DEBUG_TIMEOUT', { command: this.request, seconds: String(Math.round(timeoutMs / 1000)) });
  }

  async #configure(limits: RequestLimits): Promise<void> {
    const { book } = this.parts;
    for (const file of book.files) await this.#sendBreakpoints('source', file, limits);
    if (book.list('function').length > 0 && this.capabilities.supportsFunctionBreakpoints)
      await this.#sendBreakpoints('function', undefined, limits);
    const filters = this.capabilities.exceptionBreakpointFilters ?? [];
    const known = new Set(filters.map(({ filter }) => filter));
    const standard = filters.filter((filter) => filter.default === true).map(({ filter }) => filter);
    const wanted =
      book.exceptionFilters.length > 0 ? book.exceptionFilters.filter((name) => known.has(name)) : standard;
    if (filters.length > 0) {
      await this.send('setExceptionBreakpoints', { filters: wanted }, limits);
      book.exceptionFilters = wanted;
    }
    if (this.capabilities.supportsConfigurationDoneRequest) await this.send('configurationDone', {}, limits);
  }

  async #sendBreakpoints(kind: BreakpointKind, file: string | undefined, limits: RequestLimits): Promise<void> {
    const { book } = this.parts;
    const list = book.list(kind).filter((record) => file === undefined || record.file === file);
    const answer = (await this.send(SET_REQUESTS[kind], setArguments(kind, list, file), limits)) as {
      breakpoints?: DebugProtocol.Breakpoint[];
    };
    const answers = Array.isArray(answer.breakpoints) ? answer.breakpoints : [];
    const updated = new Map(list.map((record, index) => [record, withAnswer(record, answers[index])]));
    book.replace(
      kind,
      book.list(kind).map((record) => updated.get(record) ?? record),
    );
  }

  #event(name: string, body: Readonly<Record<string, unknown>>): void {
    switch (name) {
      case 'initialized':
        this.#isInitialized = true;
        break;
      case 'output':
        // What an adapter reports about its own use is for its makers.
        if (body['category'] !== 'telemetry' && typeof body['output'] === 'string')
          this.parts.output.push(String(body['category'] ?? 'console'), body['output']);
        return;
      case 'stopped':
        if (this.state === 'ended') return;
        this.state = 'stopped';
        this.stop = {
          reason: String(body['reason'] ?? 'unknown'),
          threadId: typeof body['threadId'] === 'number' ? body['threadId'] : undefined,
          description: [body['description'], body['text']].find(
            (text): text is string => typeof text === 'string' && text !== '',
          ),
        };
        break;
      case 'continued':
        // Several threads can be stopped; only when all of them go on does the program run.
        if (this.state === 'stopped' && body['allThreadsContinued'] !== false) {
          this.state = 'running';
          this.stop = undefined;
        }
        break;
      case 'breakpoint':
        if (typeof body['breakpoint'] === 'object' && body['breakpoint'] !== null)
          this.parts.book.update(body['breakpoint'] as DebugProtocol.Breakpoint);
        return;
      case 'exited':
        if (typeof body['exitCode'] === 'number') this.exitCode = body['exitCode'];
        break;
      case 'terminated':
        this.#end(undefined);
        return;
      default:
        return;
    }
    this.#wake();
  }

  async #serve(command: string, args: Readonly<Record<string, unknown>>): Promise<object> {
    if (command === 'runInTerminal') return { processId: await this.parts.runInTerminal(args) };
    if (command === 'startDebugging') return this.#startChild(args);
    throw new Error(`Tenon does not know the request ${command}`);
  }

  async #startChild({ configuration, request }: Readonly<Record<string, unknown>>): Promise<object> {
    const { openChild } = this.parts;
    if (openChild === undefined) throw new Error('this adapter serves only one session');
    if (typeof configuration !== 'object' || configuration === null) throw new Error('there is no configuration');
    const id = `${this.parts.id}.${this.children.length + 1}`;
    const child = new DebugSession({ ...this.parts, id }, await openChild());
    this.children.push(child);
    void child.ended.then(() => this.#wake());
    child.#watchers.add(() => this.#wake());
    const kind = request === 'attach' ? 'attach' : 'launch';
    const begun = child.begin({ request: kind, arguments: { ...configuration } }, { timeoutMs: 30_000 });
    // The adapter goes on only after the answer, so the child cannot be waited for here.
    begun.catch((fault: unknown) => {
      this.parts.output.push('console', `[a child session did not start: ${messageOf(fault)}]\n`);
      child.#end(messageOf(fault));
    });
    return {};
  }

  #end(reason: string | undefined): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.stop = undefined;
    this.endReason = reason;
    this.#resolveEnded();
    this.#wake();
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Waits for a condition, the end of the time, or cancellation. */
  #until(holds: () => boolean, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (holds()) return resolve();
      const done = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#watchers.delete(watch);
        finish();
      };
      const watch = () => holds() && done(resolve);
      const abort = () => done(() => reject(signal?.reason));
      const timer = setTimeout(() => done(resolve), timeoutMs);
      this.#watchers.add(watch);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** What an adapter says about itself, with lists that are lists. */
function checkedCapabilities(answer: Record<string, unknown>): DebugProtocol.Capabilities {
  const filters = listIn<DebugProtocol.ExceptionBreakpointsFilter>(answer, 'exceptionBreakpointFilters');
  return { ...answer, exceptionBreakpointFilters: filters.filter(({ filter }) => typeof filter === 'string') };
}

/** A frame as a place. */
export function placeOf({ name, source, line, column }: DebugProtocol.StackFrame): DebugPlace {
  const path = source?.path ?? source?.name;
  return {
    name: String(name),
    ...(typeof path === 'string' && { path }),
    ...(typeof line === 'number' && line > 0 && { line }),
    ...(typeof column === 'number' && column > 0 && { column }),
  };
}
