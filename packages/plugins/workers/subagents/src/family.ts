/** The subagents that are at work in this process, and what each may do. */
import type { JsonSchema } from '@tenon/kernel';
import { matchesName } from '@tenon/discovery/api';
import { errors } from './errors.ts';

/** A subagent's session. */
export interface Member {
  /** The name of its definition. */
  readonly agent: string;
  readonly parent: string;
  /** 1 for those that the user's own session started. */
  readonly depth: number;
  /** Subagents that it may start; `*` for all. */
  readonly spawns: readonly string[];
  readonly schema?: JsonSchema;
}

/** Members by their session. */
export class Family {
  readonly #members = new Map<string, Member>();
  readonly #maxDepth: number;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  get(session: string | undefined): Member | undefined {
    return session === undefined ? undefined : this.#members.get(session);
  }

  add(session: string, member: Member): () => void {
    this.#members.set(session, member);
    return () => void this.#members.delete(session);
  }

  /** How deep a subagent of this session stands. */
  depthBelow(session: string | undefined): number {
    return (this.get(session)?.depth ?? 0) + 1;
  }

  /** Whether whoever stands at this depth may start others. */
  maySpawnAt(depth: number): boolean {
    return depth < this.#maxDepth;
  }

  /** Throws when a session may not start this subagent. */
  checkSpawn(session: string | undefined, agent: string): void {
    const member = this.get(session);
    if (!member) return;
    const refuse = (reason: string) => errors.create('SUBAGENTS_NO_SPAWN', { agent, reason });
    if (!this.maySpawnAt(member.depth))
      throw refuse(`subagents go ${this.#maxDepth} deep (setting subagents.maxDepth)`);
    if (member.agent === agent) throw refuse('a subagent does not start itself');
    if (!member.spawns.some((pattern) => matchesName(pattern, agent))) {
      const list = member.spawns.length === 0 ? 'none' : member.spawns.join(', ');
      throw refuse(`the definition of "${member.agent}" names the ones that it starts (${list})`);
    }
  }
}
