/** Whether a terminal breaks the rows that a narrower screen has no room for, or cuts them. No question finds that out. */
import type { TerminalFacts } from './facts.ts';

/** Those that break them; of others, like XTerm, PuTTY, st and GNU screen, some cut, and some are not known. */
const BREAKING = new Set([
  'alacritty',
  'apple-terminal',
  'contour',
  'foot',
  'ghostty',
  'hyper',
  'iterm2',
  'jetbrains',
  'kitty',
  'konsole',
  'rio',
  'tabby',
  'tmux',
  'vscode',
  'vte',
  'warp',
  'wezterm',
  'windows-terminal',
  'xterm.js',
  'zed',
]);

/** True only of terminals that are known for it: counting on it elsewhere would erase finished rows, and not counting on it leaves live ones. */
export function breaksRows({ name, multiplexer, kind }: Pick<TerminalFacts, 'name' | 'multiplexer' | 'kind'>): boolean {
  // A program in between keeps the rows, whatever is around it.
  if (multiplexer !== undefined) return multiplexer === 'tmux';
  return kind === 'full' && name !== undefined && BREAKING.has(name);
}
