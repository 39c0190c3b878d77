/** All extensions of this process, by folder. */
import { realpathSync } from 'node:fs';
import type { LiveAgents } from '@tenon/agent/api';
import type { FlagSpec } from '@tenon/command-line/api';
import { messageOf, type TenonError } from '@tenon/kernel';
import type { SlashCall, SlashCommandInfo, SlashOutcome, SlashScope } from '@tenon/slash-commands/api';
import type { ToolRequest } from '@tenon/tools/api';
import type { ExtensionShortcut, MarkdownPlace } from '../api.ts';
import { ANY_TOOL, type ThoughtDrawing } from '../protocol.ts';
import type { DrawOptions } from '../runtime/render.ts';
import { cutRows } from '../screen-limits.ts';
import type { Extension } from './extension.ts';
import { ExtensionSet, type Tables } from './extension-set.ts';
import { ProviderTable } from './provider-table.ts';
import { RunEvents } from './run-events.ts';
import { SessionEvents } from './session-events.ts';
import { ToolTable } from './tool-table.ts';
import { VirtualModels } from './virtual-models.ts';
import type { ExtensionServices } from './services.ts';

type Drawn = 'message' | 'entry' | 'tool' | 'thought';
type Lines = readonly string[] | undefined;

/** All extensions. */
export class ExtensionManager {
  readonly sessions: SessionEvents;
  readonly runs: RunEvents;
  readonly #world: ExtensionServices;
  readonly #sets = new Map<string, ExtensionSet>();
  #agents: LiveAgents | undefined;
  readonly #tables: Tables;

