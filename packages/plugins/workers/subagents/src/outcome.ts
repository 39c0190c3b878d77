/** What a subagent's work comes to: what it handed over, or what can be saved of its last answer. */
import { checkSchema, type JsonSchema, loadSchemaCompiler, problemText } from '@tenon/kernel';
import type { SubagentResult } from './run-types.ts';

/** How a task ended. */
export interface Outcome {
  readonly status: 'completed' | 'failed' | 'aborted';
  /** The whole result as text; JSON where a schema was asked for. */
  readonly output: string;
  /** Why it did not end well. */
  readonly error?: string;
  readonly warnings: readonly string[];
}

/** Judges what came of a subagent. */
export async function outcomeOf(result: SubagentResult, schema: JsonSchema | undefined): Promise<Outcome> {
  const { yielded, answer, error, isStopped } = result;
  const warnings = result.warnings ?? [];
  if (yielded && 'data' in yielded) return { status: 'completed', output: textOf(yielded.data), warnings };
  if (yielded) return { status: 'aborted', output: answer, error: yielded.aborted, warnings };
  if (isStopped) return { status: 'aborted', output: answer, error: error ?? 'It was stopped.', warnings };
  if (error !== undefined) return { status: 'failed', output: answer, error, warnings };
  const missing = 'It never called `yield`; its last answer stands for the result';
  if (answer.trim() === '') return { status: 'failed', output: '', error: 'It ended without a result.', warnings };
  if (!schema) return { status: 'completed', output: answer, warnings: [...warnings, missing] };
  const saved = await savedData(answer, schema);
  if ('data' in saved) return { status: 'completed', output: textOf(saved.data), warnings: [...warnings, missing] };
  return {
    status: 'failed',
    output: answer,
    error: `It never called \`yield\`, and its last answer does not fit the schema: ${saved.problem}`,
    warnings,
  };
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data, null, 2);
}

/** JSON in an answer that fits the schema: all of it, in a fence, or from the first bracket to the last. */
async function savedData(
  answer: string,
  schema: JsonSchema,
): Promise<{ readonly data: unknown } | { readonly problem: string }> {
  await loadSchemaCompiler();
  let problem = 'it holds no JSON';
  for (const text of jsonTexts(answer)) {
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      continue; // Only one of several ways to find JSON in a text.
    }
    const problems = checkSchema(schema, data);
    if (problems.length === 0) return { data };
    problem = problemText(problems);
  }
  return { problem };
}

function jsonTexts(answer: string): string[] {
  const fences = [...answer.matchAll(/^```\w*[ \t]*\n([\s\S]*?)\n```[ \t]*$/gm)].map(([, inside = '']) => inside);
  const between = (open: string, close: string) => answer.slice(answer.indexOf(open), answer.lastIndexOf(close) + 1);
  return [answer, ...fences.toReversed(), between('{', '}'), between('[', ']')].filter((text) => text.trim() !== '');
}
