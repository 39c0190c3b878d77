/** A server asks the user for something, by a form of simple fields or by a page of its own. */
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import type { UserInterface } from '@tenon/host';

type Value = string | number | boolean | string[];
type Field = Readonly<Record<string, unknown>>;

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
  const content: Record<string, Value> = {};
  if (Object.keys(properties).length === 0) {
    return (await ui.confirm(title, 'Answer yes?', { signal })) ? { action: 'accept', content } : { action: 'decline' };
  }
  for (const [name, field] of Object.entries(properties)) {
    const answer = await askField(ui, `${title}\n${labelOf(name, field)}`, field, signal);
    // The first question that is waved away ends the form.
    if (answer === undefined && required.includes(name)) return { action: 'cancel' };
    if (answer !== undefined) content[name] = answer;
  }
  return { action: 'accept', content };
}

function labelOf(name: string, { title, description, default: fallback }: Field): string {
  const parts = [typeof title === 'string' ? title : name, description].filter((part) => typeof part === 'string');
  return `${parts.join(': ')}${fallback === undefined ? '' : ` (default: ${JSON.stringify(fallback)})`}`;
}

/** The answer; nothing when the question was waved away: a default is the server's word, and only an empty answer takes it. */
async function askField(
  ui: UserInterface,
  title: string,
  field: Field,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const fallback = field['default'] as Value | undefined;
  const choices = choicesOf(field);
  if (field['type'] === 'array')
    return askMany(ui, title, choicesOf((field['items'] ?? {}) as Field), { fallback, signal });
  if (choices) {
    const labels = choices.map(({ label }) => label);
    const chosen = await ui.select(title, labels, { signal });
    return choices.find(({ label }) => label === chosen)?.value;
  }
  if (field['type'] === 'boolean') {
    const chosen = await ui.select(title, ['yes', 'no'], { signal });
    return chosen === undefined ? undefined : chosen === 'yes';
  }
  const typed = await ui.input(title, fallback === undefined ? undefined : String(fallback), { signal });
  if (typed === undefined) return undefined;
  if (typed.trim() === '') return fallback;
  if (field['type'] !== 'number' && field['type'] !== 'integer') return typed;
  const number = Number(typed);
  const fits = Number.isFinite(number) && (field['type'] === 'number' || Number.isInteger(number));
  return fits ? number : fallback;
}

async function askMany(
  ui: UserInterface,
  title: string,
  choices: readonly Choice[] | undefined,
  { fallback, signal }: { fallback: Value | undefined; signal: AbortSignal },
): Promise<Value | undefined> {
  const listed = (choices ?? []).map(({ label }) => label).join(', ');
  const typed = await ui.input(`${title}\nSeveral, separated by commas: ${listed}`, undefined, { signal });
  if (typed === undefined) return undefined;
  if (typed.trim() === '') return fallback;
  const words = typed.split(',').map((word) => word.trim());
  return (choices ?? [])
    .filter(({ label, value }) => words.includes(label) || words.includes(value))
    .map(({ value }) => value);
}

interface Choice {
  readonly label: string;
  readonly value: string;
}

/** The choices of a field, in each of the ways in which a schema may list them. */
function choicesOf(field: Field): readonly Choice[] | undefined {
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
