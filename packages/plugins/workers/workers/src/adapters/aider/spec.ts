import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const list = { type: 'array', items: { type: 'string' } } as const;

const options = optionsSchema({
  file: { ...list, description: 'Files that it may change.', 'x-flag': '--file' },
  read: { ...list, description: 'Files that it only reads.', 'x-flag': '--read' },
  editFormat: { type: 'string', description: 'How the model writes changes.', 'x-flag': '--edit-format' },
  architect: { type: 'boolean', description: 'One model plans, another edits.', 'x-flag': '--architect' },
  editorModel: { type: 'string', description: 'The model that edits.', 'x-flag': '--editor-model' },
  weakModel: { type: 'string', description: 'The model for small tasks.', 'x-flag': '--weak-model' },
  reasoningEffort: { type: 'string', description: 'How hard the model thinks.', 'x-flag': '--reasoning-effort' },
  thinkingTokens: { type: 'string', description: 'Tokens for thinking: `8k`.', 'x-flag': '--thinking-tokens' },
  mapTokens: {
    type: 'integer',
    minimum: 0,
    description: 'Size of its map of the repository.',
    'x-flag': '--map-tokens',
  },
  autoCommits: {
    type: 'boolean',
    description: 'Commits each change; true when absent.',
    'x-flag': '--auto-commits',
    'x-flag-off': '--no-auto-commits',
  },
  dirtyCommits: {
    type: 'boolean',
    description: 'Commits what is there before it begins; true when absent.',
    'x-flag': '--dirty-commits',
    'x-flag-off': '--no-dirty-commits',
  },
  lintCmd: { ...list, description: 'Commands that check files, as LANGUAGE: COMMAND.', 'x-flag': '--lint-cmd' },
  autoLint: {
    type: 'boolean',
    description: 'Checks after each change; true when absent.',
    'x-flag': '--auto-lint',
    'x-flag-off': '--no-auto-lint',
  },
  testCmd: { type: 'string', description: 'The command that tests.', 'x-flag': '--test-cmd' },
  autoTest: {
    type: 'boolean',
    description: 'Tests after each change.',
    'x-flag': '--auto-test',
    'x-flag-off': '--no-auto-test',
  },
  suggestShellCommands: {
    type: 'boolean',
    description: 'Offers shell commands; they run without a question.',
    'x-flag': '--suggest-shell-commands',
    'x-flag-off': '--no-suggest-shell-commands',
  },
  subtreeOnly: { type: 'boolean', description: 'Only this part of the repository.', 'x-flag': '--subtree-only' },
  config: { type: 'string', description: 'Its settings file.', 'x-flag': '--config' },
  timeout: { type: 'number', minimum: 0, description: 'Seconds for one model call.', 'x-flag': '--timeout' },
});

/** Aider, as data. */
export const spec: WorkerSpec = {
  id: 'aider',
  name: 'Aider',
  program: 'aider',
  homepage: 'https://aider.chat',
  install: 'python -m pip install aider-install && aider-install',
  versionArgs: ['--version'],
  vendor: 'aider',
  hosts: [
    'api.anthropic.com',
    'api.openai.com',
    'openrouter.ai',
    'generativelanguage.googleapis.com',
    'api.deepseek.com',
    'raw.githubusercontent.com',
  ],
  state: [{ path: '~/.aider' }],
  keyVariables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'DEEPSEEK_API_KEY'],
  env: { AIDER_ANALYTICS: 'false', AIDER_CHECK_UPDATE: 'false' },
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
    images: true,
    mcp: 'none',
    addFolders: false,
    usage: 'run',
    cost: true,
    ownSandbox: false,
    yolo: 'flag',
    // It has no tools: the model answers with changes, and aider makes them.
    tools: [],
  },
  probe: { kind: 'none' },
  sideEffects: [],
};
