/** What other plugins may use of MCP: which servers there are, how they are, and how to get them ready. */
import type { McpServerConfig } from '@tenon/discovery/api';
import { service, type TenonError } from '@tenon/kernel';

export { errors } from './errors.ts';

/** How a server is. `off`: not used, and `problem` says why; `waiting`: not started yet, its tools are known from the last time. */
export type McpServerState = 'off' | 'waiting' | 'connecting' | 'ready' | 'lost' | 'failed' | 'needs-login';

/** One server, as lists show it. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  readonly type: 'stdio' | 'http' | 'sse';
  /** The command line or the address. */
  readonly target: string;
  readonly family: string;
  readonly level: 'user' | 'project';
  readonly file: string;
  /** The plugin of another agent that brings it. */
  readonly bundle?: string;
  /** Why it is not used or cannot be reached, with what to do next. */
  readonly problem?: string;
  /** How many tools and prompts it offers, as far as is known. */
  readonly tools?: number;
  readonly prompts?: number;
}

/** The MCP servers of this process. */
export interface McpHub {
  /** Gets the servers of a folder going, and waits for them for no longer than the budget. With a session, its tools are added to it. */
  prepare(cwd: string, session?: string): Promise<void>;
  /**
   * Starts servers for one session, which the program that drives it brings: they count as the user's own. Only this session and its
   * subagents can use their tools; they end with it. Calling it again replaces them. Resolves when all came to something; gives what
   * went wrong.
   */
  attach(session: string, cwd: string, servers: readonly McpServerConfig[]): Promise<readonly TenonError[]>;
  /** The servers of a folder. Nothing is started, nobody is asked. */
  servers(cwd: string): Promise<readonly McpServerStatus[]>;
  /** Ends a connection and makes it anew. */
  reconnect(cwd: string, server: string): Promise<void>;
  /** Reads the configuration again; servers that are gone are ended. */
  reload(cwd: string): Promise<void>;
  /** Looks again for servers: ends those that are gone, starts new ones where servers run already, and leaves the others alone. */
  refresh(cwd: string): Promise<void>;
}

/** The MCP servers of this process. */
export const mcpHub = service<McpHub>('mcp-hub');

/** What the name of every tool of a server begins with. */
export const MCP_TOOL_PREFIX = 'mcp__';
