/** What models send that learned to read files with another agent: lines as numbers beside the path. */
import { splitPath } from './selector.ts';

const PATHS = ['path', 'file_path', 'filePath', 'absolute_path', 'filename', 'file'];

/** The same call with a selector; undefined for what says anything else. */
export function translateRead(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const { offset, limit, ...others } = input;
  const [[key, path] = [], ...more] = Object.entries(others);
  if (key === undefined || more.length > 0 || !PATHS.includes(key) || typeof path !== 'string') return undefined;
  const first = lineNumber(offset);
  const count = lineNumber(limit);
  if (first === 'odd' || count === 'odd') return undefined;
  if (first === undefined && count === undefined) return key === 'path' ? undefined : { path };
  if (splitPath(path).range !== undefined) return undefined;
  // Some count from 0.
  const range = `${Math.max(first ?? 1, 1)}${count === undefined ? '' : `+${count}`}`;
  return { path: `${path}:${range}` };
}

function lineNumber(value: unknown): number | undefined | 'odd' {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : 'odd';
}
