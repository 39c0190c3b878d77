/** A server asks the user for something, by a form of simple fields or by a page of its own. */
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import type { UserInterface } from '@tenon/host';
import { type Choice, choicesOf, countProblem, type Field, type FieldValue, labelOf, readTyped } from './form-field.ts';

/** How often a field is asked for whose answer does not fit. */
const MOST_TRIES = 3;

/** Asks the user. Where nobody can answer, the request is declined at once. */
export async function elicit(
  ui: UserInterface | undefined,
  server: string,
  params: ElicitRequestParams,
  signal: AbortSignal,
): Promise<ElicitResult> {
  if (ui?.canAsk() !== true) return { action: 'decline' };
  const title = `The MCP server "${server}" asks: ${params.message}`;
  if ('url' in params) {
    const isOpened = await ui.confirm(title, `Open this page, and confirm when you are done: ${params.url}`, {
      signal,
    });
    return { action: isOpened ? 'accept' : 'decline' };
  }
  const { properties = {}, required = [] } = params.requestedSchema as {
    properties?: Readonly<Record<string, Field>>;
    required?: readonly string[];
  };
  const content: Record<string, FieldValue> = {};
  if (Object.keys(properties).length === 0) {
    return (await ui.confirm(title, 'Answer yes?', { signal })) ? { action: 'accept', content } : { action: 'decline' };
  }
  // An editor, or an agent that Tenon works for, shows the form as the server wrote it.
  if (ui.askForm) return (await ui.askForm({ message: title, properties, required }, { signal })) as ElicitResult;
  for (const [name, field] of Object.entries(properties)) {
    const answer = await askField(ui, `${title}\n${labelOf(name, field)}`, field, signal);
    // The first question that is waved away ends the form.
    if (answer === undefined && required.includes(name)) return { action: 'cancel' };
    if (answer !== undefined) content[name] = answer;
  }
  return { action: 'accept', content };
}

type Attempt = { readonly value: FieldValue | undefined } | { readonly problem: string };

/** The answer; nothing when the question was waved away: a default is the server's word, and only an empty answer takes it. */
async function askField(
  ui: UserInterface,
  title: string,
  field: Field,
  signal: AbortSignal,
): Promise<FieldValue | undefined> {
  let shown = title;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const attempt = await ask(ui, shown, field, signal);
    if ('value' in attempt) return attempt.value;
    shown = `${title}\nThat does not fit: ${attempt.problem}.`;
  }
  return undefined;
}

async function ask(ui: UserInterface, title: string, field: Field, signal: AbortSignal): Promise<Attempt> {
  const fallback = field['default'] as FieldValue | undefined;
  if (field['type'] === 'array') return askMany(ui, title, field, signal);
  const choices = field['type'] === 'boolean' ? YES_OR_NO : choicesOf(field);
  if (choices) {
    const value = await choose(ui, title, choices, fallback, signal);
    return { value: field['type'] === 'boolean' && value !== undefined ? value === 'true' : value };
  }
  const typed = await ui.input(title, fallback === undefined ? undefined : String(fallback), { signal });
  if (typed === undefined) return { value: undefined };
  return typed.trim() === '' ? { value: fallback } : readTyped(field, typed);
}

const YES_OR_NO: readonly Choice[] = [
  { label: 'yes', value: 'true' },
  { label: 'no', value: 'false' },
];

/** One of the choices. The default comes first, where Enter takes it. */
async function choose(
  ui: UserInterface,
  title: string,
  choices: readonly Choice[],
  fallback: FieldValue | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isDefault = ({ value }: Choice) => Number(value === String(fallback));
  const sorted = choices.toSorted((left, right) => isDefault(right) - isDefault(left));
  const chosen = await ui.select(
    title,
    sorted.map(({ label }) => label),
    { signal },
  );
  return sorted.find(({ label }) => label === chosen)?.value;
}

/** Several of the choices: ticked where there is a form for that, else typed. */
async function askMany(ui: UserInterface, title: string, field: Field, signal: AbortSignal): Promise<Attempt> {
  const choices = choicesOf((field['items'] ?? {}) as Field) ?? [];
  const fallback = field['default'] as FieldValue | undefined;
  const words = ui.fillIn ? await tick(ui.fillIn, title, choices, signal) : await typeMany(ui, title, choices, signal);
  if (words === undefined) return { value: undefined };
  if (words.length === 0 && fallback !== undefined) return { value: fallback };
  const unknown = words.find((word) => !choices.some(({ label, value }) => [label, value].includes(word)));
  if (unknown !== undefined) return { problem: `"${unknown}" is none of them` };
  const value = choices.filter((choice) => words.some((word) => [choice.label, choice.value].includes(word)));
  const problem = countProblem(field, value.length);
  return problem === undefined ? { value: value.map((choice) => choice.value) } : { problem };
}

async function tick(
  fillIn: NonNullable<UserInterface['fillIn']>,
  question: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const options = choices.map(({ label }) => ({ label }));
  const answers = await fillIn([{ id: 'choice', question, options, multi: true }], { signal });
  const [answer] = answers ?? [];
  return answer && [...answer.selected, ...(answer.custom === undefined ? [] : wordsOf(answer.custom))];
}

async function typeMany(
  ui: UserInterface,
  title: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const listed = choices.map(({ label }) => label).join(', ');
  const typed = await ui.input(`${title}\nSeveral, separated by commas: ${listed}`, undefined, { signal });
  return typed === undefined ? undefined : wordsOf(typed);
}

function wordsOf(typed: string): string[] {
  return typed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
