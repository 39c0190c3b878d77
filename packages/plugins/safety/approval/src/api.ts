/** What other plugins may use: how risky a command is, and calls that wait for a person's answer. */
import { service } from '@tenon/kernel';
import type { Kinship } from './kin.ts';
import type { Mode as ApprovalMode } from './policy/decide.ts';
import type { SandboxRefusal, TextSpan, ToolCallEvent, TouchedCommand, WayOut } from '@tenon/tools/api';

export { approvalQuestion } from './decision.ts';
export { errors } from './errors.ts';
export { rulesOfTools, toolNamed } from './pre-approvals.ts';
export type { Kinship } from './kin.ts';
export type { Mode as ApprovalMode } from './policy/decide.ts';
export type { RuleData } from './policy/rule.ts';
export type { WayOut };

/**
 * How much harm a call can do. 0: reads only. 1: changes the workspace, builds, tests. 2: uses the network or is hard to undo.
 * 3: destroys something or cannot be undone.
 */
export type Tier = 0 | 1 | 2 | 3;

/** How risky something is, and why. */
export interface Judgement {
  readonly tier: Tier;
  /** What makes it so risky; empty for tier 0. */
  readonly reasons: readonly string[];
}

/** How risky a command is. */
export interface CommandJudgement extends Judgement {
  /** True when every word of it is understood. With tier 0 that proves that it changes nothing. */
  readonly understood: boolean;
  /** What is not understood, each the end of the sentence "not understood: …". */
  readonly notUnderstood: readonly string[];
}

/** How far a yes goes: this call once, calls like it in the same session, or calls like it from now on (a policy rule). */
export type Extent = 'once' | 'session' | 'always';

/** A call that waits for an answer, or was answered and not used yet. */
export interface HeldApproval extends Judgement {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The folder that the call works in. */
  readonly folder: string;
  /** Absent for calls outside of a session. */
  readonly session?: string;
  /** What people call the subagent that makes the call; absent when the agent itself does. */
  readonly subagent?: string;
  /** One line that says what would happen, cut where it is long. */
  readonly summary: string;
  /** The whole of what would happen: the command, or the input of the tool. */
  readonly text: string;
  /** The parts of the text that are risky or not understood, as far as they can be told. */
  readonly spans: readonly TextSpan[];
  /** What the sandbox has refused: the command has run once, and would run again with less confinement. */
  readonly refused?: readonly SandboxRefusal[];
  /** What the sandbox would refuse, by the words of the command; it has not run yet. */
  readonly expected?: readonly SandboxRefusal[];
  /** With `expected`: the programs of the command that need it, where others do not. All of the command would run so. */
  readonly needy?: readonly string[];
  /** With `expected`: the variables that the command would have outside, those of earlier commands too. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A yes holds for this call alone: nobody vouches for whoever makes it. */
  readonly onlyOnce?: true;
  /** The ways out of the sandbox that would help; only with `refused` or `expected`. */
  readonly ways?: readonly WayOut[];
  readonly state: 'waiting' | 'allowed' | 'denied';
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** Why it was denied. */
  readonly reason?: string;
}

/** Judges commands, and keeps the calls that somebody has to decide about. */
export interface Approvals {
  /** The mode that counts for the calls of a session. */
  modeOf(session: string): ApprovalMode;
  /**
   * What needs approval in a session and its subagents, whatever the settings say; undefined goes back to those. Only for what
   * the user chooses in person.
   */
  setMode(session: string, mode: ApprovalMode | undefined): void;
  /** Parses a shell command and says what it could do; nothing of it runs. */
  judgeCommand(command: string, about: Pick<TouchedCommand, 'cwd' | 'env' | 'definitions'>): Promise<CommandJudgement>;
  /** The calls that wait or were answered and not used yet, oldest first, of all processes. */
  held(): Promise<readonly HeldApproval[]>;
  /** Calls `onChange` when any process holds or answers a call, until the returned function is called. Where the system cannot tell, it stays silent. */
  watchHeld(onChange: () => void): () => void;
  /** Answers one, also for another process that waits for it. */
  answer(
    id: string,
    answer: 'allow' | 'deny',
    options?: { readonly extent?: Extent; readonly reason?: string; readonly way?: WayOut },
  ): Promise<HeldApproval>;
  /**
   * Lets calls of a session through without asking, until the returned function is called: for the `allowed-tools` of a skill
   * or a command that is being used (`Read`, `Bash(git add:*)`, `Edit(docs/**)`). Rules that deny or ask still hold, and so
   * does the question about what destroys. The caller sees to it that whoever wrote the list is trusted.
   */
  preApprove(session: string, tools: readonly string[]): () => void;
  /**
   * Notes that a session is that of a subagent, until the returned function is called. Questions about its calls name it; what
   * the user has allowed for the session that it works for holds in the same folder, what was ruled out holds everywhere.
   */
  adopt(session: string, kinship: Kinship): () => void;
  /** Refuses calls of a session, until the returned function is called; written in the same way. */
  preDeny(session: string, tools: readonly string[]): () => void;
  /** Whether a call that leaves the sandbox would go through without a question: by a rule, or because it was answered. Nothing is used up. */
  mayLeave(event: ToolCallEvent): Promise<boolean>;
  /**
   * Writes a call down that would leave the sandbox, and asks nobody: for one that ran in the background. Gives what a person
   * can do, in words; undefined when a rule decides.
   */
  holdLeaving(event: ToolCallEvent): Promise<string | undefined>;
  /** Whether somebody has said where the call with this id runs when the gate was asked last. */
  hasWayOut(callId: string): boolean;
  /**
   * How far; known once, and only for the very call that was judged: another command, folder or variable is not let out.
   * `sandbox`: somebody was offered more and chose the sandbox, so it is not asked about again.
   */
  takeWayOut(event: ToolCallEvent): WayOut | 'sandbox' | undefined;
}

/** Judges commands, and keeps the calls that somebody has to decide about. */
export const approvals = service<Approvals>('approvals');

/** Answers a call that another Tenon holds in a folder of its own, one that works for this one. False when it does not wait there. */
export async function answerHeldIn(
  folder: string,
  id: string,
  answer: { readonly isAllowed: boolean; readonly way?: WayOut },
): Promise<boolean> {
  return (await import('./held/answer-in.ts')).answerHeldIn(folder, id, answer);
}
