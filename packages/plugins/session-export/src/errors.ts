import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the commands for sessions. */
export const errors = defineErrors('session-export', {
  SESSION_EXPORT_WRITE: {
    summary: 'The page could not be written to {file}: {reason}',
    next: 'Give another file, or - for standard output.',
  },
  SESSION_EXPORT_LIMIT: {
    summary: '"{limit}" is no number of sessions.',
    next: 'Write a whole number, such as 20.',
  },
  SESSION_EXPORT_CONFIRM: {
    summary: 'Session {session} was not removed: nobody confirmed it.',
    next: 'Add --yes to remove it without being asked.',
  },
});
