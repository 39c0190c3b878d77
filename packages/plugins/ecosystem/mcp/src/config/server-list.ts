/** Which MCP servers there are for a folder, and which of them may be used. */
import { createHash } from 'node:crypto';
import { shellWord } from '@tenon/wording';
import { type Discovered, type Discovery, type Findings, type McpServerConfig, mcpServers } from '@tenon/discovery/api';
import type { TenonError } from '@tenon/kernel';
import type { ProjectProgram, WorkspaceTrust } from '@tenon/trust/api';
import { errors } from '../errors.ts';
import { readOwnFile } from './own-files.ts';

/** A server that is configured, whether it may be used or not. */
export interface ListedServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Which tool's configuration it is from: `native`, `claude`, `vscode`… */
  readonly family: string;
  readonly level: 'user' | 'project';
  readonly file: string;
  /** The folder that must be trusted before it is started; none for the user's own. It can lie above the working folder. */
  readonly trustFolder?: string;
  readonly bundle?: string;
  /** The isolated pack that brings it: it is started with the permissions of the pack, and in its sandbox. */
  readonly pack?: string;
  /** Changes when the configuration does; what is remembered about the server is kept under it. */
  readonly hash: string;
  /** Why it is not used, if so. */
  readonly obstacle?: { readonly kind: 'invalid' | 'disabled' | 'untrusted'; readonly error: TenonError };
}

/** What finding servers needs. */
export interface ServerListHost {
  discovery(): Promise<Discovery>;
  trust(): Promise<Pick<WorkspaceTrust, 'stateOf' | 'ensure' | 'changesIn'>>;
  readonly userFile: string;
  /** Whether servers of projects are used at all. */
  readonly projectServers: boolean;
}

/** All servers for a folder. `mayAsk` lets the user be asked whether the folders that bring them are trusted. */
export async function listServers(
  host: ServerListHost,
  cwd: string,
  options: { readonly mayAsk: boolean; readonly signal?: AbortSignal },
): Promise<{ readonly servers: readonly ListedServer[]; readonly problems: readonly TenonError[] }> {
  const [findings, own] = await Promise.all([
    host.discovery().then((discovery) => discovery.load(mcpServers, cwd, options.signal)),
    readOwnFile(host.userFile),
  ]);
  const disabled = new Set(own.disabledServers);
  const servers = [...findings.items, ...switchedOff(findings, disabled)].map(
    ({ value: config, family, level, file, project, bundle, pack }): ListedServer => {
      const server = {
        name: config.name,
        config,
        family,
        level,
        file,
        hash: hashOf(config, pack),
        ...(pack !== undefined && { pack }),
        ...(level === 'project' && pack === undefined && { trustFolder: project ?? cwd }),
        ...(bundle && { bundle }),
      };
      const obstacle = staticObstacle(server, disabled, host.projectServers);
      return obstacle ? { ...server, obstacle } : server;
    },
  );
  const refused = await refusedFolders(host, servers, options.mayAsk);
  return {
    servers: servers.map((server) => {
      const { name, trustFolder: folder, obstacle } = server;
      if (obstacle || folder === undefined || !refused.has(folder)) return server;
      const error = errors.create('MCP_SERVER_UNTRUSTED', { server: name, folder, folderWord: shellWord(folder) });
      return { ...server, obstacle: { kind: 'untrusted', error } };
    }),
    problems: findings.problems,
  };
}

/** Servers that discovery left out because they are switched off by name: they are listed, so that they can be switched on again. */
function switchedOff(
  { items, ignored }: Findings<McpServerConfig>,
  disabled: ReadonlySet<string>,
): readonly Discovered<McpServerConfig>[] {
  const names = new Set(items.map(({ value }) => value.name));
  return ignored.filter(({ value: { name } }) => disabled.has(name) && !names.has(name) && names.add(name));
}

/** The folders whose servers may not be started. Trust in a folder says nothing about those above it, so that each is asked about. */
async function refusedFolders(
  host: ServerListHost,
  servers: readonly ListedServer[],
  mayAsk: boolean,
): Promise<ReadonlySet<string>> {
  const groups = new Map<string, string[]>();
  for (const { name, trustFolder, obstacle } of servers) {
    if (trustFolder !== undefined && !obstacle) groups.set(trustFolder, [...(groups.get(trustFolder) ?? []), name]);
  }
  const refused = new Set<string>();
  if (groups.size === 0) return refused;
  const trust = await host.trust();
  // Outer folders first: trust in one of them counts for those inside, which need no question then.
  for (const [folder, names] of [...groups].sort(([a], [b]) => a.length - b.length)) {
    const listed = names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
    const isTrusted = mayAsk
      ? await trust.ensure(folder, `start MCP servers: ${listed}`)
      : (await trust.stateOf(folder)) === 'trusted';
    if (!isTrusted) refused.add(folder);
    // The bytes of what was trusted are remembered before anything can change them.
    else await trust.stateOf(folder, servers.filter(({ trustFolder }) => trustFolder === folder).map(programOf));
  }
  return refused;
}

/** A server as something that trust holds for: its command, and the files of the project that it runs. */
export function programOf({ name, file, config, trustFolder }: ListedServer): ProjectProgram {
  const { type, command, args, env, cwd, url, headers, auth, oauth, variables } = config;
  return {
    name: `the MCP server "${name}"`,
    file,
    definition: { type, command, args, env, cwd, url, headers, auth, oauth, variables },
    cwd: cwd ?? trustFolder,
  };
}

function staticObstacle(
  { name, config, level, file, pack }: Omit<ListedServer, 'obstacle'>,
  disabled: ReadonlySet<string>,
  projectServers: boolean,
): ListedServer['obstacle'] {
  const reason = config.enabled === false ? undefined : invalidReason(config);
  if (reason !== undefined) {
    return { kind: 'invalid', error: errors.create('MCP_SERVER_INVALID', { server: name, file, reason }) };
  }
  if (
    config.enabled === false ||
    disabled.has(name) ||
    (level === 'project' && pack === undefined && !projectServers)
  ) {
    return { kind: 'disabled', error: errors.create('MCP_SERVER_DISABLED', { server: name }) };
  }
  return undefined;
}

/** What is wrong with a configuration. */
export function invalidReason({ type, command, url }: McpServerConfig): string | undefined {
  if (command !== undefined && url !== undefined) return 'both "command" and "url" are set; a server has one of them';
  if (type === 'stdio') return command ? undefined : 'a server of type "stdio" needs a "command"';
  if (type !== 'http' && type !== 'sse') return `the type "${String(type)}" is unknown`;
  return url ? undefined : `a server of type "${type}" needs a "url"`;
}

/** What is remembered about a server is kept under this. */
export function hashOf(
  { path: _path, enabled: _enabled, timeoutMs: _timeout, ...config }: McpServerConfig,
  pack: string | undefined,
): string {
  const rest = pack === undefined ? config : { ...config, pack };
  const sorted = JSON.stringify(rest, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest('hex').slice(0, 24);
}
