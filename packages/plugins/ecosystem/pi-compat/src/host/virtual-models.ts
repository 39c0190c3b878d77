/**
 * The virtual models of extensions: each names a real model for every request. Only the user decides which providers get
 * conversations, so a provider that nobody chose is asked about, and refused where nobody can answer.
 */
import type { Disposable } from '@tenon/kernel';
import { messageOf, TenonError } from '@tenon/kernel';
import {
  AnswerBuilder,
  type Endpoint,
  type Model,
  type ModelRequest,
  type StreamEvent,
  THINKING_LEVELS,
  type ThinkingLevel,
} from '@tenon/models/api';
import { errors } from '../errors.ts';
import type { RouteAnswer, SessionScope, VirtualModelShape } from '../protocol.ts';
import type { Extension } from './extension.ts';
import { ProviderChoice } from './provider-choice.ts';
import { type Failed, newState, routeQuestion } from './route-question.ts';
import type { ExtensionServices } from './services.ts';

interface Owner {
  readonly extension: Extension;
  readonly cwd: string;
  readonly shape: VirtualModelShape;
}

interface Row {
  owners: Owner[];
  readonly described: string;
  readonly parts: readonly Disposable[];
}

/** What the `api` of a virtual model begins with. */
export const VIRTUAL_API = 'pi-virtual:';
/** For those that do not say how much fits into them. */
const STANDARD_WINDOW = 128_000;
const STANDARD_ANSWER = 16_384;
const CORRECT = 'Choose another model, or correct the extension.';

/** Virtual models of all extensions. */
export class VirtualModels {
  readonly #world: ExtensionServices;
  readonly #rows = new Map<string, Row>();
  readonly #complained = new Set<string>();
  /** Providers that only virtual models have. */
  readonly #endpoints = new Map<string, { models: number; readonly entry: Disposable }>();
  readonly #choice: ProviderChoice;
  /** The last failure of a request, by its messages: the next attempt has the same ones. */
  readonly #failed = new WeakMap<object, Failed>();

  constructor(world: ExtensionServices) {
    this.#world = world;
    this.#choice = new ProviderChoice(world);
  }

  /** Brings the models up to date with what an extension has now; true when something changed. */
  async update(extension: Extension, cwd: string): Promise<boolean> {
    const wanted = new Map(extension.shape.virtualModels.map((shape) => [`${shape.provider}/${shape.id}`, shape]));
    let hasChanged = false;
    for (const [key, row] of [...this.#rows]) {
      const own = row.owners.find((owner) => owner.extension === extension);
      if (!own || JSON.stringify(wanted.get(key)) === JSON.stringify(own.shape)) continue;
      await this.#drop(key, extension);
      hasChanged = true;
    }
    for (const [key, shape] of wanted) hasChanged = this.#set(key, { extension, cwd, shape }) || hasChanged;
    return hasChanged;
  }

  /** Takes everything of an extension away. */
  async remove(extension: Extension): Promise<void> {
    for (const key of [...this.#rows.keys()]) await this.#drop(key, extension);
  }

  #set(key: string, owner: Owner): boolean {
    const row = this.#rows.get(key);
    if (row?.owners.some(({ extension }) => extension === owner.extension)) return false;
    const problem = this.#problem(key, owner, row);
    if (problem !== undefined) {
      this.#refuse(owner.extension, key, problem);
      return false;
    }
    if (row) row.owners = [...row.owners, owner];
    else
      this.#rows.set(key, {
        owners: [owner],
        described: JSON.stringify(owner.shape),
        parts: this.#contribute(key, owner),
      });
    return true;
  }

