import { agent, command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.omp/agent/AGENTS.md': 'oh-my-pi: the user.\n',
  'home/.omp/agent/config.yml': 'extensions:\n  - ~/my-exts/named.ts\n',
  'home/my-exts/named.ts': 'throw new Error("an extension was run");\n',
  'home/.omp/agent/mcp.json': json({
    mcpServers: { 'omp-mcp': { command: 'omp-server' } },
    disabledServers: ['denied-too'],
  }),
  'home/.omp/plugins/node_modules/@scope/omp-pack/package.json': json({
    name: '@scope/omp-pack',
    version: '1.2.0',
    omp: { extensions: ['./src/main.ts'], skills: ['./skills'] },
  }),
  'home/.omp/plugins/node_modules/@scope/omp-pack/src/main.ts': 'throw new Error("an extension was run");\n',
  'home/.omp/plugins/node_modules/@scope/omp-pack/skills/omp-pack-skill/SKILL.md': skill(
    'omp-pack-skill',
    'Of a package',
  ),
  'home/.pi/agent/settings.json': json({
    packages: ['npm:pi-pack@1.0.0', { source: 'git:github.com/someone/pi-git', skills: [] }, '../local-pack'],
  }),
  'home/.pi/agent/npm/node_modules/pi-pack/package.json': json({ name: 'pi-pack', pi: { extensions: ['index.ts'] } }),
  'home/.pi/agent/npm/node_modules/pi-pack/index.ts': 'throw new Error("an extension was run");\n',
  'home/.pi/agent/git/github.com/someone/pi-git/package.json': json({ name: 'pi-git', pi: {} }),
  'home/.pi/agent/git/github.com/someone/pi-git/skills/pi-git-skill/SKILL.md': skill('pi-git-skill', 'Left out'),
  'home/.pi/agent/git/github.com/someone/pi-git/prompts/pi-git-prompt.md': command('Of a git package'),
  'home/.pi/local-pack/package.json': json({ name: 'local-pack' }),
  'home/.pi/local-pack/themes/local-pack-theme.json': json({}),
  'home/.pi/agent/prompts/pi-prompt.md': command('A prompt of pi'),
  'home/.pi/agent/skills/loose.md': skill('loose', 'A skill in one file'),
  'project/.omp/settings.json': json({ extensions: ['./tools/omp-extra.ts'] }),
  'project/tools/omp-extra.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/checks/package.json': json({ omp: { extensions: ['./a.ts', './b.js', './gone.ts'] } }),
  'project/.omp/extensions/checks/a.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/checks/b.js': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/audit/index.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/tools/repo_stats/index.ts': 'throw new Error("a tool was run");\n',
  'project/.omp/hooks/post/log.ts': 'throw new Error("a hook module was run");\n',
  'project/.omp/hooks/plain.js': 'throw new Error("a hook module was run");\n',
  'project/.omp/rules/omp-rule.mdc': '---\nalwaysApply: true\n---\nAlways.\n',
  'project/.omp/agents/omp-agent.md': agent(
    'omp-agent',
    'Agent of oh-my-pi',
    'model: fast\nthinking-level: high\noutput:\n  type: object\n',
  ),
  'project/.omp/instructions/omp-instruction.md': 'For everything.\n',
  'project/.omp/commands/omp-command.md': command('Of oh-my-pi'),
  'project/.omp/lsp.json': json({
    servers: { py: { command: ['pylsp'], fileTypes: ['.py'], rootMarkers: ['setup.py'] } },
  }),
  'project/.omp/themes/omp-theme.json': json({}),
};
