import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const list = { type: 'array', items: { type: 'string' } } as const;

const options = optionsSchema({
  sandbox: {
    type: 'string',
    enum: ['read-only', 'workspace-write', 'danger-full-access'],
    description: 'Its own sandbox for shell commands; takes the place of skipping it.',
    'x-flag': '--sandbox',
  },
  fullAuto: {
    type: 'boolean',
    description: 'No questions, with its own sandbox around the workspace (once --full-auto).',
    'x-flag': '--sandbox workspace-write',
  },
  dangerouslyBypassApprovalsAndSandbox: {
    type: 'boolean',
    description: 'No questions and no sandbox of its own; the default of runs.',
    'x-flag': '--dangerously-bypass-approvals-and-sandbox',
  },
  config: {
    anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'string' } }],
    description: 'Settings of config.toml for this run: values by dotted key, or KEY=VALUE as in TOML.',
    'x-flag': '--config',
    'x-form': 'pairs',
  },
  profile: { type: 'string', description: 'A profile of config.toml.', 'x-flag': '--profile' },
  oss: { type: 'boolean', description: 'A model on this machine.', 'x-flag': '--oss' },
  localProvider: {
    type: 'string',
    description: 'What serves the model on this machine: lmstudio or ollama.',
    'x-flag': '--local-provider',
  },
  image: { ...list, description: 'Images for the first prompt.', 'x-flag': '--image' },
  addDir: { ...list, description: 'More folders that it may change.', 'x-flag': '--add-dir' },
  outputSchema: {
    type: 'string',
    description: 'A file with a JSON Schema for the answer (a run writes one from its own schema).',
    'x-flag': '--output-schema',
  },
  outputLastMessage: {
    type: 'string',
    description: 'A file that gets the final answer, too.',
    'x-flag': '--output-last-message',
  },
  enable: { ...list, description: 'Features to switch on.', 'x-flag': '--enable' },
  disable: {
    ...list,
    description: 'Features to switch off; `plugins` saves seconds at the start.',
    'x-flag': '--disable',
  },
});

/** Codex, as data. */
export const spec: WorkerSpec = {
  id: 'codex',
  name: 'Codex',
  program: 'codex',
  homepage: 'https://developers.openai.com/codex',
  install: 'npm install -g @openai/codex',
  versionArgs: ['--version'],
  vendor: 'openai',
  hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com', '*.chatgpt.com'],
  state: [
    {
      path: '~/.codex',
      variable: 'CODEX_HOME',
      closed: {
        'config.toml': '',
        '*.config.toml': false,
        'hooks.json': '{}',
        'AGENTS.md': '',
        'AGENTS.override.md': false,
        agents: null,
        hooks: null,
        plugins: null,
        prompts: null,
        rules: null,
        skills: null,
      },
    },
  ],
  keyVariables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
  options,
  capabilities: {
    version: 1,
    output: 'events',
    resume: 'id',
    presetSession: false,
    interactive: true,
    systemPrompt: 'prompt',
    structuredOutput: 'native',
    models: true,
    images: true,
    mcp: 'flag',
    addFolders: true,
    usage: 'session-sum',
    cost: false,
    ownSandbox: true,
    yolo: 'flag',
    tools: [
      { name: 'apply_patch', kind: 'write' },
      { name: 'shell', kind: 'exec' },
      { name: 'update_plan', kind: 'plan' },
      { name: 'view_image', kind: 'read' },
      { name: 'web_search', kind: 'net' },
    ],
  },
  probe: {
    kind: 'http',
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    base: { variable: 'OPENAI_BASE_URL', path: '/models' },
    url: 'https://api.openai.com/v1/models',
    headers: { authorization: 'Bearer {key}' },
  },
  sideEffects: ['shell', 'mcp__*'],
  verified: '0.169.0',
};
