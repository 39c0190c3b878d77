/** Rules about files: each comes with the result of the first call that reads or changes such a file. */
import type { AgentSession } from '@tenon/agent/api';
import type { Session } from '@tenon/sessions/api';
import type { ToolResultEvent } from '@tenon/tools/api';
import type { KnownRule } from './api.ts';
import { type FileMatcher, fileMatcher } from './globs.ts';
import { prompts } from './prompts/index.ts';
import { filesOf } from './touched-files.ts';

/** The `customType` of an entry that notes which rules came with a result. */
const ATTACHED = 'tenon.rules-attached';

/** Attaches rules to results. */
export class FileRules {
  readonly #maxChars: number;
  /** What each session was told since its last summary. */
  readonly #attached = new Map<string, Set<string>>();
  readonly #matchers = new WeakMap<KnownRule, FileMatcher>();

  constructor(maxTokens: number) {
    this.#maxChars = maxTokens * 4;
  }

  /** The text that goes with a result; undefined when no rule is about its files. */
  textFor(event: ToolResultEvent, agent: AgentSession, rules: readonly KnownRule[]): string | undefined {
    if (event.result.isError === true) return undefined;
    const { session, cwd } = agent;
    const open = rules.filter(({ use, name }) => use === 'files' && !this.#attachedIn(session).has(name));
    const paths = open.length > 0 ? filesOf(event.touches, event.input, event.scope?.cwd ?? cwd) : [];
    if (paths.length === 0) return undefined;
    const fitting = open.filter((rule) => paths.some(this.#matcher(rule, cwd)));
    const shown = this.#bounded(fitting);
    if (shown.length === 0) return undefined;
    const names = shown.map(({ name }) => name);
    for (const name of names) this.#attachedIn(session).add(name);
    // The place of the entry is fixed at the call; that it could not be written is told to the next who writes.
    void session.append('custom', { customType: ATTACHED, data: { rules: names } }).catch(() => undefined);
    return prompts.attachedRules(shown);
  }

  /** The conversation was shortened or changed: what was told may be gone. */
  forget(session: string): void {
    this.#attached.delete(session);
  }

  #matcher(rule: KnownRule, cwd: string): FileMatcher {
    const matcher = this.#matchers.get(rule) ?? fileMatcher(rule.globs ?? [], cwd);
    this.#matchers.set(rule, matcher);
    return matcher;
  }

  /** As many as there is room for; a rule that is too long alone is cut, and says where the rest is. */
  #bounded(rules: readonly KnownRule[]): { name: string; content: string }[] {
    const shown: { name: string; content: string }[] = [];
    let room = this.#maxChars;
    for (const { name, content } of rules) {
      const text = content.trim();
      const cut =
        text.length > this.#maxChars ? `${text.slice(0, this.#maxChars)}…\n[Read rule://${name} for the rest.]` : text;
      if (cut.length > room && shown.length > 0) break;
      shown.push({ name, content: cut });
      room -= cut.length;
    }
    return shown;
  }

  #attachedIn(session: Session): Set<string> {
    const names = this.#attached.get(session.id) ?? attachedSinceSummary(session);
    this.#attached.set(session.id, names);
    return names;
  }
}

function attachedSinceSummary(session: Session): Set<string> {
  const names = new Set<string>();
  for (const entry of session.walk()) {
    if (entry.type === 'compaction') break;
    if (entry.type !== 'custom' || entry.customType !== ATTACHED) continue;
    const { rules } = (entry.data ?? {}) as { readonly rules?: unknown };
    if (Array.isArray(rules)) for (const rule of rules) if (typeof rule === 'string') names.add(rule);
  }
  return names;
}
