/** Values of a workflow in its texts (`{{tests.output}}`) and conditions (`tests.code != 0 and inputs.fix`). */

/** What texts and conditions can name: inputs, the item of a list, and what nodes gave. */
export type Values = Readonly<Record<string, unknown>>;

/** A value in a text. */
export const PLACE = /\{\{\s*([^{}]+?)\s*\}\}/;

/** The value that a dotted path leads to; undefined when there is none. Only own properties count. */
export function valueAt(values: Values, path: string): unknown {
  let value: unknown = values;
  for (const name of path.trim().split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A text with its values. `missing` is told a path that leads nowhere. */
export function filled(text: string, values: Values, { missing }: { missing(path: string): never }): string {
  return text.replaceAll(new RegExp(PLACE.source, 'g'), (_, path: string) => {
    const value = valueAt(values, path);
    return value === undefined ? missing(path) : asText(value);
  });
}

/** A value as text: data as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a condition holds: comparisons of paths with values, joined by `and` and `or` (`and` binds closer), each with `not` before it. */
export function holds(condition: string, values: Values): boolean {
  return parted(condition, 'or').some((part) => parted(part, 'and').every((term) => termHolds(term.trim(), values)));
}

/** Parts of a condition between a word; what stands in quotes is no such word. */
function parted(condition: string, word: 'and' | 'or'): string[] {
  const parts = [''];
  for (const [piece] of condition.matchAll(new RegExp(`"[^"]*"|'[^']*'|\\s+${word}\\s+|[^]`, 'g'))) {
    if (piece.trim() === word && piece !== word) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts;
}

function termHolds(term: string, values: Values): boolean {
  const [, negated] = /^not\s+(.+)$/s.exec(term) ?? [];
  if (negated !== undefined) return !termHolds(negated, values);
  const [, path = '', operator, wanted = ''] = /^(\S+)\s*(==|!=|<=|>=|<|>|contains)\s*(.+)$/s.exec(term) ?? [];
  if (operator === undefined) return isTrue(valueAt(values, term));
  const found = valueAt(values, path);
  const value = literal(wanted.trim(), values);
  switch (operator) {
    case '==':
      return asText(found ?? '') === asText(value ?? '');
    case '!=':
      return asText(found ?? '') !== asText(value ?? '');
    case 'contains':
      return Array.isArray(found)
        ? found.some((item) => asText(item) === asText(value ?? ''))
        : asText(found ?? '').includes(asText(value ?? ''));
    case '<':
      return Number(found) < Number(value);
    case '>':
      return Number(found) > Number(value);
    case '<=':
      return Number(found) <= Number(value);
    default:
      return Number(found) >= Number(value);
  }
}

function literal(text: string, values: Values): unknown {
  const [, quoted] = /^"([^"]*)"$|^'([^']*)'$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (quoted !== undefined) return quoted;
  if (/^""$|^''$/.test(text)) return '';
  if (/^-?\d+(?:\.\d+)?$|^true$|^false$/.test(text)) return JSON.parse(text) as unknown;
  return valueAt(values, text);
}

function isTrue(value: unknown): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === false ||
    value === 0 ||
    value === '' ||
    value === 'false' ||
    value === 'no'
  );
}
