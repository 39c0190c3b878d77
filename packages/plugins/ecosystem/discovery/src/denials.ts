import { slot } from '@tenon/kernel';

/** An MCP server that a user's file switches off, whoever brings it. */
export interface DenialItem {
  readonly name: string;
  readonly file: string;
}

/** What users' files switch off: `disabledServers` of an mcp.json. */
export const discoveryDenials = slot<DenialItem>('discovery-denials');
