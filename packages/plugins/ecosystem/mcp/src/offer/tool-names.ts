/** The names under which models see the tools of servers. */
import { createHash } from 'node:crypto';
import { MCP_TOOL_PREFIX } from '../api.ts';

/** What providers take. */
const MAX_NAME = 64;

/** How long the mark is that tells apart what would look the same. */
const MARK = 6;

/** `mcp__server__tool`, in letters that every provider takes, and short enough. */
export function toolName(server: string, tool: string): string {
  const name = `${prefixOf(server)}${clean(tool)}`;
  if (name.length <= MAX_NAME) return name;
  return withHash(name, `${server}\n${tool}`);
}

/** Whether a tool of the server can have this name, or one that the pattern means. */
export function mayBeNamed(server: string, wanted: string): boolean {
  const prefix = prefixOf(server).slice(0, MAX_NAME - MARK - 1);
  const [literal = '', ...rest] = wanted.split('*');
  return literal.startsWith(prefix) || (rest.length > 0 && prefix.startsWith(literal));
}

function prefixOf(server: string): string {
  return `${MCP_TOOL_PREFIX}${clean(server)}__`;
}

function clean(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** The name with a mark that tells it from others that would look the same. */
export function withHash(name: string, of: string): string {
  const mark = createHash('sha256').update(of).digest('hex').slice(0, MARK);
  return `${name.slice(0, MAX_NAME - MARK - 1)}_${mark}`;
}
