/** Puts the tools of servers into the slot `tools`, and calls them. */
import { createHash } from 'node:crypto';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { type ContributeOptions, type Disposable, type JsonSchema, messageOf, TenonError } from '@tenon/kernel';
import type { Tool, ToolCall, ToolData, ToolOrigin, ToolResult, ToolRisk } from '@tenon/tools/api';
import { inSentences } from '@tenon/wording';
import type { ListedServer } from '../config/server-list.ts';
import type { ServerConnection } from '../connection/server-connection.ts';
import type { McpSettings } from '../generated/settings.ts';
import { asShown } from './shown-tool.ts';
import { toolName, withHash } from './tool-names.ts';
import { type ResultHost, toToolResult } from './tool-result.ts';

/** What offering tools needs. */
export interface ToolOfferHost extends ResultHost {
  /** The folder of calls that belong to no session. */
  readonly cwd: string;
  readonly toolMs: number;
  /** Whose word counts when a server says that a tool only reads. */
  readonly readOnlyHints: McpSettings['readOnlyHints'];
  /** The places (`placeOf`) and folders of the sessions that a session works for, nearest first. */
  foldersAbove(session: string): Promise<readonly string[]>;
  contribute(key: string, tool: Tool, options: ContributeOptions): Disposable;
  /** A tool could not be offered. */
  leftOut(about: {
    readonly server: string;
    readonly tool: string;
    readonly reason: string;
    readonly file: string;
  }): void;
}

/** A tool of one server in one folder. */
interface Owner {
  readonly cwd: string;
  readonly connection: ServerConnection;
  readonly tool: McpTool;
}

interface Offered {
  readonly owners: Map<string, Owner>;
  readonly text: string;
  readonly tool: Tool;
  readonly entry: Disposable;
}

/** Where the servers of a single session stand among those of folders: no folder has such a name. */
export function placeOf(session: string): string {
  return `session:${session}`;
}

const MAX_DESCRIPTION = 2_000;
const SUMMARY_CHARS = 120;

/** All tools of all servers. Two folders with a server of the same name share the entry; a call goes to the one of its folder. */
export class ToolOffer {
  readonly #host: ToolOfferHost;
  readonly #offered = new Map<string, Offered>();

  constructor(host: ToolOfferHost) {
    this.#host = host;
  }

  /** Offers exactly these tools of a server. Gives the names. */
  set(cwd: string, connection: ServerConnection, tools: readonly McpTool[], discoverable: boolean): string[] {
    const { server } = connection;
    const { includeTools, excludeTools = [] } = server.config;
    const toolsByName = new Map<string, McpTool>();
    for (const given of tools) {
      if (excludeTools.includes(given.name) || (includeTools && !includeTools.includes(given.name))) continue;
      const tool = asShown(given);
      const plain = toolName(server.name, tool.name);
      toolsByName.set(toolsByName.has(plain) ? withHash(plain, tool.name) : plain, tool);
    }
    this.#forget(cwd, server.name, toolsByName);
    for (const [name, tool] of toolsByName) this.#offer(name, { cwd, connection, tool }, discoverable);
    return [...toolsByName.keys()].filter((name) => this.#offered.has(name));
  }

  /** A tool that is offered. */
  get(name: string): Tool | undefined {
    return this.#offered.get(name)?.tool;
  }

  /** Takes back what a server offered. */
  clear(cwd: string, server: string): void {
    this.#forget(cwd, server, new Map());
  }

  #forget(cwd: string, server: string, keep: ReadonlyMap<string, McpTool>): void {
    for (const [name, offered] of this.#offered) {
      const owner = offered.owners.get(cwd);
      if (owner?.connection.server.name !== server || keep.has(name)) continue;
      offered.owners.delete(cwd);
      if (offered.owners.size > 0) continue;
      this.#offered.delete(name);
      offered.entry.dispose();
    }
  }

  #offer(name: string, owner: Owner, discoverable: boolean): void {
    const { server } = owner.connection;
    const present = this.#offered.get(name);
    const rival = present?.owners.get(owner.cwd);
    if (rival && rival.connection.server.name !== server.name) {
      this.#leaveOut(owner, `its name would be ${name}, like a tool of "${rival.connection.server.name}"`);
      return;
    }
    const owners = (present?.owners ?? new Map<string, Owner>()).set(owner.cwd, owner);
    const data = {
      ...dataOf(owner.tool, originOf(server, owners), this.#riskOf(owners)),
      ...(discoverable && { discoverable }),
    };
    const text = JSON.stringify([owner.tool.description, owner.tool.inputSchema, owner.tool.annotations, data]);
    if (present) {
      // What the model reads must not change under a conversation without a reason: the prompt's cache would be lost.
      if (present.text === text) return;
      present.entry.dispose();
    }
    try {
      const tool = this.#tool(name, owner.tool);
      const entry = this.#host.contribute(name, tool, { data, file: server.file });
      this.#offered.set(name, { owners, text, tool, entry });
    } catch (fault) {
      this.#offered.delete(name);
      this.#leaveOut(owner, messageOf(fault));
    }
  }

