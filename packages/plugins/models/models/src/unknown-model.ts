import type { TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { ModelRegistry } from './api.ts';
import { errors } from './errors.ts';
import { splitProvider, splitThinking } from './selection.ts';

/** The error for a model name that does not exist, with the name that was probably meant. */
export async function unknownModel(registry: Pick<ModelRegistry, 'list'>, text: string): Promise<TenonError> {
  const { pattern } = splitThinking(text.trim());
  const { provider, id } = splitProvider(pattern);
  const models = await registry.list();
  const ofProvider = models.filter((model) => model.provider === provider);
  const error = (hint: string, search = '') => errors.create('MODELS_UNKNOWN', { model: text, hint, search });
  const ids = (provider === '' ? models : ofProvider).map((model) => model.id);
  if (ids.length > 0) return error(didYouMean(id, [...ids, ...familiesOf(ids)]), provider === '' ? '' : ` ${provider}`);
  const names = models.map((model) => `${model.provider}/${model.id}`);
  const providers = new Set(models.map((model) => model.provider));
  const noProvider = ` No provider has the name "${provider}".${didYouMean(provider, providers)}`;
  return error(didYouMean(pattern, names) || noProvider);
}

/** The words of the ids by which people ask for models: `sonnet`, `haiku`. */
function familiesOf(ids: readonly string[]): Set<string> {
  return new Set(ids.flatMap((id) => id.toLowerCase().match(/[a-z]{4,}/g) ?? []));
}
