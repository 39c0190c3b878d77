/** Every command of the protocol: what it does, what it takes and what it gives. Types, checks and docs come from here. */
import { Type } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import type { Model } from '@tenon/models/api';
import type { UndoEntry, UndoOutcome } from '@tenon/undo/api';
import {
  BashResult,
  HostTool,
  HostUriScheme,
  Image,
  object,
  oneOf,
  QueueMode,
  SessionState,
  SessionStats,
  SlashCommand,
  ThinkingLevel,
  TodoPhase,
} from './shapes.ts';

const text = (description: string) => Type.String({ description });
const Images = Type.Optional(Type.Array(Image));
const AnyModel = Type.Unsafe<Model>({ type: 'object', description: 'A model as the registry knows it.' });
const Messages = Type.Unsafe<AgentMessage[]>({ type: 'array', items: { type: 'object' } });
const Cancelled = object({ cancelled: Type.Boolean({ description: 'True when a plugin called it off.' }) });

/** The commands, in the order of the docs. */
export const rpcCommands = {
  prompt: {
    group: 'Prompting',
    summary: 'Sends a prompt. The response only says that it was taken; `agent_end` says that the agent is done.',
    params: object({
      message: text('What to do.'),
      images: Images,
      streamingBehavior: Type.Optional(oneOf(['steer', 'followUp'], 'What to do when the agent is busy.')),
    }),
  },
  steer: {
    group: 'Prompting',
    summary: 'Says something while the agent works; it cuts in.',
    params: object({ message: text('What to say.'), images: Images }),
  },
  follow_up: {
    group: 'Prompting',
    summary: 'Says something for when the agent would stop.',
    params: object({ message: text('What to say.'), images: Images }),
  },
  abort: {
    group: 'Prompting',
    summary: 'Stops the model and the tools. Answered when both have stopped.',
    params: object({}),
  },
  abort_and_prompt: {
    group: 'Prompting',
    summary: 'Stops, then sends a prompt.',
    params: object({ message: text('What to do instead.'), images: Images }),
  },
  new_session: {
    group: 'Prompting',
    summary: 'Begins a new session with the same model.',
    params: object({ parentSession: Type.Optional(text('Where it came from; kept in its header.')) }),
    data: Cancelled,
  },
  get_state: { group: 'State', summary: 'Where the agent stands.', params: object({}), data: SessionState },
  set_todos: {
    group: 'State',
    summary: 'Replaces the plan. The model sees it with the next prompt.',
    params: object({ phases: Type.Array(TodoPhase) }),
    data: object({ todoPhases: Type.Array(TodoPhase) }),
  },
  set_host_tools: {
    group: 'State',
    summary:
      'Replaces the tools that the host carries out. One with the name of a tool of Tenon takes its place as long as the host has it; `replaced` names those.',
    params: object({ tools: Type.Array(HostTool) }),
    data: object({ toolNames: Type.Array(Type.String()), replaced: Type.Optional(Type.Array(Type.String())) }),
  },
  set_host_uri_schemes: {
    group: 'State',
    summary:
      'Replaces the URL schemes that the host owns. Those of Tenon and its plugins, `file` and `https` for example, are not to be had.',
    params: object({ schemes: Type.Array(HostUriScheme) }),
    data: object({ schemes: Type.Array(Type.String()) }),
  },
  get_commands: {
    group: 'State',
    summary:
      'The slash commands that a prompt can begin with: those of Tenon, of files, skills, MCP servers and extensions.',
    params: object({}),
    data: object({ commands: Type.Array(SlashCommand) }),
  },
  set_model: {
    group: 'Model',
    summary: 'Uses another model.',
    params: object({ provider: Type.String(), modelId: Type.String() }),
    data: AnyModel,
  },
  cycle_model: {
    group: 'Model',
    summary: 'Uses the next model that is available; nothing when there is no other.',
    params: object({}),
    data: Type.Union([
      object({ model: AnyModel, thinkingLevel: ThinkingLevel, isScoped: Type.Boolean() }),
      Type.Null(),
    ]),
  },
  get_available_models: {
    group: 'Model',
    summary: 'The models that can be used now.',
    params: object({}),
    data: object({ models: Type.Array(AnyModel) }),
  },
  set_thinking_level: {
    group: 'Thinking',
    summary: 'How hard the model thinks.',
    params: object({ level: ThinkingLevel }),
  },
  cycle_thinking_level: {
    group: 'Thinking',
    summary: 'The next level; nothing for a model that does not think.',
    params: object({}),
    data: Type.Union([object({ level: ThinkingLevel }), Type.Null()]),
  },
  set_steering_mode: {
    group: 'Queues',
    summary: 'How many steering messages one turn takes.',
    params: object({ mode: QueueMode }),
  },
  set_follow_up_mode: {
    group: 'Queues',
    summary: 'How many follow-up messages one stop takes.',
    params: object({ mode: QueueMode }),
  },
  set_interrupt_mode: {
    group: 'Queues',
    summary: 'Whether steering skips the tools of a turn that have not started.',
    params: object({ mode: oneOf(['immediate', 'wait']) }),
  },
  compact: {
    group: 'Compaction',
    summary: 'Summarizes the older part of the conversation now. Stops the agent first.',
    params: object({ customInstructions: Type.Optional(text('What the summary should look at.')) }),
    data: object({
      summary: Type.String(),
      firstKeptEntryId: Type.String(),
      tokensBefore: Type.Number(),
      tokensAfter: Type.Number(),
      details: Type.Optional(Type.Unknown()),
    }),
  },
  handoff: {
    group: 'Compaction',
    summary:
      'Lets the model write down where the work stands, and goes on in a new session that begins with that. Stops the agent first; `abort` stops it.',
    params: object({ customInstructions: Type.Optional(text('What the document should look at.')) }),
    data: object({
      cancelled: Type.Boolean({ description: 'True when a plugin called it off or the model wrote nothing.' }),
      document: Type.Optional(Type.String()),
      savedPath: Type.Optional(Type.String()),
      sessionId: Type.Optional(Type.String()),
      sessionFile: Type.Optional(Type.String()),
    }),
  },
  set_auto_compaction: {
    group: 'Compaction',
    summary: 'Whether long conversations are summarized automatically.',
    params: object({ enabled: Type.Boolean() }),
  },
  set_auto_retry: {
    group: 'Retry',
    summary:
      "Whether a failed model call is tried again after a wait. Without it the run ends with the provider's error; other keys and fallback models take over all the same.",
    params: object({ enabled: Type.Boolean() }),
  },
  abort_retry: {
    group: 'Retry',
    summary: "Stops waiting for a retry; the run ends with the provider's error.",
    params: object({}),
  },
  bash: {
    group: 'Bash',
    summary: 'Runs a command of the user; what it printed is part of the conversation.',
    params: object({ command: Type.String() }),
    data: BashResult,
  },
  abort_bash: { group: 'Bash', summary: 'Stops the command that `bash` runs.', params: object({}) },
  get_session_stats: {
    group: 'Session',
    summary: 'Messages, tokens and cost so far.',
    params: object({}),
    data: SessionStats,
  },
  export_html: {
    group: 'Session',
    summary: 'Writes the session as a page of HTML.',
    params: object({
      outputPath: Type.Optional(text('Where to; by default a name after the session in the working folder.')),
    }),
    data: object({ path: Type.String() }),
  },
  switch_session: {
    group: 'Session',
    summary: 'Goes on with another session: its file or id.',
    params: object({ sessionPath: Type.String() }),
    data: Cancelled,
  },
  branch: {
    group: 'Session',
    summary: 'Goes back to before a message of the user, in a copy of the session; gives the text of that message.',
    params: object({
      entryId: Type.String(),
      restoreFiles: Type.Optional(
        Type.Boolean({ description: 'Also takes back what the calls that are left behind changed; see `undo`.' }),
      ),
    }),
    data: object({
      text: Type.String(),
      cancelled: Type.Boolean(),
      files: Type.Optional(Type.Unsafe<UndoOutcome>({ type: 'object', description: 'What was taken back.' })),
    }),
  },
  navigate_tree: {
    group: 'Session',
    summary:
      'Moves to an entry of the same session; `null` is the beginning. A message of the user is said anew: the session goes to the entry before it, and its text is given back.',
    params: object({
      entryId: Type.Union([Type.String(), Type.Null()]),
      summarize: Type.Optional(Type.Boolean({ description: 'Leaves a summary of what is left behind.' })),
      customInstructions: Type.Optional(text('What the summary is to look at.')),
    }),
    data: object({
      cancelled: Type.Boolean(),
      leafId: Type.Union([Type.String(), Type.Null()]),
      text: Type.Optional(Type.String()),
    }),
  },
  get_undo_list: {
    group: 'Session',
    summary: 'The calls that changed files of the folder and can be taken back, newest first.',
    params: object({ session: Type.Optional(text('Only those of this session.')) }),
    data: object({ entries: Type.Unsafe<UndoEntry[]>({ type: 'array', items: { type: 'object' } }) }),
  },
  undo: {
    group: 'Session',
    summary:
      'Takes back what calls changed: the last `count`, those from `to` on, or those after `entryId` of this session. Files that somebody else changed since stay unless `force`. Can be taken back with `redo`.',
    params: object({
      count: Type.Optional(Type.Integer({ minimum: 1 })),
      to: Type.Optional(Type.Integer({ minimum: 1, description: 'An id of `get_undo_list`.' })),
      entryId: Type.Optional(text('Calls after this entry of the session.')),
      redo: Type.Optional(Type.Boolean({ description: 'Takes undos back instead of calls.' })),
      force: Type.Optional(Type.Boolean()),
      preview: Type.Optional(Type.Boolean({ description: 'Says what would change, and changes nothing.' })),
    }),
    data: Type.Unsafe<UndoOutcome>({
      type: 'object',
      description: 'Entries, changes, held paths and notes about git.',
    }),
  },
  get_branch_messages: {
    group: 'Session',
    summary: 'The messages of the user that `branch` can go back to.',
    params: object({}),
    data: object({ messages: Type.Array(object({ entryId: Type.String(), text: Type.String() })) }),
  },
  get_last_assistant_text: {
    group: 'Session',
    summary: 'The text of the last answer.',
    params: object({}),
    data: object({ text: Type.Union([Type.String(), Type.Null()]) }),
  },
  set_session_name: { group: 'Session', summary: 'Gives the session a name.', params: object({ name: Type.String() }) },
  get_messages: {
    group: 'Messages',
    summary: 'All messages of the active branch.',
    params: object({}),
    data: object({ messages: Messages }),
  },
} as const;
