import { defineErrors } from '@tenon/kernel';

/** Every error about MCP servers. */
export const errors = defineErrors('mcp', {
  MCP_SERVER_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no MCP server "{server}".{hint}',
    next: 'See which there are with `tenon mcp list`, or add it with `tenon mcp add {server} -- COMMAND`.',
  },
  MCP_SERVER_INVALID: {
    summary: 'The MCP server "{server}" in {file} cannot be used: {reason}.',
    next: 'Correct it in {file}.',
  },
  MCP_SERVER_DISABLED: {
    summary: 'The MCP server "{server}" is switched off.',
    next: 'Switch it on with `tenon mcp enable {server}`.',
  },
  MCP_SERVER_UNTRUSTED: {
    summary: 'The MCP server "{server}" comes from {folder}, which is not trusted, so it was not started.',
    next: 'If you trust it, run `tenon trust add {folderWord}`.',
  },
  MCP_SERVER_CHANGED: {
    summary: 'The MCP server "{server}" was not started, because it is not what you trusted: {changes}.',
    next: 'Look at the change; then run `tenon trust add {folderWord}`.',
  },
  MCP_CONNECT_FAILED: {
    summary: 'The MCP server "{server}" cannot be reached: {reason}.',
    next: 'See what it printed with `tenon mcp logs {server}`, and try it with `tenon mcp test {server}`.',
  },
  MCP_LOGIN_NEEDED: {
    summary: 'The MCP server "{server}" asks you to log in.',
    next: 'Run `tenon mcp login {server}`.',
  },
  MCP_LOGIN_FAILED: {
    summary: 'The login to the MCP server "{server}" failed: {reason}.',
    next: 'Try again with `tenon mcp login {server}`.',
  },
  MCP_OAUTH_CONFIG: {
    summary: 'The login to the MCP server "{server}" cannot be made: {reason}.',
    next: 'Correct `oauth` of the server; `tenon mcp list` names its file.',
  },
  MCP_LOGIN_AUTOMATIC: {
    summary: 'Tenon logs in to the MCP server "{server}" by itself: its configuration has the grantType "{grant}".',
    next: 'Try it with `tenon mcp test {server}`.',
  },
  MCP_NO_LOGIN: {
    summary: 'The MCP server "{server}" is a program on this machine; there is nothing to log in to.',
    next: 'Give it its credentials as environment variables: `env` in {file}.',
  },
  MCP_VARIABLE_MISSING: {
    summary: '{what} is not set, which the MCP server "{server}" needs.',
    next: 'Set it, or give it a default in {file}.',
  },
  MCP_CONFIG_UNREADABLE: {
    summary: '{file} cannot be read: {reason}.',
    next: 'Correct the file, or remove it.',
  },
  MCP_NAME_INVALID: {
    summary: '"{server}" cannot be the name of an MCP server.',
    next: 'Use up to 100 letters, digits, dots, dashes and underscores.',
  },
  MCP_NAME_TAKEN: {
    summary: 'There is already an MCP server "{server}" in {file}.',
    next: 'Choose another name, remove it with `tenon mcp remove {server}`, or replace it with --force.',
  },
  MCP_NOT_OURS: {
    summary: 'The MCP server "{server}" is in {file}, which belongs to {family}.',
    next: 'Remove it there, or switch it off for Tenon with `tenon mcp disable {server}`.',
  },
  MCP_ADD_UNCLEAR: {
    exit: 'usage',
    summary: '{problem}',
    next: 'Give a command after `--`, or a URL: `tenon mcp add files -- npx -y @modelcontextprotocol/server-filesystem .`, `tenon mcp add docs https://example.com/mcp`.',
  },
  MCP_PROMPT_UNKNOWN: {
    exit: 'usage',
    summary: 'The MCP server "{server}" has no prompt "{prompt}".{hint}',
    next: 'See which there are with `tenon mcp prompts {server}`.',
  },
  MCP_PROMPT_ARGUMENTS: {
    summary: 'The prompt "{prompt}" of the MCP server "{server}" needs {missing}.',
    next: 'Give the arguments in order, or as name=value: `/mcp:{server}:{prompt} {usage}`.',
  },
  MCP_RESOURCE_UNREADABLE: {
    summary: 'The MCP server "{server}" did not give {uri}: {reason}.',
    next: 'Read mcp://{server} to see what it has.',
  },
  MCP_TOOL_UNKNOWN: {
    exit: 'usage',
    summary: 'The MCP server "{server}" offers no tool "{tool}". It has: {tools}.',
    next: 'See what it says about itself with `tenon mcp test {server}`.',
  },
  MCP_TOOL_LEFT_OUT: {
    summary: 'The tool "{tool}" of the MCP server "{server}" is left out: {reason}.',
    next: 'Rename the server in {file}, or leave the tool out there.',
  },
});
