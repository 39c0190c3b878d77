/** Questions of a form as the fields of a JSON Schema, for programs that show such forms: editors and MCP clients. */
import type { FieldForm, FormAnswer, FormQuestion } from './user-interface.ts';

/** The fields of the questions, by their ids. */
export function formFields(questions: readonly FormQuestion[]): FieldForm['properties'] {
  return Object.fromEntries(questions.map((question) => [question.id, fieldOf(question)]));
}

function fieldOf({ question, options, multi, recommended }: FormQuestion): Readonly<Record<string, unknown>> {
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  if (multi === true) return { type: 'array', title: question, items: { anyOf: choices } };
  const standard = recommended === undefined ? undefined : options[recommended]?.label;
  return { type: 'string', title: question, oneOf: choices, ...(standard !== undefined && { default: standard }) };
}

/** The answer to a question, by what the field came back with. What is no option is the person's own words. */
export function formAnswer({ id, options }: FormQuestion, value: unknown): FormAnswer {
  const given = (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');
  const labels = options.map(({ label }) => label);
  const custom = given.filter((one) => !labels.includes(one)).join(', ');
  return { id, selected: labels.filter((label) => given.includes(label)), ...(custom !== '' && { custom }) };
}
