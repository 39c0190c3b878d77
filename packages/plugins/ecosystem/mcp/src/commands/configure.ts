/** `tenon mcp add | remove | enable | disable`: changes the files with servers. */
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean } from '@tenon/wording';
import { changeOwnFile, isServerName, ownFile, readOwnFile, type Scope } from '../config/own-files.ts';
import { errors } from '../errors.ts';
import { type CommandParts, line, values, word } from './parts.ts';

type Fields = Record<string, unknown>;

/** `tenon mcp add NAME URL` and `tenon mcp add NAME -- COMMAND…` */
export async function addServer(parts: CommandParts, call: CommandCall): Promise<void> {
  const name = word(call, 'name');
  if (!isServerName(name)) throw errors.create('MCP_NAME_INVALID', { server: name });
  const scope: Scope = call.flags['project'] === true ? 'project' : 'user';
  const file = ownFile(scope, parts.folders);
  const server = serverOf(call);
  await changeOwnFile({ file, scope }, ({ servers }) => {
    if (servers[name] && call.flags['force'] !== true) throw errors.create('MCP_NAME_TAKEN', { server: name, file });
    return [[['mcpServers', name], server]];
  });
  await parts.changed();
  if (call.flags['json']) return call.io.json({ name, scope, file, server });
  await call.io.out(`Added the MCP server "${name}" to ${line(file)}. Try it with \`tenon mcp test ${name}\`.\n`);
}

function serverOf(call: CommandCall): Fields {
  const target = call.args['target'];
  const words = Array.isArray(target) ? target : target === undefined ? [] : [target];
  const [first] = words;
  const unclear = (problem: string) => errors.create('MCP_ADD_UNCLEAR', { problem });
  if (first === undefined) throw unclear('Neither a command nor a URL was given.');
  const isUrl = /^https?:\/\//i.test(first);
  const transport = call.flags['transport'];
  const type = typeof transport === 'string' ? transport : isUrl ? 'http' : 'stdio';
  if (type !== 'stdio' && !isUrl) throw unclear(`"${first}" is not a URL, which a server of type "${type}" needs.`);
  if (type !== 'stdio' && words.length > 1) throw unclear('More than one URL was given.');
  const timeout = call.flags['timeout'] === undefined ? undefined : Number(call.flags['timeout']);
  if (timeout !== undefined && !(timeout > 0)) throw unclear('--timeout takes milliseconds.');
  const common = { ...(timeout !== undefined && { timeout }) };
  const env = pairs(values(call, 'env'), '=', '--env takes NAME=VALUE.');
  const headers = pairs(values(call, 'header'), ':', "--header takes 'Name: value'.");
  if (type === 'stdio') {
    if (Object.keys(headers).length > 0) throw unclear('--header is for servers with a URL.');
    const cwd = call.flags['folder'];
    return {
      type,
      command: first,
      ...(words.length > 1 && { args: words.slice(1) }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(typeof cwd === 'string' && { cwd }),
      ...common,
    };
  }
  if (Object.keys(env).length > 0) throw unclear('--env is for servers that are a command.');
  const oauth = oauthOf(call);
  return {
    type,
    url: first,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...common,
  };
}

function pairs(texts: readonly string[], separator: string, problem: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw errors.create('MCP_ADD_UNCLEAR', { problem });
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

function oauthOf({ flags }: CommandCall): Fields {
  const { 'client-id': clientId, 'client-secret': clientSecret, 'callback-port': port } = flags;
  return {
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof clientSecret === 'string' && { clientSecret }),
    ...(typeof port === 'string' && { callbackPort: Number(port) }),
  };
}

/** `tenon mcp remove NAME` */
export async function removeServer(parts: CommandParts, call: CommandCall): Promise<void> {
  const name = word(call, 'name');
  const own = await fileWith(parts, name);
  if (own === undefined) throw await notThere(parts, call, name);
  await changeOwnFile(own, () => [[['mcpServers', name], undefined]]);
  await parts.changed();
  if (call.flags['json']) return call.io.json({ name, file: own.file });
  await call.io.out(`Removed the MCP server "${name}" from ${line(own.file)}.\n`);
}

/** The file of ours that has the server; the project's first, because it counts first. */
async function fileWith({ folders }: CommandParts, name: string) {
  for (const scope of ['project', 'user'] as const) {
    const { file, servers } = await readOwnFile(ownFile(scope, folders));
    if (servers[name]) return { file, scope };
  }
  return undefined;
}

async function notThere({ hub }: CommandParts, { cwd }: CommandCall, name: string): Promise<Error> {
  const listed = await hub.listed(cwd);
  const owner = listed.find((server) => server.name === name);
  if (owner) return errors.create('MCP_NOT_OURS', { server: name, file: owner.file, family: owner.family });
  const hint = didYouMean(
    name,
    listed.map((server) => server.name),
  );
  return errors.create('MCP_SERVER_UNKNOWN', { server: name, hint });
}

/** `tenon mcp enable NAME` */
export function enableServer(parts: CommandParts, call: CommandCall): Promise<void> {
  return switchServer(parts, call, true);
}

/** `tenon mcp disable NAME` */
export function disableServer(parts: CommandParts, call: CommandCall): Promise<void> {
  return switchServer(parts, call, false);
}

/** Servers of other tools' files are switched off by name in the user's own file; those files stay as they are. */
async function switchServer(parts: CommandParts, call: CommandCall, isOn: boolean): Promise<void> {
  const name = word(call, 'name');
  const own = await fileWith(parts, name);
  const user = ownFile('user', parts.folders);
  if (own === undefined && !(await parts.hub.listed(call.cwd)).some((server) => server.name === name)) {
    const isListed = (await readOwnFile(user)).disabledServers.includes(name);
    if (!isOn || !isListed) throw await notThere(parts, call, name);
  }
  await changeOwnFile({ file: user, scope: 'user' }, ({ disabledServers }) => {
    if (isOn) {
      const rest = disabledServers.filter((entry) => entry !== name);
      return rest.length === disabledServers.length ? [] : [[['disabledServers'], rest.length > 0 ? rest : undefined]];
    }
    return own !== undefined || disabledServers.includes(name)
      ? []
      : [[['disabledServers'], [...disabledServers, name]]];
  });
  if (own !== undefined) {
    await changeOwnFile(own, ({ servers }) =>
      isOn && servers[name]?.['enabled'] === undefined
        ? []
        : [[['mcpServers', name, 'enabled'], isOn ? undefined : false]],
    );
  }
  await parts.changed();
  if (call.flags['json']) return call.io.json({ name, enabled: isOn, file: own?.file ?? user });
  await call.io.out(`The MCP server "${name}" is switched ${isOn ? 'on' : 'off'}.\n`);
}
