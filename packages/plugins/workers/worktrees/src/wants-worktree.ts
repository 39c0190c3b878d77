/** Whether a task is better done in a worktree, when nobody has said so. */

/** The setting `worktrees.mode`. */
export type WorktreeMode = 'off' | 'auto' | 'always';

/** Tasks that move HEAD, look at other commits, or must not see half-done work. A word alone is not enough: "add a review form" is no review. */
const MOVES_OR_LOOKS: readonly RegExp[] = [
  /^\W*(?:please\s+|can you\s+|could you\s+)?(?:do\s+)?(?:an?\s+)?(?:code[- ]?)?review\b(?!\s+(?:form|page|button|component|model|table|screen)s?\b)/i,
  /\b(?:code[- ])?review\s+(?:the|this|that|my|our|all|every|these|those|recent|latest|last|open|prs?|mrs?|pull|merge|changes?|diffs?|branch|commits?|code)\b/i,
  /\b(?:rebase|cherry[- ]?pick|bisect|backport)(?:s|d|ed|ing)?\b/i,
  /\bmerge\s+(?:the|this|branch|prs?|mrs?|pull|main|master|origin|upstream|\S+\s+into)\b/i,
  /\bresolve\b.*\bconflicts?\b/i,
  /\b(?:squash|reorder|split|reword)\b.*\bcommits?\b/i,
  /\b(?:pr|mr|pull request|merge request)\s*[#!]?\d+/i,
  /\bcheck\s?out\s+(?:the|branch|tag|commit|prs?|origin|v\d)/i,
];

/** Decides: a plain wish counts, then the setting, then what the task looks like and whether somebody else works in the folder. */
export function wantsWorktree(
  task: string,
  wish: 'auto' | boolean,
  { mode = 'auto', isBusy = false }: { readonly mode?: WorktreeMode; readonly isBusy?: boolean } = {},
): boolean {
  if (wish !== 'auto') return wish;
  if (mode !== 'auto') return mode === 'always';
  return isBusy || MOVES_OR_LOOKS.some((pattern) => pattern.test(task));
}