  #problem(key: string, { extension, cwd, shape }: Owner, row: Row | undefined): string | undefined {
    const rival = row?.owners.find((owner) => owner.cwd === cwd);
    if (rival) return `the extension "${rival.extension.name}" has one of the same name`;
    if (row && row.described !== JSON.stringify(shape)) return 'an extension of another folder describes it otherwise';
    const isReal = extension.knownModels.some(
      ({ provider, id, api }) => `${String(provider)}/${String(id)}` === key && !isVirtual(String(api)),
    );
    return isReal && !row ? 'there is a real model of the same name' : undefined;
  }

  async #drop(key: string, extension: Extension): Promise<void> {
    const row = this.#rows.get(key);
    if (!row) return;
    row.owners = row.owners.filter((owner) => owner.extension !== extension);
    if (row.owners.length > 0) return;
    this.#rows.delete(key);
    for (const part of [...row.parts].reverse()) await part.dispose();
  }

  #contribute(key: string, { extension, shape }: Owner): Disposable[] {
    const { provider, id, name, input, thinkingLevels } = shape;
    const api = `${VIRTUAL_API}${key}`;
    const model: Model = {
      provider,
      id,
      name,
      api,
      input,
      reasoning: thinkingLevels.some((level) => level !== 'off'),
      contextWindow: shape.contextWindow ?? STANDARD_WINDOW,
      maxTokens: shape.maxTokens ?? STANDARD_ANSWER,
      // It answers only whom it was named to: nobody is sent through somebody else's router unasked.
      onlyByName: true,
    };
    const endpoint: Endpoint = { name: `${provider} (extension ${extension.name})`, api, keyOptional: true };
    return [
      this.#endpointFor(provider, endpoint),
      this.#world.contributeModel(key, model),
      this.#world.contributeProvider(api, { stream: (request, { signal }) => this.#stream(key, request, signal) }),
    ];
  }

  /** A provider that nobody else has is listed as long as a virtual model is listed under it. */
  #endpointFor(provider: string, endpoint: Endpoint): Disposable {
    const known = this.#endpoints.get(provider);
    if (!known && this.#world.endpoints.get(provider)) return { dispose: async () => undefined };
    const used = known ?? { models: 0, entry: this.#world.contributeEndpoint(provider, endpoint, 0) };
    used.models++;
    this.#endpoints.set(provider, used);
    return {
      dispose: async () => {
        if (--used.models > 0) return;
        this.#endpoints.delete(provider);
        await used.entry.dispose();
      },
    };
  }

  async *#stream(key: string, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    let chosen: { readonly model: Model; readonly thinking: ThinkingLevel };
    try {
      chosen = await this.#route(key, request, signal);
    } catch (fault) {
      const { code, next } = fault instanceof TenonError ? fault : {};
      const about = { ...(code !== undefined && { code }), ...(next !== undefined && { next }) };
      const kind = signal.aborted ? ('aborted' as const) : ('bad-request' as const);
      yield* new AnswerBuilder(request.model).fail({ kind, message: messageOf(fault), ...about });
      return;
    }
    const { apiKey: _key, ...rest } = request;
    const { model, thinking } = chosen;
    const registry = await this.#world.models();
    // Whoever asked the virtual model waits and tries again; then its router is asked again, too.
    const events = registry.stream({ ...rest, model, thinking }, { signal, mayWait: () => false });
    for await (const event of events) {
      if (event.type === 'error') this.#failed.set(request.messages, { model, thinking, message: event.error });
      yield event;
    }
  }

  async #route(key: string, request: ModelRequest, signal: AbortSignal) {
    const { sessionId, messages } = request;
    const agent = sessionId === undefined ? undefined : (await this.#world.agents()).get(sessionId);
    const owners = this.#rows.get(key)?.owners ?? [];
    const owner = owners.find(({ cwd }) => cwd === agent?.cwd) ?? (agent === undefined ? owners[0] : undefined);
    if (!owner)
      throw this.#refusal(
        'no extension',
        key,
        'the extension that brings it is not loaded in this folder',
        'Choose another model.',
      );
    const { extension, cwd, shape } = owner;
    const place: SessionScope = { cwd, ...(agent && { session: agent.session.id }) };
    const question = routeQuestion(request, {
      shape,
      agent,
      known: extension.knownModels,
      failed: this.#failed.get(messages),
    });
    const answer = await extension.route(key, question, place, signal).catch((fault: unknown) => {
      if (fault instanceof TenonError && fault.owner === 'pi-compat') throw fault;
      throw this.#refusal(extension.name, key, `its router failed (${messageOf(fault)})`, CORRECT);
    });
    const model = await this.#realModel(owner, answer);
    await this.#choice.require(extension, shape, model, signal);
    if (agent && answer.state) await agent.session.append('custom', newState(shape, answer.state.value));
    const level = THINKING_LEVELS.find((one) => one === answer.thinkingLevel) ?? 'off';
    return { model, thinking: model.reasoning ? level : ('off' as const) };
  }

  async #realModel({ extension, shape }: Owner, { provider, id }: RouteAnswer): Promise<Model> {
    const name = `${provider}/${id}`;
    const found = await (await this.#world.models()).find(name);
    const { model } = found ?? {};
    const virtual = `${shape.provider}/${shape.id}`;
    if (model?.provider !== provider || model.id !== id)
      throw this.#refusal(extension.name, virtual, `it names ${name}, which does not exist`, CORRECT);
    if (isVirtual(model.api))
      throw this.#refusal(extension.name, virtual, `it names ${name}, which is virtual, too`, CORRECT);
    return model;
  }

  #refusal(extension: string, model: string, reason: string, instead: string): TenonError {
    return errors.create('PI_COMPAT_ROUTE_REFUSED', { extension, model, reason, instead });
  }

  #refuse(extension: Extension, model: string, reason: string): void {
    const key = `${extension.name} ${model} ${reason}`;
    if (this.#complained.has(key)) return;
    this.#complained.add(key);
    this.#world.report(
      errors.create('PI_COMPAT_VIRTUAL_TAKEN', { extension: extension.name, model, reason }),
      'warning',
    );
  }
}

function isVirtual(api: string): boolean {
  return api.startsWith(VIRTUAL_API);
}
