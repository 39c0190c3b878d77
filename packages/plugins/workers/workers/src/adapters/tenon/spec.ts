import { optionsSchema } from '../../command/options.ts';
import type { WorkerSpec } from '../../spec.ts';
import { STATE } from './home.ts';

const list = { type: 'array', items: { type: 'string' } } as const;

/** Flags that loosen what a person has set are missing: Tenon refuses them when an agent or another Tenon has started it. */
const options = optionsSchema({
  thinking: {
    type: 'string',
    enum: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    description: 'How hard the model thinks.',
    'x-flag': '--thinking',
  },
  tools: { ...list, description: 'Only these tools: names or patterns.', 'x-flag': '--tools', 'x-join': ',' },
  disallowedTools: { ...list, description: 'Tools and calls that are refused.', 'x-flag': '--disallowed-tools' },
  maxTurns: { type: 'integer', minimum: 1, description: 'Ends after this many answers.', 'x-flag': '--max-turns' },
  maxBudgetUsd: {
    type: 'number',
    minimum: 0,
    description: 'Ends when it has cost this many US dollars.',
    'x-flag': '--max-budget-usd',
  },
  image: { ...list, description: 'Images for the first prompt.', 'x-flag': '--image' },
  extension: { ...list, description: 'Extensions of pi to load.', 'x-flag': '--extension' },
  noExtensions: { type: 'boolean', description: 'No other extensions.', 'x-flag': '--no-extensions' },
  systemPrompt: { type: 'string', description: 'Takes the place of its system prompt.', 'x-flag': '--system-prompt' },
  appendSystemPrompt: {
    type: 'string',
    description: 'Added to the system prompt, after that of the run.',
    'x-flag': '--append-system-prompt',
  },
  continue: { type: 'boolean', description: 'Goes on with the last session of the folder.', 'x-flag': '--continue' },
  resume: { type: 'string', description: 'Goes on with this session.', 'x-flag': '--resume' },
  fork: { type: 'string', description: 'Goes on with a copy of this session.', 'x-flag': '--fork' },
  session: { type: 'string', description: 'Uses this session file.', 'x-flag': '--session' },
  noSession: {
    type: 'boolean',
    description: 'Keeps no session: the run cannot be gone on with.',
    'x-flag': '--no-session',
  },
  jsonSchema: {
    anyOf: [{ type: 'object' }, { type: 'string' }],
    description: 'The answer is JSON that fits this schema (a run sets it from its own schema).',
    'x-flag': '--json-schema',
    'x-form': 'json',
  },
});

/** Tenon itself, as data. */
export const spec: WorkerSpec = {
  id: 'tenon',
  name: 'Tenon',
  program: 'tenon',
  versionArgs: ['--version'],
  vendor: 'tenon',
  hosts: [
    'api.anthropic.com',
    'api.openai.com',
    'generativelanguage.googleapis.com',
    'openrouter.ai',
    'api.groq.com',
    'api.x.ai',
    'api.mistral.ai',
    'api.deepseek.com',
    'api.moonshot.ai',
    'api.z.ai',
  ],
  state: STATE,
  keyVariables: [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'OPENROUTER_API_KEY',
    'GROQ_API_KEY',
    'XAI_API_KEY',
    'MISTRAL_API_KEY',
    'DEEPSEEK_API_KEY',
    'MOONSHOT_API_KEY',
    'ZAI_API_KEY',
  ],
  options,
  capabilities: {
    version: 1,
    output: 'events',
    resume: 'id',
    presetSession: false,
    interactive: true,
    systemPrompt: 'flag',
    structuredOutput: 'native',
    models: true,
    images: true,
    mcp: 'none',
    addFolders: false,
    usage: 'run',
    cost: true,
    ownSandbox: true,
    // The user's own settings say what needs approval. Such a call becomes a question of the run.
    yolo: 'always',
    tools: [
      { name: 'ast_edit', kind: 'write' },
      { name: 'ast_grep', kind: 'read' },
      { name: 'bash', kind: 'exec' },
      { name: 'edit', kind: 'write' },
      { name: 'eval', kind: 'exec' },
      { name: 'find', kind: 'read' },
      { name: 'grep', kind: 'read' },
      { name: 'read', kind: 'read' },
      { name: 'recipe', kind: 'exec' },
      { name: 'todo', kind: 'plan' },
      { name: 'web_search', kind: 'net' },
      { name: 'write', kind: 'write' },
    ],
  },
  probe: { kind: 'none' },
  sideEffects: ['bash', 'eval', 'recipe', 'mcp__*'],
  verified: 'this version',
};
