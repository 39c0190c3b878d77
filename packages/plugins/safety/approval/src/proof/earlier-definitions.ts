/** What earlier commands have defined in the shell, as the proof can use it. */
import type { ShellDefinitions } from '@tenon/tools/api';
import { BUILTINS, OTHER_BUILTINS } from './builtins.ts';
import { NotUnderstood } from './language.ts';
import { readShell } from './shell/reader.ts';
import type { Node } from './shell/syntax.ts';

/** Definitions that the proof knows about. */
export interface EarlierDefinitions {
  readonly functions: ReadonlyMap<string, Node>;
  readonly bodies: ReadonlySet<Node>;
  /** Functions whose definition is not understood. */
  readonly unread: ReadonlySet<string>;
  /** Functions in the place of builtins. */
  readonly builtins: readonly string[];
  readonly aliases: readonly string[];
}

/** Reads them. */
export function readDefinitions(given: ShellDefinitions | undefined): EarlierDefinitions {
  const definitions = Object.entries(given?.functions ?? {});
  const functions = new Map<string, Node>();
  for (const [name, text] of definitions) {
    const body = bodyOf(name, text);
    if (body) functions.set(name, body);
  }
  const names = definitions.map(([name]) => name);
  return {
    functions,
    bodies: new Set(functions.values()),
    unread: new Set(names.filter((name) => !functions.has(name))),
    builtins: names.filter((name) => BUILTINS.has(name) || OTHER_BUILTINS.has(name)),
    aliases: Object.keys(given?.aliases ?? {}),
  };
}

/** The body, if the text is one definition of that name and nothing else. */
function bodyOf(name: string, text: string): Node | undefined {
  try {
    const [first, ...more] = readShell(text).items;
    const node = first?.node;
    return more.length === 0 && node?.type === 'function' && node.name === name ? node.body : undefined;
  } catch (fault) {
    if (fault instanceof NotUnderstood) return undefined;
    throw fault;
  }
}
