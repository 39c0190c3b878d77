/**
 * Replacement templates: text with metavariables, filled in so that the indentation of several lines stays right.
 *
 * Captured lines lose the indentation they had before and get that of their slot in the template; the
 * result gets that of the code it replaces. Only blanks count as indentation.
 */
import type { Environment } from './matching.ts';
import { byteLength } from './source-text.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** A template split into its texts and the variables between them. */
export interface Template {
  readonly texts: readonly string[];
  readonly slots: readonly { readonly name: string; readonly multiple: boolean; readonly indent: number }[];
}

/** Splits a template; `$` that does not start a metavariable stays text. */
export function compileTemplate(source: string): Template {
  const texts: string[] = [];
  const slots: { name: string; multiple: boolean; indent: number }[] = [];
  let from = 0;
  let search = 0;
  for (;;) {
    const at = source.indexOf('$', search);
    if (at < 0) break;
    const variable = /^(\${1,3})([A-Z_][A-Z0-9_]*)/.exec(source.slice(at));
    if (variable === null) {
      search = at + 1;
      continue;
    }
    texts.push(source.slice(from, at));
    slots.push({ name: variable[2] ?? '', multiple: variable[1] === '$$$', indent: indentBefore(source, at) });
    from = at + variable[0].length;
    search = from;
  }
  texts.push(source.slice(from));
  return { texts, slots };
}

/** The first variable of a template that is not among `bound`, as it is written. */
export function unboundVariable({ slots }: Template, bound: readonly string[]): string | undefined {
  return slots.map(({ name, multiple }) => `${multiple ? '$$$' : '$'}${name}`).find((slot) => !bound.includes(slot));
}

/** The text that replaces a match which starts at `start`. */
export function fillTemplate(template: Template, environment: Environment, source: string, start: number): string {
  let filled = template.texts[0] ?? '';
  template.slots.forEach((slot, at) => {
    const nodes = slot.multiple ? environment.multiple.get(slot.name) : single(environment, slot.name);
    const first = nodes?.[0];
    const last = nodes?.at(-1);
    if (first !== undefined && last !== undefined) {
      const text = source.slice(first.start, last.end);
      const indent = text.includes('\n') ? indentBefore(source, first.start) : slot.indent;
      filled += reindent(text, indent, slot.indent);
    }
    filled += template.texts[at + 1] ?? '';
  });
  return reindent(filled, 0, indentBefore(source, start));
}

function single(environment: Environment, name: string): readonly SyntaxNode[] | undefined {
  const node = environment.single.get(name);
  return node && [node];
}

/** All lines but the first move from one indentation to another; only lines that have the old one lose it. */
function reindent(text: string, from: number, to: number): string {
  if (from === to) return text;
  const lines = text.split('\n');
  if (from > to) {
    const surplus = ' '.repeat(from - to);
    return lines.map((line) => (line.startsWith(surplus) ? line.slice(surplus.length) : line)).join('\n');
  }
  return lines.join(`\n${' '.repeat(to - from)}`);
}

/** How far back a line's start is looked for, in bytes, so that one endless line does not cost its square. */
const LOOK_BACK = 512;

/** The number of blanks that the line at `offset` starts with. */
function indentBefore(text: string, offset: number): number {
  let indent = 0;
  let bytes = 0;
  for (let at = offset - 1; at >= 0; at -= 1) {
    bytes += byteLength(text, at, at + 1);
    if (bytes > LOOK_BACK) return 0;
    const character = text[at];
    if (character === '\n') return indent;
    indent = character === ' ' ? indent + 1 : 0;
  }
  return indent;
}
