import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the commands for sessions. */
export const errors = defineErrors('session-export', {
  SESSION_EXPORT_WRITE: {
    summary: 'The page could not be written to {file}: {reason}',
    next: 'Give another file, or - for standard output.',
  },
  SESSION_EXPORT_LIMIT: {
    exit: 'usage',
    summary: '"{limit}" does not say how many lines to show.',
    next: 'Write a whole number, such as 20.',
  },
  SESSION_EXPORT_HISTORY_CONFIRM: {
    summary: 'Nothing was forgotten: nobody confirmed it.',
    next: 'Add --yes to forget all prompts without being asked.',
  },
  SESSION_EXPORT_ENTRY: {
    summary: 'Session {session} has no entry "{entry}".',
    next: 'See its entries with `tenon session tree {session}`.',
  },
  SESSION_EXPORT_TITLE: {
    summary: 'A title must have at least one letter.',
    next: 'Write `tenon session rename {session} "what it is about"`.',
  },
  SESSION_EXPORT_CONFIRM: {
    summary: 'Session {session} was not removed: nobody confirmed it.',
    next: 'Add --yes to remove it without being asked.',
  },
});
