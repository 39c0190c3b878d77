/** Files that hold state: replaced in one step, changed under a lock, comments kept. */
export {
  type ColumnValue,
  type Database,
  type DatabaseForm,
  inTransaction,
  openDatabase,
  type Statement,
} from './database.ts';
export { errors } from './errors.ts';
export { editJsonc, type JsonEdit, type JsonPath, parseJsonc } from './jsonc.ts';
export { type HeldLock, type LockOptions, withLock } from './lock.ts';
export { isAlive, processMark, type ProcessMark, thisProcess } from './process-mark.ts';
export { followLinks, readText } from './read.ts';
export { changeRecord, recordForm, versionedJson } from './records.ts';
export {
  createFile,
  replaceFile,
  replaceFileSync,
  type Staged,
  stageFile,
  unwritable,
  type WriteOptions,
} from './replace.ts';
export { makeFolders, makeFoldersSync } from './make-folders.ts';
export { withFilesLocked } from './shared-file-lock.ts';
export { readState, readStateSync, type StateForm, updateFile, type UpdateOptions, updateState } from './update.ts';
