/** A final answer as data. */
import { checkSchema, type JsonSchema, loadSchemaCompiler, problemText } from '@tenon/schema';
import { messageOf } from '@tenon/kernel';

/** An answer that was read: the value, or what is wrong with it. */
export type StructuredAnswer = { readonly value: unknown } | { readonly problem: string };

/** Loads what `structuredAnswer` needs. */
export function prepareStructured(schema: JsonSchema | undefined): Promise<void> | undefined {
  return schema && loadSchemaCompiler();
}

/** Checks a value against the schema. */
export function checkStructured(value: unknown, schema: JsonSchema): StructuredAnswer {
  let problems: ReturnType<typeof checkSchema>;
  try {
    problems = checkSchema(schema, value);
  } catch (fault) {
    // The schema is the caller's: one that cannot be compiled is a mismatch with a reason, not a crash of the run.
    return { problem: `the schema cannot be used: ${messageOf(fault)}` };
  }
  return problems.length === 0 ? { value } : { problem: problemText(problems) };
}

/** Reads a text as JSON that fits the schema. A code fence around it, and sentences around that, are forgiven. */
export function structuredAnswer(text: string, schema: JsonSchema): StructuredAnswer {
  const candidates = jsonIn(text);
  let first: StructuredAnswer | undefined;
  for (const value of candidates) {
    const answer = checkStructured(value, schema);
    if ('value' in answer) return answer;
    first ??= answer;
  }
  return first ?? { problem: text.trim() === '' ? 'the answer is empty' : 'the answer is no JSON' };
}

/** What a text holds as JSON: all of it, else its fenced blocks from the last to the first, else from its first to its last bracket. */
function jsonIn(text: string): unknown[] {
  const first = text.search(/[{[]/);
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const span = first !== -1 && last > first ? [text.slice(first, last + 1)] : [];
  return [text, ...fencedBlocks(text).reverse(), ...span].flatMap((candidate) => {
    try {
      return [JSON.parse(candidate) as unknown];
    } catch {
      // Not this part of the text.
      return [];
    }
  });
}

/** The contents of code fences. Line by line, because a pattern over the whole text could be made to run for hours. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let fence: string | undefined;
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^\s{0,8}(`{3,}|~{3,})\s{0,8}([^`]{0,80})$/.exec(line.trimEnd()) ?? [];
    if (fence === undefined) {
      if (mark !== '') [fence, lines] = [mark, []];
    } else if (mark.startsWith(fence) && rest === '') {
      blocks.push(lines.join('\n'));
      fence = undefined;
    } else lines.push(line);
  }
  return blocks;
}
