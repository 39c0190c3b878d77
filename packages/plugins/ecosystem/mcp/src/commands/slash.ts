/** `/mcp`: the servers of the session, as they are now. */
import { counted, plainLine } from '@tenon/wording';
import type { BuiltInCommand } from '@tenon/slash-commands/api';
import type { McpHub, McpServerStatus } from '../api.ts';

/** Lists the servers; `/mcp reconnect NAME` ends a connection and makes it anew. */
export function mcpCommand(hub: McpHub): BuiltInCommand {
  return {
    async run(args, { cwd }) {
      const [verb, name] = args.split(/\s+/);
      if (verb === 'reconnect' && name !== undefined) await hub.reconnect(cwd, name);
      else if (args !== '')
        return {
          kind: 'refused',
          reason: `/mcp does not know "${plainLine(args)}".`,
          next: 'Use /mcp to list the servers, or /mcp reconnect NAME.',
        };
      const servers = (await hub.servers(cwd)).filter((server) => verb !== 'reconnect' || server.name === name);
      if (servers.length === 0)
        return { kind: 'handled', text: 'No MCP server is configured. Add one with `tenon mcp add`.' };
      return { kind: 'handled', text: servers.flatMap(linesOf).join('\n') };
    },
  };
}

function linesOf({ name, state, tools, prompts, target, problem }: McpServerStatus): string[] {
  const offers = [
    ...(tools === undefined ? [] : [counted(tools, 'tool')]),
    ...(prompts === undefined || prompts === 0 ? [] : [counted(prompts, 'prompt')]),
  ];
  const known = offers.length === 0 ? '' : ` (${offers.join(', ')})`;
  const label = state === 'waiting' ? 'not started yet' : state;
  return [
    `${plainLine(name)}: ${label}${known}, ${plainLine(target)}`,
    ...(problem === undefined ? [] : [`  ${plainLine(problem)}`]),
  ];
}
