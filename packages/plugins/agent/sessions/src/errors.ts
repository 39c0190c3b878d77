import { defineErrors } from '@tenon/kernel';

/** What can go wrong with sessions. */
export const errors = defineErrors('sessions', {
  SESSION_NOT_FOUND: {
    exit: 'usage',
    summary: 'There is no session "{session}".',
    next: 'See the sessions of this folder with `tenon session list`, of all folders with `--all`.',
  },
  SESSION_ID_EMPTY: {
    exit: 'usage',
    summary: 'No session was named: the id is empty.',
    next: 'Give an id or the first letters of it; `tenon session list` shows them.',
  },
  SESSION_FILE_NAME: {
    exit: 'usage',
    summary: 'There is no session file {file}, and a new one must end in .jsonl.',
    next: 'Check the name, or write {file}.jsonl to begin a session there.',
  },
  SESSION_NO_FOLDER: {
    exit: 'usage',
    summary: 'The session file {file} cannot be made: its folder is not there.',
    next: 'Make the folder, or name another file.',
  },
  SESSION_AMBIGUOUS: {
    summary: 'More than one session begins with "{session}": {matches}.',
    next: 'Give more letters of the id, or the file.',
  },
  SESSION_IN_USE: {
    summary: 'Session {file} is open in process {pid} on {host}.',
    next: 'Close it there, or work on a copy with `--fork`.',
  },
  SESSION_TOO_NEW: {
    summary: 'Session {file} has version {version}; this Tenon reads up to version {known}.',
    next: 'Update Tenon. The file was not touched.',
  },
  SESSION_UNREADABLE: {
    summary: 'Session {file} cannot be read: {reason}',
    next: 'The file was not touched. Check its permissions and whether it is a session file.',
  },
  SESSION_WRITE_FAILED: {
    summary: 'The session file {file} could not be written: {reason}',
    next: 'Free disk space or correct the permissions, then open the session again: all that was answered is in it. `--no-session` works without a file, `TENON_HOME` keeps everything in another folder.',
  },
  SESSION_ENTRY_UNKNOWN: {
    exit: 'usage',
    summary: 'Session {session} has no entry "{entry}".',
    next: 'See its entries with `tenon session tree {session}`.',
  },
});
