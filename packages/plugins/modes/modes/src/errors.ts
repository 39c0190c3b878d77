import { defineErrors } from '@tenon/kernel';

/** What can be wrong before the agent starts. */
export const errors = defineErrors('modes', {
  MODES_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no mode "{mode}".{hint}',
    next: 'Use one of: {modes}.',
  },
  MODES_NOTHING_TO_DO: {
    exit: 'usage',
    summary: 'There is nothing to do: no prompt was given.',
    next: 'Write `tenon -p "what to do"`, name files with @FILE, or pipe text in.',
  },
  MODES_NO_RUNNER: {
    summary: 'No plugin runs {what} of the user.',
    next: 'Switch the plugin {plugin} on, or install another one that handles the hook `{hook}`.',
  },
  MODES_SESSION_FLAGS: {
    exit: 'usage',
    summary: 'The flags {flags} contradict each other: each of them says which session to use.',
    next: 'Give one of them.',
  },
  MODES_NO_INPUT: {
    exit: 'usage',
    summary: 'The mode "{mode}" takes no prompt and no files on the command line, but was given "{input}".',
    next: 'Start it without, and send what you want over its protocol.',
  },
  MODES_FILE_MISSING: {
    exit: 'usage',
    summary: 'There is no file "{file}".',
    next: 'Check the name. For a word that begins with @ but is not a file, write @@.',
  },
  MODES_NOT_AN_IMAGE: {
    exit: 'usage',
    summary: 'The file "{file}" (--image) is not an image that models read (PNG, JPEG, GIF, WebP).',
    next: 'Write @{file} in the prompt for a file of text.',
  },
  MODES_TOOL_RULE: {
    exit: 'usage',
    summary: '"{rule}" (--{flag}) is not a rule: {reason}.',
    next: 'Write names of tools as `tenon tool list` shows them, Bash(git log:*) for commands that begin so, or Edit(docs/**) for paths.',
  },
  MODES_FOLDER_MISSING: {
    exit: 'usage',
    summary: 'There is no folder "{folder}" (--add-dir).',
    next: 'Give a folder that exists.',
  },
  MODES_MCP_CONFIG: {
    exit: 'usage',
    summary: 'No MCP servers can be read from "{given}" (--mcp-config): {reason}',
    next: 'Give a file, or JSON, of the form {"mcpServers": {"NAME": {"command": "…", "args": []}}}.',
  },
  MODES_STREAM_INPUT: {
    exit: 'usage',
    summary: 'Line {line} of standard input is not a user message (--input-format stream-json): {reason}.',
    next: 'Write one line of JSON for each: {"type": "user", "message": {"role": "user", "content": "…"}}.',
  },
  MODES_FORMAT_FLAGS: {
    exit: 'usage',
    summary: 'The flags {flags} contradict each other: each of them says how the answer is written.',
    next: 'Give one of them.',
  },
  MODES_FLAG_UNUSED: {
    exit: 'usage',
    summary: 'The mode "{mode}" does not know the flag --{flag}.',
    next: 'Leave it out, or use it with -p.',
  },
  MODES_FILE_UNREADABLE: {
    summary: 'The file "{file}" cannot be read: {reason}',
    next: 'Check its permissions. For a word that begins with @ but is not a file, write @@.',
  },
  MODES_FILE_BINARY: {
    summary: 'The file "{file}" is neither text nor an image that models read (PNG, JPEG, GIF, WebP).',
    next: 'Name it in the prompt without @, so that the agent can look at it with its tools.',
  },
  MODES_FILE_TOO_BIG: {
    summary: 'The file "{file}" is too big to send whole ({bytes} bytes, {limit} are allowed).',
    next: 'Name it in the prompt without @, so that the agent reads the parts it needs.',
  },
  MODES_PIPE_TOO_BIG: {
    summary: 'The piped input is too long to send whole (at most {limit} bytes).',
    next: 'Write it to a file and name the file in the prompt, so that the agent reads the parts it needs.',
  },
  MODES_PIPE_BINARY: {
    summary: 'The piped input is not text.',
    next: 'Write it to a file and name the file in the prompt; an image goes with the prompt as @FILE.',
  },
});
