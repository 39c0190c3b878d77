/** Cline's hooks: programs in a folder, each named like its event. */
import { foreignCalls, type ForeignTools } from '../foreign-call.ts';
import type { HookSite, ToolFacts } from '../occasion.ts';
import type { Reading } from '../outcome.ts';
import { type Dialect, event, type EventSpec, isRecord, type Payload, present, textOf } from './dialect.ts';
import { resultText } from './results.ts';

const tools: ForeignTools = {
  shell: { name: 'execute_command', fields: { command: 'command' } },
  read: { name: 'read_file', fields: { path: 'file' } },
  write: { name: 'write_to_file', fields: { path: 'file', content: 'content' } },
  edit: { name: 'replace_in_file', fields: { path: 'file', diff: 'patch' } },
  glob: { name: 'list_files', fields: { path: 'folder' } },
  grep: { name: 'search_files', fields: { path: 'path', regex: 'pattern', file_pattern: 'glob' } },
  fetch: { name: 'web_fetch', fields: { url: 'url' } },
  mcp: { name: 'use_mcp_tool' },
};

/** What a hook is told stands under the name of its event. */
function calls(key: string, facts: ToolFacts, { cwd }: HookSite, more: object = {}): readonly Payload[] {
  return foreignCalls(tools, facts, cwd).map((call) => ({
    fields: { [key]: { toolName: call.name, parameters: call.input, ...more } },
    subjects: call.names,
    call,
  }));
}

const task = (session: string, more: object = {}) => ({ taskMetadata: { taskId: session, ulid: session, ...more } });
const OBSERVES = { observes: true } as const;

const events: Readonly<Record<string, EventSpec>> = {
  TaskStart: event('session-start', ({ source }, { session }) =>
    source === 'startup' || source === 'clear' ? [{ fields: { taskStart: task(session, { initialTask: '' }) } }] : [],
  ),
  TaskResume: event('session-start', ({ source }, { session }) =>
    source === 'resume' ? [{ fields: { taskResume: { ...task(session), previousState: {} } } }] : [],
  ),
  TaskCancel: event(
    'run-end',
    ({ status }, { session }) =>
      status === 'aborted' ? [{ fields: { taskCancel: task(session, { completionStatus: 'cancelled' }) } }] : [],
    OBSERVES,
  ),
  TaskComplete: event(
    'run-end',
    ({ status, text }, { session }) =>
      status === 'completed' ? [{ fields: { taskComplete: { ...task(session), result: text } } }] : [],
    OBSERVES,
  ),
  PreToolUse: event('before-tool', (facts, site) => calls('preToolUse', facts, site)),
  PostToolUse: event('after-tool', (facts, site) =>
    calls('postToolUse', facts, site, {
      result: resultText(facts.result),
      success: facts.result.isError !== true,
      executionTimeMs: facts.durationMs,
    }),
  ),
  UserPromptSubmit: event('prompt', ({ prompt }) => [{ fields: { userPromptSubmit: { prompt, attachments: [] } } }]),
  PreCompact: event('before-compact', ({ tokens, messages }, { session }) => [
    { fields: { preCompact: { taskId: session, ulid: session, contextSize: messages, tokensIn: tokens } } },
  ]),
};

function read(answer: Readonly<Record<string, unknown>>): Reading {
  const said = textOf(answer, 'errorMessage');
  const isRefused = answer['cancel'] === true;
  return present({
    ...(isRefused && { decision: 'deny' as const }),
    reason: isRefused ? (said ?? 'a hook of Cline cancelled it') : undefined,
    message: isRefused ? undefined : said,
    context: textOf(answer, 'contextModification'),
  });
}

/** Scripts may print other lines before their answer. */
function readText(text: string): Reading {
  const json = /^\{[\s\S]*\}\s*$/m.exec(text)?.[0];
  if (json === undefined) return {};
  try {
    const answer: unknown = JSON.parse(json);
    return isRecord(answer) ? read(answer) : {};
  } catch {
    return { warning: `printed something that looks like JSON but is none: ${JSON.stringify(json.slice(0, 80))}` };
  }
}

/** Cline. */
export const cline: Dialect = {
  matchers: 'names',
  tools,
  events,
  common: ({ session, cwd, model = '' }, name) => ({
    clineVersion: '',
    hookName: name,
    timestamp: String(Date.now()),
    taskId: session,
    workspaceRoots: [cwd],
    userId: '',
    model: { provider: model.split('/')[0] ?? '', slug: model.split('/').slice(1).join('/') },
  }),
  environment: () => ({}),
  folder: (_hook, { cwd }, level, projectFolder) => (level === 'project' ? projectFolder : cwd),
  read,
  readText,
  // Cline itself goes on when a hook fails. Exit code 2 refuses everywhere else, and whoever writes it means that.
  refuse: (reason) => ({ decision: 'deny', reason }),
};
