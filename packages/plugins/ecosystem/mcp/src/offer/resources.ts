/** `mcp://SERVER/URI`: resources of servers, readable like files. */
import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { messageOf, TenonError } from '@tenon/kernel';
import type { UrlContent, UrlScheme } from '@tenon/urls/api';
import type { ServerConnection } from '../connection/server-connection.ts';
import { errors } from '../errors.ts';

/** What reading resources needs. */
export interface ResourceHost {
  /** The folder of reads that belong to no session. */
  readonly cwd: string;
  /** The usable servers of a folder. */
  connections(cwd: string): Promise<readonly ServerConnection[]>;
  connection(cwd: string, server: string): Promise<ServerConnection>;
}

/** The scheme. */
export function resourceScheme(host: ResourceHost): UrlScheme {
  return {
    async read(url, { signal, scope }) {
      const cwd = scope?.cwd ?? host.cwd;
      // Taken apart by hand: what stands behind the server is an address of its own, and must reach the server as it is.
      const [, server = '', uri = ''] = /^mcp:\/\/([^/?#]*)\/?([\s\S]*)$/i.exec(url) ?? [];
      if (server === '') return { content: listServers(await host.connections(cwd)), contentType: 'text/plain' };
      const connection = await host.connection(cwd, decode(server));
      if (uri === '') return { content: await listing(connection, signal), contentType: 'text/plain' };
      try {
        return toContent(await connection.readResource(uri, { signal }), url);
      } catch (fault) {
        signal.throwIfAborted();
        if (fault instanceof TenonError) throw fault;
        const details = { server: connection.server.name, uri, reason: messageOf(fault) };
        throw errors.create('MCP_RESOURCE_UNREADABLE', details, fault);
      }
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a name with a percent sign; no server has one
  }
}

function listServers(connections: readonly ServerConnection[]): string {
  if (connections.length === 0) return 'No MCP server is configured here.';
  return connections.map(({ server, state }) => `mcp://${server.name}  ${state}`).join('\n');
}

async function listing(connection: ServerConnection, signal: AbortSignal): Promise<string> {
  const { name } = connection.server;
  await connection.connect();
  if (connection.definitions?.hasResources === false) return `The MCP server "${name}" has no resources.`;
  const { resources, templates } = await connection.listResources({ signal });
  const lines = [
    ...resources.map(({ uri, title, name: label, description }) => [
      `mcp://${name}/${uri}`,
      title ?? label,
      description,
    ]),
    ...templates.map(({ uriTemplate, name: label, description }) => [
      `mcp://${name}/${uriTemplate}`,
      label,
      description,
    ]),
  ];
  if (lines.length === 0) return `The MCP server "${name}" has no resources at the moment.`;
  return lines.map((parts) => parts.filter(Boolean).join('  ')).join('\n');
}

function toContent({ contents }: ReadResourceResult, url: string): UrlContent {
  const [first, ...more] = contents;
  if (!first) return { content: '', contentType: 'text/plain' };
  if (more.length === 0 && 'blob' in first) {
    const bytes = Buffer.from(first.blob, 'base64');
    const contentType = first.mimeType ?? 'application/octet-stream';
    return { content: `[${contentType}, ${bytes.length} bytes]`, bytes, contentType };
  }
  const content = contents
    .map((part) => ('text' in part ? part.text : `[${part.uri}: ${part.mimeType ?? 'binary'}, not shown]`))
    .join('\n\n');
  return { content, contentType: first.mimeType ?? 'text/plain', details: { url, parts: contents.length } };
}
