/** What other plugins may use of the MCP server. */
export { errors } from './errors.ts';

/** The start of the addresses under which sessions are offered. */
export const SESSION_URI = 'tenon://session/';
