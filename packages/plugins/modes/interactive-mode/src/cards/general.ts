/** Cards of tools that have none of their own: those of MCP servers, packs and extensions. */
import type { CardStyle, ToolView } from '@tenon/screen-slots/api';
import { fieldsOf, type Fields, imageNotes, isFailure, resultText, textOf } from './fields.ts';
import { type FoldingRenderer, oneLine, textBody, titleOf } from './rows.ts';

/** Parts of an input that say best what a call is about. */
const MAIN_KEYS = ['command', 'path', 'file', 'file_path', 'url', 'query', 'pattern', 'name', 'title', 'op'];

/** What a tool of unknown shape is called with, on one line. */
export function inputLine(input: Fields): string {
  const main = MAIN_KEYS.find((key) => textOf(input[key]) !== '');
  const others = Object.entries(input).filter(([key, value]) => key !== main && value !== undefined);
  const rest = others.map(([key, value]) => `${key}=${valueText(value)}`);
  return oneLine([...(main === undefined ? [] : [textOf(input[main])]), ...rest].join(' '));
}

const MAX_VALUE_CHARS = 80;

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

/** The whole input, one part below the other. */
export function inputText(input: Fields): string {
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')}`)
    .join('\n');
}

/** `server`, `tool` of `mcp__server__tool`. */
function serverTool(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** The name of a tool as a title shows it. */
function nameOf({ name }: Pick<ToolView, 'name'>): string {
  const remote = serverTool(name);
  return oneLine(remote ? `${remote.server} › ${remote.tool}` : name);
}

/** Draws the calls of any tool: the input on the title, the text of the result below; all of the input when expanded. */
export const generalRenderer: FoldingRenderer = {
  title(view: ToolView, style: CardStyle) {
    return titleOf(style, nameOf(view), inputLine(fieldsOf(view.input)));
  },
  ...textBody({
    text(view, { isExpanded }) {
      const input = isExpanded ? inputText(fieldsOf(view.input)) : '';
      const output = [resultText(view).trimEnd(), ...imageNotes(view)].filter((part) => part !== '').join('\n');
      return [input, output].filter((part) => part !== '').join('\n\n');
    },
    color: (view) => (isFailure(view) ? 'error' : 'toolOutput'),
  }),
};
