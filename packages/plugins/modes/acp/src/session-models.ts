/** Models as the protocol had them before there were options: many editors and programs still know nothing else. */
import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';

/** The models of a session, and the one in use. */
export interface SessionModels {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

/** The option for models, told as models. */
export function modelState(options: readonly SessionConfigOption[]): SessionModels | undefined {
  const option = options.find(({ id }) => id === 'model');
  if (option?.type !== 'select') return undefined;
  const availableModels = option.options.flatMap((model) =>
    'value' in model
      ? [
          {
            modelId: model.value,
            name: model.name,
            ...(model.description != null && { description: model.description }),
          },
        ]
      : [],
  );
  return { currentModelId: option.currentValue, availableModels };
}

/** Reads what `session/set_model` brings. */
export function modelChoice(params: unknown): { readonly sessionId: string; readonly modelId: string } {
  const { sessionId, modelId } = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof sessionId !== 'string' || typeof modelId !== 'string')
    throw RequestError.invalidParams({ sessionId, modelId });
  return { sessionId, modelId };
}
