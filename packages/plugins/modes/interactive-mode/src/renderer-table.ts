/** The renderers of tools: those of packs are loaded when their tool is first seen, and never waited for. */
import type { Logger, Registry } from '@tenon/kernel';
import { messageOf } from '@tenon/kernel';
import type { ToolRenderer } from './api.ts';

/** Gives the renderer of a tool at once. */
export class RendererTable {
  readonly #registry: Registry<ToolRenderer>;
  readonly #general: ToolRenderer;
  readonly #log: Logger;
  readonly #ready = new Map<string, ToolRenderer | undefined>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor(registry: Registry<ToolRenderer>, general: ToolRenderer, log: Logger) {
    this.#registry = registry;
    this.#general = general;
    this.#log = log;
  }

  /** The renderer of a tool; the general one as long as its own is not loaded. */
  for(tool: string): ToolRenderer {
    const name = this.#registry.get(tool) ? tool : '*';
    const value = this.#registry.get(name)?.value;
    if (value) return value;
    if (!this.#ready.has(name)) void this.load(name);
    return this.#ready.get(name) ?? this.#general;
  }

  /** Loads a renderer; one that cannot be loaded is logged, and the general one serves. */
  load(name: string): Promise<void> {
    const loading = this.#loading.get(name) ?? this.#load(name);
    this.#loading.set(name, loading);
    return loading;
  }

  async #load(name: string): Promise<void> {
    this.#ready.set(name, undefined);
    if (!this.#registry.get(name)) return;
    try {
      this.#ready.set(name, await this.#registry.resolve(name));
    } catch (fault) {
      this.#log.warn(`the renderer of ${name} cannot be used: ${messageOf(fault)}`);
    }
  }
}
