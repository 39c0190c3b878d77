import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { ModelRequest, Provider, StreamEvent, ToolChoice } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';
import { CutOffError } from './failure.ts';
import { LoadedModels } from './loaded-models.ts';
import { Normalizer } from './normalize.ts';
import { promptOf } from './prompt.ts';
import { watchedFetch } from './watched-fetch.ts';

/** Makes a provider that speaks one protocol through the SDK. */
export function adapterFor(dialect: Dialect, options: { readonly stallMs: number }): Provider {
  const models = new LoadedModels(dialect, watchedFetch(options.stallMs));
  return { stream: (request, { signal }) => answer(dialect, request, signal, models) };
}

async function* answer(
  dialect: Dialect,
  request: ModelRequest,
  signal: AbortSignal,
  models: LoadedModels,
): AsyncGenerator<StreamEvent> {
  const normalizer = new Normalizer(dialect, request.model);
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
  try {
    const model = await orAborted(models.for(request), signal);
    const { stream } = await orAborted(model.doStream(callOptions(dialect, request, signal)), signal);
    reader = stream.getReader();
    yield normalizer.answer.start();
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) throw new CutOffError('the connection closed before the answer was whole');
      for (const event of normalizer.take(value)) {
        yield event;
        if (event.type === 'done' || event.type === 'error') return;
      }
    }
  } catch (fault) {
    yield* normalizer.fail(fault, signal.aborted);
  } finally {
    // Closes the connection also when the consumer goes away before the end. Nobody waits for a connection that is no longer wanted; its complaint about being closed is no news.
    reader?.cancel().catch(() => undefined);
  }
}

/** The work, or a rejection as soon as the signal aborts: a provider that does not react must not hold up its user. */
function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => (signal.removeEventListener('abort', onAbort), resolve(value)),
      (fault: unknown) => (signal.removeEventListener('abort', onAbort), reject(fault as Error)),
    );
  });
}

function callOptions(dialect: Dialect, request: ModelRequest, abortSignal: AbortSignal): LanguageModelV3CallOptions {
  const { tools, toolChoice, maxTokens, model, temperature } = request;
  return {
    prompt: promptOf(request, dialect),
    maxOutputTokens: Math.min(maxTokens ?? model.maxTokens, model.maxTokens),
    ...(temperature !== undefined && { temperature }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters as LanguageModelV3FunctionTool['inputSchema'],
      })),
      toolChoice: sdkToolChoice(toolChoice),
    }),
    abortSignal,
    ...(dialect.rawErrors && { includeRawChunks: true }),
    providerOptions: { [dialect.optionsKey]: dialect.options(request) },
  };
}

function sdkToolChoice(choice: ToolChoice = 'auto'): NonNullable<LanguageModelV3CallOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : { type: choice };
}
