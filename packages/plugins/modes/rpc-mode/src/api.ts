/** The RPC protocol: its commands, responses and frames, as types and as schemas. */
import type { AgentEvent } from '@tenon/agent/api';
import type { Static, TSchema } from '@tenon/kernel';
import type { StreamEvent } from '@tenon/models/api';
import type { rpcCommands } from './commands-table.ts';
import type { AnswerFrame, InterfaceRequest, RequestFrame } from './frames.ts';

type Table = typeof rpcCommands;

/** The name of a command. */
export type RpcCommandName = keyof Table;

/** What a command takes. */
export type RpcParams<N extends RpcCommandName> = Static<Table[N]['params']>;

/** What a command gives; nothing for those that only do something. */
export type RpcData<N extends RpcCommandName> = Table[N] extends { readonly data: infer D extends TSchema }
  ? Static<D>
  : undefined;

/** What a host calls a command by: text, or a number as hosts count that speak other protocols too. */
export type CommandId = string | number;

/** A command as it goes over the wire. */
export type RpcCommand<Id extends CommandId = string> = {
  [N in RpcCommandName]: { id?: Id; type: N } & RpcParams<N>;
}[RpcCommandName];

/** What answers a command. `id` is the command's, always. */
export type RpcResponse<Id extends CommandId = string> =
  | {
      [N in RpcCommandName]: { id?: Id; type: 'response'; command: N; success: true; data?: RpcData<N> };
    }[RpcCommandName]
  | { id?: Id; type: 'response'; command: string; success: false; error: string };

type WithoutCopy<E> = E extends unknown ? Omit<E, 'partial'> : never;

/** An event as it goes over the wire: an update of an answer carries what is new, and no copy of the answer. */
export type RpcEvent =
  | Exclude<AgentEvent, { type: 'message_update' }>
  | {
      readonly type: 'message_update';
      readonly message: { readonly role: 'assistant'; readonly content: readonly [] };
      readonly assistantMessageEvent: WithoutCopy<StreamEvent>;
    };

/** All that the server writes. */
export type RpcOutput = RequestFrame | RpcResponse | InterfaceRequest | RpcEvent;

/** All that the host writes. */
export type RpcInput = RpcCommand | AnswerFrame;

export type { AnswerFrame, AnswerOf, EventFrame, InterfaceRequest, RequestFrame } from './frames.ts';
export type {
  BashResult,
  HostTool,
  HostToolResult,
  HostUriScheme,
  SessionState,
  SessionStats,
  TodoPhase,
} from './shapes.ts';
export { rpcCommands } from './commands-table.ts';
export { answerFrames, eventFrames, interfaceMethods, requestFrames } from './frames.ts';
export { errors } from './errors.ts';
