/** `${name%pattern}` and its relatives, for values that are known. */
import { UNKNOWN, known, type Value } from './values.ts';

/** What is cut off a value. */
export interface Cut {
  readonly operator: '#' | '##' | '%' | '%%';
  readonly pattern: string;
}

/** The value without what matches at its beginning or end. */
export function cutValue(value: Value, { operator, pattern }: Cut): Value {
  const { text } = value;
  if (text === undefined) {
    // A name without its ending still lies where it lay.
    const staysThere = value.below !== undefined && value.isList !== true && operator === '%' && !/[*?/]/.test(pattern);
    return staysThere ? value : UNKNOWN;
  }
  const expression = new RegExp(
    `^${pattern
      .replace(/[\\^$.+()[\]{}|/-]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );
  const sizes = Array.from({ length: text.length + 1 }, (_, size) => size);
  const isLongest = operator.length === 2;
  for (const size of isLongest ? sizes.toReversed() : sizes) {
    const part = operator.startsWith('#') ? text.slice(0, size) : text.slice(text.length - size);
    if (expression.test(part))
      return known(operator.startsWith('#') ? text.slice(size) : text.slice(0, text.length - size));
  }
  return value;
}
