/** What skills and commands that are being used may do without asking. It is kept in memory: it holds while they are used. */
import { patternWords } from './policy/patterns.ts';
import type { RuleData } from './policy/rule.ts';

/** The names that other tools give to ours. */
const NAMES: Readonly<Record<string, string>> = {
  multiedit: 'edit',
  notebookedit: 'edit',
  grep: 'search',
  glob: 'find',
  ls: 'read',
  webfetch: 'fetch',
  websearch: 'web_search',
  shell: 'bash',
};

/** Our name for a tool of another agent: `Grep` is `search`. Those of MCP servers are what they are. */
export function toolNamed(name: string): string {
  return name.startsWith('mcp__') ? name : (NAMES[name.toLowerCase()] ?? name.toLowerCase());
}

/** The rules for a list of tools; what cannot be read says nothing. */
export function rulesOfTools(tools: readonly string[], decide: 'allow' | 'deny' = 'allow'): RuleData[] {
  return tools.flatMap((written): RuleData[] => {
    const [, name, limit] = /^([\w.-]+)(?:\((.*)\))?$/s.exec(written.trim()) ?? [];
    if (name === undefined) return [];
    const tool = toolNamed(name);
    const inner = limit?.trim();
    if (inner === undefined || inner === '' || inner === '*') {
      // Any program, but not what else a call may ask for: files elsewhere, or to leave the sandbox.
      return [{ decide, tool, ...(tool === 'bash' && decide === 'allow' && { command: ['**'] }) }];
    }
    if (tool !== 'bash') return [{ decide, tool, path: inner.replace(/^\/\//, '/') }];
    // `git add:*` is everything that begins with these words.
    const isOpen = inner.endsWith(':*');
    const words = patternWords(inner.replace(/:\*$/, ''));
    return [{ decide, tool, command: isOpen ? [...words, '*'] : words }];
  });
}

/** The lists that hold at the moment, by session. */
export class PreApprovals {
  readonly #lists = new Map<string, Set<readonly RuleData[]>>();

  /** Adds a list; the function that it gives takes it away again. */
  add(session: string, tools: readonly string[], decide: 'allow' | 'deny' = 'allow'): () => void {
    const reason = decide === 'deny' && { reason: 'the user has ruled it out for this run (--disallowed-tools)' };
    const rules = rulesOfTools(tools, decide).map((rule) => ({ ...rule, ...reason }));
    const lists = this.#lists.get(session) ?? new Set();
    this.#lists.set(session, lists.add(rules));
    return () => {
      lists.delete(rules);
      if (lists.size === 0 && this.#lists.get(session) === lists) this.#lists.delete(session);
    };
  }

  /** Whether calls of a session are refused, so that reading ones are looked at, too. */
  denies(session: string): boolean {
    return this.of(session).some(({ decide }) => decide === 'deny');
  }

  /** What holds for a session. */
  of(session: string): readonly RuleData[] {
    return [...(this.#lists.get(session) ?? [])].flat();
  }
}
