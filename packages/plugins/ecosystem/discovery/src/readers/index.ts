/** Readers for the kinds, in the shapes that several tools share. */
export * from './agent-definitions.ts';
export * from './bundle-files.ts';
export * from './command-files.ts';
export * from './context-files.ts';
export * from './denied-servers.ts';
export * from './external-hooks.ts';
export * from './instructions.ts';
export * from './lsp-servers.ts';
export * from './mcp-servers.ts';
export * from './modules.ts';
export * from './rules.ts';
export * from './settings.ts';
export * from './skills.ts';
export * from './ssh-hosts.ts';
