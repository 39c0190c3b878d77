/** The providers of models that extensions bring. Where keys are sent is the user's decision, so there are rules. */
import type { Disposable } from '@tenon/kernel';
import type { Endpoint, Model, StreamEvent } from '@tenon/models/api';
import { errors } from '../errors.ts';
import type { ProviderModelShape, ProviderShape } from '../protocol.ts';
import type { Extension } from './extension.ts';
import { isGranted } from './granted-hosts.ts';
import { piModel } from './pi-shapes.ts';
import type { ExtensionServices } from './services.ts';

interface Row {
  readonly described: string;
  readonly parts: readonly Disposable[];
}

const OVERRIDE = 10;

/** Providers of all extensions. */
export class ProviderTable {
  readonly #world: ExtensionServices;
  readonly #rows = new Map<Extension, Map<string, Row>>();
  readonly #complained = new Set<string>();

  constructor(world: ExtensionServices) {
    this.#world = world;
  }

  /** Brings the table up to date with what an extension has now. */
  async update(extension: Extension): Promise<void> {
    const rows = this.#rows.get(extension) ?? new Map<string, Row>();
    if (rows.size === 0 && extension.shape.providers.length === 0) return;
    this.#rows.set(extension, rows);
    const wanted = new Map(extension.shape.providers.map((shape) => [shape.name, shape]));
    for (const [name, row] of [...rows]) {
      if (row.described === JSON.stringify(wanted.get(name))) continue;
      await dispose(row);
      rows.delete(name);
    }
    for (const [name, shape] of wanted) {
      if (rows.has(name)) continue;
      const problem = (await this.#keyProblem(extension, shape)) ?? this.#problem(extension, shape);
      if (problem) this.#refuse(extension, name, problem);
      else rows.set(name, { described: JSON.stringify(shape), parts: await this.#add(extension, shape) });
    }
  }

  /** Takes everything of an extension away. */
  async remove(extension: Extension): Promise<void> {
    for (const row of this.#rows.get(extension)?.values() ?? []) await dispose(row);
    this.#rows.delete(extension);
  }

  /** A key that is kept under a name goes to whoever has the name; logins at MCP servers are kept there, too. */
  async #keyProblem({ name, isTrusted }: Extension, shape: ProviderShape) {
    if (isTrusted) return undefined;
    if (!/^[a-z0-9][\w.-]*$/i.test(shape.name))
      return { reason: 'its name is none', instead: 'Use letters, digits, `-`, `_` and `.`.' };
    const kept = await (await this.#world.auth()).list();
    // A key that was stored for the name, or that it brings itself, is meant for it; one of models.yml or the environment is not.
    const isForOthers = ({ provider, source }: (typeof kept)[number]) =>
      provider === shape.name && /^(?:models file|\$)/.test(source);
    if (!kept.some(isForOthers)) return undefined;
    const reason = `it would be given the key that you keep for "${shape.name}"`;
    return { reason, instead: `Trust the extension with \`tenon extension trust ${name}\` if you want that.` };
  }

  #problem(extension: Extension, shape: ProviderShape): { reason: string; instead: string } | undefined {
    const { name } = extension;
    const known = this.#world.endpoints.get(shape.name);
    if (known && !extension.isTrusted) {
      const reason = `it would change where the keys of "${shape.name}" are sent`;
      return { reason, instead: `Trust the extension with \`tenon extension trust ${name}\` if you want that.` };
    }
    const hosts = [shape.baseUrl, ...shape.models.map(({ baseUrl }) => baseUrl)].filter((url) => url !== undefined);
    const foreign =
      extension.isTrusted || shape.streams
        ? undefined
        : hosts.find((url) => !isGranted(url, extension.permissions.net ?? []));
    if (foreign !== undefined) {
      const host = URL.canParse(foreign) ? new URL(foreign).host : foreign;
      return {
        reason: `conversations would be sent to ${host}, which it may not reach`,
        instead: `Allow that with \`tenon extension allow ${name} --net ${host}\`.`,
      };
    }
    if (!known && shape.models.length === 0) return { reason: 'it has no models', instead: 'Give it `models`.' };
    return undefined;
  }

  async #add(extension: Extension, shape: ProviderShape): Promise<Disposable[]> {
    const known = this.#world.endpoints.get(shape.name)?.data as Endpoint | undefined;
    const own = `pi:${extension.name}:${shape.name}`;
    const api = shape.streams ? own : (shape.api ?? shape.models[0]?.api ?? known?.api ?? 'openai-completions');
    const endpoint: Endpoint = {
      ...known,
      name: shape.title ?? known?.name ?? shape.name,
      api,
      keyOptional: shape.apiKey === undefined || shape.streams,
      ...(shape.baseUrl !== undefined && { baseUrl: shape.baseUrl }),
      ...(shape.headers && { headers: shape.headers }),
    };
    if (shape.apiKey !== undefined) (await this.#world.auth()).setRuntimeKey(shape.name, shape.apiKey);
    const parts = [this.#world.contributeEndpoint(shape.name, endpoint, known ? OVERRIDE : 0)];
    for (const model of shape.models) {
      parts.push(
        this.#world.contributeModel(
          `${shape.name}/${model.id}`,
          modelOf(shape, model, shape.streams ? own : (model.api ?? api)),
        ),
      );
    }
    if (shape.streams)
      parts.push(
        this.#world.contributeProvider(own, {
          stream: (request, { signal }) => this.#stream(extension, shape.name, request, signal),
        }),
      );
    return parts;
  }

  /** The extension speaks the protocol itself; its events are those of Tenon. */
  async *#stream(
    extension: Extension,
    name: string,
    request: Parameters<Parameters<ExtensionServices['contributeProvider']>[1]['stream']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const { model, systemPrompt, messages, tools, maxTokens, temperature, thinking, apiKey, sessionId } = request;
    const options = {
      signal,
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(thinking !== undefined && thinking !== 'off' && { reasoning: thinking }),
      ...(apiKey !== undefined && { apiKey }),
      ...(sessionId !== undefined && { sessionId }),
    };
    const context = { systemPrompt, messages, tools };
    const events = await extension.request('stream', [name, piModel(model), context, options]);
    for await (const event of events as AsyncIterable<StreamEvent>) yield event;
  }

  #refuse(extension: Extension, provider: string, why: { reason: string; instead: string }): void {
    const key = `${extension.name} ${provider} ${why.reason}`;
    if (this.#complained.has(key)) return;
    this.#complained.add(key);
    this.#world.report(
      errors.create('PI_COMPAT_PROVIDER_REFUSED', { extension: extension.name, provider, ...why }),
      'warning',
    );
  }
}

async function dispose({ parts }: Row): Promise<void> {
  for (const part of [...parts].reverse()) await part.dispose();
}

function modelOf(provider: ProviderShape, model: ProviderModelShape, api: string): Model {
  const { cost, ...rest } = model;
  const baseUrl = model.baseUrl ?? provider.baseUrl;
  return { ...rest, provider: provider.name, api, price: cost, ...(baseUrl !== undefined && { baseUrl }) };
}
