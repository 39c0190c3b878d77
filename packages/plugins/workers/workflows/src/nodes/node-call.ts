/** What the code of a node gets and gives. */
import type { ProcessMark } from '@tenon/state-files';
import type { NodeDefinition } from '../definition.ts';

/** One attempt at one step. */
export interface NodeCall {
  readonly workflow: string;
  readonly step: string;
  readonly node: NodeDefinition;
  readonly attempt: number;
  /** The run of an earlier attempt. */
  readonly run?: string;
  /** Why the attempt before this one failed. */
  readonly reason?: string;
  /** True when a person wants it tried again. */
  readonly isAgain: boolean;
  readonly cwd: string;
  /** True when an earlier attempt was cut off: it may have done a part of its work. */
  readonly wasInterrupted: boolean;
  readonly signal: AbortSignal;
  /** Writes down which run does the step. */
  begun(run: string): Promise<void>;
  /** Writes down which process does the step. */
  spawned(process: ProcessMark): Promise<void>;
  /** It waits for a person, and takes no slot meanwhile. */
  waits(message: string): void;
}

/** What a step gave. */
export interface StepResult {
  readonly output: unknown;
  /** US dollars. */
  readonly usd?: number;
}

/** A step that did not succeed, for a reason that can be told. */
export class StepFailure extends Error {
  readonly usd: number | undefined;

  constructor(reason: string, usd?: number) {
    super(reason);
    this.usd = usd;
  }
}
