/** What calls touch, asked of their tools. */
import { isAbsolute } from 'node:path';
import type { Tool, TouchCall, TouchedCommand, Touches } from './api.ts';

/** What a call touches whose tool declares nothing. */
export const ANYTHING: Touches = { anything: true };

/** Asks a tool what a call touches; the answer comes at once where the tool answers at once. */
export function touchesOf(
  tool: Pick<Tool, 'touches'>,
  input: Readonly<Record<string, unknown>>,
  call: TouchCall,
): Touches | Promise<Touches> {
  if (!tool.touches) return ANYTHING;
  const declared: unknown = tool.touches(input, call);
  return isThenable(declared) ? Promise.resolve(declared).then(checked) : checked(declared);
}

/** All texts in an input, however deep. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
/** A relative path would be judged from wherever the program was started. */
const isPath = (value: unknown): boolean => typeof value === 'string' && isAbsolute(value);
const isPathList = (value: unknown): boolean => Array.isArray(value) && value.every(isPath);

/** How the parts of a declaration look. */
const PARTS: Readonly<Record<keyof Touches, (value: unknown) => boolean>> = {
  reads: isPathList,
  lists: isPathList,
  searches: isPathList,
  writes: isPathList,
  hosts: isTextList,
  commands: (value) =>
    Array.isArray(value) &&
    value.every(
      (command: Partial<TouchedCommand> | null) =>
        isText(command?.text) && isPath(command?.cwd) && command?.refused === undefined,
    ),
  anything: (value) => typeof value === 'boolean',
};

/** Tools of packs may answer whatever they like. A misspelt key must not turn a declaration into one that lists nothing. */
function checked(declared: unknown): Touches {
  if (typeof declared !== 'object' || declared === null)
    throw new TypeError('the tool declared nothing that can be read');
  for (const [key, value] of Object.entries(declared)) {
    const isValid = Object.hasOwn(PARTS, key) && (value === undefined || PARTS[key as keyof Touches](value));
    if (!isValid) throw new TypeError(`the tool declared "${key}" in a form that cannot be read`);
  }
  return declared;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}
