/** Which model a subagent uses. Its conversation is part of the user's, so it stays with the provider that the user chose. */
import { type Model, type ModelRegistry, THINKING_LEVELS, type ThinkingLevel } from '@tenon/models/api';

/** What the choice is made from. */
export interface ModelWish {
  /** The user's own choice for this subagent. */
  readonly override?: string;
  /** What the definition says: an alias, a role, a pattern, or several with commas. */
  readonly model?: string;
  readonly thinking?: string;
  readonly parent: Model;
  readonly parentThinking: ThinkingLevel;
}

/** The model, and what there is to say about it. */
export interface ModelChoice {
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly warning?: string;
}

type Models = Pick<ModelRegistry, 'find' | 'forRole'>;
type Found = { readonly model: Model; readonly thinking?: ThinkingLevel };

const INHERIT = new Set(['', 'inherit', 'default', 'parent', 'pi/default', 'pi/task', 'auto']);
/** Roles under the names that definitions use. */
const ROLES: Readonly<Record<string, string>> = {
  small: 'small',
  smol: 'small',
  fast: 'small',
  slow: 'slow',
  plan: 'plan',
  vision: 'vision',
};
/** Names of one vendor's models, and the role that stands for them elsewhere. */
const FAMILIES: Readonly<Record<string, string | undefined>> = { haiku: 'small', sonnet: undefined, opus: 'slow' };

/** The user's choice for this subagent, else what its definition asks for at the same provider, else the parent's model. */
export async function chooseModel(models: Models, wish: ModelWish): Promise<ModelChoice> {
  const { override, model: wanted = '', parent, parentThinking } = wish;
  const level = thinkingOf(wish.thinking);
  const choice = (found: Found | undefined, warning?: string): ModelChoice => ({
    model: found?.model ?? parent,
    // A level in the user's setting is about this very subagent.
    thinking: (override !== undefined && found?.thinking) || (level ?? found?.thinking ?? parentThinking),
    ...(warning !== undefined && { warning }),
  });
  const chosen = override === undefined ? undefined : await models.find(override);
  if (chosen) return choice(chosen);
  const parts = wanted.split(',').map((part) => part.trim());
  for (const part of parts) {
    if (INHERIT.has(part.toLowerCase())) return choice(undefined, unusable(override));
    const found = await namedModel(models, part, parent);
    if (found) return choice(found, unusable(override));
  }
  const isAlias = parts.every((part) => part.toLowerCase() in FAMILIES);
  const told = `Model "${wanted}" is not one of ${parent.provider}'s, so ${nameOf(parent)} is used; the setting subagents.modelOverrides can name any model`;
  return choice(undefined, unusable(override) ?? (isAlias ? undefined : told));
}

async function namedModel(models: Models, name: string, parent: Model): Promise<Found | undefined> {
  const word = name.toLowerCase().replace(/^pi\//, '');
  const role = ROLES[word];
  if (role !== undefined) return models.forRole(role, { beside: parent });
  const own = name.includes('/') ? name : `${parent.provider}/${name}`;
  const found = await models.find(own);
  if (found && isBeside(found.model, parent)) return found;
  const instead = FAMILIES[word];
  return instead === undefined ? undefined : models.forRole(instead, { beside: parent });
}

/** True when the same company answers at the same address, as far as one can see. */
function isBeside({ provider, baseUrl, id }: Model, lead: Model): boolean {
  return provider === lead.provider && baseUrl === lead.baseUrl && publisher(id) === publisher(lead.id);
}

function publisher(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

function unusable(override: string | undefined): string | undefined {
  return override === undefined
    ? undefined
    : `Model "${override}" of the setting subagents.modelOverrides is not known`;
}

function thinkingOf(word: string | undefined): ThinkingLevel | undefined {
  const level = word?.toLowerCase();
  return level === 'med' ? 'medium' : level === 'none' ? 'off' : THINKING_LEVELS.find((name) => name === level);
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
