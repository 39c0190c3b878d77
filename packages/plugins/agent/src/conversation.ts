/** The messages of the active branch, kept in step with the session on disk. */
import type { AgentMessage, Session } from '@tenon/sessions/api';

/** What the model sees, without reading the session anew for each call: that takes longer the longer the session is. */
export class Conversation {
  readonly session: Session;
  #messages: AgentMessage[] = [];
  #serviceTier: string | null | undefined;

  constructor(session: Session) {
    this.session = session;
    this.reload();
  }

  /** The service tier that the branch asks for. */
  get serviceTier(): string | null | undefined {
    return this.#serviceTier;
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** Adds a message; resolves when it is on disk. */
  async add(message: AgentMessage): Promise<string> {
    this.#messages.push(message);
    if (message.role !== 'custom') return this.session.append('message', { message });
    const { customType, content, display, details, attribution } = message;
    const extra = { ...(details !== undefined && { details }), ...(attribution && { attribution }) };
    return this.session.append('custom_message', { customType, content, display, ...extra });
  }

  /** Drops a last message that must not be sent again; it stays in the session's history. */
  dropLast(): void {
    this.#messages.pop();
  }

  /** Takes the messages from the session again, after its branch or its compaction changed. */
  reload(): void {
    const { messages, serviceTier } = this.session.context();
    this.#messages = [...messages];
    this.#serviceTier = serviceTier;
  }
}
