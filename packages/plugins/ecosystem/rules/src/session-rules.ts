/** The rules that each session works with: found anew for every prompt, and the same ones during it. */
import type { AgentSession } from '@tenon/agent/api';
import type { TenonError } from '@tenon/kernel';
import type { KnownRule, Rules } from './api.ts';
import { StreamRule } from './stream/stream-rule.ts';

/** The rules of one session. */
export interface SessionBook {
  readonly rules: readonly KnownRule[];
  readonly stream: readonly StreamRule[];
}

/** Keeps the rules of sessions. */
export class SessionRules {
  readonly #rulebook: Rules;
  readonly #report: (problem: TenonError) => void;
  readonly #books = new Map<string, Promise<SessionBook>>();
  readonly #reported = new Set<string>();
  readonly #slow = new Set<string>();

  constructor(rulebook: Rules, report: (problem: TenonError) => void) {
    this.#rulebook = rulebook;
    this.#report = (problem) => {
      if (this.#reported.has(problem.message)) return;
      this.#reported.add(problem.message);
      report(problem);
    };
  }

  /** Looks at the files again. */
  refresh(session: string, cwd: string, signal?: AbortSignal): Promise<SessionBook> {
    const book = this.#load(cwd, signal);
    this.#books.set(session, book);
    book.catch(() => this.#books.delete(session));
    return book;
  }

  /** What the last look found. */
  of({
    session,
    cwd,
  }: Pick<AgentSession, 'cwd'> & { readonly session: { readonly id: string } }): Promise<SessionBook> {
    return this.#books.get(session.id) ?? this.refresh(session.id, cwd);
  }

  /** Stops using a rule whose patterns take too long. */
  dropSlow({ name, path }: StreamRule, problem: TenonError): void {
    this.#slow.add(`${path}\n${name}`);
    this.#report(problem);
  }

  /** The session is over. */
  forget(session: string): void {
    this.#books.delete(session);
  }

  async #load(cwd: string, signal: AbortSignal | undefined): Promise<SessionBook> {
    const rules = await this.#rulebook.list(cwd, signal);
    const stream = rules
      .filter(({ use, name, path }) => use === 'stream' && !this.#slow.has(`${path}\n${name}`))
      .map((rule) => new StreamRule(rule, cwd, this.#report))
      .filter(({ isUsable }) => isUsable);
    return { rules, stream };
  }
}
