/** What marketplaces and plugins may be called. Names come from strangers and end up in commands, prompts and listings. */
import { errors } from '../errors.ts';

/** A plugin of a marketplace. */
export interface PluginId {
  readonly name: string;
  readonly marketplace: string;
}

const MAX_NAME = 64;
const MAX_ID = 128;

/** Words that mean something else in our listings and commands, so that a marketplace named so would mislead. */
const RESERVED = new Set(
  'tenon built-in builtin native inline local linked user project npm git file github all none default official'.split(
    ' ',
  ),
);

/**
 * Names that people know as somebody's: only their owner on the default git host may use them. Exactly these: a name that only
 * resembles one ("claude-code-workflows") is the author's own, and many honest catalogues have such a name.
 */
const OWNED: ReadonlyMap<string, string> = new Map([
  ...[
    'claude-code-marketplace',
    'claude-code-plugins',
    'claude-plugins-official',
    'claude-plugins-community',
    'claude-community',
    'anthropic-marketplace',
    'anthropic-plugins',
    'agent-skills',
    'anthropic-agent-skills',
    'knowledge-work-plugins',
    'life-sciences',
  ].map((name) => [name, 'anthropics'] as const),
  ...['openai-curated', 'openai-bundled', 'openai-plugins'].map((name) => [name, 'openai'] as const),
  ...['tenon-official', 'tenon-plugins', 'tenon-marketplace'].map((name) => [name, 'tenon'] as const),
]);

/** Names that Windows gives to devices, in whatever folder they are. */
export const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** What is wrong with a name; nothing when it is fine. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'it is not text';
  if (name.length === 0 || name.length > MAX_NAME) return `it must have 1 to ${MAX_NAME} characters`;
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name))
    return 'it has other characters than a-z, 0-9, "-" and "." inside';
  if (name.includes('..')) return 'it has two dots in a row';
  return DEVICE_NAME.test(name) ? 'it is the name of a device' : undefined;
}

/** What is wrong with a marketplace's name, given who it comes from (the owner on the default git host, if any). */
export function marketplaceNameProblem(name: unknown, owner: string | undefined): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined || typeof name !== 'string') return problem;
  if (RESERVED.has(name)) return 'it is reserved';
  const holder = OWNED.get(name);
  return holder !== undefined && holder !== owner?.toLowerCase()
    ? `it is reserved for repositories of "${holder}"`
    : undefined;
}

/** The id as it is written. */
export function idText({ name, marketplace }: PluginId): string {
  return `${name}@${marketplace}`;
}

/** Takes `name@marketplace` apart; without a marketplace only the name is given. */
export function parseId(text: string): { readonly name: string; readonly marketplace?: string } {
  const at = text.indexOf('@');
  const name = at === -1 ? text : text.slice(0, at);
  const marketplace = at === -1 ? undefined : text.slice(at + 1);
  const check = (what: string, value: string) => {
    const reason = nameProblem(value);
    if (reason !== undefined) throw errors.create('MARKETPLACE_NAME_INVALID', { name: value, what, reason });
  };
  check('plugin', name);
  if (marketplace === undefined) return { name };
  check('marketplace', marketplace);
  if (text.length > MAX_ID) {
    const reason = `with its marketplace it has more than ${MAX_ID} characters`;
    throw errors.create('MARKETPLACE_NAME_INVALID', { name: text, what: 'plugin', reason });
  }
  return { name, marketplace };
}
