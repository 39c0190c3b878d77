/** Checks the files and texts of `--mcp-config` before anything starts: somebody counts on these servers. */
import { readFileSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import { pathOf } from './mentions.ts';

const SHOWN_LENGTH = 60;

/** Throws for the first that names no servers. */
export function checkMcpConfigs(given: readonly string[], cwd: string): void {
  for (const each of given) {
    const isJson = /^\s*\{/.test(each);
    const shown = each.length > SHOWN_LENGTH ? `${each.slice(0, SHOWN_LENGTH)}…` : each;
    const fail = (reason: string, fault?: unknown) =>
      errors.create('MODES_MCP_CONFIG', { given: shown, reason }, fault);
    let data: unknown;
    try {
      data = JSON.parse(isJson ? each : readFileSync(pathOf(each, cwd), 'utf8'));
    } catch (fault) {
      throw fail(messageOf(fault), fault);
    }
    const servers = (data as { mcpServers?: unknown } | null)?.mcpServers;
    if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
      throw fail('it has no object "mcpServers"');
  }
}
