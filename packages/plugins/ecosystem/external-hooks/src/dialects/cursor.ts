/** Cursor's hooks. */
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { foreignCalls, type ForeignTools } from '../foreign-call.ts';
import type { ToolFacts } from '../occasion.ts';
import type { Reading } from '../outcome.ts';
import type { ViewKind } from '../tool-views.ts';
import { callPayloads, readClaude, wish } from './claude.ts';
import { type Dialect, event, type EventSpec, isRecord, outputText, type Payload, present, textOf } from './dialect.ts';
import { resultText } from './results.ts';

const MAX_SHOWN_BYTES = 256 * 1024;

const tools: ForeignTools = {
  shell: { name: 'Shell', fields: { command: 'command', working_directory: 'folder', timeout: 'timeoutMs' } },
  read: { name: 'Read', fields: { file_path: 'file', offset: 'offset', limit: 'limit' } },
  write: { name: 'Write', fields: { file_path: 'file', content: 'content' } },
  edit: {
    name: 'Write',
    aliases: ['Edit', 'StrReplace'],
    fields: { file_path: 'file', old_string: 'old', new_string: 'new' },
  },
  glob: { name: 'Glob', fields: { glob_pattern: 'pattern', target_directory: 'folder' } },
  grep: { name: 'Grep', fields: { pattern: 'pattern', path: 'path', glob: 'glob', '-i': 'ignoreCase' } },
  fetch: { name: 'WebFetch', fields: { url: 'url' } },
  'web-search': { name: 'WebSearch', fields: { search_term: 'query' } },
  subagent: { name: 'Task' },
};

/** Payloads for the parts of a call that are of some kind. */
function ofKind(
  kinds: readonly ViewKind[],
  facts: ToolFacts,
  cwd: string,
  payload: (values: Readonly<Record<string, unknown>>) => Omit<Payload, 'call'>,
): readonly Payload[] {
  return foreignCalls(tools, facts, cwd)
    .filter(({ view }) => kinds.includes(view.kind))
    .map((call) => ({ ...payload(call.view.values), call }));
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '');
const mcpName = (tool: string) => /^mcp__.+?__(.+)$/.exec(tool)?.[1] ?? tool;
const isMcp = ({ tool }: ToolFacts) => tool.startsWith('mcp__');
const mcpFields = ({ tool, input }: ToolFacts) => ({ tool_name: mcpName(tool), tool_input: JSON.stringify(input) });

