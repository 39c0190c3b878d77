/** The hooks of Gemini CLI. */
import type { ForeignTools } from '../foreign-call.ts';
import type { ModelFacts } from '../occasion.ts';
import type { Reading } from '../outcome.ts';
import { callPayloads, wish } from './claude.ts';
import { type Dialect, event, type EventSpec, isRecord, outputText, type Payload, present, textOf } from './dialect.ts';
import { resultText } from './results.ts';

const tools: ForeignTools = {
  shell: { name: 'run_shell_command', fields: { command: 'command', directory: 'folder' } },
  read: { name: 'read_file', fields: { file_path: 'file', offset: 'offset', limit: 'limit' } },
  write: { name: 'write_file', fields: { file_path: 'file', content: 'content' } },
  edit: { name: 'replace', aliases: ['edit'], fields: { file_path: 'file', old_string: 'old', new_string: 'new' } },
  glob: { name: 'glob', fields: { pattern: 'pattern', path: 'folder' } },
  grep: {
    name: 'grep_search',
    aliases: ['search_file_content'],
    fields: { pattern: 'pattern', dir_path: 'path', include: 'glob' },
  },
  fetch: { name: 'web_fetch', fields: { url: 'url', prompt: 'prompt' } },
  'web-search': { name: 'google_web_search', fields: { query: 'query' } },
  todo: { name: 'write_todos' },
  ask: { name: 'ask_user' },
};

/** The servers and tools of MCP are told apart, too. */
function mcpContext(name: string): Readonly<Record<string, unknown>> {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined ? {} : { mcp_context: { server_name: server, tool_name: tool } };
}

const request = ({ messages, tools: names }: ModelFacts, model: string | undefined) => ({
  llm_request: {
    model: model ?? '',
    messages,
    config: {},
    toolConfig: { mode: 'AUTO', allowedFunctionNames: names },
  },
});

const events: Readonly<Record<string, EventSpec>> = {
  BeforeTool: event('before-tool', (facts, site) => callPayloads(tools, facts, site, () => mcpContext(facts.tool))),
  AfterTool: event('after-tool', (facts, site) =>
    callPayloads(tools, facts, site, () => {
      const text = resultText(facts.result);
      const error = facts.result.isError === true ? { error: { message: text } } : {};
      return { tool_response: { llmContent: text, returnDisplay: text, ...error }, ...mcpContext(facts.tool) };
    }),
  ),
  BeforeAgent: event('prompt', ({ prompt }) => [{ fields: { prompt } }]),
  AfterAgent: event('stop', ({ prompt, text, continues }) => [
    { fields: { prompt, prompt_response: text, stop_hook_active: continues > 0 } },
  ]),
  BeforeModel: event('before-model', (facts, { model }) => [{ fields: request(facts, model) }]),
  BeforeToolSelection: event('tool-selection', (facts, { model }) => [{ fields: request(facts, model) }]),
  AfterModel: event(
    'after-model',
    (facts, { model }) => [
      {
        fields: {
          ...request(facts, model),
          llm_response: {
            candidates: [{ content: { role: 'model', parts: [facts.text] }, finishReason: 'STOP' }],
            usageMetadata: { totalTokenCount: facts.tokens },
          },
        },
      },
    ],
    { observes: true },
  ),
  SessionStart: event('session-start', ({ source }) => [{ fields: { source }, subjects: [source] }], {
    observes: true,
  }),
  SessionEnd: event(
    'session-end',
    ({ reason }) => {
      const theirs = reason === 'other' ? 'exit' : reason;
      return [{ fields: { reason: theirs }, subjects: [theirs] }];
    },
    { observes: true },
  ),
  PreCompress: event('before-compact', ({ trigger }) => [{ fields: { trigger }, subjects: [trigger] }], {
    observes: true,
  }),
  Notification: event(
    'notification',
    ({ kind, message, details = {} }) => {
      const type = kind === 'permission_prompt' ? 'ToolPermission' : kind;
      return [{ fields: { notification_type: type, message, details }, subjects: [type] }];
    },
    { observes: true },
  ),
};

/** Parts of answers that would change what a model is asked or says. */
const UNSUPPORTED = ['llm_request', 'llm_response', 'clearContext'] as const;

function read(answer: Readonly<Record<string, unknown>>, spec: EventSpec, { call }: Payload): Reading {
  const specific = isRecord(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const { decision, warning } = wish(answer['decision']);
  const reason = textOf(answer, 'reason');
  const input = specific['tool_input'];
  const ignored = UNSUPPORTED.filter((key) => specific[key] !== undefined);
  const output = specific['tool_output'];
  // A result that is refused is hidden from the model; what it sees is the reason.
  const hidden =
    spec.moment === 'after-tool' && decision === 'deny' ? (reason ?? 'A hook hid this result.') : undefined;
  return present({
    decision: hidden === undefined ? decision : undefined,
    reason,
    stop: answer['continue'] === false ? (textOf(answer, 'stopReason') ?? reason ?? '') : undefined,
    context: textOf(specific, 'additionalContext'),
    message: textOf(answer, 'systemMessage'),
    warning: ignored.length > 0 ? `answered with ${ignored.join(', ')}, which Tenon does not support` : warning,
    updatedInput: isRecord(input) ? { ...call?.input, ...input } : undefined,
    updatedOutput: hidden ?? (output === undefined ? undefined : outputText(output)),
    tools: spec.moment === 'tool-selection' ? allowedTools(specific['toolConfig']) : undefined,
  });
}

function allowedTools(config: unknown): readonly string[] | undefined {
  if (!isRecord(config)) return undefined;
  if (config['mode'] === 'NONE') return [];
  const names = config['allowedFunctionNames'];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : undefined;
}

/** Gemini CLI. */
export const gemini: Dialect = {
  matchers: 'pattern',
  tools,
  events,
  common: ({ session, transcript, cwd }, name) => ({
    session_id: session,
    transcript_path: transcript ?? '',
    cwd,
    hook_event_name: name,
    timestamp: new Date().toISOString(),
  }),
  environment: ({ session, cwd }, projectFolder) => ({
    GEMINI_PROJECT_DIR: projectFolder,
    GEMINI_SESSION_ID: session,
    GEMINI_CWD: cwd,
    CLAUDE_PROJECT_DIR: projectFolder,
  }),
  folder: (_hook, { cwd }) => cwd,
  read,
  readText: (text) => ({ message: text }),
  refuse: (reason, { moment }) => (moment === 'after-tool' ? { updatedOutput: reason } : { decision: 'deny', reason }),
};
