/** What the system prompt says about rules. */
import type { KnownRule } from './api.ts';
import { prompts, type ShownRule } from './prompts/index.ts';

/** How many tokens rules may take in the system prompt. */
export interface PromptBudget {
  readonly alwaysTokens: number;
  readonly listTokens: number;
}

/** About four characters are a token. */
const CHARS_PER_TOKEN = 4;
const MAX_DESCRIPTION = 300;

/** The part of the system prompt; undefined when there is nothing to say. `canRead` is false for a model without `read`. */
export function rulesSection(
  rules: readonly KnownRule[],
  { alwaysTokens, listTokens }: PromptBudget,
  canRead: boolean,
): string | undefined {
  const always = rules.filter(({ use, content }) => use === 'always' && content.trim() !== '');
  const { taken, rest } = fit(always, alwaysTokens, ({ content }) => content);
  // A text that has no room is still known by its name.
  const listable = [
    ...rest,
    ...rules.filter(({ use, description }) => use === 'listed' || (use === 'files' && description)),
  ];
  const listed = canRead ? fit(listable.map(shownInList), listTokens, lineOf) : { taken: [], rest: [] };
  const parts = [
    taken.length > 0
      ? prompts.alwaysApply(taken.map((rule) => ({ ...rule, content: rule.content.trim() })).map(shownWhole))
      : '',
    listed.taken.length > 0 || listed.rest.length > 0
      ? prompts.rulebook({ rules: listed.taken, leftOut: listed.rest.length })
      : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

function shownWhole({ name, content, isUntrusted }: KnownRule): ShownRule {
  return { name, content, ...(isUntrusted === true && { untrusted: true }) };
}

function shownInList({ name, description, globs, use }: KnownRule): ShownRule {
  const text = description?.replace(/\s+/g, ' ').trim() || (use === 'always' ? 'always holds; read it first' : '');
  const short = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
  return {
    name,
    ...(short !== '' && { description: short }),
    ...(globs && globs.length > 0 && { globs: globs.join(', ') }),
  };
}

function lineOf({ name, description = '', globs = '' }: ShownRule): string {
  return `- ${name}: ${description} (files: ${globs})\n`;
}

function fit<T>(items: readonly T[], tokens: number, textOf: (item: T) => string): { taken: T[]; rest: T[] } {
  let room = tokens * CHARS_PER_TOKEN;
  const taken: T[] = [];
  const rest: T[] = [];
  for (const item of items) {
    const size = textOf(item).length;
    if (size <= room) {
      room -= size;
      taken.push(item);
    } else rest.push(item);
  }
  return { taken, rest };
}
