import { defineErrors } from '@tenon/kernel';

/** What can go wrong when a conversation of another agent is imported. */
export const errors = defineErrors('session-import', {
  IMPORT_NOT_FOUND: {
    exit: 'usage',
    summary: 'No agent on this machine has a conversation "{conversation}".',
    next: 'See what there is with `tenon session import --all`, or name the file.',
  },
  IMPORT_AMBIGUOUS: {
    exit: 'usage',
    summary: 'More than one conversation begins with "{conversation}": {matches}.',
    next: 'Give more letters of the id, or the file.',
  },
  IMPORT_UNREADABLE: {
    summary: '{file} cannot be read: {reason}',
    next: 'Nothing was imported, and the file was not touched. Check what it is, and its permissions.',
  },
  IMPORT_UNKNOWN_FORMAT: {
    summary: '{file} is not a conversation that Tenon can read.',
    next: 'Claude Code, Codex, Gemini CLI, pi and oh-my-pi are known. If it comes from one of them, say from which with `--from`.',
  },
  IMPORT_EMPTY: {
    summary: 'Nothing was said in {file}.',
    next: 'Choose another conversation; `tenon session import` lists them.',
  },
  IMPORT_LIMIT: {
    exit: 'usage',
    summary: '"{limit}" does not say how many conversations to show.',
    next: 'Write a whole number, such as 20.',
  },
});
