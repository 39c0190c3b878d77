/** A client for `tenon --mode rpc`: starts the process, sends commands, hands out events and answers requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import type { ImageContent, ThinkingLevel } from '@tenon/models/api';
import type {
  AnswerFrame,
  HostTool,
  HostToolResult,
  HostUriScheme,
  InterfaceRequest,
  RequestFrame,
  RpcCommandName,
  RpcData,
  RpcEvent,
  RpcOutput,
  RpcParams,
  TodoPhase,
} from '@tenon/rpc-mode/api';
import { errors } from './errors.ts';
import { checkOptions } from './known-options.ts';
import { findProgram } from './program.ts';

/** How the process is started. */
export interface RpcClientOptions {
  /** The program and its first arguments; the one that comes with the SDK by default, else `tenon` on the PATH. `--mode rpc` is added. */
  readonly command?: readonly string[];
  /** More arguments, e.g. `['--no-session', '--model', 'sonnet']`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How long a command may go unanswered; 30 s by default. Those that wait for work (`compact`, `bash`…) have no limit. */
  readonly timeoutMs?: number;
}

const CLIENT_OPTIONS = Object.keys({
  command: true,
  args: true,
  cwd: true,
  env: true,
  timeoutMs: true,
} satisfies Record<keyof RpcClientOptions, true>);

/** Carries out a tool of the host. A thrown error is a failed call. */
export type HostToolHandler = (
  args: Readonly<Record<string, unknown>>,
  call: { readonly toolCallId: string; readonly signal: AbortSignal; update(partial: HostToolResult): void },
) => Promise<HostToolResult | string>;

/** Reads and writes what is behind a scheme of the host. A thrown error is a failed request. */
export interface HostUriHandler {
  read(
    url: string,
    call: { readonly signal: AbortSignal },
  ): Promise<string | { content: string; contentType?: string; notes?: string[]; immutable?: boolean }>;
  write?(url: string, content: string, call: { readonly signal: AbortSignal }): Promise<void>;
}

/** Answers a question of a plugin; nothing means that the user declined. Notices come here too, and need no answer. */
export type UiHandler = (
  request: InterfaceRequest,
) => Promise<string | boolean | undefined> | string | boolean | undefined | void;

/** Commands that take as long as they take. */
const UNLIMITED: ReadonlySet<string> = new Set([
  'abort',
  'bash',
  'compact',
  'handoff',
  'get_session_stats',
  'export_html',
  'new_session',
  'switch_session',
  'branch',
  'navigate_tree',
]);
const TIMEOUT_MS = 30_000;
const KEPT_STDERR = 4_000;
const KEPT_LINE = 200;

interface Waiting {
  readonly command: string;
  readonly timer: NodeJS.Timeout | undefined;
  resolve(data: unknown): void;
  reject(reason: Error): void;
}

/** Drives one Tenon process. */
export class RpcClient {
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #events = new Set<(event: RpcEvent) => void>();
  readonly #errors = new Set<(fault: { extensionPath: string; event: string; error: string }) => void>();
  readonly #late = new Set<(command: string, fault: Error) => void>();
  readonly #running = new Map<string, AbortController>();
  #tools: Readonly<Record<string, HostToolHandler>> = {};
  #schemes: Readonly<Record<string, HostUriHandler>> = {};
  #ui: UiHandler | undefined;
  #count = 0;
  #rest = '';
  #stderr = '';
  #gone: Error | undefined;
  #onReady: (() => void) | undefined;
  readonly #exit: Promise<number | null>;

