import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a URL. */
export const errors = defineErrors('urls', {
  URLS_NO_SCHEME: {
    exit: 'usage',
    summary: 'No plugin handles "{url}".',
    next: 'Use one of these schemes: {schemes}.',
  },
  URLS_READ_ONLY: {
    summary: '"{url}" cannot be written: the scheme "{scheme}" is for reading only.',
    next: 'Write to a file, or to a scheme that can be written.',
  },
  URLS_INVALID: {
    summary: '"{url}" is not a valid address: {reason}.',
    next: 'Write it as {form}.',
  },
  URLS_NOT_FOUND: {
    summary: 'There is nothing at "{url}".',
    next: '{hint}',
  },
  URLS_OUTSIDE: {
    summary: '"{url}" leads out of its folder.',
    next: 'Give a path inside of it, or read the file by its real path.',
  },
  URLS_UNREADABLE: {
    summary: '"{url}" cannot be used: {reason}.',
    next: 'Look at the file behind it ({file}), or choose another address.',
  },
  URLS_NO_SESSION: {
    summary: '"{url}" belongs to a session, and there is none here.',
    next: 'Name one: `tenon url read {url} --session ID`. `tenon session list` shows them.',
  },
  URLS_NOT_JSON: {
    summary: 'The output "{id}" is not JSON, so nothing can be taken out of it: {reason}.',
    next: 'Read all of it: agent://{id}.',
  },
  URLS_QUERY: {
    summary: 'The query "{query}" cannot be used: {reason}.',
    next: 'Write it like .items[0].name, .items[].name, .items | length or .items[] | select(.size > 3).',
  },
  URLS_NO_MATCH: {
    summary: 'The query "{query}" finds nothing: {reason}.',
    next: '{hint}',
  },
  URLS_DOCS_MISSING: {
    summary: 'The documentation was not found beside this copy of Tenon.',
    next: 'Run Tenon from its repository, or build the program again with `node scripts/build-program.mjs`.',
  },
  URLS_INPUT: {
    summary: 'The text to write could not be read from {origin}: {reason}.',
    next: 'Give the text with --text, a file with --from FILE, or pipe it in.',
  },
});
