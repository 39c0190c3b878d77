/** MCP servers: how they are, and what can be done about that. */
import { keyHints } from '@tenon/components';
import { mcpHub, type McpHub, type McpServerStatus } from '@tenon/mcp/api';
import { counted, plainLine } from '@tenon/wording';
import type { Seat } from '../seat.ts';
import { chooseOne, ListPicker, refreshing } from './list-picker.ts';
import { runAndTell, runInside } from './run-inside.ts';
import { reporting, whileWorking } from './small-dialogs.ts';
import { showText } from './show-text.ts';

type Deed = 'reconnect' | 'enable' | 'disable' | 'login' | 'logout' | 'logs';

const WORDS: Readonly<Record<Deed, string>> = {
  reconnect: 'Connect again',
  enable: 'Switch it on',
  disable: 'Switch it off',
  login: 'Log in',
  logout: 'Forget the login',
  logs: 'Read what it printed',
};

/** Shows the MCP servers of the folder and does with one what the user wants. */
export async function openMcp(seat: Seat): Promise<void> {
  const hub = await seat.ctx.findOptional(mcpHub);
  const { cwd } = seat.agent;
  let servers = (await hub?.servers(cwd)) ?? [];
  if (!hub || servers.length === 0) {
    seat.notify('No MCP server is configured. `tenon mcp add NAME -- COMMAND` adds one.');
    return;
  }
  const picker = new ListPicker<McpServerStatus>(seat, {
    title: 'MCP servers',
    items: servers.map(asItem),
    preview: async (server) => aboutRows(server),
    previewRows: 4,
    keys: { 'list.reload': 'reload' },
    footer: () =>
      keyHints(seat, [
        ['list.choose', 'what to do'],
        ['list.reload', 'read the configuration again'],
        ['list.close', 'close'],
      ]),
  });
  const refresh = async () => {
    servers = await hub.servers(cwd);
    picker.list.setItems(servers.map(asItem), (a, b) => a.name === b.name);
  };
  const isMoving = () => servers.some(({ state }) => state === 'connecting');
  await refreshing(seat, { isMoving, refresh }, () => useServers(seat, hub, picker, refresh));
}

async function useServers(
  seat: Seat,
  hub: McpHub,
  picker: ListPicker<McpServerStatus>,
  refresh: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const answer = await picker.next();
    if (!answer) return;
    const server = answer.item?.value;
    if (answer.action === 'reload') await reporting(seat, () => hub.reload(seat.agent.cwd));
    else if (server) await act(seat, hub, server);
    await reporting(seat, refresh);
  }
}

function asItem(server: McpServerStatus) {
  const { name, state, tools, prompts, family, level } = server;
  const offers = [tools === undefined ? '' : counted(tools, 'tool'), prompts ? counted(prompts, 'prompt') : ''];
  return {
    value: server,
    label: plainLine(name),
    detail: [state === 'waiting' ? 'on' : state, ...offers].filter((part) => part !== '').join(', '),
    hint: `${family} ${level}`,
    isMuted: state === 'off',
  };
}

function aboutRows({ target, file, bundle, problem }: McpServerStatus): string[] {
  const origin = bundle === undefined ? file : `plugin ${bundle}`;
  return [plainLine(target), plainLine(origin), ...(problem === undefined ? [] : [plainLine(problem)])];
}

/** What makes sense for a server as it is. */
function deedsFor({ state, type }: McpServerStatus): Deed[] {
  if (state === 'off') return ['enable', 'logs'];
  const remote: Deed[] = type === 'stdio' ? [] : ['login', 'logout'];
  return state === 'needs-login' ? ['login', 'disable', 'logs'] : ['reconnect', 'disable', ...remote, 'logs'];
}

async function act(seat: Seat, hub: McpHub, server: McpServerStatus): Promise<void> {
  const { name } = server;
  const deed = await chooseOne<Deed>(seat, {
    title: plainLine(name),
    hasFilter: false,
    items: deedsFor(server).map((value) => ({ value, label: WORDS[value] })),
  });
  if (!deed) return;
  await reporting(seat, async () => {
    if (deed.value === 'reconnect') {
      await whileWorking(seat, `Connecting to ${plainLine(name)}…`, hub.reconnect(seat.agent.cwd, name));
    } else if (deed.value === 'logs') {
      await showText(seat, plainLine(name), (await runInside(seat, ['mcp', 'logs', '--', name])).out);
    } else if (deed.value === 'login') {
      await runAndTell(seat, ['mcp', 'login', '--', name], { isLive: true, working: 'Waiting for the browser…' });
      await hub.reload(seat.agent.cwd);
    } else await runAndTell(seat, ['mcp', deed.value, '--', name]);
  });
}
