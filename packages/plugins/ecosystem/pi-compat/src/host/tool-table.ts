/** The tools of all extensions. One name is contributed once; a call goes to the extension of the folder it belongs to. */
import type { Disposable, Permissions } from '@tenon/kernel';
import type { Tool, ToolCall, ToolData, ToolResult, ToolRisk } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { SessionScope, ToolShape } from '../protocol.ts';
import type { Extension } from './extension.ts';
import type { ExtensionServices } from './services.ts';

interface Owner {
  readonly extension: Extension;
  readonly cwd: string;
  readonly shape: ToolShape;
}

interface Row {
  owners: Owner[];
  described: string;
  readonly contributed: Disposable;
}

const SUMMARY_CHARS = 120;
/** Above the tools of plugins, so that an extension can replace one, as in pi. */
const OVERRIDE = 10;

/** The tools of all extensions. */
export class ToolTable {
  readonly #world: ExtensionServices;
  readonly #rows = new Map<string, Row>();
  readonly #complained = new Set<string>();

  constructor(world: ExtensionServices) {
    this.#world = world;
  }

  /** Brings the table up to date with what an extension has now; gives the names that are new. */
  async update(extension: Extension, cwd: string): Promise<string[]> {
    const wanted = new Map(extension.shape.tools.map((shape) => [shape.name, shape]));
    for (const [name, row] of [...this.#rows]) {
      if (!wanted.has(name) && row.owners.some((owner) => owner.extension === extension))
        await this.#drop(name, extension);
    }
    const added: string[] = [];
    for (const [name, shape] of wanted) {
      if (await this.#set(name, { extension, cwd, shape })) added.push(name);
    }
    return added;
  }

  /** Takes everything of an extension away. */
  async remove(extension: Extension): Promise<void> {
    for (const name of [...this.#rows.keys()]) await this.#drop(name, extension);
  }

  async #set(name: string, owner: Owner): Promise<boolean> {
    const row = this.#rows.get(name);
    const described = JSON.stringify([owner.shape, owner.extension.trust]);
    if (row) {
      const rival = row.owners.find(({ cwd, extension }) => cwd === owner.cwd && extension !== owner.extension);
      if (rival) {
        this.#complain(owner, `the extension "${rival.extension.name}"`);
        return false;
      }
      const others = row.owners.filter(({ extension }) => extension !== owner.extension);
      const isNew = others.length === row.owners.length;
      row.owners = [owner, ...others];
      if (described === row.described) return isNew;
      // Description and schema are read when a turn begins, so the entry has to be made anew; at once, for no turn must miss it.
      const gone = row.contributed.dispose();
      this.#rows.set(name, { owners: row.owners, described, contributed: this.#contribute(name, owner) });
      await gone;
      return isNew;
    }
    const taken = this.#world.tools.get(name);
    if (taken && owner.extension.module.kind === 'tool') {
      this.#complain(owner, `the plugin "${taken.source.plugin}"`);
      return false;
    }
    this.#rows.set(name, { owners: [owner], described, contributed: this.#contribute(name, owner) });
    return true;
  }

  async #drop(name: string, extension: Extension): Promise<void> {
    const row = this.#rows.get(name);
    if (!row) return;
    row.owners = row.owners.filter((owner) => owner.extension !== extension);
    if (row.owners.length > 0) return;
    this.#rows.delete(name);
    await row.contributed.dispose();
  }

  #complain({ extension, shape }: Owner, other: string): void {
    const key = `${extension.name} ${shape.name}`;
    if (this.#complained.has(key)) return;
    this.#complained.add(key);
    const details = { tool: shape.name, extension: extension.name, owner: other };
    this.#world.report(errors.create('PI_COMPAT_TOOL_TAKEN', details), 'warning');
  }

  #contribute(name: string, { extension, shape }: Owner): Disposable {
    const [summary = ''] = shape.description.trim().split('\n');
    const data: ToolData = {
      summary: summary.slice(0, SUMMARY_CHARS) || shape.label,
      risk: riskOf(extension.isTrusted, extension.permissions, shape.approval),
      ...(shape.sequential !== undefined && { exclusive: shape.sequential }),
      origin: { kind: 'extension', name: extension.name },
      // Sessions of the folder are given it explicitly; others can only find it.
      discoverable: true,
    };
    const tool: Tool = {
      description: [shape.description, ...shape.guidelines.map((line) => `- ${line}`)].join('\n'),
      parameters: shape.parameters,
      execute: (input, call) => this.#execute(name, input, call),
    };
    return this.#world.contributeTool(name, tool, data, { file: extension.module.file, priority: OVERRIDE });
  }

  async #execute(name: string, input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<ToolResult> {
    const { scope, signal } = call;
    const owners = this.#rows.get(name)?.owners ?? [];
    const owner = owners.find(({ cwd }) => cwd === scope?.cwd) ?? (scope === undefined ? owners[0] : undefined);
    if (!owner) {
      const text = `The tool "${name}" belongs to an extension that is not loaded in this folder.`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    const place: SessionScope = { cwd: owner.cwd, ...(scope && { session: scope.session }) };
    const update = (partial: ToolResult) => call.update(partial);
    const { extension } = owner;
    return (await extension.calls.during(extension, call, () =>
      stoppable(extension.callTool(place, [name, call.id, input, signal, update]), signal),
    )) as ToolResult;
  }
}

/** An extension may not look at the signal; whoever stopped the call waits no longer all the same. */
function stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined); // its failure after the stop concerns nobody
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** What a sandbox lets it do is the most that it can do; without one its own word counts. */
export function riskOf(
  isTrusted: boolean,
  { exec = [], net = [], fs = {} }: Permissions,
  claimed: ToolRisk | undefined,
): ToolRisk {
  if (isTrusted) return claimed ?? 'exec';
  if (exec.length > 0) return 'exec';
  if (net.length > 0) return 'net';
  return (fs.write ?? []).length > 0 ? 'write' : 'read';
}
