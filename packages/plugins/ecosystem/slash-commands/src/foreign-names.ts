import { didYouMean } from '@tenon/wording';

/** Slash commands of other agents that Tenon does not have, and what does the same here. */
export const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    about: 'Use /status.',
    'add-dir': 'Start with `tenon --add-dir DIR`, or add the folder to the prompt with @FOLDER.',
    'allowed-tools': 'Write a policy; `tenon policy list` shows the rules that hold here.',
    approvals: 'Write a policy; `tenon policy list` shows the rules that hold here.',
    background: 'Use `tenon run TASK`, and /jobs for commands that run in the background.',
    bashes: 'Use /jobs.',
    checkpoint: 'Nothing to do: every change is kept. /undo and /tree go back.',
    config: 'Use /settings, or `tenon config list`.',
    context: 'Use /status.',
    diff: 'Use !git diff.',
    directory: 'Start with `tenon --add-dir DIR`, or add the folder to the prompt with @FOLDER.',
    doctor: 'Use `tenon doctor`.',
    effort: 'Use /thinking.',
    fork: 'Use /branch.',
    hooks: 'Use `tenon hooks list`.',
    hotkeys: 'Use /keys.',
    keybindings: 'Use /keys.',
    logout: 'Use `tenon auth logout PROVIDER`.',
    memory: 'Use `tenon memory list` for what is remembered, `tenon rules list` for AGENTS.md, CLAUDE.md and the like.',
    mention: 'Write @FILE in the prompt.',
    models: 'Use /model.',
    permissions: 'Write a policy; `tenon policy list` shows the rules that hold here.',
    plugin: 'Use /extensions and /marketplace.',
    plugins: 'Use /extensions and /marketplace.',
    ps: 'Use /jobs.',
    redo: 'Use /undo redo.',
    rename: 'Use /name TITLE.',
    restore: 'Use /undo for files, /rewind to go back in the conversation.',
    sandbox:
      'Start with `tenon --sandbox read-only`, `workspace-write` or `full`; `tenon sandbox status` shows how it is now.',
    'security-review': 'Use /review, and say that security matters.',
    session: 'Use /status for this session, /resume for the others.',
    sessions: 'Use /resume.',
    share: 'Use /export: it writes the session as a page of HTML.',
    stats: 'Use /cost, or `tenon stats` for all sessions.',
    statusline: 'Use /settings and change interactive-mode.status.',
    summarize: 'Use /compact.',
    tasks: 'Use /jobs.',
    themes: 'Use /theme.',
    todos: 'There is nothing to call: the plan stands above the editor while there is one.',
    tools: 'Use `tenon tools list`.',
    trust: 'Use `tenon trust add`.',
    upgrade: 'Use `tenon update`.',
    usage: 'Use /cost, or `tenon stats` for all sessions.',
  }),
);

/** What does the same as another agent's command, or the name that was probably meant; empty when there is neither. */
export function hintFor(name: string, names: readonly string[]): string {
  const same = FOREIGN_NAMES.get(name);
  return same === undefined ? didYouMean(name, names).replace('"', '"/') : ` ${same}`;
}
