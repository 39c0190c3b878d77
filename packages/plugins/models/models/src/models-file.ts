/** The user's own models and endpoints: `models.yml` in the configuration folder. Never read from a project: it decides where keys go. */
import { readFile } from 'node:fs/promises';
import { checkValue, messageOf, problemText, type Static, TenonError, Type } from '@tenon/kernel';
import type { Model } from './api.ts';
import { errors } from './errors.ts';
import { parseModelsText } from './models-text.ts';
import type { OwnEndpoint } from './own-endpoint.ts';

const Text = Type.String({ minLength: 1 });
const Texts = Type.Record(Type.String(), Type.String());
const Price = Type.Object(
  {
    input: Type.Number({ minimum: 0 }),
    output: Type.Number({ minimum: 0 }),
    cacheRead: Type.Optional(Type.Number({ minimum: 0 })),
    cacheWrite: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);
const FileModel = Type.Object(
  {
    id: Text,
    name: Type.Optional(Text),
    api: Type.Optional(Text),
    baseUrl: Type.Optional(Text),
    contextWindow: Type.Optional(Type.Integer({ minimum: 1 })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    input: Type.Optional(Type.Array(Type.Union([Type.Literal('text'), Type.Literal('image')]))),
    reasoning: Type.Optional(Type.Boolean()),
    price: Type.Optional(Price),
    headers: Type.Optional(Texts),
    quirks: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);
const OAuth = Type.Object(
  {
    // A known provider has its addresses already; the check asks for them elsewhere.
    authorizeUrl: Type.Optional(Text),
    tokenUrl: Type.Optional(Text),
    style: Type.Optional(Type.Union([Type.Literal('pkce'), Type.Literal('key'), Type.Literal('device')])),
    clientId: Type.Optional(Text),
    clientSecret: Type.Optional(Text),
    scopes: Type.Optional(Type.Array(Text)),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    callbackPath: Type.Optional(Text),
    callbackHost: Type.Optional(Type.Union([Type.Literal('127.0.0.1'), Type.Literal('localhost')])),
    parameters: Type.Optional(Texts),
  },
  { additionalProperties: false },
);
/** For the user's own GitHub, GitLab or Code Assist: the rest is known. */
const Access = Type.Object({ url: Text }, { additionalProperties: false });
const FileEndpoint = Type.Object(
  {
    name: Type.Optional(Text),
    api: Type.Optional(Text),
    baseUrl: Type.Optional(Text),
    apiKey: Type.Optional(Text),
    keyOptional: Type.Optional(Type.Boolean()),
    headers: Type.Optional(Texts),
    quirks: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    anyModel: Type.Optional(Type.Boolean()),
    oauth: Type.Optional(OAuth),
    access: Type.Optional(Access),
    models: Type.Optional(Type.Array(FileModel)),
  },
  { additionalProperties: false },
);
const FileSchema = Type.Object({ providers: Type.Record(Text, FileEndpoint) }, { additionalProperties: false });

/** What the models file says. */
export interface ModelsFileContent {
  readonly endpoints: ReadonlyMap<string, OwnEndpoint>;
  /** Models by provider; what is left out comes from the catalogue or the endpoint. */
  readonly models: ReadonlyMap<string, readonly (Partial<Model> & { readonly id: string })[]>;
}

const EMPTY: ModelsFileContent = { endpoints: new Map(), models: new Map() };

/** Reads the models file; a file that is not there says nothing. Rejects when it cannot be used. */
export async function readModelsFile(file: string): Promise<ModelsFileContent> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY;
    throw errors.create('MODELS_FILE_INVALID', { file, problem: messageOf(fault) }, fault);
  }
  try {
    const value = (await parseModelsText(text)) ?? { providers: {} };
    const problems = await checkValue(FileSchema, value);
    if (problems.length > 0) throw errors.create('MODELS_FILE_INVALID', { file, problem: problemText(problems) });
    return contentOf(value as Static<typeof FileSchema>);
  } catch (fault) {
    if (fault instanceof TenonError) throw fault;
    const problem = messageOf(fault).split('\n')[0]?.replace(/:$/, '');
    throw errors.create('MODELS_FILE_INVALID', { file, problem }, fault);
  }
}

function contentOf({ providers }: Static<typeof FileSchema>): ModelsFileContent {
  const endpoints = new Map<string, OwnEndpoint>();
  const models = new Map<string, (Partial<Model> & { id: string })[]>();
  for (const [provider, { models: listed = [], ...endpoint }] of Object.entries(providers)) {
    endpoints.set(provider, endpoint as OwnEndpoint);
    models.set(
      provider,
      listed.map(({ price, ...model }) => ({
        ...(model as Partial<Model> & { id: string }),
        ...(price && {
          price: { ...price, cacheRead: price.cacheRead ?? price.input, cacheWrite: price.cacheWrite ?? price.input },
        }),
      })),
    );
  }
  return { endpoints, models };
}
