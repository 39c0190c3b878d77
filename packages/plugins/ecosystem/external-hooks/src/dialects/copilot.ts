/** Hooks of GitHub Copilot (`.github/hooks`). Its events with a capital letter are those of Claude Code, and are read as such. */
import { dirname, resolve } from 'node:path';
import { foreignCalls, type ForeignCall, type ForeignTools } from '../foreign-call.ts';
import type { HookSite, ToolFacts } from '../occasion.ts';
import type { Reading } from '../outcome.ts';
import { wish } from './claude.ts';
import { type Dialect, event, type EventSpec, isRecord, type Payload, present, textOf } from './dialect.ts';
import { resultText } from './results.ts';

const tools: ForeignTools = {
  shell: { name: 'bash', aliases: ['powershell', 'shell'], fields: { command: 'command', cwd: 'folder' } },
  read: { name: 'view', fields: { path: 'file' } },
  write: { name: 'create', fields: { path: 'file', file_text: 'content' } },
  edit: { name: 'edit', aliases: ['str_replace'], fields: { path: 'file', old_str: 'old', new_str: 'new' } },
  glob: { name: 'glob', fields: { pattern: 'pattern', path: 'folder' } },
  grep: { name: 'grep', fields: { pattern: 'pattern', path: 'path', glob: 'glob' } },
  fetch: { name: 'web_fetch', fields: { url: 'url' } },
  subagent: { name: 'task' },
};

/** Arguments are JSON in a text, as scripts for Copilot expect them. */
function calls(
  facts: ToolFacts,
  { cwd }: HookSite,
  more: (call: ForeignCall) => Readonly<Record<string, unknown>> = () => ({}),
): readonly Payload[] {
  return foreignCalls(tools, facts, cwd).map((call) => ({
    fields: { toolName: call.name, toolArgs: JSON.stringify(call.input), ...more(call) },
    subjects: call.names,
    call,
  }));
}

const REASONS = { completed: 'complete', aborted: 'abort', error: 'error' } as const;

const events: Readonly<Record<string, EventSpec>> = {
  sessionStart: event('session-start', ({ source }) =>
    source === 'compact' ? [] : [{ fields: { source: source === 'resume' ? 'resume' : 'new', initialPrompt: '' } }],
  ),
  sessionEnd: event('session-end', () => [{ fields: { reason: REASONS.completed } }], { observes: true }),
  userPromptSubmitted: event('prompt', ({ prompt }) => [{ fields: { prompt } }], { observes: true }),
  preToolUse: event('before-tool', (facts, site) => calls(facts, site)),
  postToolUse: event('after-tool', (facts, site) =>
    calls(facts, site, () => ({
      toolResult: {
        resultType: facts.result.isError === true ? 'failure' : 'success',
        textResultForLlm: resultText(facts.result),
      },
    })),
  ),
  permissionRequest: event('permission', (facts, site) => calls(facts, site)),
  agentStop: event('stop', (_facts, { transcript }) => [
    { fields: { stopReason: 'end_turn', transcriptPath: transcript ?? '' } },
  ]),
  subagentStop: event('subagent-stop', ({ agentType }) => [
    { fields: { stopReason: 'end_turn', agentName: agentType }, subjects: [agentType] },
  ]),
  preCompact: event(
    'before-compact',
    ({ trigger, instructions }) => [{ fields: { trigger, customInstructions: instructions }, subjects: [trigger] }],
    { observes: true },
  ),
  errorOccurred: event(
    'run-end',
    ({ status, error = '' }) =>
      status === 'error' ? [{ fields: { error: { name: 'Error', message: error }, recoverable: false } }] : [],
    { observes: true },
  ),
  notification: event(
    'notification',
    ({ kind, title, message }) => [{ fields: { notificationType: kind, title, message }, subjects: [kind] }],
    { observes: true },
  ),
};

function read(answer: Readonly<Record<string, unknown>>, { moment }: EventSpec): Reading {
  const wanted = wish(answer['permissionDecision'] ?? answer['behavior']);
  const goesOn = answer['decision'] === 'block' && (moment === 'stop' || moment === 'subagent-stop');
  return present({
    ...wanted,
    ...(goesOn && { decision: 'deny' as const }),
    reason: textOf(answer, 'permissionDecisionReason', 'reason', 'message'),
    context: textOf(answer, 'additionalContext'),
    updatedInput: isRecord(answer['modifiedArgs']) ? answer['modifiedArgs'] : undefined,
  });
}

/** Copilot. */
export const copilot: Dialect = {
  matchers: 'pattern',
  tools,
  events,
  common: ({ session, cwd }) => ({ sessionId: session, timestamp: Date.now(), cwd }),
  environment: () => ({}),
  folder: (hook, _site, level, projectFolder) =>
    resolve(level === 'project' ? projectFolder : dirname(hook.path), hook.cwd ?? '.'),
  read,
  // Text is for people.
  readText: () => ({}),
  refuse: (reason) => ({ decision: 'deny', reason }),
};
