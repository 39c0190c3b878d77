/** What keys do in pi's components: the defaults, under the names of all versions. */
import { matchesKey } from './keys.ts';

type Keys = string | readonly string[];

/** Keys by action. */
export const DEFAULT_EDITOR_KEYBINDINGS: Readonly<Record<string, Keys>> = {
  cursorUp: 'up',
  cursorDown: 'down',
  cursorLeft: ['left', 'ctrl+b'],
  cursorRight: ['right', 'ctrl+f'],
  cursorWordLeft: ['alt+left', 'ctrl+left', 'alt+b'],
  cursorWordRight: ['alt+right', 'ctrl+right', 'alt+f'],
  cursorLineStart: ['home', 'ctrl+a'],
  cursorLineEnd: ['end', 'ctrl+e'],
  pageUp: 'pageUp',
  pageDown: 'pageDown',
  deleteCharBackward: ['backspace', 'shift+backspace'],
  deleteCharForward: ['delete', 'ctrl+d', 'shift+delete'],
  deleteWordBackward: ['ctrl+w', 'alt+backspace'],
  deleteWordForward: ['alt+d', 'alt+delete'],
  deleteToLineStart: 'ctrl+u',
  deleteToLineEnd: 'ctrl+k',
  newLine: ['shift+enter', 'alt+enter', 'ctrl+j'],
  submit: 'enter',
  tab: 'tab',
  selectUp: 'up',
  selectDown: 'down',
  selectPageUp: 'pageUp',
  selectPageDown: 'pageDown',
  selectConfirm: 'enter',
  selectCancel: ['escape', 'ctrl+c'],
  copy: 'ctrl+c',
  yank: 'ctrl+y',
  yankPop: 'alt+y',
  undo: 'ctrl+-',
  interrupt: 'escape',
  clear: 'ctrl+c',
  exit: 'ctrl+d',
  suspend: 'ctrl+z',
  expandTools: 'ctrl+o',
  toggleThinking: 'ctrl+t',
  cycleThinkingLevel: 'shift+tab',
  cycleModelForward: 'ctrl+p',
  cycleModelBackward: 'shift+ctrl+p',
  selectModel: 'ctrl+l',
  externalEditor: 'ctrl+g',
  followUp: 'alt+enter',
  dequeue: 'alt+up',
  pasteImage: 'ctrl+v',
  jumpForward: 'ctrl+]',
  jumpBackward: 'ctrl+alt+]',
  treeFoldOrUp: ['ctrl+left', 'alt+left'],
  treeUnfoldOrDown: ['ctrl+right', 'alt+right'],
};

const RENAMED: Readonly<Record<string, string>> = {
  'tools.expand': 'expandTools',
  'thinking.toggle': 'toggleThinking',
  'thinking.cycle': 'cycleThinkingLevel',
  'model.cycleForward': 'cycleModelForward',
  'model.cycleBackward': 'cycleModelBackward',
  'model.select': 'selectModel',
  'editor.external': 'externalEditor',
  'message.followUp': 'followUp',
  'message.dequeue': 'dequeue',
  'clipboard.pasteImage': 'pasteImage',
};

/** Newer versions of pi say `tui.select.up` and `app.interrupt`; older ones said `selectUp` and `interrupt`. */
function oldName(action: string): string {
  const select = /^(?:tui\.)?select\.(.)(.*)$/.exec(action);
  if (select) return `select${select[1]?.toUpperCase()}${select[2]}`;
  const short = action.replace(/^(?:tui\.(?:editor|input)|app)\./, '');
  return RENAMED[short] ?? short;
}

/** Which keys do what; extensions cannot change them. */
export class EditorKeybindingsManager {
  readonly #changed: Readonly<Record<string, Keys | undefined>>;

  constructor(config: Readonly<Record<string, Keys | undefined>> = {}) {
    this.#changed = typeof config === 'object' && config !== null ? config : {};
  }

  matches(data: string, action: string): boolean {
    return this.getKeys(action).some((key) => matchesKey(data, key));
  }

  getKeys(action: string): string[] {
    const keys = this.#changed[action] ?? this.#changed[oldName(action)] ?? DEFAULT_EDITOR_KEYBINDINGS[oldName(action)];
    return keys === undefined ? [] : typeof keys === 'string' ? [keys] : [...keys];
  }

  getDisplayString(action: string): string {
    return this.getKeys(action).join('/');
  }
}

const defaults = new EditorKeybindingsManager();

/** The bindings that components use. */
export const getEditorKeybindings = (): EditorKeybindingsManager => defaults;

/** Tenon's keys are the user's to choose. */
export const setEditorKeybindings = (): void => undefined;
