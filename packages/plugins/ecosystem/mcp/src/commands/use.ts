/** `tenon mcp login | logout | call`: works with one server. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { errors } from '../errors.ts';
import { hasGrant } from '../oauth/grant-provider.ts';
import { login } from '../oauth/login.ts';
import { oauthConfig } from '../oauth/oauth-provider.ts';
import { toolName } from '../offer/tool-names.ts';
import { type CommandParts, line, word } from './parts.ts';

/** `tenon mcp login NAME` */
export async function loginMcp(parts: CommandParts, call: CommandCall): Promise<void> {
  const { hub } = parts;
  const name = word(call, 'name');
  const connection = await hub.connection(call.cwd, name);
  const { file, pack } = connection.server;
  const config = await connection.resolveConfig();
  if (config.url === undefined || pack !== undefined) throw errors.create('MCP_NO_LOGIN', { server: name, file });
  const oauth = oauthConfig({ ...config.auth, ...config.oauth });
  if (hasGrant(oauth)) throw errors.create('MCP_LOGIN_AUTOMATIC', { server: name, grant: oauth.grantType });
  await login({
    server: name,
    url: config.url,
    headers: config.headers ?? {},
    store: hub.loginStore(name, config.url),
    config: oauth,
    show: (url) => call.io.err(`Open this address in your browser to log in:\n\n  ${url}\n\nWaiting…\n`),
    signal: call.signal,
  });
  if (call.flags['json']) return call.io.json({ name, loggedIn: true });
  await call.io.out(`You are logged in at the MCP server "${line(name)}".\n`);
}

/** `tenon mcp logout NAME` */
export async function logoutMcp({ hub }: CommandParts, call: CommandCall): Promise<void> {
  const name = word(call, 'name');
  const connection = await hub.connection(call.cwd, name);
  const { url } = await connection.resolveConfig();
  if (url === undefined) throw errors.create('MCP_NO_LOGIN', { server: name, file: connection.server.file });
  const wasThere = await hub.loginStore(name, url).remove();
  if (call.flags['json']) return call.io.json({ name, loggedOut: wasThere });
  await call.io.out(
    wasThere ? `The login at "${line(name)}" is forgotten.\n` : `There was no login at "${line(name)}".\n`,
  );
}

/** `tenon mcp call NAME TOOL`; approval and everything else hold as in a conversation. */
export async function callTool(parts: CommandParts, call: CommandCall): Promise<number> {
  const { hub } = parts;
  const connection = await hub.connection(call.cwd, word(call, 'name'));
  await connection.connect();
  await hub.prepare(call.cwd);
  const runner = await parts.toolRunner();
  const result = await runner.run(toolName(connection.server.name, word(call, 'tool')), await inputOf(call), {
    signal: call.signal,
    onUpdate: async ({ content }) => {
      for (const part of content) if (part.type === 'text') await call.io.err(`${line(part.text)}\n`);
    },
  });
  if (call.flags['json']) await call.io.json(result);
  else {
    for (const part of result.content) {
      await call.io.out(
        part.type === 'text' ? `${part.text}\n` : `[${part.mimeType}, ${part.data.length} bytes of base64]\n`,
      );
    }
  }
  return result.isError === true ? 1 : 0;
}

async function inputOf({ flags, cwd }: CommandCall): Promise<unknown> {
  const input = typeof flags['input'] === 'string' ? flags['input'] : '{}';
  const text = input.startsWith('@') ? await readFile(resolve(cwd, input.slice(1)), 'utf8') : input;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the check of the input says what it should look like
  }
}
