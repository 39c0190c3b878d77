import { resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { Fields, present } from '../fields.ts';
import type { McpServerConfig } from '../kinds.ts';
import { isRecord, type Origin, type Search } from '../search.ts';

/** How a tool writes down MCP servers. */
export interface McpOptions {
  readonly variableRules: McpServerConfig['variableRules'];
  /** What kind a server with a `url` and without a type is: `http`, or `sse` where the tool has an older habit. */
  readonly urlMeans?: 'http' | 'sse';
  /** Why the tool itself would not use a server. */
  readonly refuse?: (name: string) => string | undefined;
  readonly priority?: number;
  /** What `timeout` counts in; milliseconds if absent. */
  readonly timeoutUnit?: 'seconds';
  /** Takes what only this tool says into account. */
  readonly translate?: (fields: Fields) => Partial<McpServerConfig>;
}

const NAME = /^[a-zA-Z0-9_.@/ :-]{1,100}$/;
const TYPES: Readonly<Record<string, McpServerConfig['type']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
};

/** The servers of a file: an object by name. What is wrong with one does not concern the others. */
export function addMcpServers(
  search: Search<McpServerConfig>,
  place: Origin,
  servers: unknown,
  options: McpOptions,
): void {
  if (servers === undefined || servers === null) return;
  if (!isRecord(servers)) return search.wrong(place, 'the MCP servers must be an object by name');
  for (const [name, record] of Object.entries(servers)) {
    if (!isRecord(record)) {
      search.wrong(place, `the MCP server "${name}" must be an object`);
      continue;
    }
    const server = serverFrom(search, place, name, record, options);
    if (!server) continue;
    const ignored = options.refuse?.(name);
    search.add({
      key: name,
      value: server,
      place,
      part: name,
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(ignored !== undefined && { ignored }),
    });
  }
}

function serverFrom(
  search: Search<McpServerConfig>,
  place: Origin,
  name: string,
  record: Readonly<Record<string, unknown>>,
  options: McpOptions,
): McpServerConfig | undefined {
  const wrong = (what: string) => search.wrong(place, `MCP server "${name}": ${what}`);
  if (!NAME.test(name)) return void wrong('its name must have 1 to 100 letters, digits, "_", "." or "-"');
  const fields = new Fields(record, wrong);
  const own = options.translate?.(fields);
  const commandLine = Array.isArray(record['command']) ? fields.list('command') : undefined;
  const command = own?.command ?? commandLine?.[0] ?? (commandLine ? undefined : fields.text('command'));
  const url = own?.url ?? fields.text('url', 'serverUrl', 'httpUrl');
  const written = fields.text('type', 'transport', 'transportType');
  const named = written === undefined ? undefined : TYPES[written];
  if (written !== undefined && !named) return void wrong(`there is no type "${written}"; use stdio, http or sse`);
  if (command !== undefined && url !== undefined) return void wrong('it has both a command and a URL; only one can be');
  const enabled = fields.flag('enabled') ?? invert(fields.flag('disabled'));
  // Nothing but a switch: the server of this name is off, whoever brings it.
  if (enabled === false && command === undefined && url === undefined)
    return { name, path: place.path, type: 'stdio', variableRules: options.variableRules, enabled };
  const ofUrl = fields.has('httpUrl') || fields.has('serverUrl') ? 'http' : (options.urlMeans ?? 'http');
  const type = named ?? (url !== undefined ? ofUrl : 'stdio');
  if (type === 'stdio' && command === undefined) return void wrong('it has no command; for a remote one, set a URL');
  if (type !== 'stdio' && url === undefined) return void wrong('it has no URL');
  const timeout = fields.number('timeout', 'timeoutMs');
  const { variables } = place;
  return {
    name,
    path: place.path,
    type,
    variableRules: options.variableRules,
    ...present({
      command,
      args: commandLine ? commandLine.slice(1) : fields.list('args'),
      env: fields.textRecord('env', 'environment'),
      cwd: fields.text('cwd'),
      url,
      headers: fields.textRecord('headers'),
      enabled,
      timeoutMs: timeout !== undefined && options.timeoutUnit === 'seconds' ? timeout * 1000 : timeout,
      auth: fields.record('auth'),
      oauth: isRecord(record['oauth']) ? fields.record('oauth') : undefined,
      includeTools: fields.texts('includeTools', 'enabled_tools', 'enabledTools'),
      excludeTools: fields.texts('excludeTools', 'disabled_tools', 'disabledTools'),
      variables,
    }),
    ...own,
  };
}

function invert(flag: boolean | undefined): boolean | undefined {
  return flag === undefined ? undefined : !flag;
}

/** True for an entry that says nothing but that the server of its name is off. */
export function isSwitch({ enabled, command, url }: McpServerConfig): boolean {
  return enabled === false && command === undefined && url === undefined;
}

/** The servers of a JSON file, under `mcpServers` or another name. */
export async function readMcpFile(
  search: Search<McpServerConfig>,
  place: Origin,
  options: McpOptions & { readonly under?: readonly string[]; readonly limit?: number },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const record = await search.record(place, 'json', options.limit);
  if (!record) return undefined;
  const under = options.under ?? ['mcpServers'];
  const name = under.find((key) => record[key] !== undefined);
  if (name !== undefined) addMcpServers(search, place, record[name], options);
  return record;
}

/** Servers that the user names: a file of theirs, or the JSON itself. */
export async function readMcpConfig(search: Search<McpServerConfig>, given: string, cwd: string): Promise<void> {
  const options = { variableRules: ['braces'] as const };
  if (!/^\s*\{/.test(given)) {
    const path = given.startsWith('~') ? search.fromHome(given) : resolve(cwd, given);
    await readMcpFile(search, { path, level: 'user' }, options);
    return;
  }
  const place: Origin = { path: 'the command line', level: 'user' };
  try {
    const data: unknown = JSON.parse(given);
    addMcpServers(search, place, isRecord(data) ? data['mcpServers'] : data, options);
  } catch (fault) {
    search.wrong(place, `the MCP servers are no JSON: ${messageOf(fault)}`);
  }
}
