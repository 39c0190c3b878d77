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
  FILE_TOOLS_UNDECLARED: {
    summary: '{path} is not among the files that this call declared before it was approved.',
    next: 'Nothing was changed. Make the call again; if an edit mode of a pack fails like this each time, report it to the author of the pack.',
  },
  FILE_TOOLS_MODE_SILENT: {
    summary: 'The edit mode does not declare which files a call touches, so it cannot be judged.',
    next: 'Choose another mode with the setting file-tools.edit.mode, or add `touches` to the mode.',
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
    next: 'Schemes that can be opened: {schemes}. Files are named by their path, without a scheme.',
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
  FILE_TOOLS_BLANKS: {
    summary: 'There is no file {given}, with blanks or line breaks at an end of its name.',
    next: 'Nothing was changed. If {path} is meant, give the path without them.',
  },
  FILE_TOOLS_FOLDER_NAME: {
    summary: '{path} ends with a slash, as the name of a folder does.',
    next: 'Nothing was changed. Name a file; folders are made with it.',
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
    summary: '{path} is made by a program ({mark}).',
    next: 'Nothing was changed. Change its source and run what makes it (for a lock file, the package manager), or ask the user to allow it with the setting file-tools.edit.generatedFiles=allow.',
  },
  FILE_TOOLS_MODE_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no edit mode "{mode}".{hint}',
    next: 'Modes: {modes}. The setting file-tools.edit.mode chooses one.',
  },
  FILE_TOOLS_EDIT_STALE: {
    summary: '{path} has changed since it was read: {what} {reason}.{now}',
    next: 'Nothing was changed. Check the lines as they are now and send the edit again.',
  },
  FILE_TOOLS_UNSEEN: {
    summary: '{path} was not read in this session, and this mode names lines by number.',
    next: 'Nothing was changed. Look at it first: call edit with {"file": "{path}"} and no steps, or read it.',
  },
  FILE_TOOLS_TARGET_EXISTS: {
    summary: '{path} exists already.',
    next: 'Nothing was changed. Update it instead, or choose another path.',
  },
  FILE_TOOLS_DELETE_MISSING: {
    summary: '{path} cannot be deleted: there is no such file.',
    next: 'Nothing was changed. Leave the deletion out, or correct the path.',
  },
  FILE_TOOLS_HUNK_NOT_FOUND: {
    summary: 'Hunk {number} of {path} was not found.{hint}',
    next: 'Nothing was changed. Read the file again and copy context and removed lines exactly as they are there.',
  },
  FILE_TOOLS_HUNK_REPEATED: {
    summary: 'Hunk {number} of {path} fits {count} places (lines {lines}).',
    next: 'Nothing was changed. Add context lines until it is unique, or name an enclosing line after "@@ ".',
  },
  FILE_TOOLS_HUNK_OVERLAP: {
    summary: 'Hunks {first} and {second} of {path} change the same lines.',
    next: 'Nothing was changed. Join them into one hunk.',
  },
  FILE_TOOLS_VIM: {
    summary: 'Step {step}: {reason}',
    next: 'Nothing was changed. Correct the keys and call again; the buffer is as it was before this call.',
  },
  FILE_TOOLS_TEXT_NOT_FOUND: {
    summary: 'Edit {number}: the old text was not found in {path}.{hint}',
    next: 'Nothing was changed. Read the file again and copy the text exactly as it is there.',
  },
  FILE_TOOLS_TEXT_REPEATED: {
    summary: 'Edit {number}: the old text occurs {count} times in {path} (lines {lines}){how}.',
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
  FILE_TOOLS_ENCODING: {
    summary: '{path} is {encoding} text, which has no "{character}".',
    next: 'Nothing was changed. Write that character otherwise, or convert the file to UTF-8 first: write all of it with the write tool, or use iconv in the bash tool.',
  },
  FILE_TOOLS_CHANGED_MEANWHILE: {
    summary: '{path} was changed by somebody else at the same moment.',
    next: 'Nothing was changed by this call. Read the file again and repeat the edit.',
  },
  FILE_TOOLS_DANGLING: {
    summary: '{path} is a link to {target}, which does not exist.',
    next: 'Nothing was changed. Make {target} if that is what you want, or remove the link first.',
  },
  FILE_TOOLS_EDIT_ELSEWHERE: {
    summary: 'edit changes text files; {path} is {kind}.',
    next: 'Nothing was changed. {how}',
  },
  FILE_TOOLS_EDIT_BINARY: {
    summary: '{path} is {kind}, not text that can be edited by the line.',
    next: 'Nothing was changed. {how}',
  },
  FILE_TOOLS_NOTEBOOK: {
    summary: '{reason}.',
    next: 'Nothing was changed. Every cell begins with a line "# %% [code]" or "# %% [markdown]"; read the file again to see them.',
  },
  FILE_TOOLS_NOT_A_FOLDER: {
    summary: '{path} is {kind}, which is not looked into here.',
    next: 'Give files, folders or globs on this machine; open this one with read.',
  },
  FILE_TOOLS_WRITE_OVER: {
    summary: '{path} is {kind}; write would replace all of it by text.',
    next: 'Nothing was changed. {how} If it is not needed any more, delete it first.',
  },
  FILE_TOOLS_WRITE_STALE: {
    summary: '{path} has changed since it was read here; replacing it would lose that.',
    next: 'Nothing was changed. Read it again, then write it with what is new in it, or use edit.',
  },
  FILE_TOOLS_EXISTS: {
    summary: '{path} was created by somebody else at the same moment.',
    next: 'Nothing was changed by this call. Read the file and decide again.',
  },
  FILE_TOOLS_WRITE_FAILED: {
    summary: '{path} cannot be written: {reason}. {undone}',
    next: 'Check permissions, free space and limits on file sizes, then call again.',
  },
  FILE_TOOLS_SUFFIX: {
    summary: '":{suffix}" behind {path} is not a line selector, and {path} is not an archive or database.',
    next: 'Lines: {path}:50-99 or {path}:50+20; without anchors: {path}:raw.',
  },
  FILE_TOOLS_NOT_IN_ARCHIVE: {
    summary: 'There is no "{name}" in {path}.{hint}',
    next: 'List the archive with read {path} and use a path from there.',
  },
  FILE_TOOLS_TABLE: {
    summary: 'There is no table "{table}" in {path}.',
    next: 'Tables: {tables}.',
  },
  FILE_TOOLS_COLUMN: {
    summary: 'The table {table} has no column "{column}".',
    next: 'Columns: {columns}.',
  },
  FILE_TOOLS_ROW: {
    summary: 'The table {table} has no row with {column} = {key}.',
    next: 'Look at its rows with {path}:{table}?limit=20, or add one with write {path}:{table}.',
  },
  FILE_TOOLS_DATABASE_PATH: {
    summary: '{path} cannot be understood: {reason}.',
    next: 'Forms: DB, DB:TABLE, DB:TABLE:KEY, DB:TABLE?where=…&order=COLUMN:desc&limit=20&offset=40, DB?q=SELECT ….',
  },
  FILE_TOOLS_ROW_CONTENT: {
    summary: 'The content for {path} is not right: {reason}.',
    next: 'DB:TABLE takes a JSON object (or an array of them) to add rows, DB:TABLE:KEY an object with the columns to change, or nothing to delete the row.',
  },
  FILE_TOOLS_WRITE_LINES: {
    summary: '{path}:{selector} names lines of a file, and what is written goes to a whole file.',
    next: 'Nothing was changed. Give the path alone; to change a part of the file, use edit.',
  },
  FILE_TOOLS_LEADS_ELSEWHERE: {
    summary: '{path} leads through a link to {real}, {place}.',
    next: 'Nothing was changed. If that is what you want, write to {real} by this path.',
  },
});
