import { type CliCommand, cliCommands, EXIT } from '@tenon/command-line/api';
import { counted } from '@tenon/wording';
import type { KernelView } from '@tenon/host';
import { type Manifest, messageOf, TenonError } from '@tenon/kernel';
import type { HostStatus } from '@tenon/pack-host/api';
import { tools } from '@tenon/tools/api';
import { findPacks, type FoundPack } from '../find-packs.ts';
import { mayStart } from '../may-start.ts';
import { argument, type CommandParts, requirePack } from './parts.ts';

/** What the doctor found out about one pack. */
interface Examination {
  readonly id: string;
  readonly status: 'ok' | 'not started' | 'problem';
  readonly findings: readonly string[];
  readonly next?: string;
  readonly startedInMs?: number;
  readonly output?: readonly string[];
}

/** `tenon plugin doctor`. */
export function doctorCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const id = argument(call, 'id');
      const { packs, problems } = await findPacks(parts.folders);
      const chosen = id === '' ? packs : [await requirePack(parts, id, 'examined')];
      const view = await parts.view();
      const hosts = await parts.hosts();
      const results: Examination[] = [];
      for (const pack of chosen) {
        call.signal.throwIfAborted();
        results.push(await examine(pack, view, (plugin) => hosts.status(plugin)));
      }
      const broken = id === '' ? problems : [];
      if (call.flags['json'] === true)
        await call.io.json({ packs: results, problems: broken.map((problem) => problem.toJSON()) });
      else await call.io.out(textOf(results) + broken.map(({ message, next }) => `✗ ${message}\n  ${next}\n`).join(''));
      return broken.length > 0 || results.some(({ status }) => status === 'problem') ? EXIT.failure : EXIT.ok;
    },
  };
}

/** `tenon plugin reload`. */
export function reloadCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const id = argument(call, 'id');
      await (await parts.view()).reload(id);
      await call.io.out(`Plugin "${id}" was started anew.\n`);
    },
  };
}

async function examine(
  pack: FoundPack,
  view: KernelView,
  hostStatus: (id: string) => HostStatus | undefined,
): Promise<Examination> {
  const { manifest } = pack;
  const { id } = manifest;
  const decision = mayStart(pack);
  if (!decision.start) return { id, status: 'not started', findings: [decision.reason] };
  const started = performance.now();
  try {
    await view.activate(id);
    const startedInMs = Math.round(performance.now() - started);
    const faults = await faultsOf(manifest, view);
    const count = view.registrations(id).filter(({ kind }) => kind !== 'cleanup').length;
    const findings =
      faults.length > 0
        ? faults
        : [`started (${decision.trust}) in ${startedInMs} ms with ${counted(count, 'registration')}`];
    return { id, status: faults.length > 0 ? 'problem' : 'ok', findings, startedInMs };
  } catch (fault) {
    const output = hostStatus(id)?.output ?? [];
    const next = fault instanceof TenonError ? { next: fault.next } : {};
    return { id, status: 'problem', findings: [messageOf(fault)], output, ...next };
  }
}

/** Looks at everything that the pack contributes, without running it. */
async function faultsOf({ contributes = {} }: Manifest, view: KernelView): Promise<string[]> {
  const faults: string[] = [];
  const look = async (what: string, problem: () => Promise<string | undefined>) => {
    const finding = await problem().catch(messageOf);
    if (finding !== undefined) faults.push(`${what}: ${finding}`);
  };
  for (const key of Object.keys(contributes[tools.id] ?? {}).filter((name) => name !== '*')) {
    await look(`tool "${key}"`, async () => {
      const { description, parameters, execute } = await view.read(tools).resolve(key);
      if (typeof execute !== 'function') return 'it has no execute()';
      if (typeof description !== 'string' || description === '')
        return 'it has no description, so no model can know when to use it';
      return typeof parameters === 'object' && parameters !== null
        ? undefined
        : 'it has no parameters (a JSON Schema of its input)';
    });
  }
  for (const key of Object.keys(contributes[cliCommands.id] ?? {}).filter((name) => name !== '*')) {
    await look(`command "${key}"`, async () => {
      const { run } = await view.read(cliCommands).resolve(key);
      return typeof run === 'function' ? undefined : 'it has no run()';
    });
  }
  return faults;
}

function textOf(results: readonly Examination[]): string {
  if (results.length === 0) return 'No packs are installed.\n';
  const sign = { ok: '✓', 'not started': '-', problem: '✗' };
  return results
    .map(({ id, status, findings, next, output = [] }) => {
      const lines = [...findings.slice(1), ...(next ? [next] : []), ...output.slice(-5).map((line) => `| ${line}`)];
      return [`${sign[status]} ${id}: ${findings[0] ?? status}`, ...lines.map((line) => `  ${line}`), ''].join('\n');
    })
    .join('');
}
