export { fuzzyMatch, type FuzzyMatch, type FuzzyQuery, fuzzyQuery, fuzzyScore, markHits } from './fuzzy.ts';
export type { SelectItem } from './item-filter.ts';
export type { ListLook, ListText } from './look.ts';
export { Pager, type PagerOptions, type PagerRows } from './pager.ts';
export { SelectList, type SelectListOptions } from './select-list.ts';
export { type SettingItem, SettingsList, type SettingsListOptions } from './settings-list.ts';
export { TreeList, type TreeListOptions, type TreeNode } from './tree-list.ts';
