import { basename } from 'node:path';
import type { Document } from '../document-cache.ts';
import { Fields, present } from '../fields.ts';
import type { Rule } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

const MODES = ['never', 'prose-only', 'tool-only', 'always'] as const;

/** How a tool keeps its rules. */
export interface RuleOptions {
  readonly endings?: readonly string[];
  /** Also the folders inside. */
  readonly deep?: boolean;
  /** What the tool's own fields mean; replaces what the common ones say. */
  readonly translate?: (fields: Fields) => Partial<Rule>;
  readonly priority?: number;
}

/** For tools whose rules without conditions always count. */
export const alwaysApplies = (): Partial<Rule> => ({ alwaysApply: true });

/** Rules of a folder: Markdown with frontmatter, one rule a file. */
export async function readRules(search: Search<Rule>, folder: Origin, options: RuleOptions = {}): Promise<void> {
  const endings = options.endings ?? ['.md', '.mdc'];
  const all = await search.tree(folder, endings);
  const files = all.filter(({ parts }) => options.deep === true || parts.length === 1);
  const documents = await search.each(files, ({ place }) => search.markdown(place));
  for (const [index, { place, parts }] of files.entries()) {
    const document = documents[index];
    if (document) addRule(search, place, document, parts.join('/').replace(/\.\w+$/, ''), options);
  }
}

/** A rule that is a file of its own. */
export async function readRule(
  search: Search<Rule>,
  place: Origin,
  options: RuleOptions & { readonly name?: string } = {},
): Promise<void> {
  const document = await search.markdown(place);
  if (document) addRule(search, place, document, options.name ?? basename(place.path).replace(/\.\w+$/, ''), options);
}

function addRule(search: Search<Rule>, place: Origin, document: Document, name: string, options: RuleOptions): void {
  if (document.body === '') return;
  const fields = new Fields(document.data, (what) => search.wrong(place, what));
  const stream = streamFields(fields);
  const rule: Rule = {
    name,
    path: place.path,
    content: document.body,
    ...present({
      description: fields.text('description'),
      globs: fields.texts('globs', 'paths'),
      alwaysApply: fields.flag('alwaysApply', 'always-apply') === true ? true : undefined,
      interruptMode: fields.choice(MODES, 'interruptMode', 'interrupt-mode'),
      ...stream,
    }),
    ...options.translate?.(fields),
  };
  search.add({ key: name, value: rule, place, ...(options.priority !== undefined && { priority: options.priority }) });
}

/** A condition that looks like a glob means: whatever is written to such files. */
function streamFields(fields: Fields): Pick<Rule, 'condition' | 'scope'> {
  const value = fields.any('condition', 'ttsr_trigger', 'ttsrTrigger');
  if (value === undefined) return present({ scope: fields.texts('scope') });
  const conditions =
    (typeof value === 'string' ? [value] : fields.list('condition', 'ttsr_trigger', 'ttsrTrigger')) ?? [];
  const globs = conditions.filter(looksLikeGlob);
  const expressions = conditions.filter((text) => !looksLikeGlob(text));
  const condition = globs.length > 0 && expressions.length === 0 ? ['.*'] : expressions;
  const scope = [
    ...(fields.texts('scope') ?? []),
    ...globs.flatMap((glob) => [`tool:edit(${glob})`, `tool:write(${glob})`]),
  ];
  return { ...(condition.length > 0 && { condition }), ...(scope.length > 0 && { scope }) };
}

function looksLikeGlob(condition: string): boolean {
  if (/[\\^$|()+]|\.\*/.test(condition) || /\s/.test(condition)) return false;
  return /^(?:\*\*\/|\*\.|[\w@./-]+\/\*)/.test(condition) || /\*\.\{?[\w,]+\}?$/.test(condition);
}
