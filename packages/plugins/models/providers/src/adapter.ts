import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { ModelRequest, Provider, StreamEvent, ToolChoice } from '@tenon/models/api';
import { callHeaders } from './call-headers.ts';
import type { Dialect } from './dialect.ts';
import { CutOffError } from './failure.ts';
import { LoadedModels } from './loaded-models.ts';
import { Normalizer } from './normalize.ts';
import { outputLimit } from './output-limit.ts';
import { promptOf } from './prompt.ts';
import { mendedFetch } from './mending/mended-fetch.ts';
import { watchedFetch } from './watched-fetch.ts';

/** Makes a provider that speaks one protocol through the SDK. */
export function adapterFor(dialect: Dialect, options: { readonly stallMs: number }): Provider {
  const fetch = watchedFetch(options.stallMs);
  const models = new LoadedModels(dialect, dialect.mender ? mendedFetch(fetch, dialect.mender) : fetch);
  return { stream: (request, { signal }) => answer(dialect, request, signal, models) };
}

async function* answer(
  dialect: Dialect,
  request: ModelRequest,
  signal: AbortSignal,
  models: LoadedModels,
): AsyncGenerator<StreamEvent> {
  const normalizer = new Normalizer(dialect, request.model);
  const wait = new AbortableWait(signal);
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
  try {
    const model = await wait.for(models.for(request));
    const { stream } = await wait.for(model.doStream(callOptions(dialect, request, signal)));
    reader = stream.getReader();
    yield normalizer.answer.start();
    for (;;) {
      const { done, value } = await wait.for(reader.read());
      if (done) throw new CutOffError('the connection closed before the answer was whole');
      for (const event of normalizer.take(value)) {
        yield event;
        if (event.type === 'done' || event.type === 'error') return;
      }
    }
  } catch (fault) {
    yield* normalizer.fail(fault, signal.aborted);
  } finally {
    wait.end();
    // Closes the connection also when the consumer leaves early. A complaint about being closed is no news.
    reader?.cancel().catch(() => undefined);
  }
}

/** Stops waiting as soon as the signal aborts: a provider that does not react must not hold up its user. */
class AbortableWait {
  readonly #signal: AbortSignal;
  #giveUp: ((reason: Error) => void) | undefined;
  readonly #onAbort = () => this.#giveUp?.(this.#signal.reason as Error);

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    // One listener for the whole answer: one for each of its parts would cost more than the parts do.
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The result of the work, or a rejection when the signal aborts first. */
  for<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#signal.aborted) reject(this.#signal.reason as Error);
      this.#giveUp = reject;
      work.then(resolve, reject);
    });
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

function callOptions(dialect: Dialect, request: ModelRequest, abortSignal: AbortSignal): LanguageModelV3CallOptions {
  const { tools, toolChoice, temperature } = request;
  const maxTokens = outputLimit(request);
  const options = dialect.options({ ...request, maxTokens });
  const takesLimits = dialect.takesLimits?.(request) ?? true;
  const headers = callHeaders(request);
  return {
    prompt: promptOf(request, dialect),
    ...(takesLimits && { maxOutputTokens: maxTokens - (dialect.addedToLimit?.(options) ?? 0) }),
    ...(takesLimits && temperature !== undefined && { temperature }),
    ...(headers && { headers }),
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
    providerOptions: { [dialect.optionsKey]: options },
  };
}

function sdkToolChoice(choice: ToolChoice = 'auto'): NonNullable<LanguageModelV3CallOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : { type: choice };
}
