/** Which providers the virtual models of an extension may use: those that the user chose, and no others. */
import type { Model } from '@tenon/models/api';
import { decidedNow } from '@tenon/pack-host/api';
import { plainLine } from '@tenon/wording';
import { errors } from '../errors.ts';
import type { VirtualModelShape } from '../protocol.ts';
import type { Extension } from './extension.ts';
import { changeRecord, type ModuleRecord, readRecords, recordsFile } from './records.ts';
import type { ExtensionServices } from './services.ts';

/** Knows what was decided, and asks for what was not. */
export class ProviderChoice {
  readonly #world: ExtensionServices;
  /** Questions that were put in this process, by extension and provider: nobody is asked twice. */
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(world: ExtensionServices) {
    this.#world = world;
  }

  /** Rejects when the user did not choose the provider of `model`. The provider that the virtual model is listed under was chosen with it. */
  async require(extension: Extension, shape: VirtualModelShape, model: Model, signal: AbortSignal): Promise<void> {
    const { provider } = model;
    if (provider === shape.provider || this.#isGranted(extension, provider)) return;
    const key = `${extension.module.file} ${provider}`;
    if ((await this.#world.ui()).canAsk()) {
      const asked = this.#asked.get(key) ?? this.#ask(extension, shape, model, signal);
      this.#asked.set(key, asked);
      // A question that was broken off was not answered.
      asked.catch(() => this.#asked.delete(key));
      if (await asked) return;
    }
    const { name } = extension;
    throw errors.create('PI_COMPAT_ROUTE_REFUSED', {
      extension: name,
      model: `${shape.provider}/${shape.id}`,
      reason: `it would send the conversation to ${provider}, which you did not choose`,
      instead: `Allow that with \`tenon extension allow ${name} --provider ${provider}\`, or choose another model.`,
    });
  }

  #isGranted({ module }: Extension, provider: string): boolean {
    const { providers = [] } = readRecords(recordsFile(this.#world.folders.data))[module.file] ?? {};
    return providers.includes(provider);
  }

  async #ask(extension: Extension, shape: VirtualModelShape, model: Model, signal: AbortSignal): Promise<boolean> {
    const ui = await this.#world.ui();
    const virtual = plainLine(`${shape.provider}/${shape.id}`);
    const title = `Send this conversation to ${plainLine(model.provider)}?`;
    const text = `The model ${virtual} of the extension "${plainLine(extension.name)}" wants to answer with ${plainLine(`${model.provider}/${model.id}`)}. If you agree, its virtual models may use ${plainLine(model.provider)} from now on.`;
    const isChosen = await ui.confirm(title, text, { signal });
    signal.throwIfAborted();
    if (isChosen) await grantProviders(this.#world, extension.module, [model.provider]);
    return isChosen;
  }
}

/** Keeps that an extension's virtual models may use these providers. */
export async function grantProviders(
  { folders }: Pick<ExtensionServices, 'folders'>,
  { name, file }: { readonly name: string; readonly file: string },
  providers: readonly string[],
): Promise<void> {
  await changeRecord(recordsFile(folders.data), file, (record) => ({
    ...decidedNow<ModuleRecord>(record, name),
    providers: [...new Set([...(record?.providers ?? []), ...providers])],
  }));
}
