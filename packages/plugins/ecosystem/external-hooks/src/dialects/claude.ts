/** Claude Code's hooks. */
import { foreignCalls, type ForeignCall, type ForeignTools } from '../foreign-call.ts';
import type { HookSite, SubagentFacts, ToolFacts } from '../occasion.ts';
import type { Decision, Reading } from '../outcome.ts';
import { type Dialect, event, type EventSpec, isRecord, outputText, type Payload, present, textOf } from './dialect.ts';
import { claudeResponse, resultText } from './results.ts';

const tools: ForeignTools = {
  shell: {
    name: 'Bash',
    fields: { command: 'command', timeout: 'timeoutMs', run_in_background: 'background', cwd: 'folder' },
  },
  read: { name: 'Read', fields: { file_path: 'file', offset: 'offset', limit: 'limit' } },
  write: { name: 'Write', fields: { file_path: 'file', content: 'content' } },
  edit: {
    name: 'Edit',
    aliases: ['MultiEdit'],
    fields: { file_path: 'file', old_string: 'old', new_string: 'new', replace_all: 'all' },
  },
  glob: { name: 'Glob', fields: { pattern: 'pattern', path: 'folder' } },
  grep: {
    name: 'Grep',
    fields: { pattern: 'pattern', path: 'path', glob: 'glob', '-i': 'ignoreCase', output_mode: 'output' },
  },
  fetch: { name: 'WebFetch', fields: { url: 'url', prompt: 'prompt' } },
  'web-search': {
    name: 'WebSearch',
    fields: { query: 'query', allowed_domains: 'only', blocked_domains: 'except' },
  },
  todo: { name: 'TodoWrite' },
  ask: { name: 'AskUserQuestion' },
  subagent: { name: 'Task', aliases: ['Agent'] },
};

/** Payloads for a call in the words of some tools. */
export function callPayloads(
  names: ForeignTools,
  facts: ToolFacts,
  site: HookSite,
  more: (call: ForeignCall) => Readonly<Record<string, unknown>> = () => ({}),
): readonly Payload[] {
  return foreignCalls(names, facts, site.cwd).map((call) => ({
    fields: { tool_name: call.name, tool_input: call.input, ...more(call) },
    subjects: call.names,
    call,
  }));
}

const subagent = ({ agentId, agentType }: SubagentFacts) => ({ agent_id: agentId, agent_type: agentType });

/** Events that only other plugins know about; they tell them by name (`hook-events`). */
const OTHERS = [
  'Setup',
  'InstructionsLoaded',
  'UserPromptExpansion',
  'MessageDisplay',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'ConfigChange',
  'CwdChanged',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'Elicitation',
  'ElicitationResult',
] as const;

const named = (name: string): EventSpec =>
  event(
    'other',
    ({ event: told, fields, subject }) =>
      told === name ? [{ fields, ...(subject !== undefined && { subjects: [subject] }) }] : [],
    { hasEnvFile: ['Setup', 'CwdChanged', 'FileChanged'].includes(name), textIsContext: name === 'Setup' },
  );

