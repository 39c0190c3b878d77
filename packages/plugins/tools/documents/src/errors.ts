import { defineErrors } from '@tenon/kernel';

/** What can be wrong with documents, images, archives and databases. */
export const errors = defineErrors('documents', {
  DOCUMENTS_UNREADABLE: {
    summary: '{name} cannot be read as {kind}: {reason}.',
    next: 'The file may be damaged. Check it with the bash tool (e.g. `file`), or ask for another copy.',
  },
  DOCUMENTS_PASSWORD: {
    summary: '{name} is protected by a password.',
    next: 'Ask the user for a copy without one.',
  },
  DOCUMENTS_TOO_LARGE: {
    summary: '{name} is too large to be read: {reason}.',
    next: 'Take the part you need out of it with the bash tool and read that.',
  },
  DOCUMENTS_TOO_SLOW: {
    summary: '{what} took more than {seconds} seconds and was stopped.',
    next: 'Ask for less: fewer pages or rows, a simpler query, a smaller file.',
  },
  DOCUMENTS_OLD_OFFICE: {
    summary: '{name} is in an old binary format of Office.',
    next: 'Convert it first, e.g. with the bash tool: soffice --headless --convert-to docx (or xlsx, pptx) FILE.',
  },
  DOCUMENTS_CELLS: {
    summary: 'The cells of {name} cannot be changed: {reason}.',
    next: 'Every cell begins with a line "# %% [code]", "# %% [markdown]" or "# %% [raw]"; read the notebook to see them.',
  },
  DOCUMENTS_HELPER: {
    summary: '{what} failed: {reason}.',
    next: 'Try again; if it stays, work with the file through the bash tool.',
  },
  DOCUMENTS_IMAGE: {
    summary: 'The image cannot be decoded: {reason}.',
    next: 'Convert it to PNG with the bash tool and read that.',
  },
  DOCUMENTS_ARCHIVE: {
    summary: 'The archive cannot be read: {reason}.',
    next: 'Check it with the bash tool, e.g. unzip -t or tar -tvf.',
  },
  DOCUMENTS_ARCHIVE_ENTRY: {
    summary: '"{name}" cannot be unpacked: {reason}.',
    next: 'Other entries of the archive may still be readable; the bash tool may know this kind (7z, bsdtar).',
  },
  DOCUMENTS_ARCHIVE_NAME: {
    summary: '"{name}" cannot be the name of a file in an archive: {reason}.',
    next: 'Use a relative path with / and without "..", e.g. docs/readme.md.',
  },
  DOCUMENTS_ARCHIVE_WRITE: {
    summary: '{file} cannot be written: {reason}.',
    next: 'The archive is as it was. Check permissions and free space; if those are right, use the bash tool (zip, tar).',
  },
  DOCUMENTS_SQL: {
    summary: 'SQLite: {reason}.',
    next: 'Correct the query; the path of the database alone lists its tables, with :table it shows the columns.',
  },
  DOCUMENTS_DATABASE_WRITE: {
    summary: '{file} cannot be written: {reason}.',
    next: 'The database is as it was. Check permissions and free space, or try again when nobody else holds it locked.',
  },
  DOCUMENTS_DATABASE: {
    summary: '{file} cannot be opened as a database: {reason}.',
    next: 'Check that it is an SQLite database and that you may read it, or try again when nobody else holds it locked.',
  },
});
