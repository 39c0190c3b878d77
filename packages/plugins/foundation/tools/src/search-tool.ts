import { type Registry, TenonError, Type } from '@tenon/kernel';
import { SEARCH_TOOL, type Tool, type ToolCatalogue, type ToolMatch, type ToolResult } from './api.ts';
import { searchToolPrompt } from './prompts/index.ts';
import { failureText } from './tool-output.ts';

const DEFAULT_LIMIT = 8;
const NAMED_TOOLS = 24;

/** The `details` of `search_tool_bm25`. */
export interface SearchToolDetails {
  readonly query: string;
  readonly limit: number;
  readonly total_tools: number;
  readonly activated_tools: readonly string[];
  /** All that were found in this session and are still active. */
  readonly active_selected_tools: readonly string[];
  /** Tools that had to make room. */
  readonly put_back_tools?: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly label: string;
    readonly description: string;
    readonly plugin: string;
    readonly schema_keys: readonly string[];
    readonly score: number;
  }[];
}

/** The tool that finds tools. */
export function createSearchTool(registry: Registry<Tool>, catalogue: ToolCatalogue, isEnabled: boolean): Tool {
  return {
    // Read anew each time: packs and MCP servers bring tools while a session runs.
    get description() {
      const hidden = registry.list().filter(({ data }) => data['discoverable'] === true);
      const names = hidden.map(({ key }) => key).sort();
      const shown = names.slice(0, NAMED_TOOLS).join(', ');
      return searchToolPrompt({ names: shown, count: names.length, more: names.length > NAMED_TOOLS });
    },
    parameters: Type.Object(
      {
        query: Type.String({ description: 'What the tool should do, in keywords' }),
        limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most tools to add (default ${DEFAULT_LIMIT})` })),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, { scope }) {
      if (!isEnabled) {
        return failed('Tool discovery is disabled. Set tools.discovery to true to use search_tool_bm25.');
      }
      const query = String(input['query']).trim();
      const limit = Number(input['limit'] ?? DEFAULT_LIMIT);
      const toolbox = scope?.toolbox;
      try {
        const { matches, total } = await catalogue.search(query, toolbox?.active() ?? []);
        const best = matches.slice(0, limit);
        const changed = await toolbox?.activate(best.map(({ name }) => name));
        return answer(
          { query, limit, total, best, activated: changed?.activated ?? [], putBack: changed?.putBack ?? [] },
          toolbox?.selected() ?? [],
        );
      } catch (fault) {
        if (!(fault instanceof TenonError)) throw fault;
        return failed(failureText(fault));
      }
    },
  };
}

interface Search {
  readonly query: string;
  readonly limit: number;
  readonly total: number;
  readonly best: readonly ToolMatch[];
  readonly activated: readonly string[];
  readonly putBack: readonly string[];
}

function answer({ query, limit, total, best, activated, putBack }: Search, selected: readonly string[]): ToolResult {
  const waiting = best.filter(({ name }) => !activated.includes(name)).map(({ name }) => name);
  const summary = {
    query,
    activated_tools: activated,
    match_count: best.length,
    total_tools: total,
    ...(putBack.length > 0 && { put_back_tools: putBack }),
    ...(waiting.length > 0 && { not_activated_tools: waiting }),
  };
  const details: SearchToolDetails = {
    query,
    limit,
    total_tools: total,
    activated_tools: activated,
    active_selected_tools: selected,
    ...(putBack.length > 0 && { put_back_tools: putBack }),
    tools: best.map(({ name, summary: description, plugin, keys, score }) => ({
      name,
      label: name,
      description,
      plugin,
      schema_keys: keys,
      score: Math.round(score * 1e6) / 1e6,
    })),
  };
  return { content: [{ type: 'text', text: JSON.stringify(summary) }], details };
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, details: { tool: SEARCH_TOOL } };
}
