/** Everything that keys do on the screen, with the keys that they have unless the user says otherwise. */

/** What an action is for lists, and its keys. */
export interface ActionInfo {
  readonly summary: string;
  readonly keys: readonly string[];
}

/** The actions of the screen itself; those of the editor and of lists are theirs. */
export const SCREEN_ACTIONS = {
  'app.interrupt': { summary: 'Stop the agent; twice: go back to an earlier message', keys: ['escape'] },
  'app.clear': { summary: 'Clear the draft, then stop the agent; twice: leave', keys: ['ctrl+c'] },
  'app.exit': { summary: 'Leave, when the draft is empty', keys: ['ctrl+d'] },
  'app.suspend': { summary: 'Suspend Tenon; `fg` resumes it', keys: ['ctrl+z'] },
  'app.redraw': { summary: 'Draw the live rows again', keys: ['ctrl+l'] },
  'app.submitLater': { summary: 'Send when the agent is done', keys: ['alt+enter', 'ctrl+enter'] },
  'app.editQueued': { summary: 'Take the last waiting message back into the editor', keys: ['alt+up'] },
  'app.externalEditor': { summary: 'Write the draft in your own editor', keys: ['ctrl+g'] },
  'app.pasteImage': { summary: 'Paste an image from the clipboard', keys: ['ctrl+v'] },
  'app.thinking': { summary: 'Think more, or less', keys: ['shift+tab'] },
  'app.nextModel': { summary: 'Use the next model', keys: ['ctrl+p'] },
  'app.pickModel': { summary: 'Choose a model', keys: ['alt+m'] },
  'app.planMode': { summary: 'Begin or end planning', keys: ['alt+p'] },
  'app.expand': { summary: 'Show all of the tool output, or fold it', keys: ['ctrl+o'] },
  'app.transcript': { summary: 'Read and search the whole conversation', keys: ['ctrl+t'] },
  'app.plan': { summary: 'Show the whole plan, or fold it', keys: ['alt+t'] },
  'app.sessions': { summary: 'Open another session', keys: ['alt+r'] },
  'app.tree': { summary: 'Show the tree of the session', keys: ['alt+b'] },
  'app.jobs': { summary: 'Show background jobs', keys: ['alt+j'] },
  'app.held': { summary: 'Answer questions of other sessions', keys: ['alt+h'] },
} as const satisfies Readonly<Record<string, ActionInfo>>;

/** What keys do in lists of the screen, beside moving in them. */
export const PICKER_ACTIONS = {
  'list.switch': { summary: 'Lists: show others: all folders, models without a key, more of the tree', keys: ['tab'] },
  'list.switchBack': { summary: 'Tree: show others, the other way round', keys: ['shift+tab'] },
  'list.rename': { summary: 'Sessions: rename', keys: ['ctrl+r'] },
  'list.remove': { summary: 'Sessions: remove', keys: ['ctrl+d', 'delete'] },
  'list.role': { summary: 'Models: give a role', keys: ['ctrl+s'] },
  'list.label': { summary: 'Tree: label the place', keys: ['ctrl+l'] },
  'list.fork': { summary: 'Tree: fork', keys: ['ctrl+f'] },
  'list.stop': { summary: 'Jobs: stop', keys: ['ctrl+k', 'ctrl+d'] },
  'list.reload': { summary: 'MCP servers: read the configuration again', keys: ['ctrl+r'] },
} as const satisfies Readonly<Record<string, ActionInfo>>;

/** What keys do while a program of the agent has the screen; all others are the program's. */
export const TERMINAL_ACTIONS = {
  'terminal.leave': { summary: 'Program: go back to the conversation and leave it running', keys: ['ctrl+]'] },
  'terminal.stop': { summary: 'Program: end it', keys: ['ctrl+\\'] },
} as const satisfies Readonly<Record<string, ActionInfo>>;

/** The name of an action of the screen. */
export type ScreenAction = keyof typeof SCREEN_ACTIONS;
/** The name of an action of lists. */
export type PickerAction = keyof typeof PICKER_ACTIONS;
