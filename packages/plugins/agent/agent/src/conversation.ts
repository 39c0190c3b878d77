/** The messages of the active branch, kept in step with the session on disk. */
import type { AgentMessage, Session } from '@tenon/sessions/api';
import { contextTokens } from './tokens.ts';

/** What the model sees, without reading the session anew for each call: that takes longer the longer the session is. */
export class Conversation {
  readonly #cwd: string;
  #session: Session;
  #messages: AgentMessage[] = [];
  #serviceTier: string | null | undefined;
  /** Where the messages begin that were said after the conversation was last made shorter. */
  #freshFrom = 0;
  /** The leaf before the present run, and what was said since. */
  #runStart: string | null = null;
  #said: AgentMessage[] = [];
  #aside: readonly AgentMessage[] = [];

  constructor(session: Session, cwd: string) {
    this.#session = session;
    this.#cwd = cwd;
    this.reload();
  }

  get session(): Session {
    return this.#session;
  }

  /** Where hooks about it are run. */
  get place(): { readonly session: string; readonly cwd: string } {
    return { session: this.#session.id, cwd: this.#cwd };
  }

  /** Goes on in another session. */
  adopt(session: Session): void {
    this.#session = session;
    this.reload();
  }

  /** Resolves when all of it is on disk, also after a power failure. */
  flush(): Promise<void> {
    return this.#session.flush();
  }

  /** The service tier that the branch asks for. */
  get serviceTier(): string | null | undefined {
    return this.#serviceTier;
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** About how many tokens the next call will send. */
  tokens(): number {
    return contextTokens(this.#messages, this.#freshFrom);
  }

  /** Adds a message; resolves when it is on disk. */
  async add(message: AgentMessage): Promise<string> {
    this.#messages.push(message);
    this.#said.push(message);
    if (message.role !== 'custom') return this.session.append('message', { message });
    const { customType, content, display, details, attribution } = message;
    const extra = { ...(details !== undefined && { details }), ...(attribution && { attribution }) };
    return this.session.append('custom_message', { customType, content, display, ...extra });
  }

  /** Writes an answer down that the model must not see: it is in the session, on a branch of its own. */
  async addAside(message: AgentMessage): Promise<void> {
    const { leafId } = this.session;
    // The place of an entry is fixed at the call, so nothing that others append can come after the answer.
    const written = this.session.append('message', { message });
    this.session.moveTo(leafId);
    await written;
  }

  /** Drops a last message that must not be sent again; it stays in the session's history. */
  dropLast(): void {
    this.#messages.pop();
  }

  /** Remembers where a run begins. */
  beginRun(): void {
    this.#runStart = this.session.leafId;
    this.#said = [];
    this.#aside = [];
  }

  /** What was said in this run and set aside. */
  get aside(): readonly AgentMessage[] {
    return this.#aside;
  }

  /** Goes on from before the run. The entry makes the move last: a session that is opened again stands at its last line. */
  async setRunAside(): Promise<void> {
    const { session } = this;
    this.#aside = this.#said;
    const data = { leaf: session.leafId, reason: 'context-overflow' };
    session.moveTo(this.#runStart);
    await session.append('custom', { customType: 'tenon.set-aside', data });
    this.reload();
  }

  /** Takes the messages from the session again, after its branch or its compaction changed. */
  reload(): void {
    const { messages, serviceTier } = this.session.context();
    this.#messages = [...messages];
    this.#serviceTier = serviceTier;
    this.#freshFrom = 0;
  }

  /** The same after it was made shorter: what providers reported about the longer one counts no more. */
  shortened(): void {
    this.reload();
    this.#freshFrom = this.#messages.length;
  }
}