  constructor(world: ExtensionServices) {
    this.#world = world;
    this.#tables = {
      tools: new ToolTable(world),
      providers: new ProviderTable(world),
      virtualModels: new VirtualModels(world),
    };
    const sets = {
      open: (cwd: string) => this.open(cwd),
      of: (session: string) => this.#of(session),
    };
    this.sessions = new SessionEvents(sets);
    this.runs = new RunEvents(sets);
  }

  /** Asked for every word that a model says: most sessions have no extensions. */
  get hasAny(): boolean {
    for (const set of this.#sets.values()) if (set.isInUse) return true;
    return false;
  }

  /** The extensions of a folder, loaded. */
  async open(cwd: string, mayAsk = true): Promise<ExtensionSet> {
    const folder = realOf(cwd);
    const set = this.#sets.get(folder) ?? new ExtensionSet(this.#world, cwd, this.#tables);
    this.#sets.set(folder, set);
    this.#agents ??= await this.#world.agents();
    await set.load(mayAsk);
    return set;
  }

  /** The extensions of a folder if they were loaded. */
  known(cwd: string): ExtensionSet | undefined {
    return this.#sets.get(realOf(cwd));
  }

  /** The extensions that hear of a session: those of the folder that its agent works in. At once, or events would overtake each other. */
  #of(session: string): ExtensionSet | undefined {
    const agent = this.hasAny ? this.#agents?.get(session) : undefined;
    return agent && this.known(agent.cwd);
  }

  /** Puts the tools of a folder's extensions into the slot; gives why others are not there. */
  async offerTools({ cwd, names }: ToolRequest): Promise<readonly TenonError[]> {
    const { problems, untrusted } = await this.open(cwd, false);
    if (!names) for (const problem of untrusted) this.#world.report(problem, 'warning');
    return [...problems, ...untrusted];
  }

  /** The flags that the extensions of a folder register, for the command line. */
  async flagsOf(cwd: string): Promise<Readonly<Record<string, FlagSpec>>> {
    const { extensions } = await this.open(cwd, false);
    return Object.fromEntries(
      extensions.flatMap(({ name: extension, shape }) =>
        shape.flags.map(({ name, type, description }): [string, FlagSpec] => [
          name.replace(/^--/, ''),
          { type, summary: description ?? `A flag of the extension ${extension}` },
        ]),
      ),
    );
  }

  /** Commands of extensions, for the slash. */
  async listCommands({ cwd }: SlashScope): Promise<readonly SlashCommandInfo[]> {
    const { extensions } = await this.open(cwd);
    return extensions.flatMap(({ shape, module }) =>
      shape.commands.map(({ name, description }) => ({
        name,
        kind: 'extension',
        family: module.from,
        level: module.level,
        path: module.file,
        ...(description !== undefined && { description }),
      })),
    );
  }

  /** Runs a command; of two with the same name the first counts. */
  async runCommand(name: string, args: string, { session, cwd }: SlashCall): Promise<SlashOutcome | undefined> {
    const { extensions } = await this.open(cwd);
    const extension = extensions.find(({ shape }) => shape.commands.some((command) => command.name === name));
    if (!extension) return undefined;
    const prompt = await extension.runCommand(name, args, { cwd, ...(session !== undefined && { session }) });
    return prompt ? { kind: 'prompt', ...prompt } : { kind: 'handled' };
  }

  /** Whether an extension draws this, or may. */
  draws(cwd: string, what: Drawn, name = ''): boolean {
    return this.#drawers(cwd, what, name).length > 0;
  }

  /** Those who may draw it, first who says most about it. */
  #drawers(cwd: string, what: Drawn, name: string): Extension[] {
    const all = this.known(cwd)?.extensions ?? [];
    if (what === 'thought') return all.filter(({ shape }) => shape.drawsThoughts);
    if (what !== 'tool')
      return all.filter(({ shape }) => (what === 'entry' ? shape.entryRenderers : shape.renderers).includes(name));
    const rank = ({ shape }: Extension): number => {
      if (shape.toolRenderers.includes(name)) return 1;
      if (shape.tools.some((tool) => tool.name === name && tool.renders)) return 2;
      return shape.toolRenderers.includes(ANY_TOOL) ? 3 : 0;
    };
    return all.filter((extension) => rank(extension) > 0).sort((a, b) => rank(a) - rank(b));
  }

  /** The lines of a message as the extension that sent it draws it. */
  drawMessage(cwd: string, type: string, message: unknown, options: DrawOptions): Promise<Lines> {
    return this.#drawn(this.#drawers(cwd, 'message', type), 'message', [type, message, options]);
  }

  /** The lines of an entry without a message. */
  drawEntry(cwd: string, type: string, entry: unknown, options: DrawOptions): Promise<Lines> {
    return this.#drawn(this.#drawers(cwd, 'entry', type), 'entry', [type, entry, options]);
  }

  /** The lines that extensions put below a thought: those of all of them, in order. */
  async drawThought(cwd: string, thought: ThoughtDrawing, options: DrawOptions): Promise<Lines> {
    const drawn = this.#drawers(cwd, 'thought', '').map((extension) =>
      this.#drawn([extension], 'thought', [thought, options], 'thoughts'),
    );
    const rows = (await Promise.all(drawn)).flatMap((lines) => lines ?? []);
    return rows.length === 0 ? undefined : cutRows(rows);
  }

  /** The lines of a tool's call or result as its extension draws them. */
  drawTool(
    cwd: string,
    name: string,
    part: 'call' | 'result',
    data: { readonly args: unknown; readonly result?: unknown },
    options: DrawOptions,
  ): Promise<Lines> {
    return this.#drawn(this.#drawers(cwd, 'tool', name), 'drawing', [name, part, data, options]);
  }

  async #drawn(
    extensions: readonly Extension[],
    method: string,
    args: readonly unknown[],
    what = String(args[0]),
  ): Promise<Lines> {
    for (const extension of extensions) {
      try {
        const lines = await extension.request(method, args);
        if (Array.isArray(lines)) return cutRows(lines.map(String));
      } catch (fault) {
        extension.fault(`drawing ${what}`, messageOf(fault));
      }
    }
    return undefined;
  }

  /** Markdown as extensions want it shown, one after the other. */
  async transformMarkdown(cwd: string, text: string, about: MarkdownPlace): Promise<string> {
    let changed = text;
    for (const extension of this.known(cwd)?.extensions ?? []) {
      if (!extension.shape.transformsMarkdown) continue;
      try {
        const answer = await extension.request('markdown', [changed, { ...about, cwd }]);
        if (typeof answer === 'string') changed = answer;
      } catch (fault) {
        extension.fault('registerMarkdownTransformer()', messageOf(fault));
      }
    }
    return changed;
  }

  /** The keys that extensions want, each once. */
  shortcuts(cwd: string): readonly ExtensionShortcut[] {
    const byKey = new Map<string, ExtensionShortcut>();
    for (const extension of this.known(cwd)?.extensions ?? []) {
      for (const { key, description } of extension.shape.shortcuts) {
        if (byKey.has(key)) continue;
        const run = (session?: string) => this.#press(extension, cwd, key, session);
        byKey.set(key, { key, extension: extension.name, run, ...(description !== undefined && { description }) });
      }
    }
    return [...byKey.values()];
  }

  async #press(extension: Extension, cwd: string, key: string, session: string | undefined): Promise<void> {
    try {
      await extension.request('shortcut', [key, { cwd, ...(session !== undefined && { session }) }]);
    } catch (fault) {
      extension.fault(`the shortcut ${key}`, messageOf(fault));
    }
  }

  /** Runs what an extension wants to do when a key is pressed; false when nobody wants anything. */
  async pressKey(cwd: string, key: string, session: string | undefined): Promise<boolean> {
    const shortcut = this.shortcuts(cwd).find((one) => one.key === key);
    await shortcut?.run(session);
    return shortcut !== undefined;
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    await Promise.all([...this.#sets.values()].map((set) => set.stop()));
    this.#sets.clear();
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // A folder that is gone is still a name.
  }
}
