import { renderPrompt } from '@tenon/prompts';
import searchTool from './search-tool.md';

/** The text of `search_tool_bm25` for models. */
export function searchToolPrompt(values: {
  readonly names: string;
  readonly count: number;
  readonly more: boolean;
}): string {
  return renderPrompt(searchTool, values);
}
