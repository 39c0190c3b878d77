import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a URL. */
export const errors = defineErrors('urls', {
  URLS_NO_SCHEME: {
    summary: 'Nothing knows how to reach "{url}".',
    next: 'Use one of these schemes: {schemes}.',
  },
  URLS_READ_ONLY: {
    summary: '"{url}" cannot be written: the scheme "{scheme}" is for reading only.',
    next: 'Write to a file, or to a scheme that can be written.',
  },
});