  /**
   * What a server says about its tools is a hint. It counts when the user believes all servers that share the name; without
   * one, or with two that contradict each other, a tool counts as the dangerous kind.
   */
  #riskOf(owners: ReadonlyMap<string, Owner>): ToolRisk {
    const { readOnlyHints: hints } = this.#host;
    const onlyReads = ({ connection: { server }, tool: { annotations = {} } }: Owner) =>
      server.pack === undefined &&
      (hints === 'all' || (hints === 'own' && server.level === 'user')) &&
      annotations.readOnlyHint === true &&
      annotations.destructiveHint !== true;
    return [...owners.values()].every(onlyReads) ? 'read' : 'exec';
  }

  #leaveOut({ connection, tool }: Owner, reason: string): void {
    const { name: server, file } = connection.server;
    this.#host.leftOut({ server, tool: tool.name, reason, file });
  }

  #tool(name: string, { description, title, inputSchema }: McpTool): Tool {
    return {
      description: shorten(description ?? title ?? name, MAX_DESCRIPTION),
      parameters: inputSchema as JsonSchema,
      execute: (input, call) => this.#call(name, input, call),
    };
  }

  async #call(name: string, input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<ToolResult> {
    const cwd = call.scope?.cwd ?? this.#host.cwd;
    const owners = this.#offered.get(name)?.owners;
    // A subagent in a copy of the folder uses the connections of the session that it works for.
    const own = call.scope ? [placeOf(call.scope.session)] : [];
    const isNear = [...own, cwd].some((place) => owners?.has(place));
    const above = !isNear && call.scope ? await this.#host.foldersAbove(call.scope.session) : [];
    const owner = [...own, cwd, ...above].map((place) => owners?.get(place)).find((one) => one !== undefined);
    if (!owner) return failure(`The tool "${name}" belongs to an MCP server that is not configured for ${cwd}.`);
    const { connection, tool } = owner;
    const { name: server } = connection.server;
    const wasDeferred = connection.state !== 'ready';
    try {
      const answer = await connection.callTool(tool.name, input, {
        signal: call.signal,
        // An update that cannot be shown is no reason to end the call.
        onProgress: (progress) => void call.update(progressResult(progress)).catch(() => undefined),
      });
      const result = await toToolResult(answer, { server, tool: tool.name, call }, this.#host);
      return wasDeferred ? { ...result, details: { ...(result.details as object), wasDeferred } } : result;
    } catch (fault) {
      call.signal.throwIfAborted();
      return { ...failure(this.#explain(fault, server)), details: { server, tool: tool.name } };
    }
  }

  #explain(fault: unknown, server: string): string {
    if (fault instanceof TenonError) return inSentences(fault.message, fault.next);
    const { code } = fault as { code?: unknown };
    if (code === 'REQUEST_TIMEOUT') {
      return `The MCP server "${server}" did not answer within ${this.#host.toolMs / 1000} s. Ask for less at once, or raise the setting mcp.toolTimeoutMs.`;
    }
    if (code === 'CONNECTION_CLOSED') {
      return `The MCP server "${server}" ended during the call. What the call had done by then is unknown: look before you call it again. It is started anew at the next call.`;
    }
    return `The MCP server "${server}" refused the call: ${messageOf(fault)}`;
  }
}

function progressResult({
  progress,
  total,
  message,
}: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): ToolResult {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  const text = message === undefined ? count : `${message} (${count})`;
  return { content: [{ type: 'text', text }], details: { progress, total, message } };
}

/** Folders that share a name may have different servers behind it, and a project's program is another one in each. */
function originOf({ name }: ListedServer, owners: ReadonlyMap<string, Owner>): ToolOrigin {
  const configured = [...owners.values()].map(({ connection: { server } }) => [server.hash, server.trustFolder ?? '']);
  const all = [...new Set(configured.map((parts) => parts.join(' ')))].sort().join('\n');
  return { kind: 'mcp-server', name, identity: createHash('sha256').update(all).digest('hex').slice(0, 16) };
}

function dataOf({ description, title, name }: McpTool, origin: ToolOrigin, risk: ToolRisk): Record<string, unknown> {
  const [line = ''] = (description ?? '').trim().split('\n');
  const data: ToolData = {
    summary: shorten(line || title || `${name} of the MCP server ${origin.name}`, SUMMARY_CHARS),
    risk,
    origin,
  };
  return { ...data };
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
