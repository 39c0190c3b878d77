/** The MCP servers that an editor passes with a session. They are the user's, like those of the user's own settings. */
import type { McpServer } from '@agentclientprotocol/sdk';
import type { McpServerConfig } from '@tenon/discovery/api';

const FROM_EDITOR = 'the editor';

/** A server as Tenon writes it down. Nothing in it is filled in: the editor has done that. */
export function serverConfig(server: McpServer): McpServerConfig {
  const about = { name: server.name, path: FROM_EDITOR, variableRules: [] };
  if ('command' in server) {
    const { command, args, env } = server;
    return { ...about, type: 'stdio', command, args, env: pairs(env) };
  }
  return { ...about, type: server.type, url: server.url, headers: pairs(server.headers) };
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}
