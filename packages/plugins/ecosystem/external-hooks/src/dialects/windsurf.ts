/** Windsurf's hooks: they refuse by exit code 2 and say nothing else; the rest of what they print is for people. */
import { dirname, resolve } from 'node:path';
import { foreignCalls } from '../foreign-call.ts';
import type { HookSite, ToolFacts } from '../occasion.ts';
import type { ViewKind } from '../tool-views.ts';
import { type Dialect, event, type EventSpec, type Payload } from './dialect.ts';
import { resultText } from './results.ts';

type Values = Readonly<Record<string, unknown>>;

/** Payloads for the parts of a call that are of some kind. */
function ofKind(
  kinds: readonly ViewKind[],
  facts: ToolFacts,
  { cwd }: HookSite,
  about: (values: Values) => Values,
): readonly Payload[] {
  return foreignCalls({}, facts, cwd)
    .filter(({ view }) => kinds.includes(view.kind))
    .map((call) => ({ fields: { tool_info: about(call.view.values) }, call }));
}

const file = ({ file: path }: Values): Values => ({ file_path: path });
const change = ({ file: path, edits, content }: Values): Values => ({
  file_path: path,
  edits: edits ?? [{ old_string: '', new_string: content }],
});
const command = ({ command: line, folder }: Values): Values => ({ command_line: line, cwd: folder });

/** `mcp__server__tool` as Windsurf takes it apart. */
function mcp({ tool, input }: ToolFacts): Values {
  const [, server = '', name = tool] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return { mcp_server_name: server, mcp_tool_name: name, mcp_tool_arguments: input };
}

const OBSERVES = { observes: true } as const;

const events: Readonly<Record<string, EventSpec>> = {
  pre_read_code: event('before-tool', (facts, site) => ofKind(['read'], facts, site, file)),
  post_read_code: event('after-tool', (facts, site) => ofKind(['read'], facts, site, file), OBSERVES),
  pre_write_code: event('before-tool', (facts, site) => ofKind(['write', 'edit'], facts, site, change)),
  post_write_code: event('after-tool', (facts, site) => ofKind(['write', 'edit'], facts, site, change), OBSERVES),
  pre_run_command: event('before-tool', (facts, site) => ofKind(['shell'], facts, site, command)),
  post_run_command: event('after-tool', (facts, site) => ofKind(['shell'], facts, site, command), OBSERVES),
  pre_mcp_tool_use: event('before-tool', (facts, site) => ofKind(['mcp'], facts, site, () => mcp(facts))),
  post_mcp_tool_use: event(
    'after-tool',
    (facts, site) => ofKind(['mcp'], facts, site, () => ({ ...mcp(facts), mcp_result: resultText(facts.result) })),
    OBSERVES,
  ),
  pre_user_prompt: event('prompt', ({ prompt }) => [{ fields: { tool_info: { user_prompt: prompt } } }]),
  post_cascade_response: event('response', ({ text }) => [{ fields: { tool_info: { response: text } } }], OBSERVES),
};

/** Windsurf. */
export const windsurf: Dialect = {
  matchers: 'pattern',
  tools: {},
  events,
  common: ({ session, model }, name) => ({
    agent_action_name: name,
    trajectory_id: session,
    execution_id: session,
    timestamp: new Date().toISOString(),
    model_name: model ?? '',
  }),
  environment: (_site, projectFolder) => ({ ROOT_WORKSPACE_PATH: projectFolder }),
  folder: (hook, { cwd }, level, projectFolder) =>
    resolve(level === 'project' ? projectFolder : cwd, hook.cwd === undefined ? '.' : fromFile(hook.path, hook.cwd)),
  read: () => ({}),
  readText: () => ({}),
  refuse: (reason) => ({ decision: 'deny', reason }),
};

/** A folder that a user's file names is found from that file. */
function fromFile(path: string, folder: string): string {
  return path.includes('/.windsurf/') ? folder : resolve(dirname(path), folder);
}
