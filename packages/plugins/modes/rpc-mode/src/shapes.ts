/** The shapes that commands and frames share. */
import { type Static, type TSchema, Type } from '@tenon/kernel';
import type { ModelTool } from '@tenon/models/api';

/** An object; more fields may come with later versions, so unknown ones are let through. */
export const object = <P extends Record<string, TSchema>>(properties: P) => Type.Object(properties);

/** One of these words. */
export function oneOf<const W extends readonly string[]>(words: W, description?: string) {
  return Type.Unsafe<W[number]>({
    type: 'string',
    enum: [...words],
    ...(description !== undefined && { description }),
  });
}

const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);

export const Text = object({ type: Type.Literal('text'), text: Type.String() });
export const Image = object({
  type: Type.Literal('image'),
  data: Type.String({ description: 'Base64.' }),
  mimeType: Type.String(),
});
export const QueueMode = oneOf(['all', 'one-at-a-time']);
export const ThinkingLevel = oneOf(['off', 'minimal', 'low', 'medium', 'high', 'xhigh']);

export const ToolResultShape = object({
  content: Type.Array(Type.Union([Text, Image])),
  details: optional(Type.Unknown()),
  isError: optional(Type.Boolean()),
});

export const TodoPhase = object({
  id: Type.String(),
  name: Type.String(),
  tasks: Type.Array(
    object({
      id: Type.String(),
      content: Type.String(),
      status: oneOf(['pending', 'in_progress', 'completed', 'abandoned']),
      notes: optional(Type.Array(Type.String())),
    }),
  ),
});

export const HostTool = object({
  name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' }),
  label: optional(Type.String()),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments, an object.' }),
});

export const HostUriScheme = object({
  scheme: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*$' }),
  description: optional(Type.String()),
  writable: optional(Type.Boolean()),
  immutable: optional(Type.Boolean()),
});

export const BashResult = object({
  output: Type.String({ description: 'The end of what it printed, both streams.' }),
  exitCode: optional(Type.Number()),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  fullOutputPath: optional(Type.String()),
});

export const SessionState = object({
  model: object({ provider: Type.String(), id: Type.String() }),
  thinkingLevel: ThinkingLevel,
  isStreaming: Type.Boolean(),
  isCompacting: Type.Boolean(),
  steeringMode: QueueMode,
  followUpMode: QueueMode,
  interruptMode: oneOf(['immediate', 'wait']),
  sessionFile: optional(Type.String()),
  sessionId: Type.String(),
  sessionName: optional(Type.String()),
  autoCompactionEnabled: Type.Boolean(),
  messageCount: Type.Number(),
  queuedMessageCount: Type.Number(),
  todoPhases: Type.Array(TodoPhase),
  systemPrompt: Type.String(),
  dumpTools: Type.Unsafe<readonly ModelTool[]>({ type: 'array', items: { type: 'object' } }),
});

const Count = Type.Number();
export const SessionStats = object({
  sessionFile: optional(Type.String()),
  sessionId: Type.String(),
  userMessages: Count,
  assistantMessages: Count,
  toolCalls: Count,
  toolResults: Count,
  totalMessages: Count,
  tokens: object({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count, total: Count }),
  cost: Type.Number({ description: 'US dollars.' }),
});

export const SlashCommand = object({
  name: Type.String({ description: 'Without the slash.' }),
  kind: Type.String({ description: 'built-in, command, prompt, skill, mcp or extension.' }),
  description: optional(Type.String()),
  argumentHint: optional(Type.String({ description: 'What may follow the name.' })),
  family: optional(Type.String({ description: 'Whose file it is: native, claude, codex …' })),
  level: optional(oneOf(['user', 'project'], 'Whether it is the user’s or the project’s.')),
  path: optional(Type.String()),
  bundle: optional(Type.String()),
  shadows: optional(Type.String({ description: 'The kind of the command whose place it takes.' })),
});

/** The result of a tool that the host carries out. */
export type HostToolResult = Static<typeof ToolResultShape>;
/** A part of a plan. */
export type TodoPhase = Static<typeof TodoPhase>;
/** A tool that the host carries out. */
export type HostTool = Static<typeof HostTool>;
/** A URL scheme that the host owns. */
export type HostUriScheme = Static<typeof HostUriScheme>;
/** What `bash` gives. */
export type BashResult = Static<typeof BashResult>;
/** What `get_state` gives. */
export type SessionState = Static<typeof SessionState>;
/** What `get_session_stats` gives. */
export type SessionStats = Static<typeof SessionStats>;
