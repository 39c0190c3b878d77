/** One field of a server's form: its choices, how it is shown, and whether an answer fits. */

/** The schema of a field, as the server wrote it. */
export type Field = Readonly<Record<string, unknown>>;
export type FieldValue = string | number | boolean | string[];

export interface Choice {
  readonly label: string;
  readonly value: string;
}

/** What the person reads above the field. */
export function labelOf(name: string, { title, description, default: fallback }: Field): string {
  const parts = [typeof title === 'string' ? title : name, description].filter((part) => typeof part === 'string');
  return `${parts.join(': ')}${fallback === undefined ? '' : ` (default: ${JSON.stringify(fallback)})`}`;
}

/** The choices of a field, in each of the ways in which a schema may list them. */
export function choicesOf(field: Field): readonly Choice[] | undefined {
  const titled = field['oneOf'] ?? field['anyOf'];
  if (Array.isArray(titled)) {
    return titled.map((choice: { const?: unknown; title?: unknown }) => ({
      value: String(choice.const),
      label: String(choice.title ?? choice.const),
    }));
  }
  const values = field['enum'];
  if (!Array.isArray(values)) return undefined;
  const names = Array.isArray(field['enumNames']) ? field['enumNames'] : values;
  return values.map((value: unknown, index) => ({ value: String(value), label: String(names[index] ?? value) }));
}

/** The value of a text that somebody typed, or what is wrong with it. */
export function readTyped(field: Field, typed: string): { readonly value: FieldValue } | { readonly problem: string } {
  if (field['type'] !== 'number' && field['type'] !== 'integer') {
    const problem = textProblem(field, typed);
    return problem === undefined ? { value: typed } : { problem };
  }
  const value = Number(typed);
  if (!Number.isFinite(value)) return { problem: 'a number is wanted' };
  if (field['type'] === 'integer' && !Number.isInteger(value)) return { problem: 'a whole number is wanted' };
  const { minimum, maximum } = field;
  if (typeof minimum === 'number' && value < minimum) return { problem: `at least ${minimum} is wanted` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `at most ${maximum} is wanted` };
  return { value };
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
};

function textProblem({ minLength, maxLength, format }: Field, text: string): string | undefined {
  const { length } = [...text];
  if (typeof minLength === 'number' && length < minLength) return `at least ${minLength} characters are wanted`;
  if (typeof maxLength === 'number' && length > maxLength) return `at most ${maxLength} characters are wanted`;
  const fits = typeof format === 'string' ? FORMATS[format] : undefined;
  return fits?.(text) === false ? `"${String(format)}" is wanted` : undefined;
}

/** What is wrong with a choice of several; nothing when it fits. */
export function countProblem({ minItems, maxItems }: Field, count: number): string | undefined {
  if (typeof minItems === 'number' && count < minItems) return `at least ${minItems} are wanted`;
  if (typeof maxItems === 'number' && count > maxItems) return `at most ${maxItems} are wanted`;
  return undefined;
}
