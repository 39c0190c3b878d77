import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a call of a file tool. */
export const errors = defineErrors('file-tools', {
  FILE_TOOLS_PATHS_EMPTY: {
    summary: '`paths` must contain non-empty paths or globs.',
    next: 'Give at least one, e.g. ["src"] or ["src/**/*.ts"].',
  },
  FILE_TOOLS_NOT_FOUND: {
    summary: 'Path not found: {path}.',
    next: 'Find the right one with the find tool, or list its folder with read.',
  },
  FILE_TOOLS_AMBIGUOUS: {
    summary: 'Path not found: {path}. Several files end like it: {candidates}.',
    next: 'Call again with one of these paths.',
  },
  FILE_TOOLS_UNREADABLE: {
    summary: 'Cannot read {path}: {reason}.',
    next: 'Check its permissions, or work on another path.',
  },
  FILE_TOOLS_URL: {
    summary: 'Nothing here can open {url}.',
    next: 'Schemes that can be opened: {schemes}. For the web use the bash tool, e.g. curl, if the user allows it.',
  },
  FILE_TOOLS_SELECTOR: {
    summary: 'The line selector ":{selector}" is invalid: {reason}.',
    next: 'Lines count from 1: use :50 (from line 50), :50-99 (both included) or :50+20 (20 lines).',
  },
  FILE_TOOLS_NOT_REGULAR: {
    summary: '{path} is {kind}; reading it could block or never end.',
    next: 'Use the bash tool with a time limit if you really need what comes out of it.',
  },
  FILE_TOOLS_BINARY: {
    summary: '{path} is a binary file ({size}).',
    next: 'Look at it with a program that knows its format, e.g. through the bash tool: file, strings, xxd | head.',
  },
  FILE_TOOLS_IMAGE_TOO_LARGE: {
    summary: 'The image {path} has {size}; the limit is 20MB.',
    next: 'Make a smaller copy with the bash tool and read that.',
  },
  FILE_TOOLS_IS_DIRECTORY: { summary: '{path} is a directory.', next: 'Name a file inside of it.' },
  FILE_TOOLS_PATCH: {
    summary: 'The patch cannot be read: {reason}',
    next: 'Nothing was changed. Correct it and call edit again.',
  },
  FILE_TOOLS_EDIT_REFUSED: { summary: '{reason}', next: 'All files of this call are as they were.' },
  FILE_TOOLS_SAME_FILE: {
    summary: 'Two sections of the patch mean the same file: {path}.',
    next: 'Nothing was changed. Put all operations for a file under one header.',
  },
  FILE_TOOLS_EDIT_NOT_FOUND: {
    summary: 'File not found: {path}.',
    next: 'Nothing was changed. Anchors need an existing file; to create one use write, or only "+ BOF" and "+ EOF" operations.',
  },
  FILE_TOOLS_GENERATED: {
    summary: '{path} says that it is generated ("{marker}").',
    next: 'Nothing was changed. Change its source and generate it again, or ask the user to allow it (setting file-tools.edit.generatedFiles).',
  },
  FILE_TOOLS_TEXT_NOT_FOUND: {
    summary: 'Edit {number}: the old text was not found in {path}.{hint}',
    next: 'Nothing was changed. Read the file again and copy the text exactly as it is there.',
  },
  FILE_TOOLS_TEXT_REPEATED: {
    summary: 'Edit {number}: the old text occurs {count} times in {path} (lines {lines}).',
    next: 'Nothing was changed. Add surrounding lines until it is unique, or set "all": true to change every place.',
  },
  FILE_TOOLS_TEXT_EMPTY: {
    summary: 'Edit {number}: the old text is empty.',
    next: 'Nothing was changed. Give the text to replace; to create a file use write.',
  },
  FILE_TOOLS_TEXT_OVERLAP: {
    summary: 'Edits {first} and {second} of {path} change the same text.',
    next: 'Nothing was changed. Join them into one edit.',
  },
  FILE_TOOLS_NO_CHANGE: {
    summary: 'Edits to {path} resulted in no changes being made.',
    next: 'The file already is as the edit would make it; go on, or read it again if you expected something else.',
  },
  FILE_TOOLS_NOT_UTF8: {
    summary: '{path} is not UTF-8 text.',
    next: 'Nothing was changed. Use the edit mode "hashline", which works on bytes, or the bash tool.',
  },
  FILE_TOOLS_CHANGED_MEANWHILE: {
    summary: '{path} was changed by somebody else at the same moment.',
    next: 'Nothing was changed by this call. Read the file again and repeat the edit.',
  },
  FILE_TOOLS_EXISTS: {
    summary: '{path} was created by somebody else at the same moment.',
    next: 'Nothing was changed by this call. Read the file and decide again.',
  },
  FILE_TOOLS_WRITE_FAILED: {
    summary: '{path} cannot be written: {reason}. {undone}',
    next: 'Check permissions and free space, then call again.',
  },
});