/** What a file holds; empty when it cannot be shown, because then there is nothing to judge but its name. */
function contentOf(file: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const bytes = Buffer.alloc(MAX_SHOWN_BYTES);
    return bytes.subarray(0, readSync(handle, bytes)).toString('utf8');
  } catch {
    return '';
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const events: Readonly<Record<string, EventSpec>> = {
  preToolUse: event('before-tool', (facts, site) =>
    callPayloads(tools, facts, site, () => ({ tool_use_id: facts.callId, cwd: site.cwd })),
  ),
  postToolUse: event('after-tool', (facts, site) =>
    facts.result.isError === true
      ? []
      : callPayloads(tools, facts, site, () => ({
          tool_output: resultText(facts.result),
          tool_use_id: facts.callId,
          cwd: site.cwd,
          duration: facts.durationMs,
        })),
  ),
  postToolUseFailure: event(
    'after-tool',
    (facts, site) =>
      facts.result.isError === true
        ? callPayloads(tools, facts, site, () => ({
            tool_use_id: facts.callId,
            cwd: site.cwd,
            error_message: resultText(facts.result),
            failure_type: 'error',
            duration: facts.durationMs,
            is_interrupt: false,
          }))
        : [],
    { observes: true },
  ),
  beforeShellExecution: event('before-tool', (facts, { cwd }) =>
    ofKind(['shell'], facts, cwd, ({ command, folder }) => ({
      fields: { command, cwd: folder, sandbox: false },
      subjects: [asText(command)],
    })),
  ),
  afterShellExecution: event(
    'after-tool',
    (facts, { cwd }) =>
      ofKind(['shell'], facts, cwd, ({ command }) => ({
        fields: { command, output: resultText(facts.result), duration: facts.durationMs, sandbox: false },
        subjects: [asText(command)],
      })),
    { observes: true },
  ),
  beforeMCPExecution: event('before-tool', (facts, { cwd }) =>
    isMcp(facts)
      ? ofKind(['mcp'], facts, cwd, () => ({ fields: mcpFields(facts), subjects: [facts.tool, mcpName(facts.tool)] }))
      : [],
  ),
  afterMCPExecution: event(
    'after-tool',
    (facts, { cwd }) =>
      ofKind(['mcp'], facts, cwd, () => ({
        fields: { ...mcpFields(facts), result_json: JSON.stringify(facts.result.content), duration: facts.durationMs },
        subjects: [facts.tool, mcpName(facts.tool)],
      })),
    { observes: true },
  ),
  beforeReadFile: event('before-tool', (facts, { cwd }) =>
    ofKind(['read'], facts, cwd, ({ file }) => ({
      fields: { file_path: file, content: contentOf(asText(file)), attachments: [] },
      subjects: ['Read'],
    })),
  ),
  afterFileEdit: event(
    'after-tool',
    (facts, { cwd }) =>
      facts.result.isError === true
        ? []
        : ofKind(['edit', 'write'], facts, cwd, ({ file, edits, content }) => ({
            fields: { file_path: file, edits: edits ?? [{ old_string: '', new_string: content }] },
            subjects: ['Write'],
          })),
    { observes: true },
  ),
  beforeSubmitPrompt: event('prompt', ({ prompt }) => [
    { fields: { prompt, attachments: [], composer_mode: 'agent' }, subjects: ['UserPromptSubmit'] },
  ]),
  afterAgentResponse: event('response', ({ text }) => [{ fields: { text } }], { observes: true }),
  afterAgentThought: event('thought', ({ text }) => [{ fields: { text, duration_ms: 0 } }], { observes: true }),
  stop: event('stop', ({ continues }) => [{ fields: { status: 'completed', loop_count: continues } }]),
  sessionStart: event(
    'session-start',
    ({ source }) => (source === 'compact' ? [] : [{ fields: { is_background_agent: false, composer_mode: 'agent' } }]),
    { observes: true },
  ),
  sessionEnd: event(
    'session-end',
    ({ durationMs }) => [
      {
        fields: {
          reason: 'completed',
          duration_ms: durationMs,
          is_background_agent: false,
          final_status: 'completed',
        },
      },
    ],
    { observes: true },
  ),
  preCompact: event(
    'before-compact',
    ({ trigger, tokens, messages }) => [
      {
        fields: { trigger, context_tokens: tokens, message_count: messages, messages_to_compact: messages },
        subjects: [trigger],
      },
    ],
    { observes: true },
  ),
  subagentStart: event('subagent-start', ({ agentId, agentType, task = '' }, { session }) => [
    {
      fields: { subagent_id: agentId, subagent_type: agentType, task, parent_conversation_id: session },
      subjects: [agentType],
    },
  ]),
  subagentStop: event('subagent-stop', ({ agentType, task = '', text, continues }) => [
    {
      fields: { subagent_type: agentType, status: 'completed', task, summary: text, loop_count: continues },
      subjects: [agentType],
    },
  ]),
};

function read(answer: Readonly<Record<string, unknown>>, spec: EventSpec): Reading {
  const { moment } = spec;
  const canonical = ['permission', 'continue', 'followup_message', 'updated_input', 'additional_context'];
  if (!canonical.some((key) => key in answer) && (isRecord(answer['hookSpecificOutput']) || 'decision' in answer))
    return readClaude(answer, spec);
  const follow = textOf(answer, 'followup_message', 'followupMessage');
  const blocks = answer['continue'] === false && moment === 'prompt';
  const permission = wish(answer['permission']);
  const user = textOf(answer, 'user_message', 'userMessage');
  const agent = textOf(answer, 'agent_message', 'agentMessage');
  const output = answer['updated_mcp_tool_output'];
  const goesOn = follow !== undefined && (moment === 'stop' || moment === 'subagent-stop');
  return present({
    ...permission,
    ...((blocks || goesOn) && { decision: 'deny' as const }),
    reason: goesOn ? follow : (agent ?? user),
    // Where something is refused, the user sees the refusal anyway.
    message: permission.decision === 'deny' || blocks ? undefined : user,
    context: textOf(answer, 'additional_context') ?? (permission.decision === 'deny' ? undefined : agent),
    updatedInput: isRecord(answer['updated_input']) ? answer['updated_input'] : undefined,
    updatedOutput: output === undefined || moment !== 'after-tool' ? undefined : outputText(output),
    env: isRecord(answer['env'])
      ? Object.fromEntries(
          Object.entries(answer['env']).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
        )
      : undefined,
  });
}

/** Cursor. */
export const cursor: Dialect = {
  matchers: 'pattern',
  tools,
  events,
  common: ({ session, transcript, cwd, model }, name) => ({
    conversation_id: session,
    generation_id: session,
    session_id: session,
    model: model ?? '',
    hook_event_name: name,
    workspace_roots: [cwd],
    user_email: null,
    transcript_path: transcript ?? null,
  }),
  environment: (_place, projectFolder) => ({ CURSOR_PROJECT_DIR: projectFolder, CLAUDE_PROJECT_DIR: projectFolder }),
  folder: (hook, _place, level, projectFolder) => (level === 'project' ? projectFolder : dirname(hook.path)),
  read,
  readText: (text) => ({ warning: `printed text instead of JSON: ${JSON.stringify(text.slice(0, 80))}` }),
  refuse: (reason) => ({ decision: 'deny', reason }),
};
