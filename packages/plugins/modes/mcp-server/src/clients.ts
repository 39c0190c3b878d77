import type { PermissionAnswer, PermissionQuestion } from '@tenon/tools/api';
import type { ServedClient } from './make-server.ts';

/** The clients that are connected, and which sessions work for them. */
export class Clients {
  readonly #bySession = new Map<string, ServedClient>();

  add(client: ServedClient): void {
    this.#bySession.set(client.session, client);
  }

  remove(client: ServedClient): void {
    for (const [session, owner] of this.#bySession) if (owner === client) this.#bySession.delete(session);
    client.close();
  }

  /** A session that the agent works in for a client. The result forgets it. */
  adopt(session: string, parent: string): () => void {
    const client = this.#bySession.get(parent);
    if (client) this.#bySession.set(session, client);
    return () => void this.#bySession.delete(session);
  }

  /** Asks the user of the client that a call is for; nothing when it is for none. */
  async ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer | undefined> {
    const client = question.scope && this.#bySession.get(question.scope.session);
    return client?.ask(question, signal);
  }

  tellToolsChanged(): void {
    // A client that is just going away misses nothing.
    for (const { server } of new Set(this.#bySession.values()))
      void server.sendToolListChanged().catch(() => undefined);
  }
}
