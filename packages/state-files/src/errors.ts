import { defineErrors } from '@tenon/kernel';

/** Every error about reading, locking and replacing a file that holds state. */
export const errors = defineErrors('state-files', {
  STATE_FILE_UNREADABLE: {
    summary: '{file} cannot be read: {reason}.',
    next: 'Correct the permissions of the file, or move it away.',
  },
  STATE_FILE_NOT_UTF8: {
    summary: '{file}:{line}:{column}: the file is not valid UTF-8.',
    next: 'Save it as UTF-8.',
  },
  STATE_FILE_UNWRITABLE: {
    summary: '{file} cannot be written: {reason}.',
    next: 'Correct the permissions of the file and its folder, or free disk space. Nothing was changed.',
  },
  STATE_FILE_LOCKED: {
    summary: '{file} has been locked by {holder} for more than {seconds} s.',
    next: 'Wait until it is done and try again. If no such process is running, remove {lock}.',
  },
  STATE_FILE_LOCKED_TWICE: {
    summary: '{file} is locked by the same piece of work that wants to lock it again.',
    next: 'This is a defect in the plugin that changes the file: it must make both changes in one step.',
  },
  STATE_DATABASE_NEWER: {
    summary: '{file} was written by a newer Tenon (version {found}; this one knows {known}).',
    next: 'Use the newer Tenon. The file was not changed.',
  },
  STATE_FILE_SET_ASIDE: {
    summary: '{file} was damaged ({reason}). It is kept as {kept}, and a new file was started.',
    next: 'Copy what you need from {kept}, then delete it.',
  },
});
