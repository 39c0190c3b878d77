/** Servers that a program brings for one session: an editor passes those of its user. They are never written down, and end with the session. */
import type { LiveAgents } from '@tenon/agent/api';
import type { McpServerConfig } from '@tenon/discovery/api';
import { messageOf, TenonError } from '@tenon/kernel';
import { plainText } from '@tenon/wording';
import { hashOf, invalidReason, type ListedServer } from './config/server-list.ts';
import type { ServerConnection } from './connection/server-connection.ts';
import { errors } from './errors.ts';
import type { Definitions } from './offer/definition-cache.ts';
import { placeOf, type ToolOffer } from './offer/tool-offer.ts';

/** What attaching servers needs. */
export interface AttachHost {
  readonly isEnabled: boolean;
  /** How much room their instructions have. */
  readonly instructionChars: number;
  readonly tools: Pick<ToolOffer, 'set' | 'clear'>;
  agents(): Promise<LiveAgents>;
  connect(cwd: string, server: ListedServer, onDefinitions: (definitions: Definitions) => void): ServerConnection;
}

interface Attached {
  readonly connections: readonly ServerConnection[];
  isClosed: boolean;
}

/** The servers of single sessions. */
export class AttachedServers {
  readonly #host: AttachHost;
  readonly #sessions = new Map<string, Attached>();

  constructor(host: AttachHost) {
    this.#host = host;
  }

  /** Starts servers for a session, in place of those that it had. Gives what went wrong. */
  async attach(session: string, cwd: string, servers: readonly McpServerConfig[]): Promise<readonly TenonError[]> {
    await this.detach(session);
    if (!this.#host.isEnabled) return servers.map(({ name }) => errors.create('MCP_SERVER_DISABLED', { server: name }));
    const [usable, problems] = sorted(servers);
    const connections = usable.map((server) => {
      const connection: ServerConnection = this.#host.connect(
        cwd,
        server,
        ({ tools }) => void this.#offer(session, attached, connection, tools),
      );
      return connection;
    });
    const attached: Attached = { connections, isClosed: false };
    this.#sessions.set(session, attached);
    const outcomes = await Promise.all(
      connections.map(async (connection) => {
        try {
          await connection.connect();
          await this.#offer(session, attached, connection, connection.definitions?.tools ?? []);
          return undefined;
        } catch (fault) {
          if (fault instanceof TenonError) return fault;
          return errors.create(
            'MCP_CONNECT_FAILED',
            { server: connection.server.name, reason: messageOf(fault) },
            fault,
          );
        }
      }),
    );
    return [...problems, ...outcomes.filter((problem) => problem !== undefined)];
  }

  /** What they want the model of the session to know. */
  instructionsFor(session: string): string {
    let room = this.#host.instructionChars;
    const { connections = [] } = this.#sessions.get(session) ?? {};
    return connections
      .flatMap(({ server, definitions }) => {
        const text = definitions?.instructions?.trim() ?? '';
        // Quoted: a heading of a server must not look like one of Tenon's.
        const part = `## ${server.name}\n${plainText(text).replaceAll(/^/gm, '> ')}`;
        if (text === '' || part.length > room) return [];
        room -= part.length;
        return [part];
      })
      .join('\n\n');
  }

  /** Ends the servers of a session. */
  async detach(session: string): Promise<void> {
    const attached = this.#sessions.get(session);
    if (!attached) return;
    this.#sessions.delete(session);
    attached.isClosed = true;
    for (const { server } of attached.connections) this.#host.tools.clear(placeOf(session), server.name);
    await Promise.all(attached.connections.map((connection) => connection.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((session) => this.detach(session)));
  }

  /** Offers the tools of a server to its session; the model sees them with its next turn. */
  async #offer(
    session: string,
    attached: Attached,
    connection: ServerConnection,
    tools: Definitions['tools'],
  ): Promise<void> {
    if (attached.isClosed) return;
    const names = this.#host.tools.set(placeOf(session), connection, tools, false);
    // Tools that the server takes back leave the slot, and so the session.
    await (await this.#host.agents()).get(session)?.addTools(names);
  }
}

/** Servers that can be started, and why the others cannot. */
function sorted(servers: readonly McpServerConfig[]): [ListedServer[], TenonError[]] {
  const usable: ListedServer[] = [];
  const problems: TenonError[] = [];
  for (const config of servers) {
    const { name, path: file } = config;
    const isTwice = usable.some((server) => server.name === name);
    const reason = isTwice ? 'there are two of this name' : invalidReason(config);
    if (reason === undefined)
      usable.push({ name, config, family: 'client', level: 'user', file, hash: hashOf(config, undefined) });
    else problems.push(errors.create('MCP_SERVER_INVALID', { server: name, file, reason }));
  }
  return [usable, problems];
}
