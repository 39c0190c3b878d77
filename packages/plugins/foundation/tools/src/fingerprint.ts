/** What tells one tool of a stranger from another of the same name. */
import { createHash } from 'node:crypto';
import type { Entry } from '@tenon/kernel';
import type { Tool, ToolData } from './api.ts';

const known = new WeakMap<Tool, { readonly data: unknown; readonly hash: string }>();

/** The hash of what an MCP server, an extension or a pack says about a tool; nothing for tools of Tenon itself. */
export function fingerprintOf(tool: Tool, { key, data, source }: Entry<Tool>): string | undefined {
  const { origin, risk }: Partial<ToolData> = data;
  if (origin === undefined && source.foreign !== true) return undefined;
  const made = known.get(tool);
  if (made?.data === data) return made.hash;
  const { description, parameters } = tool;
  const owner = [source.plugin, origin?.kind, origin?.name, origin?.identity];
  const text = JSON.stringify([key, owner, risk, description, sorted(parameters)]);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  known.set(tool, { data, hash });
  return hash;
}

/** The order of keys says nothing: a server may write them as it likes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(pairs.map(([name, item]) => [name, sorted(item)]));
}
