/** Which model an agent begins with: the one that was asked for, the one that the session used, or that of the settings. */
import type { Registry } from '@tenon/kernel';
import {
  type FoundModel,
  type Model,
  type ModelRegistry,
  type ModelSource,
  type ThinkingLevel,
  unknownModel,
} from '@tenon/models/api';
import type { SessionContext } from '@tenon/sessions/api';
import { errors } from './errors.ts';

type Models = Pick<ModelRegistry, 'find' | 'forRole' | 'list'>;

interface Choice {
  readonly model: Model;
  readonly thinking?: ThinkingLevel;
  /** What the user is told when it is not the wanted one. */
  readonly fallback?: string;
  /** Set when nobody chose it. */
  readonly found?: FoundModel;
}

/**
 * The models with those of extensions, which are known once the extensions of the folder are loaded. Nobody waits for that who
 * asks for another model.
 */
export function withSources(models: Models, sources: Registry<ModelSource>, cwd: string): Models {
  return {
    forRole: (...args) => models.forRole(...args),
    list: () => models.list(),
    find: async (wanted) => {
      const known = await models.find(wanted);
      const isMeant = known !== undefined && (!wanted.includes('/') || wanted.startsWith(`${known.model.provider}/`));
      const list = isMeant ? [] : sources.list();
      for (const { key } of list) await (await sources.resolve(key)).offer({ cwd });
      return list.length > 0 ? models.find(wanted) : known;
    },
  };
}

/** What somebody asks for now must not become something else; what a session used long ago may. */
export async function modelFor(models: Models, asked: string | undefined, stored: SessionContext): Promise<Choice> {
  const wanted = asked ?? stored.models['default'];
  if (wanted === undefined) return told(await models.forRole('default'));
  const choice = asked === undefined ? await storedModel(models, wanted) : await models.find(asked);
  if (choice) return told(choice);
  if (asked !== undefined) throw await unknownModel(models, asked);
  const other = await instead(models, wanted, stored.messages.length > 0);
  return {
    ...other,
    fallback: `Model "${wanted}" is not available; ${other.model.provider}/${other.model.id} is used.`,
  };
}

/** The model that a session used. A model of another provider whose name is alike is another model. */
export async function storedModel(models: Models, wanted: string): ReturnType<Models['find']> {
  const match = await models.find(wanted);
  return match && wanted.startsWith(`${match.model.provider}/`) ? match : undefined;
}

/** What was said to one company goes to another only if the user names it, here or in the settings. */
async function instead(models: Models, wanted: string, hasMessages: boolean): Promise<Choice> {
  if (!hasMessages) return models.forRole('default');
  const at = Math.max(0, wanted.indexOf('/'));
  const provider = wanted.slice(0, at);
  const sameProvider = await storedModel(models, `${provider}/*`);
  if (sameProvider) return sameProvider;
  const gone: Model = {
    provider,
    id: wanted.slice(at + 1),
    name: wanted,
    api: '',
    contextWindow: 0,
    maxTokens: 0,
    input: ['text'],
    reasoning: false,
  };
  const configured = await models.forRole('default', { beside: gone });
  if (configured.model === gone) throw errors.create('AGENT_MODEL_GONE', { model: wanted });
  return configured;
}

function told({ fallbackMessage, ...choice }: Choice & { readonly fallbackMessage?: string }): Choice {
  return { ...choice, ...(fallbackMessage !== undefined && { fallback: fallbackMessage }) };
}
