/** MCP servers as the configuration files of CLIs name them. */
import { join } from 'node:path';
import type { McpLaunch, WorkerFile, WorkerTask } from '../api.ts';

/** The `mcpServers` object that most CLIs read. */
export function mcpServers(servers: Readonly<Record<string, McpLaunch>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, { command, args, env }]) => [name, { command, args, ...(env && { env }) }]),
  );
}

/** A file with the servers of a task; undefined when it has none. */
export function mcpFile(task: Pick<WorkerTask, 'mcp' | 'scratch'>): WorkerFile | undefined {
  if (!task.mcp || Object.keys(task.mcp).length === 0) return undefined;
  return {
    path: join(task.scratch, 'mcp.json'),
    text: `${JSON.stringify({ mcpServers: mcpServers(task.mcp) }, undefined, 2)}\n`,
  };
}
