/** The hooks of Codex: those of Claude Code with fewer events, `apply_patch` for all edits, and the program `notify`. */
import type { ForeignTools } from '../foreign-call.ts';
import { callPayloads, claude, readClaude } from './claude.ts';
import { type Dialect, event, type EventSpec, present } from './dialect.ts';
import { resultText } from './results.ts';

const patch = { name: 'apply_patch', aliases: ['Edit', 'Write'], fields: { command: 'patch' } };

const tools: ForeignTools = {
  shell: { name: 'Bash', aliases: ['shell', 'exec_command'], fields: { command: 'command' } },
  write: patch,
  edit: patch,
};

const taken = (...names: readonly string[]): Readonly<Record<string, EventSpec>> =>
  Object.fromEntries(names.flatMap((name) => (claude.events[name] ? [[name, claude.events[name]]] : [])));

const events: Readonly<Record<string, EventSpec>> = {
  ...taken('SessionStart', 'SessionEnd', 'UserPromptSubmit', 'Stop', 'StopFailure', 'PreCompact', 'PostCompact'),
  ...taken('SubagentStart', 'SubagentStop'),
  PreToolUse: event('before-tool', (facts, site) =>
    callPayloads(tools, facts, site, () => ({ tool_use_id: facts.callId })),
  ),
  PermissionRequest: event('permission', (facts, site) => callPayloads(tools, facts, site)),
  // Unlike Claude Code's, also for calls that failed.
  PostToolUse: event('after-tool', (facts, site) =>
    callPayloads(tools, facts, site, () => ({ tool_response: resultText(facts.result), tool_use_id: facts.callId })),
  ),
  'agent-turn-complete': event(
    'run-end',
    ({ status, text, prompt }, { session, cwd }) =>
      status === 'completed'
        ? [
            {
              fields: {
                type: 'agent-turn-complete',
                'thread-id': session,
                'turn-id': `${session}:${Date.now()}`,
                cwd,
                'input-messages': [prompt],
                'last-assistant-message': text,
              },
            },
          ]
        : [],
    { observes: true },
  ),
};

/** Codex. */
export const codex: Dialect = {
  ...claude,
  tools,
  events,
  common: (site, name) =>
    name === 'agent-turn-complete'
      ? {}
      : present({ ...claude.common(site, name), model: site.model, turn_id: site.session }),
  environment: () => ({}),
  read(answer, spec) {
    const reading = readClaude(answer, spec);
    // What is stopped here is only the result of the tool: the model goes on with the feedback.
    if (spec.moment !== 'after-tool' || (reading.stop === undefined && reading.decision !== 'deny')) return reading;
    const { stop, ...rest } = reading;
    return { ...rest, updatedOutput: reading.reason ?? stop ?? 'A hook stopped the processing of this result.' };
  },
};
