import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const options = optionsSchema({
  provider: { type: 'string', description: 'The provider of the model.', 'x-flag': '--provider' },
  plan: { type: 'boolean', description: 'Plans and changes nothing.', 'x-flag': '--plan' },
  autoApprove: {
    type: 'boolean',
    description: 'Allows all tool calls; true when absent, because nobody can be asked.',
    'x-flag': '--auto-approve',
  },
  thinking: {
    type: 'string',
    enum: ['none', 'low', 'medium', 'high', 'xhigh'],
    description: 'How hard the model thinks.',
    'x-flag': '--thinking',
  },
  retries: { type: 'integer', minimum: 0, description: 'Mistakes in a row before it gives up.', 'x-flag': '--retries' },
  timeout: { type: 'integer', minimum: 0, description: 'Seconds for the whole run.', 'x-flag': '--timeout' },
  system: { type: 'string', description: "Takes the place of the CLI's own system prompt.", 'x-flag': '--system' },
  config: { type: 'string', description: 'The folder of its settings.', 'x-flag': '--config' },
  dataDir: { type: 'string', description: 'The folder of all its state.', 'x-flag': '--data-dir' },
  hooksDir: { type: 'string', description: 'A folder with more hooks.', 'x-flag': '--hooks-dir' },
  id: { type: 'string', description: 'Goes on with this session.', 'x-flag': '--id' },
  verbose: { type: 'boolean', description: 'Says more.', 'x-flag': '--verbose' },
});

/** Cline, as data. */
export const spec: WorkerSpec = {
  id: 'cline',
  name: 'Cline',
  program: 'cline',
  homepage: 'https://cline.bot',
  install: 'npm install -g cline',
  versionArgs: ['--version'],
  vendor: 'cline',
  hosts: ['api.cline.bot', '*.cline.bot', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
  state: [
    {
      path: '~/.cline',
      variable: 'CLINE_DIR',
      closed: { hooks: null, rules: null, skills: null, workflows: null, 'data/settings': false },
    },
  ],
  keyVariables: ['CLINE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  options,
  capabilities: {
    version: 1,
    output: 'events',
    resume: 'id',
    presetSession: false,
    interactive: true,
    systemPrompt: 'prompt',
    structuredOutput: 'prompt',
    models: true,
    images: false,
    mcp: 'none',
    addFolders: false,
    usage: 'run',
    cost: true,
    ownSandbox: false,
    yolo: 'flag',
    tools: [
      { name: 'apply_patch', kind: 'write' },
      { name: 'ask_question', kind: 'other' },
      { name: 'editor', kind: 'write' },
      { name: 'fetch_web_content', kind: 'net' },
      { name: 'read_files', kind: 'read' },
      { name: 'run_commands', kind: 'exec' },
      { name: 'search_codebase', kind: 'read' },
      { name: 'skills', kind: 'other' },
      { name: 'spawn_agent', kind: 'other' },
      { name: 'submit_and_exit', kind: 'other' },
    ],
  },
  probe: { kind: 'none' },
  sideEffects: ['run_commands', 'spawn_agent'],
};
