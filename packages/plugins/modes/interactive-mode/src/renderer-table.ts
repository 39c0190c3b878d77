/** The renderers of tools: those of packs are loaded when their tool is first seen, and never waited for. */
import type { Logger, Registry } from '@tenon/kernel';
import { messageOf } from '@tenon/kernel';
import type { CallLines, CardStyle, EndedCall, ToolRenderer, ToolView } from '@tenon/screen-slots/api';
import type { Tool } from '@tenon/tools/api';
import { renderCard } from './cards/card.ts';
import type { DrawnRows } from './transcript/drawn-block.ts';

/** Gives the renderer of a tool at once. */
export class RendererTable {
  readonly #registry: Registry<ToolRenderer | CallLines>;
  readonly #tools: Registry<Tool>;
  readonly #general: ToolRenderer;
  readonly #log: Logger;
  readonly #ready = new Map<string, ToolRenderer | undefined>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor(
    registry: Registry<ToolRenderer | CallLines>,
    { tools, general, log }: { readonly tools: Registry<Tool>; readonly general: ToolRenderer; readonly log: Logger },
  ) {
    this.#registry = registry;
    this.#tools = tools;
    this.#general = general;
    this.#log = log;
  }

  /** The renderer of a tool; the general one as long as its own is not loaded, and for those that are asked when the call has ended. */
  for(tool: string): ToolRenderer {
    const name = this.#nameOf(tool);
    const entry = this.#registry.get(name);
    // A pack in a process of its own draws nothing inside of a frame: it is started by its calls, not by the look at them.
    if (entry?.source.foreign === true) return this.#general;
    if (entry?.value) return isDrawn(entry.value) ? entry.value : this.#general;
    if (!this.#ready.has(name)) void this.load(name);
    return this.#ready.get(name) ?? this.#general;
  }

  /** Loads a renderer; one that cannot be loaded is logged, and the general one serves. */
  load(name: string): Promise<void> {
    const loading = this.#loading.get(name) ?? this.#load(name);
    this.#loading.set(name, loading);
    return loading;
  }

  /** The card of a call that has ended, when somebody writes its lines; nothing for those that are drawn, and those that failed. */
  drawCall(call: Pick<EndedCall, 'name' | 'input' | 'result'>, style: CardStyle): DrawnRows | undefined {
    const { name, input, result } = call;
    const entry = this.#registry.get(this.#nameOf(name));
    if (!entry || result.isError === true) return undefined;
    const { foreign, plugin } = entry.source;
    // What a tool was asked and gave is its owner's business: another one may have come in front of the pack's since.
    if (foreign === true && this.#tools.get(name)?.source.plugin !== plugin) return undefined;
    if (foreign !== true && !(entry.value && !isDrawn(entry.value))) return undefined;
    const view: ToolView = { name, input, result, state: 'done' };
    return this.#lines(entry.key, { name, input, result, width: Math.max(1, style.width - 2) }).then((lines) => {
      if (!lines) return undefined;
      const body = (_view: ToolView, { wrap }: CardStyle) => lines.flatMap((line) => wrap(line));
      return renderCard(view, { title: (shown, look) => this.#general.title(shown, look), body }, style);
    });
  }

  async #lines(key: string, call: EndedCall): Promise<readonly string[] | undefined> {
    try {
      const value = await this.#registry.resolve(key);
      return isDrawn(value) ? undefined : await value.lines(call);
    } catch (fault) {
      this.#log.warn(`the card of ${key} cannot be drawn: ${messageOf(fault)}`);
      return undefined;
    }
  }

  #nameOf(tool: string): string {
    return this.#registry.get(tool) ? tool : '*';
  }

  async #load(name: string): Promise<void> {
    this.#ready.set(name, undefined);
    if (!this.#registry.get(name)) return;
    try {
      const value = await this.#registry.resolve(name);
      if (isDrawn(value)) this.#ready.set(name, value);
    } catch (fault) {
      this.#log.warn(`the renderer of ${name} cannot be used: ${messageOf(fault)}`);
    }
  }
}

function isDrawn(value: ToolRenderer | CallLines): value is ToolRenderer {
  return 'title' in value;
}
