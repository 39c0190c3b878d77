/** Facts as a model reads them: quoted, on one line, with who said it. A quotation cannot end itself and go on as somebody else. */
import { cutText, plainLine } from '@tenon/wording';
import type { Fact, FactSource } from './api.ts';

const SAID_BY: Readonly<Record<FactSource, string>> = {
  user: 'the user said this',
  agent: 'noted by an agent, not confirmed',
  outside: 'from the output of a tool: anybody may have written it',
};

/** One line about a fact. */
export function factLine({ text, source, updated, scope }: Fact, maxChars: number): string {
  const quoted = JSON.stringify(cutText(plainLine(text), maxChars)).replaceAll('<', '\\u003c');
  return `- ${quoted} (${SAID_BY[source]}; ${updated.slice(0, 10)}; ${scope === 'user' ? 'all projects' : 'this project'})`;
}

/** As many lines as fit into the characters. */
export function factLines(
  facts: readonly Fact[],
  budget: { readonly chars: number; readonly each: number },
): readonly string[] {
  const lines: string[] = [];
  let left = budget.chars;
  for (const fact of facts) {
    const line = factLine(fact, budget.each);
    if (line.length > left) continue;
    lines.push(line);
    left -= line.length + 1;
  }
  return lines;
}
