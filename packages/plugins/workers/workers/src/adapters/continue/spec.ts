import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const list = { type: 'array', items: { type: 'string' } } as const;

const options = optionsSchema({
  config: { type: 'string', description: 'A settings file, or an assistant of the hub.', 'x-flag': '--config' },
  org: { type: 'string', description: 'The organization.', 'x-flag': '--org' },
  agent: { type: 'string', description: 'An agent file of the hub.', 'x-flag': '--agent' },
  rule: { ...list, description: 'Rules: texts, files, or names of the hub.', 'x-flag': '--rule' },
  mcp: { ...list, description: 'MCP servers of the hub.', 'x-flag': '--mcp' },
  prompt: { ...list, description: 'Prompts of the hub.', 'x-flag': '--prompt' },
  allow: {
    ...list,
    description: 'Tools that need no confirmation; takes the place of allowing all.',
    'x-flag': '--allow',
  },
  ask: { ...list, description: 'Tools that need confirmation: a run leaves them out.', 'x-flag': '--ask' },
  exclude: { ...list, description: 'Not these tools.', 'x-flag': '--exclude' },
  readonly: { type: 'boolean', description: 'Plans and changes nothing.', 'x-flag': '--readonly' },
  resume: { type: 'boolean', description: 'Goes on with its last session.', 'x-flag': '--resume' },
  fork: { type: 'string', description: 'Goes on with a copy of this session.', 'x-flag': '--fork' },
  verbose: { type: 'boolean', description: 'Writes more to its log.', 'x-flag': '--verbose' },
});

/** Continue, as data. */
export const spec: WorkerSpec = {
  id: 'continue',
  name: 'Continue',
  program: 'cn',
  homepage: 'https://docs.continue.dev/cli',
  install: 'npm install -g @continuedev/cli',
  versionArgs: ['--version'],
  vendor: 'continue',
  hosts: ['api.continue.dev', '*.continue.dev', 'api.anthropic.com', 'api.openai.com'],
  state: [
    {
      path: '~/.continue',
      variable: 'CONTINUE_GLOBAL_DIR',
      closed: {
        '.env': '',
        'config.*': false,
        agents: null,
        mcpServers: null,
        prompts: null,
        rules: null,
      },
    },
  ],
  keyVariables: ['CONTINUE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  env: { CONTINUE_TELEMETRY_ENABLED: '0' },
  options,
  capabilities: {
    version: 1,
    output: 'text',
    resume: 'none',
    presetSession: false,
    interactive: false,
    systemPrompt: 'prompt',
    structuredOutput: 'prompt',
    models: true,
    images: false,
    mcp: 'none',
    addFolders: false,
    usage: 'none',
    cost: false,
    ownSandbox: false,
    yolo: 'flag',
    tools: [
      { name: 'Bash', kind: 'exec' },
      { name: 'Checklist', kind: 'plan' },
      { name: 'Diff', kind: 'read' },
      { name: 'Edit', kind: 'write' },
      { name: 'Fetch', kind: 'net' },
      { name: 'List', kind: 'read' },
      { name: 'MultiEdit', kind: 'write' },
      { name: 'Read', kind: 'read' },
      { name: 'Search', kind: 'read' },
      { name: 'Write', kind: 'write' },
    ],
  },
  probe: { kind: 'none' },
  sideEffects: ['Bash'],
};
