/** `ctx.modelRegistry` and `ctx.models`: what models there are. Keys stay with Tenon, which makes the calls. */
import type { Bridge, SessionScope } from '../protocol.ts';

/** A model, in the form that pi gives it. */
export type PiModel = Readonly<Record<string, unknown>> & { readonly provider: string; readonly id: string };

/**
 * Stands for a key that Tenon keeps. Extensions check that there is a key and pass it on to `complete`, which does not look
 * at it: the call is made by Tenon.
 */
export const KEPT_KEY = 'kept-by-tenon';

/** Makes `ctx.modelRegistry`. */
export function createModelRegistry(bridge: Bridge, place: SessionScope): Record<string, unknown> {
  const all = () => bridge.ask('models', place) as (PiModel & { available?: boolean })[];
  const usable = () => all().filter(({ available }) => available !== false);
  const key = async (provider: string) => (await bridge.call('apiKey', place, provider)) as string | undefined;
  const keyFor = async (model: PiModel | undefined) => (model === undefined ? undefined : key(model.provider));
  return {
    getAll: () => all(),
    getAvailable: () => usable(),
    find: (provider: string, id: string) => all().find((model) => model.provider === provider && model.id === id),
    // Tenon has chat models only; an extension that looks for a classifier finds none.
    findOfType: () => undefined,
    hasConfiguredAuth: (model: PiModel) => usable().some((candidate) => candidate.provider === model?.provider),
    getApiKey: keyFor,
    getApiKeyForProvider: key,
    getApiKeyAndHeaders: async (model: PiModel) => {
      const apiKey = await keyFor(model);
      return apiKey === undefined
        ? { ok: false, error: `There is no key for ${model?.provider}.` }
        : { ok: true, apiKey, headers: {} };
    },
    isUsingOAuth: () => false,
    getProviderAuthStatus: () => undefined,
    getProviderDisplayName: (provider: string) => provider,
    getError: () => undefined,
    refresh: async () => undefined,
    authStorage: {
      getApiKey: key,
      hasAuth: (provider: string) => usable().some((model) => model.provider === provider),
      get: () => undefined,
      list: () => [],
    },
  };
}

/** Makes `ctx.models`, the questions that oh-my-pi adds. */
export function createModelQuery(
  bridge: Bridge,
  place: SessionScope,
  current: () => PiModel | undefined,
): Record<string, unknown> {
  const usable = () =>
    (bridge.ask('models', place) as (PiModel & { available?: boolean })[]).filter(
      ({ available }) => available !== false,
    );
  return {
    list: usable,
    current,
    resolve: (wanted: string) => {
      const name = wanted.replace(/:(?:off|minimal|low|medium|high|xhigh)$/, '');
      return usable().find(({ provider, id }) => `${provider}/${id}` === name || id === name);
    },
    family: ({ id }: PiModel) => id.split('/').at(-1)?.split(/[-\d]/)[0] ?? id,
  };
}
