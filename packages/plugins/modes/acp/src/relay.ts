/**
 * Sessions of other folders. Settings, trust, policy and sandbox belong to the folder that a Tenon was started in, so each
 * folder gets a Tenon of its own, and this one passes messages on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  client,
  type ClientConnection,
  type InitializeRequest,
  ndJsonStream,
  RequestError,
} from '@agentclientprotocol/sdk';
import { RELAY_VARIABLE } from './agent-above.ts';
import { errors } from './errors.ts';

/** How another Tenon is started. */
export interface RelayParts {
  readonly program: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The editor; what the other Tenon asks goes there. */
  readonly editor: Pick<AgentContext, 'request' | 'notify'>;
  /** How the editor has introduced itself. */
  introduction(): InitializeRequest;
  /** Text that the other Tenon writes to standard error. */
  onError(text: string): void;
}

const END_MS = 10_000;
const SHOWN_CHARS = 500;

/** The Tenon of one folder. */
export class Relay {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  readonly #ready: Promise<unknown>;
  readonly #editor: RelayParts['editor'];
  /** Sessions that the editor knows; what others have to say waits until it does. */
  readonly #known = new Set<string>();
  readonly #held = new Map<string, [method: string, params: unknown][]>();
  #errors = '';
  #hasEnded = false;

  constructor(folder: string, parts: RelayParts) {
    this.folder = folder;
    const [command, ...words] = parts.program;
    const { TENON_AGENT: _own, ...inherited } = parts.environment;
    const child = spawn(command, [...words, '--mode', 'acp'], {
      cwd: folder,
      env: { ...inherited, [RELAY_VARIABLE]: String(process.ppid) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.once('error', (fault) => this.#end(fault.message));
    child.once('close', () => this.#end(''));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-SHOWN_CHARS);
      parts.onError(text);
    });
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const { editor } = parts;
    this.#editor = editor;
    this.#connection = client({ name: 'tenon' })
      .onRequest('*', ({ method, params, signal }) =>
        editor.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
      )
      .onNotification('*', ({ method, params }) => this.#pass(method, params))
      .connect(stream);
    this.#ready = this.#connection.agent.request('initialize', parts.introduction());
    this.#ready.catch(() => undefined); // told to whoever asks for something
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The editor has heard of a session: what it has to say is passed on from now. */
  know(session: string): void {
    this.#known.add(session);
    const held = this.#held.get(session) ?? [];
    this.#held.delete(session);
    for (const [method, params] of held) void this.#pass(method, params);
  }

  async #pass(method: string, params: unknown): Promise<void> {
    const { sessionId } = (params ?? {}) as { readonly sessionId?: unknown };
    if (typeof sessionId === 'string' && !this.#known.has(sessionId)) {
      this.#held.set(sessionId, [...(this.#held.get(sessionId) ?? []), [method, params]]);
      return;
    }
    // An editor that is just going away misses nothing.
    await this.#editor.notify(method, params).catch(() => undefined);
  }

  /** Passes a request on. */
  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    try {
      await this.#ready;
      return await this.#connection.agent.request(method, params, { cancellationSignal: signal });
    } catch (fault) {
      if (fault instanceof RequestError && !this.#hasEnded) throw fault;
      const reason = this.#errors.trim() || 'it gave no reason';
      throw errors.create('ACP_RELAY_ENDED', { folder: this.folder, reason }, fault);
    }
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.#connection.agent.notify(method, params);
  }

  /** Ends it, as an editor does: its input is closed. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, 'close');
    this.#child.stdin?.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await ended.catch(() => undefined); // It could not even be started.
    clearTimeout(late);
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    this.#errors += reason;
    this.#connection?.close();
  }
}
