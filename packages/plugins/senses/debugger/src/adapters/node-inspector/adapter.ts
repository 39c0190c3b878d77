/** Node's inspector as a debug adapter: requests of DAP come in, calls of the inspector protocol go out to the program. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { messageOf } from '@tenon/kernel';
import type { Companion, Program } from '../../companion/companion.ts';
import type { ChannelListener, DapChannel } from '../../protocol/channel.ts';
import { TextPieces } from '../../session/text-pieces.ts';
import { type Facts, factsIn, factsOf, firstTarget, Inspector } from './cdp.ts';
import { nodeArguments } from './node-arguments.ts';
import { NodeBreakpoints } from './node-breakpoints.ts';
import { Scripts } from './scripts.ts';
import { evaluated, exceptionText, StoppedView } from './stopped-view.ts';
import { valueText } from './values.ts';

const THREAD = 1;
const CONNECT_MS = 20_000;
/** Where Node listens after SIGUSR1. */
const SIGNAL_PORT = 9229;
/** An idle program runs no code that could stop; it is given some. */
const IDLE_MS = 250;
/** What Node writes about its inspector. */
const CHATTER =
  /^(?:Debugger listening on ws:.*|For help, see: https:\/\/nodejs\.org\/.*(?:inspector|debugging)|Debugger attached\.|Waiting for the debugger to disconnect\.\.\.|Debugger ending on ws:.*)\r?\n/gm;

const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsFunctionBreakpoints: true,
  supportsSetVariable: true,
  supportsEvaluateForHovers: true,
  supportsExceptionInfoRequest: true,
  supportsLoadedSourcesRequest: true,
  supportTerminateDebuggee: true,
  exceptionBreakpointFilters: [
    { filter: 'all', label: 'All exceptions', default: false },
    { filter: 'uncaught', label: 'Uncaught exceptions', default: true },
  ],
};

type Handler = (args: Facts) => Promise<object | void>;

/** The adapter; it runs in Tenon, the program in its sandbox. */
export class NodeInspectorAdapter implements DapChannel {
  readonly #companion: Companion;
  readonly #node: readonly string[];
  readonly #scripts = new Scripts();
  #listener: ChannelListener | undefined;
  #sequence = 0;
  #program: Program | undefined;
  #inspector: Inspector | undefined;
  #breakpoints: NodeBreakpoints | undefined;
  #view: StoppedView | undefined;
  #exception: Facts | undefined;
  #lastCommand = '';
  #stopsOnEntry = false;
  #isAtEntry = false;
  #isOver = false;

  constructor(companion: Companion, node: readonly string[]) {
    this.#companion = companion;
    this.#node = node;
  }

  listen(listener: ChannelListener): void {
    this.#listener = listener;
  }

  send(message: object): void {
    const { seq, command, arguments: args } = message as DebugProtocol.Request;
    void this.#serve(seq, command, factsOf(args));
  }

  close(): void {
    this.#inspector?.close();
    this.#program?.close();
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    initialize: async () => CAPABILITIES,
    launch: (args) => this.#launch(args),
    attach: (args) => this.#attach(args),
    configurationDone: async () => void (await this.#call('Runtime.runIfWaitingForDebugger')),
    setBreakpoints: async ({ source, breakpoints }) => ({
      breakpoints: await this.#points().setSource(String(factsOf(source)['path']), factsIn(breakpoints)),
    }),
    setFunctionBreakpoints: async ({ breakpoints }) => ({
      breakpoints: await this.#points().setFunctions(factsIn(breakpoints), this.#view?.frames ?? []),
    }),
    setExceptionBreakpoints: async ({ filters }) => {
      const names = Array.isArray(filters) ? filters : [];
      const state = names.includes('all') ? 'all' : names.includes('uncaught') ? 'uncaught' : 'none';
      await this.#call('Debugger.setPauseOnExceptions', { state });
    },
    threads: async () => ({ threads: [{ id: THREAD, name: 'main' }] }),
    stackTrace: async (args) => this.#stopped().stackTrace(args),
    scopes: async (args) => this.#stopped().scopes(args),
    variables: (args) => (this.#view ?? this.#values()).variables(args),
    setVariable: (args) => (this.#view ?? this.#values()).setVariable(args),
    evaluate: (args) => this.#evaluate(args),
    continue: async () => {
      await this.#resume('Debugger.resume');
      return { allThreadsContinued: true };
    },
    next: () => this.#resume('Debugger.stepOver'),
    stepIn: () => this.#resume('Debugger.stepInto'),
    stepOut: () => this.#resume('Debugger.stepOut'),
    pause: () => this.#pause(),
    exceptionInfo: async () => this.#exceptionInfo(),
    loadedSources: async () => ({
      sources: this.#scripts.files.map((path) => ({ path, name: path.split('/').at(-1) ?? path })),
    }),
    disconnect: async ({ terminateDebuggee }) => {
      if (terminateDebuggee === true) this.#program?.close();
      this.#inspector?.close();
    },
  };

  async #serve(requestSeq: number, command: string, args: Facts): Promise<void> {
    const head = { type: 'response', request_seq: requestSeq, command };
    try {
      const handler = this.#handlers[command];
      if (handler === undefined) throw new Error('the inspector of Node has no such request');
      const body = await handler(args);
      this.#tell({ ...head, success: true, ...(body !== undefined && { body }) });
      if (command === 'launch' || command === 'attach') this.#event('initialized', {});
    } catch (fault) {
      this.#tell({ ...head, success: false, message: messageOf(fault) });
    }
  }

  #tell(message: object): void {
    this.#listener?.message({ seq: ++this.#sequence, ...message });
  }

  #event(event: string, body: object): void {
    this.#tell({ type: 'event', event, body });
  }

