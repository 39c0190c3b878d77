import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a search tool. */
export const errors = defineErrors('search-tools', {
  SEARCH_TOOLS_PATTERN_EMPTY: {
    summary: 'Pattern must not be empty.',
    next: 'Give a regex; to list files use the find tool.',
  },
  SEARCH_TOOLS_PATTERN: {
    summary: 'The pattern cannot be used: {reason}.',
    next: 'Escape characters that are meant literally. Look-around and back-references are not supported.',
  },
  SEARCH_TOOLS_ROOT: {
    summary: "Searching from root directory '/' is not allowed.",
    next: 'Name a folder of the project.',
  },
  SEARCH_TOOLS_URL_GLOB: {
    summary: 'Glob patterns are not supported for internal URLs: {url}',
    next: 'Name one resource.',
  },
  SEARCH_TOOLS_URL_NO_FILE: {
    summary: 'Cannot search internal URL without a backing file: {url}',
    next: 'Read it with the read tool instead.',
  },
  SEARCH_TOOLS_TIMEOUT: {
    summary: '{tool} timed out after {seconds}s.',
    next: 'Name a smaller folder or a narrower glob.',
  },
});
