import * as d from '../api.ts';

/** Files of Tenon itself: `.tenon` in projects, and the folder of the user's settings. */
export const family: d.Family = {
  id: 'native',
  priority: 100,
  roots: (config) => ({ user: config, project: '.tenon' }),
  places: { native: ['`~/.config/tenon`', '`.tenon`'] },
  protects: { runsCode: ['./.tenon'] },
  looks: [
    d.reads(d.contextFiles, 'AGENTS.md', d.readContextFile, { includes: true }),
    d.reads(d.contextFiles, 'SYSTEM.md', d.readContextFile, { role: 'system' }),
    d.reads(d.contextFiles, 'APPEND_SYSTEM.md', d.readContextFile, { role: 'append' }),
    d.reads(d.skills, 'skills', d.readSkills, { needsDescription: true }),
    d.reads(d.rules, 'rules', d.readRules),
    d.reads(d.commands, 'commands', d.readCommands),
    d.reads(d.prompts, 'prompts', d.readCommands),
    d.reads(d.instructions, 'instructions', d.readInstructions),
    d.reads(d.externalHooks, 'hooks.json', d.readGroupedHooks, { dialect: 'claude', timeoutUnit: 'seconds' }),
    d.reads(d.hookModules, 'hooks', d.readHookModules),
    d.reads(d.toolModules, 'tools', d.readTools),
    d.reads(d.agents, 'agents', d.readAgents),
    d.reads(d.mcpServers, 'mcp.json', d.readMcpFile, { variableRules: ['names', 'braces'] }),
    d.reads(d.lspServers, 'lsp.json', d.readLspFile),
    d.reads(d.extensionModules, 'extensions', d.readExtensions),
    d.reads(d.sshHosts, 'ssh.json', d.readSshFile),
    d.reads(d.themes, 'themes', d.readThemes),
    d.reads(d.bundles, 'bundles', d.readBundles),
    d.reads(d.discoveryDenials, 'mcp.json', d.readDeniedServers),
  ],
};
