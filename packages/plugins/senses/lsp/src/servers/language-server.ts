/** One running language server: the protocol, the documents that are open in it, and what it says about them. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '@tenon/kernel';
import { cutText, plainLine } from '@tenon/wording';
import type { Diagnostic, ServerCapabilities } from 'vscode-languageserver-protocol';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { LanguageServerData } from '../api.ts';
import { errors } from '../errors.ts';
import { TextDocument } from '../text-document.ts';
import { pathOfUri, uriOfPath } from '../uris.ts';
import { CLIENT_CAPABILITIES } from './capabilities.ts';
import { DiagnosticsStore, usable } from './diagnostics-store.ts';
import { languageOf } from './fit.ts';
import { Progress } from './progress.ts';
import type { ServerProcess } from './server-process.ts';

/** What identifies a server. */
export interface ServerIdentity {
  readonly name: string;
  readonly data: LanguageServerData;
  /** The real path of its project. */
  readonly root: string;
}

interface OpenDocument {
  version: number;
  text: string;
  /** Size and time of the file when it was last compared; undefined when the text did not come from the disk. */
  stamp: string | undefined;
  used: number;
}

/** A server that does not come up in this time is given up. */
const START_MS = 30_000;
const STOP_MS = 1_500;
const MAX_OPEN = 100;
/** Bigger files are not given to servers. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** A connected server. */
export class LanguageServer {
  readonly identity: ServerIdentity;
  readonly process: ServerProcess;
  readonly diagnostics = new DiagnosticsStore();
  readonly progress = new Progress();
  capabilities: ServerCapabilities = {};
  lastUsed = Date.now();
  readonly #connection: MessageConnection;
  readonly #open = new Map<string, OpenDocument>();
  readonly #endListeners = new Set<(reason: string) => void>();
  #inUse = 0;
  #isSettled = false;
  #collecting: unknown[] | undefined;

