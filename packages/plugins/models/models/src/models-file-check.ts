/** What the form of the models file cannot say: whether what it describes can work. */
import type { TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { Endpoint } from './api.ts';
import { errors } from './errors.ts';
import type { ModelsFileContent } from './models-file.ts';

/** What the file is checked against. */
export interface Surroundings {
  readonly file: string;
  /** The wire protocols that plugins provide, with what they say about them. */
  readonly protocols: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The endpoints that plugins describe. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** The protocol of an endpoint that names none. */
export const STANDARD_API = 'openai-completions';

/** True for a protocol that has no address of its own: its endpoints have to name theirs. */
export function needsBaseUrl(protocol: Readonly<Record<string, unknown>> | undefined): boolean {
  return protocol?.['needsBaseUrl'] === true;
}

/** The providers of the file that can be used, and why the others cannot. */
export function checkModelsFile(
  content: ModelsFileContent,
  surroundings: Surroundings,
): { readonly content: ModelsFileContent; readonly problems: readonly TenonError[] } {
  const { file } = surroundings;
  const endpoints = new Map(content.endpoints);
  const models = new Map(content.models);
  const problems: TenonError[] = [];
  for (const provider of content.endpoints.keys()) {
    const problem = problemOf(provider, content, surroundings);
    if (problem === undefined) continue;
    problems.push(errors.create('MODELS_FILE_ENTRY', { provider, file, problem }));
    endpoints.delete(provider);
    models.delete(provider);
  }
  return { content: { endpoints, models }, problems };
}

function problemOf(
  provider: string,
  { endpoints, models }: ModelsFileContent,
  { protocols, endpoints: described }: Surroundings,
): string | undefined {
  const own = endpoints.get(provider) ?? {};
  const standard = own.api ?? described.get(provider)?.api ?? STANDARD_API;
  const unknownApi = (api: string) =>
    `is "${api}", which no plugin provides.${didYouMean(api, protocols.keys())} It is one of ${[...protocols.keys()].join(', ')}`;
  if (!protocols.has(standard)) return `its \`api\` ${unknownApi(standard)}`;
  const known = described.get(provider);
  const { authorizeUrl, tokenUrl } = { ...known?.oauth, ...own.oauth };
  if (own.oauth && (authorizeUrl === undefined || tokenUrl === undefined))
    return 'its `oauth` needs `authorizeUrl` and `tokenUrl`, where the login is';
  if (own.access && !known?.access) return 'it has `access`, which belongs to providers that exchange their tokens';
  const listed = models.get(provider) ?? [];
  // An endpoint without a list serves any model.
  const uses = listed.length > 0 ? listed : [{ id: '', api: standard, baseUrl: own.baseUrl }];
  for (const { id, api = standard, baseUrl = own.baseUrl } of uses) {
    if (!protocols.has(api)) return `the \`api\` of the model "${id}" ${unknownApi(api)}`;
    if (baseUrl === undefined && !described.has(provider) && needsBaseUrl(protocols.get(api)))
      return 'it has no `baseUrl`, so its address is not known';
    if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:/i.test(baseUrl)))
      return `"${baseUrl}" is not an address of a web server, as a \`baseUrl\` has to be`;
  }
  return undefined;
}
