import type { ShellDefinitions } from '@tenon/tools/api';
import { errors } from './errors.ts';
import type { ShellHost } from './open-shell.ts';
import { SessionShell } from './session-shell.ts';

const MAX_SESSIONS = 8;

/** The shells of all sessions. */
export class ShellPool {
  readonly #host: ShellHost;
  // Maps keep the order of insertion, so the first session is the one that was used longest ago.
  readonly #sessions = new Map<string, SessionShell>();
  #isClosed = false;

  constructor(host: ShellHost) {
    this.#host = host;
  }

  /** The shell of a session; others that have been idle for long are closed when there are too many. */
  async session(id: string, project: string): Promise<SessionShell> {
    if (this.#isClosed) throw errors.create('SHELL_TOOLS_NO_BASH', { reason: 'the plugin is being unloaded' });
    const session = this.#sessions.get(id) ?? new SessionShell(this.#host, project, id);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    for (const [idle, other] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      if (other !== session && !other.isBusy) await this.end(idle);
    }
    return session;
  }

  /** The folder that the shell of a session is in; undefined when it has none yet. */
  folderOf(id: string): string | undefined {
    return this.#sessions.get(id)?.folder;
  }

  /** What commands have defined in the shell that the next command of a session gets. */
  definitionsOf(id: string, unsandboxed: boolean): ShellDefinitions | undefined {
    return this.#sessions.get(id)?.definitions(unsandboxed);
  }

  /** Commands of a session are told about a file. */
  show(id: string, file: string): void {
    this.#sessions.get(id)?.show(file);
  }

  /** Resolves when the definitions of a session are those after its last command; undefined when they are. */
  noting(id: string): Promise<void> | undefined {
    return this.#sessions.get(id)?.noting;
  }

  /** Ends the shells of a session and everything they started. */
  async end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
  }

  /** Ends all shells. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }
}
