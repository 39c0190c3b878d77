import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const options = optionsSchema({
  mode: { type: 'string', description: 'How it works, which also chooses the model.', 'x-flag': '--mode' },
  visibility: {
    type: 'string',
    enum: ['private', 'public', 'workspace', 'group'],
    description: 'Who sees the thread.',
    'x-flag': '--visibility',
  },
  mcpConfig: {
    type: 'string',
    description: 'MCP servers, as JSON or as a file; takes the place of those of the run.',
    'x-flag': '--mcp-config',
  },
  settingsFile: { type: 'string', description: 'Another settings file.', 'x-flag': '--settings-file' },
  logLevel: {
    type: 'string',
    enum: ['error', 'warn', 'info', 'debug', 'audit'],
    description: 'What it writes to its log.',
    'x-flag': '--log-level',
  },
  logFile: { type: 'string', description: 'Where its log is.', 'x-flag': '--log-file' },
  dangerouslyAllowAll: {
    type: 'boolean',
    description: 'Allows all tool calls; true when absent, because nobody can be asked.',
    'x-flag': '--dangerously-allow-all',
  },
  archive: {
    type: 'boolean',
    description: 'Archives the thread afterwards; a run whose thread is archived may not be gone on with.',
    'x-flag': '--archive',
  },
});

/** Amp, as data. */
export const spec: WorkerSpec = {
  id: 'amp',
  name: 'Amp',
  program: 'amp',
  homepage: 'https://ampcode.com',
  install: 'npm install -g @sourcegraph/amp',
  versionArgs: ['--version'],
  vendor: 'sourcegraph',
  hosts: ['ampcode.com', '*.ampcode.com'],
  state: [
    {
      path: '~/.config/amp',
      closed: { 'settings.json': '{}', 'AGENTS.md': '', commands: null, plugins: null, skills: null, tools: null },
    },
    { path: '~/.local/share/amp' },
    { path: '~/.cache/amp' },
  ],
  keyVariables: ['AMP_API_KEY'],
  env: { AMP_SKIP_UPDATE_CHECK: '1' },
  options,
  capabilities: {
    version: 1,
    output: 'events',
    resume: 'id',
    presetSession: false,
    interactive: true,
    systemPrompt: 'prompt',
    structuredOutput: 'prompt',
    // A mode stands for the model.
    models: false,
    images: false,
    mcp: 'flag',
    addFolders: false,
    usage: 'run',
    cost: false,
    ownSandbox: false,
    yolo: 'flag',
    tools: [
      { name: 'Bash', kind: 'exec' },
      { name: 'Grep', kind: 'read' },
      { name: 'Read', kind: 'read' },
      { name: 'Task', kind: 'other' },
      { name: 'create_file', kind: 'write' },
      { name: 'edit_file', kind: 'write' },
      { name: 'finder', kind: 'read' },
      { name: 'glob', kind: 'read' },
      { name: 'mermaid', kind: 'other' },
      { name: 'oracle', kind: 'other' },
      { name: 'read_web_page', kind: 'net' },
      { name: 'todo_read', kind: 'plan' },
      { name: 'todo_write', kind: 'plan' },
      { name: 'undo_edit', kind: 'write' },
      { name: 'web_search', kind: 'net' },
    ],
  },
  // It manages its login itself.
  probe: { kind: 'none' },
  sideEffects: ['Bash', 'Task', 'mcp__*'],
};
