/** The names that definitions written for other agents give to tools. */
import { toolNamed } from '@tenon/approval/api';

/** What the names stand for beyond those that permission rules use. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  agent: ['task'],
  apply_patch: ['edit'],
  askuserquestion: ['ask'],
  bashoutput: ['job'],
  exec: ['eval', 'bash'],
  exec_command: ['bash'],
  exitplanmode: [],
  glob: ['find'],
  google_web_search: ['web_search'],
  killshell: ['job'],
  list: ['read'],
  list_directory: ['read'],
  notebookread: ['read'],
  patch: ['edit'],
  python: ['eval'],
  read_file: ['read'],
  read_many_files: ['read'],
  replace: ['edit'],
  run_shell_command: ['bash'],
  search_file_content: ['search'],
  slashcommand: [],
  submit_result: [],
  todoread: [],
  todowrite: ['todo_write'],
  todo: ['todo_write'],
  web_fetch: ['fetch'],
  write_file: ['write'],
};

/** What a list of tools comes to. */
export interface NamedTools {
  readonly names: readonly string[];
  /** What cannot be used as it is written. */
  readonly problems: readonly string[];
}

/** Our names for a list. A tool with a limit (`Bash(git *)`) is left out: the limit could not be kept. */
export function ownToolNames(written: readonly string[]): NamedTools {
  const names = new Set<string>();
  const problems: string[] = [];
  for (const entry of written.map((name) => name.trim()).filter(Boolean)) {
    const [, name, limit] = /^([^()\s]+)(\(.*\))?$/s.exec(entry) ?? [];
    if (name === undefined) problems.push(`the tool "${entry}" cannot be read`);
    else if (limit !== undefined && limit !== '(*)') problems.push(`the limit of the tool "${entry}" cannot be kept`);
    else for (const own of OTHERS[name.toLowerCase()] ?? [toolNamed(name)]) names.add(own);
  }
  return { names: [...names], problems };
}
