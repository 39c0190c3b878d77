/** What Tenon's tools are to a worker that has tools of its own. */

/** Where a tool belongs, and what a worker calls it. */
export interface Meaning {
  readonly category: string;
  /** Its own name when absent. */
  readonly name?: string;
  /** Says more than the risk: a preview that only another tool applies, a runner whose tasks do anything. */
  readonly isDestructive?: boolean;
  /** False for what makes sense only in a conversation with Tenon's own agent. */
  readonly isForWorkers?: boolean;
}

/** Tools of other plugins, by their risk. */
export const RISK_CATEGORIES = { read: 'other', net: 'web', write: 'changes', exec: 'commands' } as const;

/** By the tool's name. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  read: { category: 'files', name: 'read_anything' },
  find: { category: 'files', name: 'find_files' },
  search: { category: 'search', name: 'search_text' },
  ast_grep: { category: 'search', name: 'search_code_structure' },
  fetch: { category: 'web', name: 'read_web_page' },
  web_search: { category: 'web', name: 'search_web' },
  // It also applies renames and code actions.
  lsp: { category: 'search', name: 'ask_language_server', isDestructive: true },
  recall: { category: 'helpers', name: 'recall_facts' },
  reflect: { category: 'helpers', name: 'answer_from_memory' },
  // What a worker writes there later sessions of the user's believe.
  retain: { category: 'helpers', name: 'remember_facts', isDestructive: true },
  calc: { category: 'helpers', name: 'calculate' },
  render_mermaid: { category: 'helpers', name: 'draw_diagram' },
  edit: { category: 'changes', name: 'edit_lines' },
  write: { category: 'changes', name: 'write_file' },
  ast_edit: { category: 'changes', name: 'preview_code_rewrite', isDestructive: true },
  resolve: { category: 'changes', name: 'apply_code_rewrite' },
  bash: { category: 'commands', name: 'run_command' },
  eval: { category: 'commands', name: 'run_code_cells' },
  recipe: { category: 'commands', name: 'run_project_task', isDestructive: true },
  // A worker that starts workers would never end.
  code_with_agent: { category: 'agents', isForWorkers: false },
  prompt: { category: 'agents', isForWorkers: false },
  task: { category: 'agents', isForWorkers: false },
  ask: { category: 'other', isForWorkers: false },
  checkpoint: { category: 'other', isForWorkers: false },
  rewind: { category: 'other', isForWorkers: false },
  job: { category: 'other', isForWorkers: false },
  todo_write: { category: 'other', isForWorkers: false },
  search_tool_bm25: { category: 'other', isForWorkers: false },
};
