/** The names under which models see the tools of servers. */
import { createHash } from 'node:crypto';

/** What providers take. */
const MAX_NAME = 64;

/** `mcp__server__tool`, in letters that every provider takes, and short enough. */
export function toolName(server: string, tool: string): string {
  const clean = (text: string) => text.replace(/[^a-zA-Z0-9_-]/g, '_');
  const name = `mcp__${clean(server)}__${clean(tool)}`;
  if (name.length <= MAX_NAME) return name;
  return withHash(name, `${server}\n${tool}`);
}

/** The name with a mark that tells it from others that would look the same. */
export function withHash(name: string, of: string): string {
  const mark = createHash('sha256').update(of).digest('hex').slice(0, 6);
  return `${name.slice(0, MAX_NAME - mark.length - 1)}_${mark}`;
}