  private constructor(identity: ServerIdentity, process: ServerProcess, connection: MessageConnection) {
    this.identity = identity;
    this.process = process;
    this.#connection = connection;
    connection.onError(() => undefined); // The guard before it ends the process and says why.
    connection.onNotification((method, params) => this.#notified(method, params as Record<string, unknown>));
    connection.onRequest((method, params) => this.#asked(method, params as Record<string, unknown>));
    connection.listen();
    void process.ended.then((reason) => {
      for (const tell of this.#endListeners) tell(reason);
      connection.dispose();
      this.diagnostics.wake();
      this.progress.end();
    });
  }

  /** Connects to a process and shakes hands; ends the process when that fails. */
  static async connect(identity: ServerIdentity, process: ServerProcess): Promise<LanguageServer> {
    const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import('./json-rpc.ts');
    const connection = createMessageConnection(
      new StreamMessageReader(process.output),
      new StreamMessageWriter(process.input),
    );
    const server = new LanguageServer(identity, process, connection);
    try {
      await server.#initialize();
    } catch (fault) {
      process.kill('it did not start');
      throw fault;
    }
    return server;
  }

  async #initialize(): Promise<void> {
    const { root, data } = this.identity;
    const uri = uriOfPath(root);
    const params = {
      // Inside of a sandbox the id of this process means nothing, and servers end themselves when it is not there.
      processId: null,
      clientInfo: { name: 'Tenon' },
      rootPath: root,
      rootUri: uri,
      workspaceFolders: [{ uri, name: root.split('/').at(-1) ?? root }],
      capabilities: CLIENT_CAPABILITIES,
      initializationOptions: data.initializationOptions,
    };
    const answer = await this.request('initialize', params, AbortSignal.timeout(START_MS), START_MS);
    this.capabilities = (answer as { capabilities?: ServerCapabilities } | null)?.capabilities ?? {};
    this.notify('initialized', {});
    if (data.settings !== undefined) this.notify('workspace/didChangeConfiguration', { settings: data.settings });
  }

  get name(): string {
    return this.identity.name;
  }

  get isAlive(): boolean {
    return this.process.isAlive;
  }

  /** Whether a call works with it now. */
  get isInUse(): boolean {
    return this.#inUse > 0;
  }

  /** Keeps it from being stopped for idleness while `work` runs. */
  async using<T>(work: () => Promise<T>): Promise<T> {
    this.#inUse++;
    try {
      return await work();
    } finally {
      this.#inUse--;
      this.lastUsed = Date.now();
    }
  }

  /** Asks the server. Cancellation is passed on; a server that ends meanwhile, refuses or is late is an error of the catalogue. */
  async request(method: string, params: unknown, signal: AbortSignal, limitMs?: number): Promise<unknown> {
    const { CancellationTokenSource, ResponseError } = await import('./json-rpc.ts');
    const cancel = new CancellationTokenSource();
    const started = Date.now();
    let [stop, end] = [(): void => undefined, (_reason: string): void => undefined];
    const stopped = new Promise<'stopped'>((resolve) => (stop = () => resolve('stopped')));
    // Not `process.ended` itself: what waits for a promise that lives as long as the server would live as long, too.
    const ended = new Promise<{ reason: string }>((resolve) => (end = (reason) => resolve({ reason })));
    if (this.isAlive) this.#endListeners.add(end);
    else void this.process.ended.then(end);
    const abort = () => {
      cancel.cancel();
      stop();
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const asked = this.#connection.sendRequest(method, params, cancel.token).then((answer) => ({ answer }));
    this.#inUse++;
    try {
      const outcome = await Promise.race([asked, stopped, ended]);
      if (outcome === 'stopped') throw this.#aborted(method, signal, limitMs ?? Date.now() - started);
      if ('reason' in outcome) throw errors.create('LSP_ENDED', { server: this.name, reason: outcome.reason });
      return outcome.answer;
    } catch (fault) {
      if (!this.isAlive && !(fault instanceof Error && 'owner' in fault))
        throw errors.create('LSP_ENDED', { server: this.name, reason: await this.process.ended }, fault);
      if (fault instanceof ResponseError)
        throw errors.create(
          'LSP_REFUSED',
          { server: this.name, method, reason: plainLine(cutText(messageOf(fault), 500)) },
          fault,
        );
      throw fault;
    } finally {
      this.#inUse--;
      this.lastUsed = Date.now();
      this.#endListeners.delete(end);
      asked.catch(() => undefined); // Told above, or nobody waits for it any more.
      signal.removeEventListener('abort', abort);
      cancel.dispose();
    }
  }

  #aborted(method: string, signal: AbortSignal, waitedMs: number): unknown {
    const { reason } = signal;
    const isLate = reason instanceof Error && reason.name === 'TimeoutError';
    if (!isLate) return reason;
    return errors.create('LSP_TIMEOUT', { server: this.name, method, seconds: Math.ceil(waitedMs / 1000) });
  }

  /** Tells the server something. */
  notify(method: string, params: unknown): void {
    if (!this.isAlive) return;
    // It only fails when the server ends, which whoever waits for an answer is told.
    void this.#connection.sendNotification(method, params).catch(() => undefined);
  }

  /** Whether the server can do this. */
  can(capability: keyof ServerCapabilities): boolean {
    const value = this.capabilities[capability];
    return value !== undefined && value !== false && value !== null;
  }

  /** Whether any document is open in it. */
  get hasOpenFiles(): boolean {
    return this.#open.size > 0;
  }

  /** The version of an open document. */
  versionOf(path: string): number | undefined {
    return this.#open.get(path)?.version;
  }

  /** The text of an open document as the server knows it. */
  textOf(path: string): string | undefined {
    return this.#open.get(path)?.text;
  }

  /** Opens a file as it is on the disk, or brings the open document up to date. Gives its text. */
  async openFile(path: string): Promise<TextDocument> {
    const stats = await stat(path);
    const stamp = `${stats.size} ${stats.mtimeMs}`;
    const known = this.#open.get(path);
    if (known?.stamp === stamp) {
      known.used = Date.now();
      return new TextDocument(known.text);
    }
    const document = stats.size > MAX_FILE_BYTES ? undefined : TextDocument.ofBytes(await readFile(path));
    if (!document) {
      const reason = stats.size > MAX_FILE_BYTES ? 'it is too big' : 'it is not UTF-8';
      throw errors.create('LSP_FILE_UNREADABLE', { path, reason });
    }
    this.setText(path, document.text, stamp);
    return document;
  }

  /** Makes the server see this text. Gives true when that is news for it. */
  setText(path: string, text: string, stamp?: string): boolean {
    const uri = uriOfPath(path);
    const known = this.#open.get(path);
    if (known) {
      known.used = Date.now();
      known.stamp = stamp;
      if (known.text === text) return false;
      known.text = text;
      known.version++;
      const textDocument = { uri, version: known.version };
      this.notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
      return true;
    }
    this.#makeRoom();
    this.#open.set(path, { version: 1, text, stamp, used: Date.now() });
    const textDocument = { uri, languageId: languageOf(this.identity.data, path) ?? 'plaintext', version: 1, text };
    this.notify('textDocument/didOpen', { textDocument });
    return true;
  }

  /** Tells that a document was saved; what is open is compared with the disk from now on. */
  saved(path: string): void {
    const known = this.#open.get(path);
    if (!known) return;
    const { textDocumentSync: sync } = this.capabilities;
    const save = typeof sync === 'object' ? sync.save : undefined;
    const text = typeof save === 'object' && save.includeText === true ? { text: known.text } : {};
    this.notify('textDocument/didSave', { textDocument: { uri: uriOfPath(path) }, ...text });
  }

  /** Closes a document. */
  close(path: string): void {
    if (!this.#open.delete(path)) return;
    this.notify('textDocument/didClose', { textDocument: { uri: uriOfPath(path) } });
    this.diagnostics.forget(path);
  }

  /** Brings open documents up to date with what others have done to their files. */
  async refresh(except: readonly string[] = []): Promise<void> {
    const others = [...this.#open.keys()].filter((one) => !except.includes(one));
    const look = async (path: string) => {
      try {
        await this.openFile(path);
      } catch {
        this.close(path); // Gone, or no text any more: there is nothing to keep in step with.
      }
    };
    await Promise.all(others.map(look));
  }

  /** Tells that files were made, changed or deleted. */
  filesChanged(changes: readonly { readonly path: string; readonly type: 1 | 2 | 3 }[]): void {
    if (changes.length === 0) return;
    const list = changes.map(({ path, type }) => ({ uri: uriOfPath(path), type }));
    this.notify('workspace/didChangeWatchedFiles', { changes: list });
  }

  /** Asks for the diagnostics of an open document. Undefined when the server has not answered in time. */
  async diagnose(path: string, since: number, signal: AbortSignal): Promise<readonly Diagnostic[] | undefined> {
    if (this.can('diagnosticProvider')) {
      const params = { textDocument: { uri: uriOfPath(path) } };
      const report = (await this.request('textDocument/diagnostic', params, signal)) as { items?: unknown } | null;
      // What such a server publishes comes from the check after saving; others publish what they also answer.
      const checked = this.identity.data.checksOnSave ? (this.diagnostics.get(path)?.items ?? []) : [];
      return [...usable(report?.items), ...checked];
    }
    const version = this.versionOf(path);
    const published = await this.diagnostics.until(() => {
      const latest = this.diagnostics.get(path);
      if (!this.isAlive) return 'ended';
      if (!latest) return undefined;
      // Without a version, only what came after the change can speak of it.
      const isCurrent = latest.version === undefined ? latest.serial > since : latest.version === version;
      return isCurrent ? latest : undefined;
    }, signal);
    if (published === 'ended')
      throw errors.create('LSP_ENDED', { server: this.name, reason: await this.process.ended });
    return published?.items;
  }

  /**
   * Waits until the server has looked at its project. Most tell by progress; one that publishes diagnostics and has not yet begun to is
   * still looking for files, and would answer for a part of them.
   */
  async settle(signal: AbortSignal): Promise<void> {
    if (!this.#isSettled && !this.can('diagnosticProvider') && this.#open.size > 0)
      await this.diagnostics.until(() => this.diagnostics.serial > 0 || !this.isAlive || undefined, signal);
    this.#isSettled = true;
    await this.progress.idle(signal);
  }

  /** Runs `work` and gives the edits that the server asks for meanwhile. Without it, its edits are refused. */
  async collectEdits<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly edits: readonly unknown[] }> {
    const edits: unknown[] = [];
    this.#collecting = edits;
    try {
      return { result: await work(), edits };
    } finally {
      this.#collecting = undefined;
    }
  }

  /** Ends it in the way that the protocol wants; after a moment, at once. */
  async stop(reason: string): Promise<void> {
    if (this.isAlive) {
      const signal = AbortSignal.timeout(STOP_MS);
      await this.request('shutdown', undefined, signal)
        .then(() => {
          this.notify('exit', undefined);
          const late = new Promise((resolve) => setTimeout(resolve, 300).unref());
          return Promise.race([this.process.ended, late]);
        })
        .catch(() => undefined); // It is killed next, whatever it says.
    }
    this.process.kill(reason);
    await this.process.ended;
  }

  #makeRoom(): void {
    if (this.#open.size < MAX_OPEN) return;
    const [oldest] = [...this.#open].sort(([, a], [, b]) => a.used - b.used);
    if (oldest) this.close(oldest[0]);
  }

  #notified(method: string, params: Record<string, unknown>): void {
    if (method === 'textDocument/publishDiagnostics') {
      const path = typeof params['uri'] === 'string' ? pathOfUri(params['uri']) : undefined;
      if (path !== undefined) this.diagnostics.publish(path, params['diagnostics'], params['version']);
    } else if (method === '$/progress') this.progress.take(params ?? {});
    else if (method === 'experimental/serverStatus') this.progress.status(params ?? {});
  }

  #asked(method: string, params: Record<string, unknown>): unknown {
    if (method === 'workspace/configuration') {
      const items = Array.isArray(params['items']) ? (params['items'] as { section?: unknown }[]) : [];
      return items.slice(0, 1_000).map(({ section }) => sectionOf(this.identity.data.settings, section));
    }
    if (method === 'workspace/workspaceFolders')
      return [{ uri: uriOfPath(this.identity.root), name: this.identity.root }];
    if (method === 'workspace/applyEdit') {
      if (!this.#collecting || this.#collecting.length >= 100)
        return { applied: false, failureReason: 'Tenon has not asked for an edit' };
      this.#collecting.push(params['edit']);
      return { applied: true };
    }
    if (method === 'window/showDocument') return { success: false };
    return null;
  }
}

/** A part of the settings by its dotted name; null when there is none. */
function sectionOf(settings: unknown, section: unknown): unknown {
  if (typeof section !== 'string' || section === '') return settings ?? null;
  const record = (settings ?? {}) as Record<string, unknown>;
  if (Object.hasOwn(record, section)) return record[section];
  let value: unknown = record;
  for (const part of section.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
