import { agent, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.gemini/GEMINI.md': 'Gemini: the user.\n',
  'home/.gemini/settings.json': json({
    mcpServers: {
      'gemini-mcp': { httpUrl: 'https://gemini.test/mcp', includeTools: ['a'], timeout: 3000 },
      'gemini-sse': { url: 'https://gemini.test/sse' },
      'gemini-out': { command: 'out' },
    },
    mcp: { excluded: ['gemini-out'] },
    hooks: {
      BeforeTool: [{ matcher: 'write_.*', hooks: [{ type: 'command', command: 'gemini-hook', timeout: 4000 }] }],
    },
    skills: { disabled: ['gemini-off'] },
  }),
  'home/.gemini/skills/gemini-skill/SKILL.md': skill('gemini-skill', 'Of Gemini'),
  'home/.gemini/skills/gemini-off/SKILL.md': skill('gemini-off', 'Switched off there'),
  'home/.gemini/extensions/gemini-ext/gemini-extension.json': json({
    name: 'gemini-ext',
    version: '2.0.0',
    contextFileName: 'CONTEXT.md',
    mcpServers: {
      'gemini-ext-mcp': { command: 'node', args: ['${extensionPath}${/}server.js'], cwd: '${extensionPath}' },
    },
  }),
  'home/.gemini/extensions/gemini-ext/CONTEXT.md': 'Gemini: an extension.\n',
  'home/.gemini/extensions/gemini-ext/commands/ext/go.toml': 'prompt = "Go {{args}}"\n',
  'home/.gemini/extensions/gemini-ext/skills/gemini-ext-skill/SKILL.md': skill('gemini-ext-skill', 'Of an extension'),
  'home/.gemini/extensions/gemini-ext/hooks/hooks.json': json({
    hooks: { SessionEnd: [{ hooks: [{ type: 'command', command: 'bye' }] }] },
  }),
  'home/.gemini/extensions/off-ext/gemini-extension.json': json({ name: 'off-ext' }),
  'home/.gemini/extensions/no-ext/readme.txt': 'No manifest.\n',
  'home/.gemini/extensions/extension-enablement.json': json({ 'off-ext': { overrides: ['!{root}/*'] } }),
  'project/GEMINI.md': 'Gemini: the project.\n',
  'project/.gemini/commands/plan.toml': 'description = "Plan"\nprompt = """Plan {{args}}\n!{git status}"""\n',
  'project/.gemini/agents/gemini-agent.md': agent('gemini-agent', 'Agent of Gemini'),
};
