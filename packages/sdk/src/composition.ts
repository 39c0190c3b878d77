/** What the command line shares with programs that embed Tenon: the built-in plugins and the folders. */
export { findFolders } from '@tenon/host';
export { type Builtin, builtins } from './generated/builtins.ts';
