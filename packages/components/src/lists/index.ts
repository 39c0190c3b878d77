export { fuzzyMatch, type FuzzyMatch, type FuzzyQuery, fuzzyQuery, fuzzyScore, markHits } from './fuzzy.ts';
export type { SelectItem } from './item-filter.ts';
export { keyHints, type KeyTable, LIST_KEYS, listAction, PAGER_KEYS, shownKey } from './list-actions.ts';
export { keyName, typedText } from './list-keys.ts';
export type { ListLook, ListText } from './look.ts';
export { Pager, type PagerOptions, type PagerRows } from './pager.ts';
export { SelectList, type SelectListOptions } from './select-list.ts';
export { type SettingItem, SettingsList, type SettingsListOptions } from './settings-list.ts';
export { TreeList, type TreeListOptions, type TreeNode } from './tree-list.ts';
