/** The tools of all modules. One name is contributed once; a call goes to the module of the folder it belongs to. */
import type { Disposable, Permissions } from '@tenon/kernel';
import type { Tool, ToolCall, ToolData, ToolResult, ToolRisk } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { ToolShape } from '../protocol.ts';
import type { ModuleHost } from './module-host.ts';
import type { LoadedModule } from './module-set.ts';
import type { PlannedModule } from './modules.ts';
import type { Services } from './services.ts';

interface Owner extends LoadedModule {
  readonly cwd: string;
}

interface Row {
  owners: Owner[];
  readonly contributed: Disposable;
}

const SUMMARY_CHARS = 120;

/** The tools of all modules. */
export class ToolTable {
  readonly #services: Services;
  readonly #rows = new Map<string, Row>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Puts the tools of a module into the slot. A name that somebody else has stays theirs. */
  add({ module, host }: LoadedModule, cwd: string): void {
    for (const shape of host.shapeOf(module)?.tools ?? []) {
      const row = this.#rows.get(shape.name);
      const rival = row?.owners.find((owner) => owner.cwd === cwd);
      const taken = row ? undefined : this.#services.tools.get(shape.name);
      if (rival || taken) {
        const owner = rival ? `the OpenCode ${rival.module.kind} "${rival.module.name}"` : 'Tenon';
        const about = { tool: shape.name, kind: module.kind, module: module.name, owner };
        this.#services.report(errors.create('OPENCODE_TOOL_TAKEN', about), 'warning');
      } else if (row) row.owners.push({ module, host, cwd });
      else
        this.#rows.set(shape.name, {
          owners: [{ module, host, cwd }],
          contributed: this.#contribute(module, shape),
        });
    }
  }

  /** Takes the tools of a process away. */
  async remove(host: ModuleHost): Promise<void> {
    for (const [name, row] of [...this.#rows]) {
      row.owners = row.owners.filter((owner) => owner.host !== host);
      if (row.owners.length > 0) continue;
      this.#rows.delete(name);
      await row.contributed.dispose();
    }
  }

  #contribute(module: PlannedModule, { name, description, parameters }: ToolShape): Disposable {
    const [summary = ''] = description.trim().split('\n');
    const data: ToolData = {
      summary: summary.slice(0, SUMMARY_CHARS) || name,
      risk: riskOf(module.trust === 'unconfined', module.permissions),
      origin: { kind: 'extension', name: module.name },
      // Sessions of the folder are given it explicitly; others can only find it.
      discoverable: true,
    };
    const tool: Tool = { description, parameters, execute: (input, call) => this.#execute(name, input, call) };
    return this.#services.contributeTool(name, tool, data, module.file);
  }

  async #execute(name: string, input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<ToolResult> {
    const { id: callID, scope, signal } = call;
    const owners = this.#rows.get(name)?.owners ?? [];
    const owner = owners.find(({ cwd }) => cwd === scope?.cwd) ?? (scope === undefined ? owners[0] : undefined);
    if (!owner) {
      const text = `The tool "${name}" belongs to a module of OpenCode that is not loaded in this folder.`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    const place = { sessionID: scope?.session ?? '', callID };
    const work = owner.host.runTool(owner.module, { tool: name, input, place, signal });
    return { content: [{ type: 'text', text: await stoppable(work, signal) }] };
  }
}

/** A tool may not look at the signal; whoever stopped the call waits no longer all the same. */
function stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined); // its failure after the stop concerns nobody
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** What a sandbox lets it do is the most that it can do. */
function riskOf(isTrusted: boolean, { exec = [], net = [], fs = {} }: Permissions): ToolRisk {
  if (isTrusted || exec.length > 0) return 'exec';
  if (net.length > 0) return 'net';
  return (fs.write ?? []).length > 0 ? 'write' : 'read';
}
