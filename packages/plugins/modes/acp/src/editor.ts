/** The editor at the other end: what it can do, and how it is asked. */
import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationResponse,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { FieldAnswer, FieldForm } from '@tenon/host';
import type { Outbox } from './outbox.ts';

/** One editor. */
export class Editor {
  readonly #client: Pick<AgentContext, 'request'>;
  readonly #outbox: Outbox;
  readonly #mask: <T>(value: T) => T;
  capabilities: ClientCapabilities = {};

  constructor(client: Pick<AgentContext, 'request'>, outbox: Outbox, mask: <T>(value: T) => T) {
    this.#client = client;
    this.#outbox = outbox;
    this.#mask = mask;
  }

  get hasNotices(): boolean {
    return this.capabilities.session?.notices != null;
  }

  get hasForms(): boolean {
    return this.capabilities.elicitation?.form != null;
  }

  get canRead(): boolean {
    return this.capabilities.fs?.readTextFile === true;
  }

  get canWrite(): boolean {
    return this.capabilities.fs?.writeTextFile === true;
  }

  /** Tells something; secrets are taken out. */
  update(session: string, update: SessionUpdate): void {
    this.#outbox.put(session, this.#mask(update));
  }

  /** Everything that was told is on its way: an answer that comes now is read after it. */
  flushed(): Promise<void> {
    return this.#outbox.flushed();
  }

  /** Asks the user to choose; the id of the choice, or nothing when they did not. */
  async choose(request: RequestPermissionRequest, signal: AbortSignal | undefined): Promise<string | undefined> {
    await this.flushed();
    if (signal?.aborted === true) return undefined;
    const { outcome } = await this.#client.request(
      'session/request_permission',
      this.#mask(request),
      cancelledBy(signal),
    );
    return outcome.outcome === 'selected' ? outcome.optionId : undefined;
  }

  /** Asks the user to fill in a form. */
  async askForm(
    session: string,
    { message, properties, required = [] }: FieldForm,
    signal: AbortSignal | undefined,
  ): Promise<FieldAnswer> {
    await this.flushed();
    const requestedSchema = { type: 'object', properties, ...(required.length > 0 && { required }) };
    const answer: CreateElicitationResponse = await this.#client.request(
      'elicitation/create',
      { mode: 'form', sessionId: session, message, requestedSchema } as never,
      cancelledBy(signal),
    );
    const { action, content = {} } = answer as { action: string; content?: Record<string, unknown> };
    if (action === 'accept') return { action, content };
    return { action: action === 'decline' ? 'decline' : 'cancel' };
  }

  /** What the editor shows of a file. */
  async readText(session: string, path: string, signal: AbortSignal): Promise<string> {
    const { content }: { readonly content?: unknown } = await this.#client.request(
      'fs/read_text_file',
      { sessionId: session, path },
      cancelledBy(signal),
    );
    if (typeof content !== 'string') throw new TypeError('the editor gave something that is no text');
    return content;
  }

  /** Lets the editor show and save this text. */
  async writeText(session: string, path: string, content: string, signal?: AbortSignal): Promise<void> {
    await this.#client.request('fs/write_text_file', { sessionId: session, path, content }, cancelledBy(signal));
  }
}

function cancelledBy(signal: AbortSignal | undefined) {
  return signal ? { cancellationSignal: signal, stopWaitingOnCancel: true } : {};
}
