import { defineErrors } from '@tenon/kernel';

/** Every error about serving MCP. */
export const errors = defineErrors('mcp-server', {
  MCP_SERVE_TOOL_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no tool "{tool}" that could be offered.{hint}',
    next: 'See which there are with `tenon tools list`; `prompt` runs the agent.',
  },
  MCP_SERVE_PORT: {
    summary: 'Port {port} cannot be used: {reason}.',
    next: 'Choose another one; 0 takes any that is free.',
  },
  MCP_SERVE_SESSION_UNKNOWN: {
    summary: 'There is no session "{session}".',
    next: 'Read the list of resources to see which there are, or leave the session out to begin a new one.',
  },
});