  #output(category: string, output: string): void {
    if (output !== '') this.#event('output', { category, output });
  }

  async #launch({ program, args, cwd, stopOnEntry, runtimeArgs }: Facts): Promise<void> {
    this.#stopsOnEntry = stopOnEntry !== false;
    this.#isAtEntry = true;
    const folder = String(cwd ?? '.');
    const own = Array.isArray(runtimeArgs)
      ? runtimeArgs.map(String)
      : await nodeArguments(String(program), folder, this.#node, this.#companion);
    // The address stays between the program and Tenon: others could run code with it.
    const inspect = ['--inspect-brk=127.0.0.1:0', '--inspect-publish-uid=stderr'];
    const words = [
      ...this.#node,
      ...inspect,
      ...own,
      String(program),
      ...(Array.isArray(args) ? args.map(String) : []),
    ];
    const started = await this.#companion.start({ argv: words, cwd: folder });
    this.#program = started;
    const out = new TextPieces();
    started.onData((bytes) => this.#output('stdout', out.push(bytes)));
    const address = await this.#addressIn(started);
    void started.ended.then(({ code, signal }) => {
      this.#event('exited', { exitCode: code ?? (signal === null ? 1 : 128) });
      this.#finish('the program has ended');
    });
    await this.#connect(address);
  }

  /** Reads where the inspector listens, and passes on everything else that comes. */
  #addressIn(program: Program): Promise<{ host: string; port: number; path: string }> {
    const pieces = new TextPieces();
    let early = '';
    let isFound = false;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Node did not open its inspector in time')), CONNECT_MS);
      program.onErrorText((bytes) => {
        const text = pieces.push(bytes);
        if (isFound) return this.#output('stderr', text.replace(CHATTER, ''));
        early += text;
        const found = /Debugger listening on ws:\/\/([\d.]+):(\d+)(\/[\w-]+)\r?\n/.exec(early);
        if (found === null) return undefined;
        isFound = true;
        clearTimeout(timer);
        const [, host = '', port = '', path = ''] = found;
        this.#output('stderr', early.replace(CHATTER, ''));
        return resolve({ host, port: Number(port), path });
      });
      program.onEnd((reason) => {
        clearTimeout(timer);
        reject(new Error(`${reason}: ${early.trim().slice(-2_000)}`));
      });
    });
  }

  async #attach({ host = '127.0.0.1', port, pid }: Facts): Promise<void> {
    const place = { host: String(host), port: Number(port ?? SIGNAL_PORT) };
    if (port === undefined) await this.#companion.signal(Number(pid), 'SIGUSR1');
    const path = await firstTarget(this.#companion, place.host, place.port, 5_000);
    await this.#connect({ ...place, path });
  }

  async #connect(address: { host: string; port: number; path: string }): Promise<void> {
    const inspector = await Inspector.connect(this.#companion, address, CONNECT_MS);
    this.#inspector = inspector;
    this.#breakpoints = new NodeBreakpoints(inspector, this.#scripts, (breakpoint) =>
      this.#event('breakpoint', { reason: 'changed', breakpoint }),
    );
    inspector.onEvent = (method, params) => {
      this.#take(method, params).catch((fault: unknown) =>
        this.#output('console', `[${method}: ${messageOf(fault)}]\n`),
      );
    };
    inspector.onEnd = () => {
      if (this.#program === undefined) this.#finish('the connection was closed');
    };
    await inspector.call('Runtime.enable');
    await inspector.call('Debugger.enable', { maxScriptsCacheSize: 10_000_000 });
    await inspector.call('Debugger.setBlackboxPatterns', { patterns: ['^node:'] });
    // Without a stop before them, breakpoints in files that scripts were made from would come too late.
    await inspector.call('Debugger.setInstrumentationBreakpoint', {
      instrumentation: 'beforeScriptWithSourceMapExecution',
    });
  }

  async #take(method: string, params: Facts): Promise<void> {
    switch (method) {
      case 'Debugger.scriptParsed':
        this.#scripts.add(params);
        return;
      case 'Debugger.breakpointResolved':
        this.#breakpoints?.resolved(params['breakpointId'], factsOf(params['location']));
        return;
      case 'Debugger.paused':
        return this.#paused(params);
      case 'Debugger.resumed':
        this.#view = undefined;
        return;
      case 'Runtime.consoleAPICalled':
        // A program that was started writes to its own streams.
        if (this.#program === undefined)
          this.#output(
            'console',
            `${factsIn(params['args'])
              .map((value) => plainValue(value))
              .join(' ')}\n`,
          );
        return;
      case 'Runtime.executionContextDestroyed':
        // It has run to its end, and waits for us to leave.
        if (this.#program !== undefined) this.#inspector?.close();
        return;
      default:
    }
  }

  async #paused(params: Facts): Promise<void> {
    const reason = String(params['reason']);
    const data = factsOf(params['data']);
    const frames = factsIn(params['callFrames']);
    const view = new StoppedView(await this.#ready(), this.#scripts, frames);
    await this.#points().scriptsCame();
    if (reason === 'instrumentation') {
      await this.#call('Debugger.resume');
      return;
    }
    this.#view = view;
    await this.#points().findFunctions(view.frames);
    const stop = this.#reasonOf(reason, params['hitBreakpoints']);
    if (stop === undefined) {
      this.#view = undefined;
      await this.#call('Debugger.resume');
      return;
    }
    this.#exception = stop === 'exception' ? data : undefined;
    const text = stop === 'exception' ? exceptionText({ exception: data }).split('\n')[0] : undefined;
    this.#event('stopped', {
      reason: stop,
      threadId: THREAD,
      allThreadsStopped: true,
      ...(text !== undefined && { text }),
    });
  }

  /** Why the program is stopped for the user; undefined when it is not, and goes on. */
  #reasonOf(reason: string, hit: unknown): string | undefined {
    const isEntry = this.#isAtEntry;
    this.#isAtEntry = false;
    if (isEntry && this.#stopsOnEntry) return 'entry';
    if (this.#points().isOwn(hit)) return undefined;
    // A breakpoint on the first line is hit together with the entry, or, in modules, once more after it.
    if (isEntry) return Array.isArray(hit) && hit.length > 0 && this.#points().counts(hit) ? 'breakpoint' : undefined;
    if (reason === 'exception' || reason === 'promiseRejection') return 'exception';
    if (Array.isArray(hit) && hit.length > 0) {
      if (this.#points().counts(hit)) return 'breakpoint';
      return this.#lastCommand.startsWith('Debugger.step') ? 'step' : undefined;
    }
    if (this.#lastCommand === 'Debugger.pause') return 'pause';
    return this.#lastCommand === 'Debugger.resume' || this.#lastCommand === '' ? 'debugger statement' : 'step';
  }

  async #resume(method: string): Promise<void> {
    this.#stopped();
    this.#lastCommand = method;
    this.#view = undefined;
    await this.#call(method);
  }

  async #pause(): Promise<void> {
    if (this.#view !== undefined) return;
    this.#lastCommand = 'Debugger.pause';
    await this.#call('Debugger.pause');
    setTimeout(() => {
      // It answers only when the program goes on again; its failure then means that the program has ended.
      if (this.#view === undefined && !this.#isOver)
        this.#inspector?.call('Runtime.evaluate', { expression: 'void 0' }).catch(() => undefined);
    }, IDLE_MS).unref();
  }

  async #evaluate({ expression, frameId }: Facts): Promise<object> {
    const callFrameId = this.#view?.callFrameId(frameId);
    const result = await evaluated(await this.#ready(), { expression: String(expression), callFrameId });
    const { value, ...rest } = (this.#view ?? this.#values()).shown(result);
    return { result: value, ...rest };
  }

  #exceptionInfo(): object {
    const exception = this.#exception;
    if (exception === undefined) throw new Error('the program has not stopped at an exception');
    const description = exceptionText({ exception });
    return {
      exceptionId: String(exception['className'] ?? exception['type'] ?? 'exception'),
      description: description.split('\n')[0],
      breakMode: exception['uncaught'] === true ? 'unhandled' : 'always',
      details: { message: description.split('\n')[0], stackTrace: description },
    };
  }

  /** Values of a running program, that can be looked into until it stops. */
  #runningValues: StoppedView | undefined;
  #values(): StoppedView {
    if (this.#inspector === undefined) throw new Error('no program is running');
    this.#runningValues ??= new StoppedView(this.#inspector, this.#scripts, []);
    return this.#runningValues;
  }

  #stopped(): StoppedView {
    if (this.#view === undefined) throw new Error('the program is running');
    return this.#view;
  }

  #points(): NodeBreakpoints {
    if (this.#breakpoints === undefined) throw new Error('no program is running');
    return this.#breakpoints;
  }

  async #ready(): Promise<Inspector> {
    if (this.#inspector === undefined) throw new Error('no program is running');
    return this.#inspector;
  }

  async #call(method: string, params: object = {}): Promise<Facts> {
    return (await this.#ready()).call(method, params);
  }

  #finish(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inspector?.close();
    this.#event('terminated', {});
    this.#listener?.end(reason);
  }
}

/** As `console.log` would write it. */
function plainValue(value: Facts): string {
  return value['type'] === 'string' ? String(value['value'] ?? '') : valueText(value);
}
