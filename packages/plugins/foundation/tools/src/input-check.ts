/** Checks a tool's input and, where it is almost right, repairs it. */
import { checkSchema, checkValue, messageOf, problemText } from '@tenon/kernel';
import type { Tool, ToolRisk } from './api.ts';

/** Input that fits the schema, or what is wrong with it. */
export type CheckedInput =
  | { readonly input: Record<string, unknown>; readonly repairs: readonly string[] }
  | { readonly problem: string };

/** Keys with which models explain themselves. To leave them out changes nothing about what a tool does. */
const REMARKS = new Set(['description', 'explanation', 'reason', 'reasoning', 'thought', 'comment', 'intent', 'title']);

/** Checks a copy of `input`; defaults are filled in. What the schema accepts is never changed otherwise. */
export async function checkInput(
  { parameters, translate }: Pick<Tool, 'parameters' | 'translate'>,
  name: string,
  raw: unknown,
  risk: ToolRisk | undefined,
): Promise<CheckedInput> {
  const input: unknown = structuredClone(raw);
  let problems;
  try {
    problems = await checkValue(parameters, input);
  } catch (fault) {
    return {
      problem: `The tool "${name}" cannot be used: its parameters are not a valid JSON Schema (${messageOf(fault)}).`,
    };
  }
  if (problems.length === 0 && isObject(input)) return { input, repairs: [] };
  const translated = isObject(raw) ? translate?.(raw) : undefined;
  if (translated && checkSchema(parameters, translated).length === 0)
    return { input: translated, repairs: [`it is read as ${JSON.stringify(translated)}`] };
  const { repairInput } = await import('./input-repair.ts');
  // A key that asks a tool for something, such as `dryRun`, must not be dropped where the tool changes things.
  const isHarmless = (key: string, value: unknown) => risk === 'read' || REMARKS.has(key) || isNothing(value);
  const { value, notes } = repairInput(parameters, structuredClone(raw), isHarmless);
  const rest = checkSchema(parameters, value);
  if (rest.length === 0 && isObject(value)) return { input: value, repairs: notes };
  const { inputShape } = await import('./input-shape.ts');
  const what = isObject(raw) || isObject(value) ? `is invalid: ${problemText(rest)}` : 'must be a JSON object';
  return {
    problem: `The input of "${name}" ${what}. Expected: ${inputShape(parameters)}. Correct it and call the tool again.`,
  };
}

/** The repairs as a warning for the model. */
export function repairWarning(repairs: readonly string[]): string {
  return `[The input was repaired: ${repairs.join('; ')}. Send it in the right form next time.]`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
