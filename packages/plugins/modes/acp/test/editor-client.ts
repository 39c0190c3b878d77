/** An editor for tests: the client of the protocol's own SDK over the standard input and output of the built program. */
import type { ChildProcess } from 'node:child_process';
import { PassThrough, Readable, Writable } from 'node:stream';
import {
  client,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { until } from '@tenon/test-kit/waiting';

type Kind = SessionUpdate['sessionUpdate'];
type Update<K extends Kind> = Extract<SessionUpdate, { sessionUpdate: K }>;

/** What an editor does when it is asked. */
export interface EditorManners {
  readonly capabilities?: ClientCapabilities;
  /** The option to choose, by what is asked; nothing cancels. */
  answer?(request: RequestPermissionRequest): string | undefined | Promise<string | undefined>;
  readText?(path: string): string;
  writeText?(path: string, content: string): void | Promise<void>;
}

/** An editor that has started the program. */
export class TestEditor {
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Every byte that the program wrote to standard output. */
  output = '';
  errors = '';
  manners: EditorManners;
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;

  constructor(child: ChildProcess, manners: EditorManners = {}) {
    this.#child = child;
    this.manners = manners;
    const { stdin, stdout, stderr } = child;
    if (!stdin || !stdout || !stderr) throw new Error('the program has no pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    const seen = new PassThrough();
    stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    stdout.pipe(seen);
    this.#connection = client({ name: 'test editor' })
      .onNotification('session/update', ({ params }) => void this.updates.push(params))
      .onRequest('session/request_permission', async ({ params }) => {
        this.asked.push(params);
        const optionId = await this.manners.answer?.(params);
        return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .onRequest('fs/read_text_file', ({ params }) => {
        if (!this.manners.readText) throw new Error('no such file here');
        return { content: this.manners.readText(params.path) };
      })
      .onRequest('fs/write_text_file', async ({ params }) => {
        await this.manners.writeText?.(params.path, params.content);
        return {};
      })
      .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(seen) as ReadableStream<Uint8Array>));
  }

  get agent(): ClientConnection['agent'] {
    return this.#connection.agent;
  }

  initialize() {
    const { capabilities = {} } = this.manners;
    return this.agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
  }

  async prompt(sessionId: string, text: string | ContentBlock[]): Promise<StopReason> {
    const prompt: ContentBlock[] = typeof text === 'string' ? [{ type: 'text', text }] : text;
    return (await this.agent.request('session/prompt', { sessionId, prompt })).stopReason;
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify('session/cancel', { sessionId });
  }

  /** All updates of a kind, for a session. */
  of<K extends Kind>(kind: K, sessionId?: string): Update<K>[] {
    return this.updates.flatMap(({ sessionId: id, update }) =>
      update.sessionUpdate === kind && (sessionId === undefined || id === sessionId) ? [update as Update<K>] : [],
    );
  }

  /** What the agent has said in a session. */
  said(sessionId: string): string {
    return this.of('agent_message_chunk', sessionId)
      .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
      .join('');
  }

  forget(): void {
    this.updates.length = 0;
    this.asked.length = 0;
  }

  /** Ends the program as editors do: its input is closed. Gives the exit code. */
  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    await until(() => this.#child.exitCode !== null || this.#child.signalCode !== null, 'the end of the program');
    return this.#child.exitCode;
  }
}
