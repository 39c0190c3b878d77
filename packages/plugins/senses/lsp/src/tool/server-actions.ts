/** The servers themselves: which there are, what they can do, starting them anew, asking them anything. */
import { messageOf } from '@tenon/kernel';
import { displayPath } from '@tenon/tools/api';
import { plainLine, plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import type { AvailableServer } from '../servers/desk.ts';
import { uriOfPath } from '../uris.ts';
import { type ActionResult, fileOf, freshServer, isWorkspaceWide, type LspCall, need } from './call-context.ts';
import { positionIn } from './place-in-file.ts';
import { statusOf, statusText } from '../command/status.ts';

/** `status` */
export async function status({ desk, place }: LspCall): Promise<ActionResult> {
  const found = await statusOf(desk, place);
  return { text: statusText(found, place.cwd), details: { servers: found.servers.filter(({ used }) => used) } };
}

async function serversOf(call: LspCall): Promise<readonly AvailableServer[]> {
  const { desk, place, input } = call;
  if (!isWorkspaceWide(input)) {
    const path = await fileOf(call);
    const servers = (await desk.forFile(path, place)).filter(({ data }) => !data.linter);
    if (servers.length === 0) throw await desk.missing(path, place, displayPath(place.cwd, path));
    return servers;
  }
  const servers = (await desk.forFolder(place)).filter(({ data }) => !data.linter);
  const known = new Set(servers.map(({ name, root }) => `${name} ${root}`));
  if (servers.length === 0 && known.size === 0) {
    const tried = ' Name a `file` to say which language is meant.';
    throw errors.create('LSP_NO_SERVER', { what: 'this workspace', tried });
  }
  return servers;
}

/** `reload` */
export async function reload(call: LspCall): Promise<ActionResult> {
  const rows: string[] = [];
  for (const fitting of await serversOf(call)) {
    const { name } = fitting;
    const running = call.desk.pool.running(fitting);
    try {
      if (running) await running.request('rust-analyzer/reloadWorkspace', null, call.signal);
      rows.push(running ? `Reloaded ${name}` : `${name} does not run; it starts with the next request`);
      if (!running) await call.desk.pool.stop(fitting, 'it is reloaded');
    } catch {
      call.signal.throwIfAborted();
      // Servers without such a request are started anew: that also reads their settings and the project again.
      await call.desk.pool.stop(fitting, 'it is reloaded');
      rows.push(`Restarted ${name}`);
    }
  }
  return { text: rows.join('\n') };
}

/** `capabilities` */
export async function capabilities(call: LspCall): Promise<ActionResult> {
  const blocks: string[] = [];
  for (const fitting of await serversOf(call)) {
    try {
      const server = await freshServer(call, fitting);
      blocks.push(`${fitting.name}:\n${plainText(JSON.stringify({ capabilities: server.capabilities }, null, 2))}`);
    } catch (fault) {
      call.signal.throwIfAborted();
      blocks.push(`${fitting.name}: failed to start (${plainLine(messageOf(fault))})`);
    }
  }
  return { text: blocks.join('\n\n') };
}

/** `request` */
export async function request(call: LspCall): Promise<ActionResult> {
  const { input, signal } = call;
  const method = need(input, 'query', ', the name of the method');
  const payload = payloadOf(input.payload);
  const [fitting] = await serversOf(call);
  if (!fitting) throw errors.create('LSP_NO_SERVER', { what: 'this workspace', tried: '' });
  const server = await freshServer(call, fitting);
  const params = isWorkspaceWide(input) ? {} : await fileParams();
  const answer = await server.request(method, payload ? payload.value : params, signal);
  const text = typeof answer === 'string' ? answer : (JSON.stringify(answer ?? null, null, 2) ?? 'null');
  return { text: `${server.name} ← ${method}:\n${plainText(text)}`, server: server.name };

  async function fileParams() {
    const path = await fileOf(call);
    const document = await server.openFile(path);
    const textDocument = { uri: uriOfPath(path) };
    if (input.line === undefined) return { textDocument };
    return { textDocument, position: positionIn(document, { line: input.line, symbol: input.symbol }, path) };
  }
}

function payloadOf(payload: string | undefined): { value: unknown } | undefined {
  if (payload === undefined || payload.trim() === '') return undefined;
  try {
    return { value: JSON.parse(payload) as unknown };
  } catch (fault) {
    throw errors.create('LSP_PAYLOAD', { reason: messageOf(fault) }, fault);
  }
}
