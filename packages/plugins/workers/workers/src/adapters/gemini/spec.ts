import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';

const list = { type: 'array', items: { type: 'string' } } as const;

const options = optionsSchema({
  sandbox: { type: 'boolean', description: 'Its own sandbox.', 'x-flag': '--sandbox' },
  approvalMode: {
    type: 'string',
    enum: ['default', 'auto_edit', 'yolo', 'plan'],
    description: 'What it may do without asking; takes the place of skipping all questions.',
    'x-flag': '--approval-mode',
  },
  allowedTools: {
    ...list,
    description: 'Tools that need no confirmation.',
    'x-flag': '--allowed-tools',
    'x-join': ',',
  },
  allowedMcpServerNames: {
    ...list,
    description: 'The MCP servers that it may use.',
    'x-flag': '--allowed-mcp-server-names',
    'x-join': ',',
  },
  extensions: { ...list, description: 'The extensions to load.', 'x-flag': '--extensions', 'x-join': ',' },
  resume: { type: 'string', description: 'Goes on with this session: its id, or `latest`.', 'x-flag': '--resume' },
  listSessions: {
    type: 'boolean',
    description: 'Lists the sessions of the project and ends.',
    'x-flag': '--list-sessions',
  },
  deleteSession: {
    type: 'string',
    description: 'Deletes the session with this number and ends.',
    'x-flag': '--delete-session',
  },
  includeDirectories: {
    ...list,
    description: 'More folders that it may use.',
    'x-flag': '--include-directories',
    'x-join': ',',
  },
  policy: { ...list, description: 'Files with rules for its tools.', 'x-flag': '--policy', 'x-join': ',' },
  outputFormat: {
    type: 'string',
    enum: ['text', 'stream-json'],
    description: 'stream-json when absent; text shows nothing before the end.',
    'x-flag': '--output-format',
  },
});

/** Gemini CLI, as data. */
export const spec: WorkerSpec = {
  id: 'gemini',
  name: 'Gemini CLI',
  program: 'gemini',
  homepage: 'https://geminicli.com',
  install: 'npm install -g @google/gemini-cli',
  versionArgs: ['--version'],
  vendor: 'google',
  hosts: [
    'generativelanguage.googleapis.com',
    'cloudcode-pa.googleapis.com',
    'oauth2.googleapis.com',
    'accounts.google.com',
    '*.aiplatform.googleapis.com',
    'aiplatform.googleapis.com',
  ],
  state: [
    {
      path: '~/.gemini',
      closed: {
        'settings.json': '{}',
        'trustedFolders.json': '{}',
        'GEMINI.md': '',
        '.env': '',
        agents: null,
        commands: null,
        extensions: null,
        hooks: null,
        policies: null,
        skills: null,
      },
    },
  ],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  keepVariables: [
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_VERTEX_BASE_URL',
    'GOOGLE_GENAI_API_VERSION',
    'GOOGLE_GENAI_USE_GCA',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_CLOUD_LOCATION',
  ],
  env: {
    // Otherwise it starts itself again as a child, which signals do not reach.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  },
  options,
  capabilities: {
    version: 1,
    output: 'events',
    resume: 'id',
    presetSession: true,
    interactive: true,
    systemPrompt: 'prompt',
    structuredOutput: 'prompt',
    models: true,
    images: false,
    mcp: 'file',
    addFolders: true,
    usage: 'run',
    cost: false,
    ownSandbox: true,
    yolo: 'flag',
    tools: [
      { name: 'glob', kind: 'read' },
      { name: 'google_web_search', kind: 'net' },
      { name: 'list_directory', kind: 'read' },
      { name: 'read_file', kind: 'read' },
      { name: 'read_many_files', kind: 'read' },
      { name: 'replace', kind: 'write' },
      { name: 'run_shell_command', kind: 'exec' },
      { name: 'save_memory', kind: 'write' },
      { name: 'search_file_content', kind: 'read' },
      { name: 'web_fetch', kind: 'net' },
      { name: 'write_file', kind: 'write' },
      { name: 'write_todos', kind: 'plan' },
    ],
  },
  probe: {
    kind: 'http',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    base: { variable: 'GOOGLE_GEMINI_BASE_URL', path: '/v1beta/models' },
    url: 'https://generativelanguage.googleapis.com/v1beta/models',
    headers: { 'x-goog-api-key': '{key}' },
    fallback: ['gcloud', 'auth', 'print-access-token'],
  },
  sideEffects: ['run_shell_command', 'save_memory', 'mcp_*'],
  verified: '0.61.0',
};
