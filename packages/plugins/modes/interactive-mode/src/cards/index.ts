/** Cards of the tools that ship with Tenon, and the card around any call. */
import type { ToolRenderer } from '@tenon/screen-slots/api';
import { task } from './agents.ts';
import { edit, read, write } from './files.ts';
import { generalRenderer } from './general.ts';
import { ask, checkpoint, rewind, todoWrite } from './planning.ts';
import { astEdit, astGrep, find, resolve, search, searchTools } from './searching.ts';
import { bash, evalCells, job, recipe } from './shell.ts';
import { calc, renderMermaid } from './small.ts';
import { fetchPage, webSearch } from './web.ts';

/** Renderers by the name of the tool; `*` serves all others. */
export const builtInRenderers: Readonly<Record<string, ToolRenderer>> = {
  '*': generalRenderer,
  read,
  write,
  edit,
  apply_patch: edit,
  bash,
  search,
  find,
  ast_grep: astGrep,
  ast_edit: astEdit,
  resolve,
  search_tool_bm25: searchTools,
  eval: evalCells,
  todo_write: todoWrite,
  ask,
  checkpoint,
  rewind,
  fetch: fetchPage,
  web_search: webSearch,
  job,
  calc,
  render_mermaid: renderMermaid,
  recipe,
  task,
};

/** The renderer of a tool: its own one, else the general one. */
export function rendererOf(name: string, more: Readonly<Record<string, ToolRenderer>> = {}): ToolRenderer {
  const own = (list: Readonly<Record<string, ToolRenderer>>, key: string) =>
    Object.hasOwn(list, key) ? list[key] : undefined;
  return own(more, name) ?? own(builtInRenderers, name) ?? own(more, '*') ?? generalRenderer;
}

export { type CardFrame, renderCard, stateMark } from './card.ts';
export { prepareDiffs } from './diff-rows.ts';
export { generalRenderer } from './general.ts';
export { elapsedText } from './rows.ts';
