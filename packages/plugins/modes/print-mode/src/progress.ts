/** What the agent does, a line each, for somebody who watches. */
import type { AgentEvent } from '@tenon/agent/api';
import { cutText, plainLine } from '@tenon/wording';

/** Arguments that say most about a call, the best first. */
const TELLING = ['command', 'path', 'file_path', 'paths', 'pattern', 'query', 'url', 'code', 'name'];

/** A line for an event; nothing for those that need none. With `verbose` also what the model says in between, and what tools answer. */
export function progressLine(event: AgentEvent, width: number, verbose: boolean): string | undefined {
  const line = (text: string) => cutText(plainLine(text), Math.max(20, width - 1));
  if (event.type === 'tool_execution_start') return line(callText(event.toolName, event.args));
  if (event.type === 'tool_execution_end' && (event.isError || verbose)) {
    const first = event.result.content.find(({ type }) => type === 'text');
    const text = first?.type === 'text' ? first.text : '';
    return line(`  ${event.toolName} ${event.isError ? 'failed' : 'gave'}: ${text}`).replace(/^/, '  ');
  }
  if (!verbose || event.type !== 'turn_end' || event.toolResults.length === 0) return undefined;
  const said = event.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  return said.trim() === '' ? undefined : line(said);
}

/** A call on one line: `bash: npm test`. */
export function callText(tool: string, args: unknown): string {
  const fields = (args ?? {}) as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((name) => fields[name]).find((value) => value !== undefined && value !== '');
  const value = telling ?? Object.values(fields).find((field) => typeof field === 'string');
  if (value === undefined) return tool;
  return `${tool}: ${typeof value === 'string' ? value : Array.isArray(value) ? value.join(' ') : JSON.stringify(value)}`;
}
