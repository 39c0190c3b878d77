/** The frames that are neither commands nor responses. */
import { type Static, Type } from '@tenon/kernel';
import { object, oneOf, ToolResultShape } from './shapes.ts';

const Id = Type.String();
const Message = Type.Unsafe<object>({ type: 'object', required: ['role'], properties: { role: { type: 'string' } } });
const StreamPart = Type.Unsafe<object>({
  type: 'object',
  required: ['type'],
  properties: {
    type: {
      enum: [
        ...['start', 'text_start', 'text_delta', 'text_end', 'thinking_start', 'thinking_delta', 'thinking_end'],
        ...['toolcall_start', 'toolcall_delta', 'toolcall_end', 'done', 'error'],
      ],
    },
    contentIndex: { type: 'number' },
    delta: { type: 'string', description: 'Only what is new.' },
  },
});
const NoContent = Type.Unsafe<object>({
  type: 'object',
  required: ['role', 'content'],
  properties: { role: { const: 'assistant' }, content: { type: 'array', maxItems: 0 } },
});
const ToolCall = { toolCallId: Id, toolName: Type.String() };

/** What the agent tells, as it happens. */
export const eventFrames = {
  agent_start: object({}),
  agent_end: object({
    messages: Type.Array(Message),
    error: Type.Optional(Type.String({ description: 'Why the work could not be done, and what to do next.' })),
  }),
  turn_start: object({}),
  turn_end: object({ message: Message, toolResults: Type.Array(Message) }),
  message_start: object({ message: Message }),
  message_update: object({ message: NoContent, assistantMessageEvent: StreamPart }),
  message_end: object({ message: Message }),
  tool_execution_start: object({ ...ToolCall, args: Type.Unknown() }),
  tool_execution_update: object({ ...ToolCall, args: Type.Unknown(), partialResult: ToolResultShape }),
  tool_execution_end: object({ ...ToolCall, result: ToolResultShape, isError: Type.Boolean() }),
  auto_retry_start: object({
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
    delayMs: Type.Number(),
    reason: Type.String(),
    fallback: Type.Optional(Type.String({ description: 'The model that takes over.' })),
  }),
  auto_retry_end: object({ success: Type.Boolean(), attempt: Type.Number(), finalError: Type.Optional(Type.String()) }),
  auto_compaction_start: object({ reason: oneOf(['threshold', 'overflow', 'idle']) }),
  auto_compaction_end: object({
    aborted: Type.Boolean(),
    willRetry: Type.Boolean(),
    errorMessage: Type.Optional(Type.String()),
    tokensBefore: Type.Optional(Type.Number()),
    tokensAfter: Type.Optional(Type.Number()),
  }),
  session_switch: object({
    reason: oneOf(['new', 'resume', 'branch', 'handoff']),
    sessionId: Id,
    sessionFile: Type.Optional(Type.String()),
    previousSessionId: Id,
  }),
  ttsr_triggered: object({ rules: Type.Array(Type.String()) }),
  todo_reminder: object({
    todos: Type.Array(Type.Unknown()),
    attempt: Type.Number(),
    maxAttempts: Type.Number(),
  }),
  todo_auto_clear: object({}),
  loop_suspected: object({ toolName: Type.String(), repeats: Type.Number() }),
  notice: object({
    level: oneOf(['info', 'warning', 'error']),
    text: Type.String(),
    isAnswer: Type.Optional(
      Type.Boolean({ description: 'True when it is all the answer to a prompt: a slash command has done the work.' }),
    ),
  }),
} as const;

const Timeout = Type.Optional(
  Type.Number({ description: 'Milliseconds after which nobody waits for the answer any more.' }),
);

/** What plugins ask and tell the user, by `method`. Those with an answer are answered with `extension_ui_response`. */
export const interfaceMethods = {
  select: object({ id: Id, title: Type.String(), options: Type.Array(Type.String()), timeout: Timeout }),
  confirm: object({ id: Id, title: Type.String(), message: Type.String(), timeout: Timeout }),
  input: object({ id: Id, title: Type.String(), placeholder: Type.Optional(Type.String()), timeout: Timeout }),
  editor: object({ id: Id, title: Type.String(), prefill: Type.Optional(Type.String()), timeout: Timeout }),
  cancel: object({ id: Id, targetId: Id }),
  notify: object({ id: Id, message: Type.String(), notifyType: oneOf(['info', 'warning', 'error']) }),
  setStatus: object({ id: Id, statusKey: Type.String(), statusText: Type.Optional(Type.String()) }),
  setWidget: object({ id: Id, widgetKey: Type.String(), widgetLines: Type.Optional(Type.Array(Type.String())) }),
  setTitle: object({ id: Id, title: Type.String() }),
  set_editor_text: object({ id: Id, text: Type.String() }),
} as const;

/** What the server asks of the host. */
export const requestFrames = {
  ready: object({}),
  host_tool_call: object({
    id: Id,
    ...ToolCall,
    arguments: Type.Record(Type.String(), Type.Unknown()),
  }),
  host_tool_cancel: object({ id: Id, targetId: Id }),
  host_uri_request: object({
    id: Id,
    operation: oneOf(['read', 'write']),
    url: Type.String(),
    content: Type.Optional(Type.String({ description: 'With `write`: the whole new content.' })),
  }),
  host_uri_cancel: object({ id: Id, targetId: Id }),
  extension_error: object({ extensionPath: Type.String(), event: Type.String(), error: Type.String() }),
} as const;

/** What the host answers. */
export const answerFrames = {
  extension_ui_response: object({
    id: Id,
    value: Type.Optional(Type.String()),
    confirmed: Type.Optional(Type.Boolean()),
    cancelled: Type.Optional(Type.Boolean()),
    timedOut: Type.Optional(Type.Boolean()),
  }),
  host_tool_update: object({ id: Id, partialResult: ToolResultShape }),
  host_tool_result: object({ id: Id, result: ToolResultShape, isError: Type.Optional(Type.Boolean()) }),
  host_uri_result: object({
    id: Id,
    content: Type.Optional(Type.String()),
    contentType: Type.Optional(Type.String()),
    notes: Type.Optional(Type.Array(Type.String())),
    immutable: Type.Optional(Type.Boolean()),
    isError: Type.Optional(Type.Boolean()),
    error: Type.Optional(Type.String()),
  }),
} as const;

type Frames<T extends Record<string, Parameters<typeof Type.Array>[0]>> = {
  [N in keyof T]: { type: N } & Static<T[N]>;
};

/** Frames from the server that ask for something or tell about itself. */
export type RequestFrame = Frames<typeof requestFrames>[keyof typeof requestFrames];
/** Frames with which the host answers. */
export type AnswerFrame = Frames<typeof answerFrames>[keyof typeof answerFrames];
/** One kind of answer. */
export type AnswerOf<N extends keyof typeof answerFrames> = Frames<typeof answerFrames>[N];
/** A question or a notice for the user. */
export type InterfaceRequest = {
  [N in keyof typeof interfaceMethods]: { type: 'extension_ui_request'; method: N } & Static<
    (typeof interfaceMethods)[N]
  >;
}[keyof typeof interfaceMethods];
/** Events as the schema tells them; a test holds it to what the agent says. */
export type EventFrame = Frames<typeof eventFrames>[keyof typeof eventFrames];
