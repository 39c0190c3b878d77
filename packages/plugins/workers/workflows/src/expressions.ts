/** Values of a workflow in its texts (`{{tests.output}}`) and conditions (`tests.code != 0 and inputs.fix`). */

/** What texts and conditions can name: inputs, the item of a list, and what nodes gave. */
export type Values = Readonly<Record<string, unknown>>;

/** The value that a dotted path leads to; undefined when there is none. Only own properties count. */
export function valueAt(values: Values, path: string): unknown {
  let value: unknown = values;
  for (const name of path.trim().split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The paths that a text names. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map(([, path = '']) => path);
}

/** A text with its values; `quote` makes each value harmless where it is put. `missing` is told a path that leads nowhere. */
export function filled(
  text: string,
  values: Values,
  { quote = (value: string) => value, missing }: { quote?(value: string): string; missing(path: string): never },
): string {
  return text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, path: string) => {
    const value = valueAt(values, path);
    return value === undefined ? missing(path) : quote(asText(value));
  });
}

/** A value as text: data as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a condition holds: comparisons of paths with values, joined by `and` and `or` (`and` binds closer), each with `not` before it. */
export function holds(condition: string, values: Values): boolean {
  return condition
    .split(/\s+or\s+/)
    .some((part) => part.split(/\s+and\s+/).every((term) => termHolds(term.trim(), values)));
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
