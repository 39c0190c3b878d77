/** The files that a call is about. */
import { resolvePath, textsIn, type Touches } from '@tenon/tools/api';

type Input = Readonly<Record<string, unknown>>;

/** What a call reads and changes, absolute. Where a tool cannot say it, every short text of the input may be a path. */
export function filesOf({ reads = [], writes = [], anything = false }: Touches, input: Input, cwd: string): string[] {
  const guessed = anything ? textsIn(input).flatMap((text) => fileIn(text, cwd) ?? []) : [];
  return [...new Set([...reads, ...writes, ...guessed])];
}

/** The same, with what the call only lists or looks through. */
export function placesOf(touches: Touches, input: Input, cwd: string): string[] {
  return [...filesOf(touches, input, cwd), ...(touches.lists ?? []), ...(touches.searches ?? [])];
}

/** The file that a text could name, without what selects lines; undefined for addresses and for what is no path. */
function fileIn(text: string, cwd: string): string | undefined {
  const path = text.trim();
  if (path === '' || path.length > 1024 || /\n|^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(path)) return undefined;
  return resolvePath(cwd, path.replace(/(?::(?:\d+(?:[-+]\d*)?|raw|conflicts))+$/i, ''));
}
