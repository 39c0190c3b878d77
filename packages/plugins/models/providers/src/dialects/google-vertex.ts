import { messageOf } from '@tenon/kernel';
import type { Dialect, ModelTarget } from '../dialect.ts';
import { errors } from '../errors.ts';
import { googleToken } from '../google-access.ts';
import { environmentFetch } from '../proxy.ts';
import { dialect as google, loadGoogle } from './google-generative-ai.ts';

/** The address for keys. Tokens belong to a project, which has one of its own. */
const FOR_KEYS = 'https://aiplatform.googleapis.com/v1/publishers/google';

type Environment = Readonly<Record<string, string | undefined>>;

/** Google's protocol on Vertex AI: with a key, or as whoever is logged in on this machine. */
export const dialect: Dialect = {
  ...google,
  async load(target, fetch) {
    if (target.apiKey !== undefined) return loadGoogle(target, fetch, false);
    const baseUrl = addressOf(target, process.env);
    const apiKey = await googleToken({ env: process.env, fetch: environmentFetch }).catch((fault: unknown) => {
      throw errors.create('PROVIDERS_GOOGLE_CREDENTIALS', { reason: messageOf(fault).split('\n')[0] }, fault);
    });
    return loadGoogle({ ...target, apiKey, model: { ...target.model, baseUrl } }, fetch, true);
  },
  // Tokens are temporary.
  loadsAnew: (apiKey) => apiKey === undefined,
};

/** The address of the user's project; one that is set by hand stays. */
function addressOf({ model }: ModelTarget, env: Environment): string {
  if (model.baseUrl !== undefined && model.baseUrl !== FOR_KEYS) return model.baseUrl;
  const project = env['GOOGLE_CLOUD_PROJECT'] || env['GCLOUD_PROJECT'];
  const location = env['GOOGLE_CLOUD_LOCATION'];
  for (const [variable, value] of [
    ['GOOGLE_CLOUD_PROJECT', project],
    ['GOOGLE_CLOUD_LOCATION', location],
  ] as const)
    // They become parts of an address: nothing else may stand there.
    if (!value || !/^[a-z\d][a-z\d.:-]*$/i.test(value)) throw errors.create('PROVIDERS_GOOGLE_PROJECT', { variable });
  const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`;
  return `https://${host}.googleapis.com/v1/projects/${project}/locations/${location}/publishers/google`;
}
