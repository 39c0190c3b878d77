import { defineErrors } from '@tenon/kernel';

/** What can be wrong with skills. */
export const errors = defineErrors('skills', {
  SKILLS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no skill "{name}".{hint}',
    next: 'The skills here: {names}.',
  },
  SKILLS_NO_FILE: {
    summary: 'File not found: the skill "{name}" has no "{path}".',
    next: 'Read skill://{name} to see which files it has.',
  },
  SKILLS_OUTSIDE: {
    summary: '"{url}" leads out of the folder of the skill.',
    next: 'Give a path inside of it, or read the file by its real path.',
  },
  SKILLS_UNREADABLE: {
    summary: '{file} cannot be used: {reason}.',
    next: 'Correct the file, or remove it.',
  },
  SKILLS_INVALID: {
    summary: 'The skill "{name}" ({file}) is not quite right: {problems}.',
    next: 'Correct it; `tenon skills validate {name}` checks it.',
  },
});
