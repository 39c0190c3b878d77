import { defineErrors } from '@tenon/kernel';

/** Every error about taking changes back. */
export const errors = defineErrors('undo', {
  UNDO_NOTHING: {
    summary: 'There is nothing to {what} in {folder}.',
    next: 'See what is kept with `tenon undo --list`.',
  },
  UNDO_UNKNOWN: {
    summary: 'No call "{id}" is kept for {folder}.',
    next: 'See what is kept with `tenon undo --list`.',
    exit: 'usage',
  },
  UNDO_COUNT: {
    summary: '"{count}" is not a number of calls.',
    next: 'Name a whole number of 1 or more.',
    exit: 'usage',
  },
  UNDO_FLAGS: {
    summary: '{one} and {other} do not go together.',
    next: 'Use one of them.',
    exit: 'usage',
  },
  UNDO_NEEDS_YES: {
    summary: 'Nobody can confirm the changes here, so nothing was changed.',
    next: 'Look at them with `tenon undo --dry-run`, then run it with --yes.',
    exit: 'usage',
  },
  UNDO_NO_WORKSPACE: {
    summary: 'Nothing is kept for {folder}: {reason}.',
    next: 'Work in the folder of a project.',
  },
  UNDO_CONTENT_DAMAGED: {
    summary: 'The kept content {file} is missing or damaged.',
    next: 'The file that it belongs to stays as it is; everything else can be restored.',
  },
  UNDO_UNSAFE_PATH: {
    summary: '{path} was not restored: {reason}.',
    next: 'Look at the folders on the way to it; a link must not stand in for one.',
  },
  UNDO_SNAPSHOT_FAILED: {
    summary: 'The files could not be kept before this call: {reason}.',
    next: 'Free disk space or correct the permissions of {folder}. Until then `tenon undo` cannot take such calls back.',
  },
});
