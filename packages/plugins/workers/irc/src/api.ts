/** What other plugins may know of messages between agents: the forms of the tool's details. */

/** An agent that can be written to. */
export interface IrcPeer {
  /** The id of its session. */
  readonly id: string;
  /** What people call it: its task, the title of its session, or `main`. */
  readonly name: string;
  readonly status: 'running' | 'idle';
  readonly cwd: string;
  readonly rooms: readonly string[];
  /** Its process, when that is another one than ours. */
  readonly pid?: number;
}

/** The `details` of `irc` with `op: "list"`. */
export interface IrcListDetails {
  readonly op: 'list';
  readonly from: string;
  readonly peers: readonly IrcPeer[];
  /** What can be written to: `all`, rooms and ids. */
  readonly channels: readonly string[];
}

/** The `details` of `irc` with `op: "send"`. */
export interface IrcSendDetails {
  readonly op: 'send';
  readonly from: string;
  readonly to: string;
  readonly delivered: readonly string[];
  readonly replies?: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  readonly failed?: readonly { readonly id: string; readonly error: string }[];
  readonly notFound?: readonly string[];
  /** Agents that wait for an answer of the sender themselves. */
  readonly crossed?: readonly string[];
}

export { errors } from './errors.ts';
