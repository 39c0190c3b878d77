/** What extensions register, as data that can cross. */
import type { ProviderShape, ToolShape, VirtualModelShape } from '../protocol.ts';
import { plain } from './plain.ts';
import type { ProviderDefinition, ToolDefinition, VirtualModelDefinition } from './registrations.ts';
import { toJsonSchema } from './schema.ts';

/** A tool as data; throws when its parameters are no schema. */
export function toolShape(tool: ToolDefinition): ToolShape {
  let parameters: Record<string, unknown>;
  try {
    parameters = toJsonSchema(tool.parameters);
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new TypeError(
      `the parameters of the tool "${tool.name}" are not a schema that Tenon understands: ${reason}`,
      {
        cause: fault,
      },
    );
  }
  const { approval, executionMode } = tool;
  return {
    name: tool.name,
    label: String(tool.label ?? tool.name),
    description: String(tool.description ?? ''),
    parameters,
    inactive: tool.hidden === true || tool.defaultInactive === true,
    guidelines: (tool.promptGuidelines ?? []).map(String),
    renders: tool.renderCall !== undefined || tool.renderResult !== undefined,
    ...((approval === 'read' || approval === 'write' || approval === 'exec') && { approval }),
    ...(executionMode !== undefined && { sequential: executionMode === 'sequential' }),
  };
}

/** A provider as data, with its key. */
export function providerShape(name: string, definition: ProviderDefinition): ProviderShape {
  const { baseUrl, api, apiKey, headers, models = [], streamSimple, oauth, authHeader } = definition;
  // A name of a variable, or the key itself. Variables are looked up here: a sandbox shows only those that were granted.
  const key = apiKey === undefined ? undefined : (process.env[apiKey.replace(/^\$/, '')] ?? apiKey);
  const bearer = authHeader === true && key !== undefined ? { Authorization: `Bearer ${key}` } : {};
  const all = { ...headers, ...bearer };
  return {
    name,
    streams: typeof streamSimple === 'function',
    logsIn: oauth !== undefined,
    models: models.map((model) => modelShape(plain(model))),
    ...(definition.name !== undefined && { title: String(definition.name) }),
    ...(baseUrl !== undefined && { baseUrl: String(baseUrl) }),
    ...(api !== undefined && { api: String(api) }),
    ...(key !== undefined && { apiKey: key }),
    ...(Object.keys(all).length > 0 && { headers: all }),
  };
}

function modelShape(model: Record<string, unknown>): ProviderShape['models'][number] {
  const cost = (model['cost'] ?? {}) as Record<string, unknown>;
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const { api, baseUrl, headers } = model;
  return {
    id: String(model['id']),
    name: String(model['name'] ?? model['id']),
    reasoning: model['reasoning'] === true,
    input: Array.isArray(model['input']) && model['input'].includes('image') ? ['text', 'image'] : ['text'],
    cost: {
      input: number(cost['input'], 0),
      output: number(cost['output'], 0),
      cacheRead: number(cost['cacheRead'], 0),
      cacheWrite: number(cost['cacheWrite'], 0),
    },
    contextWindow: number(model['contextWindow'], 128_000),
    maxTokens: number(model['maxTokens'], 16_384),
    ...(typeof api === 'string' && { api }),
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(headers !== undefined && { headers: headers as Record<string, string> }),
  };
}

/** A virtual model as data; throws when it has no name that can be chosen. */
export function virtualModelShape(definition: Omit<VirtualModelDefinition, 'route'>): VirtualModelShape {
  const { provider, id, name = id, thinkingLevels = ['off'], contextWindow, maxTokens, input } = definition;
  for (const word of [provider, id])
    if (typeof word !== 'string' || !/^[^\s/][^\s]*$/.test(word))
      throw new TypeError(`"${String(word)}" is not a name for a model`);
  if (provider.includes('/')) throw new TypeError(`"${provider}" is not a name for a provider`);
  return {
    provider,
    id,
    name: String(name),
    thinkingLevels: thinkingLevels.map(String),
    input: input && !input.includes('image') ? ['text'] : ['text', 'image'],
    ...(typeof contextWindow === 'number' && contextWindow > 0 && { contextWindow }),
    ...(typeof maxTokens === 'number' && maxTokens > 0 && { maxTokens }),
  };
}
