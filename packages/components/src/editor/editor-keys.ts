/** What keys can do in the editor, and which keys do it unless the host says otherwise. */
import { matchesKey } from './key-match.ts';

/** An action and its keys. */
export interface KeyAction {
  /** What it does, for lists of keys. */
  readonly summary: string;
  readonly keys: readonly string[];
}

/** Actions of the editor and their usual keys. */
export const EDITOR_KEYS = {
  'editor.submit': { summary: 'Submit the prompt', keys: ['enter'] },
  'editor.newline': { summary: 'Begin a new line', keys: ['shift+enter', 'alt+enter', 'ctrl+j', 'ctrl+enter'] },
  'editor.left': { summary: 'Move left', keys: ['left', 'ctrl+b'] },
  'editor.right': { summary: 'Move right', keys: ['right', 'ctrl+f'] },
  'editor.up': { summary: 'Move up, or to the prompt before', keys: ['up', 'ctrl+p'] },
  'editor.down': { summary: 'Move down, or to the next prompt', keys: ['down', 'ctrl+n'] },
  'editor.wordLeft': { summary: 'Move to the start of the word', keys: ['alt+left', 'ctrl+left', 'alt+b'] },
  'editor.wordRight': { summary: 'Move to the end of the word', keys: ['alt+right', 'ctrl+right', 'alt+f'] },
  'editor.rowStart': { summary: 'Move to the start of the row, then of the line', keys: ['home', 'ctrl+a'] },
  'editor.rowEnd': { summary: 'Move to the end of the row, then of the line', keys: ['end', 'ctrl+e'] },
  'editor.textStart': { summary: 'Move to the start of the text', keys: ['ctrl+home', 'alt+<', 'alt+shift+,'] },
  'editor.textEnd': { summary: 'Move to the end of the text', keys: ['ctrl+end', 'alt+>', 'alt+shift+.'] },
  'editor.pageUp': { summary: 'Move up by a page', keys: ['pageup'] },
  'editor.pageDown': { summary: 'Move down by a page', keys: ['pagedown'] },
  'editor.deleteBack': { summary: 'Delete the character before the caret', keys: ['backspace', 'shift+backspace'] },
  'editor.deleteForward': {
    summary: 'Delete the character after the caret',
    keys: ['delete', 'ctrl+d', 'shift+delete'],
  },
  'editor.killWordBack': {
    summary: 'Kill to the start of the word',
    keys: ['ctrl+w', 'alt+backspace', 'ctrl+backspace'],
  },
  'editor.killWordForward': { summary: 'Kill to the end of the word', keys: ['alt+d', 'alt+delete', 'ctrl+delete'] },
  'editor.killToEnd': { summary: 'Kill to the end of the line', keys: ['ctrl+k'] },
  'editor.killToStart': { summary: 'Kill to the start of the line', keys: ['ctrl+u'] },
  'editor.yank': { summary: 'Insert what was killed last', keys: ['ctrl+y'] },
  'editor.yankPop': { summary: 'Exchange what was inserted for an older kill', keys: ['alt+y'] },
  'editor.undo': { summary: 'Undo', keys: ['ctrl+_', 'ctrl+-', 'ctrl+shift+-'] },
  'editor.redo': { summary: 'Redo', keys: ['alt+_', 'alt+shift+-', 'ctrl+shift+z'] },
  'editor.complete': { summary: 'Complete, or take the selected completion', keys: ['tab'] },
  'editor.searchHistory': { summary: 'Search earlier prompts', keys: ['ctrl+r'] },
  'editor.cancel': { summary: 'Close the list or the search', keys: ['escape'] },
  'editor.externalEditor': { summary: 'Edit the prompt in your editor', keys: ['ctrl+g'] },
} as const satisfies Readonly<Record<string, KeyAction>>;

/** The name of an action of the editor. */
export type EditorAction = keyof typeof EDITOR_KEYS;

/** Says whether a key means an action. */
export type KeyMeaning = (data: string, action: EditorAction) => boolean;

/** The usual keys. */
export const usualKeys: KeyMeaning = (data, action) => EDITOR_KEYS[action].keys.some((key) => matchesKey(data, key));

/** Actions that the host does itself. */
const HOSTS: readonly EditorAction[] = ['editor.externalEditor'];
const ACTIONS = (Object.keys(EDITOR_KEYS) as EditorAction[]).filter((action) => !HOSTS.includes(action));

/** The action that a key means. */
export function actionOf(data: string, keys: KeyMeaning): EditorAction | undefined {
  return ACTIONS.find((action) => keys(data, action));
}
