import type { Provider } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';

/** Each protocol is imported when it is first spoken: together they are megabytes. */
const DIALECTS = {
  'anthropic-messages': async () => (await import('./dialects/anthropic.ts')).anthropicMessages,
  'openai-responses': async () => (await import('./dialects/openai-responses.ts')).openaiResponses,
  'openai-completions': async () => (await import('./dialects/openai-completions.ts')).openaiCompletions,
  'google-generative-ai': async () => (await import('./dialects/google.ts')).google,
  'bedrock-converse-stream': async () => (await import('./dialects/bedrock.ts')).bedrock,
} satisfies Readonly<Record<string, () => Promise<Dialect>>>;

/** A wire protocol that this plugin speaks. */
export type ProtocolName = keyof typeof DIALECTS;

/** The wire protocols that this plugin speaks. */
export const PROTOCOLS = Object.keys(DIALECTS) as readonly ProtocolName[];

/** Speaks one protocol. A connection on which nothing comes for `stallMs` is given up. */
export function createProvider(api: ProtocolName, options: { readonly stallMs: number }): Provider {
  let adapter: Promise<Provider> | undefined;
  const load = async () => {
    const [dialect, { adapterFor }] = await Promise.all([DIALECTS[api](), import('./adapter.ts')]);
    return adapterFor(dialect, options);
  };
  return {
    async *stream(request, call) {
      yield* (await (adapter ??= load())).stream(request, call);
    },
  };
}
