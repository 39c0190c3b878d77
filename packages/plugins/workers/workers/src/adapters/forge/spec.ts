import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const options = optionsSchema({
  directory: { type: 'string', description: 'Another working folder than that of the run.', 'x-flag': '-C' },
  provider: { type: 'string', description: 'The provider of the model.', 'x-flag': '--provider' },
  agent: { type: 'string', description: 'The agent.', 'x-flag': '--agent' },
  conversationId: { type: 'string', description: 'Goes on with this conversation.', 'x-flag': '--conversation-id' },
  sandbox: { type: 'string', description: 'Works in a git worktree of this name.', 'x-flag': '--sandbox' },
  restricted: { type: 'boolean', description: 'Its restricted shell.', 'x-flag': '--restricted' },
  workflow: { type: 'string', description: 'A workflow file.', 'x-flag': '--workflow' },
  event: {
    type: 'object',
    description: 'The event that starts a workflow.',
    'x-flag': '--event',
    'x-form': 'json',
  },
  conversation: {
    type: 'string',
    description: 'A file with a conversation to begin with.',
    'x-flag': '--conversation',
  },
  verbose: { type: 'boolean', description: 'Says more.', 'x-flag': '--verbose' },
});

const FORGE_CLOSED = { '.mcp.json': false, agents: null, commands: null, skills: null } as const;

/** Forge, as data. */
export const spec: WorkerSpec = {
  id: 'forge',
  name: 'Forge',
  program: 'forge',
  homepage: 'https://forgecode.dev',
  install: 'npm install -g forgecode',
  versionArgs: ['--version'],
  vendor: 'forge',
  hosts: [
    '*.forgecode.dev',
    'api.anthropic.com',
    'api.openai.com',
    'openrouter.ai',
    'generativelanguage.googleapis.com',
  ],
  state: [
    { path: '~/forge', closed: FORGE_CLOSED },
    { path: '~/.forge', closed: FORGE_CLOSED },
  ],
  keyVariables: ['FORGE_API_KEY', 'OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  options,
  capabilities: {
    version: 1,
    output: 'text',
    resume: 'id',
    presetSession: false,
    interactive: true,
    systemPrompt: 'prompt',
    structuredOutput: 'prompt',
    models: true,
    images: false,
    mcp: 'none',
    addFolders: false,
    usage: 'none',
    cost: false,
    ownSandbox: false,
    yolo: 'always',
    tools: [
      { name: 'attempt_completion', kind: 'other' },
      { name: 'fetch', kind: 'net' },
      { name: 'fs_search', kind: 'read' },
      { name: 'patch', kind: 'write' },
      { name: 'read', kind: 'read' },
      { name: 'remove', kind: 'write' },
      { name: 'shell', kind: 'exec' },
      { name: 'undo', kind: 'write' },
      { name: 'write', kind: 'write' },
    ],
  },
  probe: { kind: 'none' },
  sideEffects: ['shell', 'remove'],
};
