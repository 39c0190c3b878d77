import { defineErrors } from '@tenon/kernel';

/** What can be wrong with language servers and what they are asked. */
export const errors = defineErrors('lsp', {
  LSP_INPUT_MISSING: {
    summary: 'The action "{action}" needs `{field}`.',
    next: 'Call it again with `{field}`{hint}.',
  },
  LSP_FILE_MISSING: {
    summary: 'There is no file {path}.',
    next: 'Check the path; find lists files.',
  },
  LSP_FILE_UNREADABLE: {
    summary: '{path} cannot be given to a language server: {reason}.',
    next: 'Choose a text file in UTF-8.',
  },
  LSP_NO_SERVER: {
    summary: 'No language server fits {what}.{tried}',
    next: 'Use search or ast_grep instead, or install a server; the action `status` (`tenon lsp status`) lists what is looked for.',
  },
  LSP_START_FAILED: {
    summary: 'The language server {server} could not be started: {reason}',
    next: 'Use search or ast_grep instead; the user can run `tenon lsp status` and look at the program.',
  },
  LSP_WAITS: {
    summary:
      'The language server {server} has ended {times} times and is started again in {seconds} s at the earliest: {reason}',
    next: 'Go on without it, or call the action `reload` to start it now.',
  },
  LSP_ENDED: {
    summary: 'The language server {server} has ended: {reason}',
    next: 'Try once more; it is started again.',
  },
  LSP_NOT_APPLIED: {
    summary: '{label} was not applied, and nothing was changed. {reason}',
    next: 'Without `apply` the changes are only shown.',
  },
  LSP_TIMEOUT: {
    summary: 'The language server {server} has not answered {method} within {seconds} s.',
    next: 'Try again with a longer `timeout` (up to 60), or use search.',
  },
  LSP_REFUSED: {
    summary: 'The language server {server} refuses {method}: {reason}',
    next: 'Check `line` and `symbol`; the action `capabilities` shows what the server can do.',
  },
  LSP_UNSUPPORTED: {
    summary: 'The language server {server} cannot do this: {what}.',
    next: 'The action `capabilities` shows what it can do.',
  },
  LSP_LINE: {
    summary: '{path} has no line {line}; it has {count}.',
    next: 'Read the file and give a line that exists.',
  },
  LSP_SYMBOL: {
    summary: 'Line {line} of {path} does not contain "{symbol}"{often}: {text}',
    next: 'Give a text that is on this line, or another line.',
  },
  LSP_PAYLOAD: {
    summary: '`payload` is not JSON: {reason}',
    next: 'Give the parameters of the request as one JSON text.',
  },
  LSP_EDIT_INVALID: {
    summary: 'The edits of the language server {server} cannot be applied: {reason}.',
    next: 'Nothing was changed. Make the change with edit or ast_edit.',
  },
  LSP_EDIT_OUTSIDE: {
    summary: 'The language server {server} wants to change {path}, which is outside of the workspace.',
    next: 'Nothing was changed. Make the change with edit, file by file.',
  },
  LSP_NO_ACTION: {
    summary: 'No code action matches "{query}". Available: {available}',
    next: 'Give the number or a part of the title as `query`.',
  },
  LSP_COMMAND: {
    summary:
      'The code action "{title}" runs a command of the language server {server}, which no sandbox confines: it cannot be previewed.',
    next: 'Call it again with `apply: true`, which needs approval, or make the change with edit.',
  },
  LSP_DESTINATION: {
    summary: '{path} cannot be renamed to {target}: {reason}.',
    next: 'Choose another `new_name`.',
  },
  LSP_GLOB_EMPTY: {
    summary: 'No file matches {glob}.',
    next: 'Check the pattern; find lists files.',
  },
  LSP_CLOSED: {
    summary: 'Language servers are being stopped.',
    next: 'Start Tenon again.',
  },
});