  private constructor(options: RpcClientOptions) {
    checkOptions('RpcClient.start', options, CLIENT_OPTIONS);
    const [program = 'tenon', ...words] = options.command ?? findProgram();
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#child = spawn(program, [...words, '--mode', 'rpc', ...(options.args ?? [])], {
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR)));
    // A broken pipe means that the process has ended; that is reported below.
    this.#child.stdin?.on('error', () => undefined);
    this.#exit = new Promise((resolve) => {
      this.#child.once('error', (fault) => {
        this.#gone ??= errors.create('SDK_RPC_NOT_STARTED', { program, reason: startFault(fault, options.cwd) }, fault);
        this.#end('not started');
        resolve(null);
      });
      this.#child.once('close', (code, signal) => (this.#end(signal ?? `exit code ${code}`), resolve(code)));
    });
  }

  /** Starts the process and waits until it is ready. */
  static async start(options: RpcClientOptions = {}): Promise<RpcClient> {
    const client = new RpcClient(options);
    const ready = new Promise<void>((resolve) => (client.#onReady = resolve));
    await Promise.race([ready, client.#exit]);
    if (client.#gone) throw client.#gone;
    return client;
  }

  /** What the process last wrote to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Hands out every event of the agent. Gives the function that stops it. */
  onEvent(listener: (event: RpcEvent) => void): () => void {
    this.#events.add(listener);
    return () => void this.#events.delete(listener);
  }

  /** Hands out what plugins did wrong. */
  onExtensionError(listener: (fault: { extensionPath: string; event: string; error: string }) => void): () => void {
    this.#errors.add(listener);
    return () => void this.#errors.delete(listener);
  }

  /** Hands out failures of commands that had been taken: a prompt whose work could not be done. */
  onLateFailure(listener: (command: string, fault: Error) => void): () => void {
    this.#late.add(listener);
    return () => void this.#late.delete(listener);
  }

  /** Answers the questions of plugins. Without it every question is declined. */
  onUiRequest(handler: UiHandler | undefined): void {
    this.#ui = handler;
  }

  /** Sends a command and gives its data. All others go through here. */
  request<N extends RpcCommandName>(type: N, params: RpcParams<N>): Promise<RpcData<N>> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = `req_${++this.#count}`;
    return new Promise<RpcData<N>>((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(id);
        reject(errors.create('SDK_RPC_TIMEOUT', { command: type, ms: this.#timeoutMs }));
      };
      const timer = UNLIMITED.has(type) ? undefined : setTimeout(late, this.#timeoutMs);
      this.#waiting.set(id, { command: type, timer, resolve: resolve as (data: unknown) => void, reject });
      this.#write({ id, type, ...params });
    });
  }

  /** Sends a prompt; resolves when it was taken. */
  prompt = (message: string, options: Omit<RpcParams<'prompt'>, 'message'> = {}) =>
    this.request('prompt', { message, ...options });
  steer = (message: string, images?: ImageContent[]) => this.request('steer', { message, ...(images && { images }) });
  followUp = (message: string, images?: ImageContent[]) =>
    this.request('follow_up', { message, ...(images && { images }) });
  abort = () => this.request('abort', {});
  abortAndPrompt = (message: string, images?: ImageContent[]) =>
    this.request('abort_and_prompt', { message, ...(images && { images }) });
  newSession = (parentSession?: string) =>
    this.request('new_session', parentSession === undefined ? {} : { parentSession });
  getState = () => this.request('get_state', {});
  getCommands = async () => (await this.request('get_commands', {})).commands;
  setTodos = (phases: TodoPhase[]) => this.request('set_todos', { phases });
  setModel = (provider: string, modelId: string) => this.request('set_model', { provider, modelId });
  cycleModel = () => this.request('cycle_model', {});
  getAvailableModels = async () => (await this.request('get_available_models', {})).models;
  setThinkingLevel = (level: ThinkingLevel) => this.request('set_thinking_level', { level });
  cycleThinkingLevel = () => this.request('cycle_thinking_level', {});
  setSteeringMode = (mode: 'all' | 'one-at-a-time') => this.request('set_steering_mode', { mode });
  setFollowUpMode = (mode: 'all' | 'one-at-a-time') => this.request('set_follow_up_mode', { mode });
  setInterruptMode = (mode: 'immediate' | 'wait') => this.request('set_interrupt_mode', { mode });
  compact = (customInstructions?: string) =>
    this.request('compact', customInstructions === undefined ? {} : { customInstructions });
  handoff = (customInstructions?: string) =>
    this.request('handoff', customInstructions === undefined ? {} : { customInstructions });
  setAutoCompaction = (enabled: boolean) => this.request('set_auto_compaction', { enabled });
  setAutoRetry = (enabled: boolean) => this.request('set_auto_retry', { enabled });
  abortRetry = () => this.request('abort_retry', {});
  bash = (command: string) => this.request('bash', { command });
  abortBash = () => this.request('abort_bash', {});
  getSessionStats = () => this.request('get_session_stats', {});
  exportHtml = async (outputPath?: string) =>
    (await this.request('export_html', outputPath === undefined ? {} : { outputPath })).path;
  switchSession = (sessionPath: string) => this.request('switch_session', { sessionPath });
  branch = (entryId: string, options: { readonly restoreFiles?: boolean } = {}) =>
    this.request('branch', { entryId, ...options });
  navigateTree = (entryId: string | null, options: Omit<RpcParams<'navigate_tree'>, 'entryId'> = {}) =>
    this.request('navigate_tree', { entryId, ...options });
  getUndoList = async (session?: string) =>
    (await this.request('get_undo_list', session === undefined ? {} : { session })).entries;
  undo = (options: RpcParams<'undo'> = {}) => this.request('undo', options);
  getBranchMessages = async () => (await this.request('get_branch_messages', {})).messages;
  getLastAssistantText = async () => (await this.request('get_last_assistant_text', {})).text;
  setSessionName = (name: string) => this.request('set_session_name', { name });
  getMessages = async () => (await this.request('get_messages', {})).messages;

  /** Replaces the tools that this program carries out. */
  async setHostTools(
    tools: Readonly<Record<string, Omit<HostTool, 'name'> & { readonly run: HostToolHandler }>>,
  ): Promise<string[]> {
    const definitions = Object.entries(tools).map(([name, { description, parameters, label }]) => ({
      name,
      description,
      parameters,
      ...(label !== undefined && { label }),
    }));
    this.#tools = Object.fromEntries(Object.entries(tools).map(([name, { run }]) => [name, run]));
    return (await this.request('set_host_tools', { tools: definitions })).toolNames;
  }

  /** Replaces the URL schemes that this program owns. */
  async setHostUriSchemes(
    schemes: Readonly<Record<string, HostUriHandler & Omit<HostUriScheme, 'scheme' | 'writable'>>>,
  ): Promise<string[]> {
    const definitions = Object.entries(schemes).map(([scheme, { description, immutable, write }]) => ({
      scheme,
      writable: write !== undefined,
      ...(description !== undefined && { description }),
      ...(immutable !== undefined && { immutable }),
    }));
    this.#schemes = Object.fromEntries(Object.entries(schemes).map(([name, handler]) => [name.toLowerCase(), handler]));
    return (await this.request('set_host_uri_schemes', { schemes: definitions })).schemes;
  }

  /** Sends a prompt and waits until the agent is done; gives the text of its answer. */
  async run(message: string, options: Omit<RpcParams<'prompt'>, 'message'> = {}): Promise<string> {
    const done = this.waitForIdle();
    // When the prompt is refused, no caller waits for the end of the work.
    done.catch(() => undefined);
    await this.prompt(message, options);
    await done;
    return (await this.getLastAssistantText()) ?? '';
  }

  /** Resolves at the next `agent_end`; rejects when the work could not be done or the process has ended. */
  waitForIdle(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const stops = [
        this.onEvent(({ type }) => type === 'agent_end' && settle(resolve)),
        this.onLateFailure((_, fault) => settle(() => reject(fault))),
      ];
      const settle = (end: () => void) => {
        for (const stop of stops) stop();
        end();
      };
      void this.#exit.then(() => settle(() => this.#gone && reject(this.#gone)));
    });
  }

  /** Ends the process: it finishes what it writes. Gives its exit code. */
  stop(): Promise<number | null> {
    this.#child.stdin?.end();
    return this.#exit;
  }

  #write(frame: object): void {
    this.#child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() === '' || this.#gone) continue;
      const frame = parseFrame(line);
      if (frame) this.#take(frame);
      else this.#refuse(line);
    }
  }

  /** Another program than Tenon was started, or something in it writes to standard output. */
  #refuse(line: string): void {
    this.#end(`it wrote a line that is not a frame: ${line.slice(0, KEPT_LINE)}`);
    this.#child.kill();
  }

  #take(frame: RpcOutput): void {
    switch (frame.type) {
      case 'ready':
        return this.#onReady?.();
      case 'response':
        return this.#settle(frame);
      case 'extension_ui_request':
        return void this.#answerUser(frame);
      case 'extension_error':
        return this.#errors.forEach((listener) => listener(frame));
      case 'host_tool_call':
        return void this.#callTool(frame);
      case 'host_uri_request':
        return void this.#openUri(frame);
      case 'host_tool_cancel':
      case 'host_uri_cancel':
        return this.#running.get(frame.targetId)?.abort();
      default:
        return this.#events.forEach((listener) => listener(frame));
    }
  }

  #settle(response: Extract<RpcOutput, { type: 'response' }>): void {
    const waiting = this.#waiting.get(response.id ?? '');
    if (!waiting) {
      if (response.success) return;
      const fault = errors.create('SDK_RPC_FAILED', { command: response.command, reason: response.error });
      return this.#late.forEach((listener) => listener(response.command, fault));
    }
    this.#waiting.delete(response.id ?? '');
    clearTimeout(waiting.timer);
    if (response.success) waiting.resolve(response.data);
    else waiting.reject(errors.create('SDK_RPC_FAILED', { command: waiting.command, reason: response.error }));
  }

  async #answerUser(request: InterfaceRequest): Promise<void> {
    const answer = (frame: Partial<AnswerFrame>) =>
      this.#write({ type: 'extension_ui_response', id: request.id, ...frame });
    const isQuestion = ['select', 'confirm', 'input', 'editor'].includes(request.method);
    try {
      const value = await this.#ui?.(request);
      if (!isQuestion) return;
      if (typeof value === 'boolean') answer({ confirmed: value });
      else answer(value === undefined ? { cancelled: true } : { value });
    } catch {
      if (isQuestion) answer({ cancelled: true }); // A handler that fails is a user who declines.
    }
  }

  /** Runs work for the server that it may cancel. */
  async #serve(
    id: string,
    work: (signal: AbortSignal) => Promise<Partial<AnswerFrame>>,
    failed: (reason: string) => AnswerFrame,
  ): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      this.#write({ ...(await work(controller.signal)), id });
    } catch (fault) {
      this.#write(failed(messageOf(fault)));
    } finally {
      this.#running.delete(id);
    }
  }

  #callTool({
    id,
    toolCallId,
    toolName,
    arguments: args,
  }: Extract<RequestFrame, { type: 'host_tool_call' }>): Promise<void> {
    const text = (words: string): HostToolResult => ({ content: [{ type: 'text', text: words }] });
    return this.#serve(
      id,
      async (signal) => {
        const run = this.#tools[toolName];
        if (!run) throw new Error(`This program has no tool "${toolName}".`);
        const update = (partialResult: HostToolResult) => this.#write({ type: 'host_tool_update', id, partialResult });
        const result = await run(args, { toolCallId, signal, update });
        return { type: 'host_tool_result', result: typeof result === 'string' ? text(result) : result };
      },
      (reason) => ({ type: 'host_tool_result', id, result: text(reason), isError: true }),
    );
  }

  #openUri({ id, operation, url, content = '' }: Extract<RequestFrame, { type: 'host_uri_request' }>): Promise<void> {
    return this.#serve(
      id,
      async (signal) => {
        const handler = this.#schemes[url.split(':', 1)[0]?.toLowerCase() ?? ''];
        if (!handler) throw new Error(`This program does not know "${url}".`);
        if (operation === 'read') {
          const answer = await handler.read(url, { signal });
          return { type: 'host_uri_result', ...(typeof answer === 'string' ? { content: answer } : answer) };
        }
        if (!handler.write) throw new Error(`"${url}" cannot be written.`);
        await handler.write(url, content, { signal });
        return { type: 'host_uri_result' };
      },
      (error) => ({ type: 'host_uri_result', id, isError: true, error }),
    );
  }

  #end(how: string): void {
    const output = this.#stderr.trim() === '' ? '' : ` It wrote: ${this.#stderr.trim()}`;
    this.#gone ??= errors.create('SDK_RPC_GONE', { how, output });
    for (const { timer, reject } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(this.#gone);
    }
    this.#waiting.clear();
    for (const controller of this.#running.values()) controller.abort();
  }
}

/** Node blames the program for a folder that does not exist. */
function startFault(fault: NodeJS.ErrnoException, cwd: string | undefined): string {
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} does not exist`;
  return fault.code === 'ENOENT' ? 'there is no such program' : messageOf(fault);
}

function parseFrame(line: string): RpcOutput | undefined {
  try {
    return JSON.parse(line) as RpcOutput;
  } catch {
    return undefined; // The caller says which line it was.
  }
}
