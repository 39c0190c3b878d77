/** Keys of lists, in a file of their own: who imports one name of a file like this loads all that it names. */
export { keyHints, type KeyTable, LIST_KEYS, listAction, PAGER_KEYS, shownKey } from './list-actions.ts';
export { keyName, typedText } from './list-keys.ts';
