/** Which stream rules a session was told already. The session's own entries are the memory, so that a restart knows. */
import type { Session } from '@tenon/sessions/api';

/** How often a rule may cut in. */
export interface RepeatPolicy {
  /** `once` in a session, or again `after-gap`. */
  readonly repeatMode: 'once' | 'after-gap';
  /** How many answers must lie between two times. */
  readonly repeatGap: number;
}

interface Remembered {
  /** Which answer it is now; answers before the start of this process have numbers below zero. */
  answer: number;
  readonly announcements: Map<string, number>;
}

/** Remembers for each session when its rules were told. */
export class RuleMemory {
  readonly #policy: RepeatPolicy;
  readonly #sessions = new Map<string, Remembered>();

  constructor(policy: RepeatPolicy) {
    this.#policy = policy;
  }

  /** Whether a rule may speak up in the session now. */
  mayTell(session: Session, rule: string): boolean {
    const { answer, announcements } = this.#of(session);
    const before = announcements.get(rule);
    if (before === undefined) return true;
    return this.#policy.repeatMode === 'after-gap' && answer - before >= Math.max(1, this.#policy.repeatGap);
  }

  /** Notes that rules are being told. */
  note(session: Session, rules: readonly string[]): void {
    const { answer, announcements } = this.#of(session);
    for (const rule of rules) announcements.set(rule, answer);
  }

  /** An answer is complete. One that was cut off does not count: a rule must not follow on itself for ever. */
  answered(session: Session): void {
    this.#of(session).answer++;
  }

  /** The session is on another branch, or gone. */
  forget(session: string): void {
    this.#sessions.delete(session);
  }

  #of(session: Session): Remembered {
    const memory = this.#sessions.get(session.id) ?? remembered(session);
    this.#sessions.set(session.id, memory);
    return memory;
  }
}

function remembered(session: Session): Remembered {
  const announcements = new Map<string, number>();
  let answers = 0;
  for (const entry of session.walk()) {
    if (entry.type === 'message' && entry.message.role === 'assistant' && entry.message.stopReason !== 'aborted') {
      answers++;
    } else if (entry.type === 'ttsr_injection') {
      for (const rule of entry.injectedRules) if (!announcements.has(rule)) announcements.set(rule, -answers);
    }
  }
  return { answer: 0, announcements };
}
