/** The sessions that an editor has open, in the folder of this Tenon. */
import type { LoadSessionRequest, McpServer, NewSessionRequest } from '@agentclientprotocol/sdk';
import type { LiveAgents } from '@tenon/agent/api';
import type { McpHub } from '@tenon/mcp/api';
import { type Logger, messageOf } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import type { Session, SessionStore } from '@tenon/sessions/api';
import { AcpSession, type SessionParts } from './acp-session.ts';
import { errors } from './errors.ts';
import { serverConfig } from './mcp-servers.ts';
import { noticeUpdate } from './updates.ts';

/** What sessions need. */
export interface SessionsParts extends Omit<SessionParts, 'call'> {
  readonly call: Pick<ModeCall, 'agentFor' | 'cwd' | 'isPersistent' | 'readInput' | 'remember'>;
  readonly agents: LiveAgents;
  readonly log: Logger;
  store(): Promise<SessionStore>;
  /** Absent without the plugin for MCP servers. */
  mcp(): Promise<McpHub | undefined>;
}

type ResumedSession = Pick<LoadSessionRequest, 'sessionId'> & { readonly mcpServers?: McpServer[] };

/** Throws unless there is a session of exactly this id. The store takes the beginning of an id, too, and files; an editor has ids. */
export async function checkId(store: SessionStore, id: string): Promise<void> {
  if (!/^[\w-]{1,100}$/.test(id)) throw errors.create('ACP_SESSION_UNKNOWN', { session: id });
  const session = await store.open(id, { readOnly: true });
  await session.close();
  if (session.id !== id) throw errors.create('ACP_SESSION_UNKNOWN', { session: id });
}

/** Keeps them. */
export class EditorSessions {
  readonly #parts: SessionsParts;
  readonly #open = new Map<string, AcpSession>();
  /** Sessions that are being opened. */
  readonly #opening = new Map<string, Promise<AcpSession>>();
  #latest: AcpSession | undefined;
  /** What there is to say about a session once the editor knows it. */
  readonly #greetings = new WeakMap<AcpSession, () => void>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  get(id: string): AcpSession | undefined {
    return this.#open.get(id);
  }

  /** Begins a new session. */
  async begin({ mcpServers }: NewSessionRequest): Promise<AcpSession> {
    const { call } = this.#parts;
    const store = await this.#parts.store();
    const { cwd } = call;
    return this.#add(call.isPersistent ? await store.create({ cwd }) : store.inMemory({ cwd }), mcpServers);
  }

  /**
   * Goes on with a session. One that is open already is opened anew: the editor may have lost sight of it. An editor that asks twice is
   * answered in turn, since whoever has a session keeps others out of it.
   */
  async resume(params: ResumedSession): Promise<AcpSession> {
    const { sessionId } = params;
    const before = this.#opening.get(sessionId);
    const opened = (async () => {
      await before?.catch(() => undefined); // told to whoever asked before
      return this.#resume(params);
    })();
    this.#opening.set(sessionId, opened);
    try {
      return await opened;
    } finally {
      if (this.#opening.get(sessionId) === opened) this.#opening.delete(sessionId);
    }
  }

  async #resume({ sessionId, mcpServers = [] }: ResumedSession): Promise<AcpSession> {
    const store = await this.#parts.store();
    await this.close(sessionId);
    await checkId(store, sessionId);
    return this.#add(await store.open(sessionId), mcpServers);
  }

  /** The session that this one is, or works for: subagents ask in the name of the session that started them. */
  owning(session: string): AcpSession | undefined {
    const seen = new Set<string>();
    for (let id: string | undefined = session; id !== undefined && !seen.has(id);) {
      seen.add(id);
      const owner = [...this.#open.values()].find(({ agent }) => agent.session.id === id);
      if (owner) return owner;
      id = this.#parts.agents.get(id)?.parent?.session;
    }
    return undefined;
  }

  /** The session in which a question that names none is asked: the one that works, else the one used last. */
  inUse(): AcpSession | undefined {
    const busy = [...this.#open.values()].filter(({ isBusy }) => isBusy);
    return busy.find((one) => one === this.#latest) ?? busy[0] ?? this.#latest;
  }

  /** Says what there is to say about a new session, when the answer that names it is on its way. */
  greet(session: AcpSession): void {
    setImmediate(() => this.#greetings.get(session)?.());
  }

  /** Notes that the user turns to a session. */
  use(session: AcpSession): void {
    this.#latest = session;
  }

  async close(id: string): Promise<void> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    if (this.#latest === session) this.#latest = [...this.#open.values()].at(-1);
    await session?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  async #add(session: Session, mcpServers: readonly McpServer[]): Promise<AcpSession> {
    const { call, editor, log } = this.#parts;
    const { agent, modelFallbackMessage, foundModel } = await call.agentFor(session);
    const { id } = agent.session;
    const tell = (text: string) => editor.update(id, noticeUpdate('warning', text, editor));
    const servers = mcpServers.map(serverConfig);
    const attach = async (to: string) => {
      try {
        const hub = servers.length === 0 ? undefined : await this.#parts.mcp();
        for (const problem of (await hub?.attach(to, agent.cwd, servers)) ?? [])
          tell(`${problem.message} ${problem.next}`);
      } catch (fault) {
        // The session works without them; the user hears why they are missing.
        log.warn(`MCP servers of the editor: ${messageOf(fault)}`);
        tell(`The MCP servers of the editor could not be used: ${messageOf(fault)}`);
      }
    };
    const made = new AcpSession(agent, this.#parts, attach(id));
    agent.subscribe((event) => void (event.type === 'session_switch' && attach(event.sessionId)));
    this.#open.set(id, made);
    this.#latest = made;
    this.#greetings.set(made, () => {
      for (const repair of session.repairs) tell(`Session ${id}: ${repair}`);
      if (modelFallbackMessage !== undefined) tell(modelFallbackMessage);
      if (foundModel?.by === 'last-resort') tell(foundModel.text);
      made.tellCommands().catch((fault: unknown) => log.warn(`slash commands: ${messageOf(fault)}`));
    });
    return made;
  }
}