const events: Readonly<Record<string, EventSpec>> = {
  PreToolUse: event('before-tool', (facts, site) =>
    callPayloads(tools, facts, site, () => ({ tool_use_id: facts.callId })),
  ),
  PostToolUse: event('after-tool', (facts, site) =>
    facts.result.isError === true
      ? []
      : callPayloads(tools, facts, site, ({ view }) => ({
          tool_response: claudeResponse(view, facts.result),
          tool_use_id: facts.callId,
          duration_ms: facts.durationMs,
        })),
  ),
  PostToolUseFailure: event('after-tool', (facts, site) =>
    facts.result.isError === true
      ? callPayloads(tools, facts, site, () => ({
          tool_use_id: facts.callId,
          error: resultText(facts.result),
          is_interrupt: false,
          duration_ms: facts.durationMs,
        }))
      : [],
  ),
  PostToolBatch: event('tool-batch', ({ calls }, site) => [
    {
      fields: {
        tool_calls: calls.flatMap((facts) =>
          foreignCalls(tools, facts, site.cwd).map(({ name, input }) => ({
            tool_name: name,
            tool_input: input,
            tool_use_id: facts.callId,
            tool_response: resultText(facts.result),
          })),
        ),
      },
    },
  ]),
  PermissionRequest: event('permission', (facts, site) =>
    callPayloads(tools, facts, site, () => ({ permission_suggestions: [] })),
  ),
  PermissionDenied: event(
    'permission-denied',
    (facts, site) => callPayloads(tools, facts, site, () => ({ tool_use_id: facts.callId, reason: facts.reason })),
    { observes: true },
  ),
  UserPromptSubmit: event('prompt', ({ prompt }) => [{ fields: { prompt } }], { textIsContext: true }),
  Notification: event(
    'notification',
    ({ kind, title, message }) => [{ fields: { message, title, notification_type: kind }, subjects: [kind] }],
    { observes: true },
  ),
  Stop: event('stop', ({ text, continues }) => [
    { fields: { stop_hook_active: continues > 0, last_assistant_message: text } },
  ]),
  StopFailure: event(
    'run-end',
    ({ status, error, text }) =>
      status === 'error'
        ? [
            {
              fields: { error: 'unknown', error_details: error ?? '', last_assistant_message: text },
              subjects: ['unknown'],
            },
          ]
        : [],
    { observes: true },
  ),
  SubagentStart: event('subagent-start', (facts) => [{ fields: subagent(facts), subjects: [facts.agentType] }], {
    observes: true,
    textIsContext: true,
  }),
  SubagentStop: event('subagent-stop', (facts) => [
    {
      fields: {
        ...subagent(facts),
        stop_hook_active: facts.continues > 0,
        last_assistant_message: facts.text,
        agent_transcript_path: facts.transcript ?? '',
      },
      subjects: [facts.agentType],
    },
  ]),
  PreCompact: event('before-compact', ({ trigger, instructions }) => [
    { fields: { trigger, custom_instructions: instructions }, subjects: [trigger] },
  ]),
  PostCompact: event(
    'after-compact',
    ({ trigger, summary }) => [{ fields: { trigger, compact_summary: summary }, subjects: [trigger] }],
    { observes: true },
  ),
  SessionStart: event(
    'session-start',
    ({ source }, { model }) => [{ fields: present({ source, model }), subjects: [source] }],
    { observes: true, textIsContext: true, hasEnvFile: true },
  ),
  SessionEnd: event('session-end', ({ reason }) => [{ fields: { reason }, subjects: [reason] }], { observes: true }),
  ...Object.fromEntries(OTHERS.map((name) => [name, named(name)])),
};

const WISHES: Readonly<Record<string, Decision>> = {
  allow: 'allow',
  approve: 'allow',
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
  defer: 'defer',
};

/** What a word of a decision means. One that nobody knows leaves the decision to a person. */
export function wish(word: unknown): Pick<Reading, 'decision' | 'warning'> {
  if (word === undefined || word === null) return {};
  const decision = typeof word === 'string' ? WISHES[word.toLowerCase()] : undefined;
  if (decision) return { decision };
  return { decision: 'ask', warning: `decided ${JSON.stringify(word)}, which is none of allow, deny, ask, defer` };
}

/** Reads the JSON of a hook of Claude Code, and of the tools that took its form over. */
export function readClaude(answer: Readonly<Record<string, unknown>>, spec: EventSpec): Reading {
  const specific = isRecord(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const nested = isRecord(specific['decision']) ? specific['decision'] : {};
  const word = specific['permissionDecision'] ?? nested['behavior'] ?? answer['decision'];
  const { decision, warning } = wish(word);
  const reason = textOf(specific, 'permissionDecisionReason') ?? textOf(nested, 'message') ?? textOf(answer, 'reason');
  const stops = answer['continue'] === false || (decision === 'deny' && nested['interrupt'] === true);
  const updated = specific['updatedInput'] ?? nested['updatedInput'];
  const output = specific['updatedToolOutput'] ?? specific['updatedMCPToolOutput'];
  return present({
    decision,
    warning,
    reason,
    stop: stops ? (textOf(answer, 'stopReason') ?? reason ?? '') : undefined,
    context: textOf(specific, 'additionalContext') ?? textOf(answer, 'additionalContext'),
    message: textOf(answer, 'systemMessage'),
    updatedInput: isRecord(updated) ? updated : undefined,
    updatedOutput: output === undefined || spec.moment !== 'after-tool' ? undefined : outputText(output),
  });
}

/** Claude Code. */
export const claude: Dialect = {
  matchers: 'names',
  tools,
  events,
  common: ({ session, transcript, cwd }, name) => ({
    session_id: session,
    transcript_path: transcript ?? '',
    cwd,
    permission_mode: 'default',
    hook_event_name: name,
  }),
  environment: (_place, projectFolder) => ({ CLAUDE_PROJECT_DIR: projectFolder }),
  folder: (_hook, { cwd }) => cwd,
  read: readClaude,
  readText: (text, { textIsContext }) => (textIsContext ? { context: text } : {}),
  refuse: (reason) => ({ decision: 'deny', reason }),
};
