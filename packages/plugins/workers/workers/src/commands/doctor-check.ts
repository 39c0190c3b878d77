/** The part of `tenon doctor` about workers: cheap, it starts no program. */
import type { DoctorFinding } from '@tenon/doctor/api';
import { messageOf } from '@tenon/kernel';
import type { WorkerRegistry } from '../api.ts';
import { capabilityIssues } from '../capabilities/issues.ts';
import type { WorkersSettings } from '../generated/settings.ts';

/** Which CLIs are there, and whether settings describe others well. */
export async function checkInstallation(
  registry: WorkerRegistry,
  { custom }: Pick<WorkersSettings, 'custom'>,
): Promise<readonly DoctorFinding[]> {
  const adapters = await registry.list();
  const places = await Promise.all(adapters.map((adapter) => registry.locate(adapter)));
  const installed = adapters.filter((_, index) => places[index] !== undefined).map(({ spec }) => spec.id);
  const found: DoctorFinding = { name: 'installed', status: 'ok', text: installed.join(', ') };
  const described = await Promise.all(Object.keys(custom).map((name) => checkDescription(registry, name)));
  return [found, ...described.flat()];
}

async function checkDescription(registry: WorkerRegistry, name: string): Promise<readonly DoctorFinding[]> {
  try {
    const issues = capabilityIssues(await registry.find(name));
    return issues.map(({ message }) => ({ name, status: 'warning', text: message }));
  } catch (fault) {
    // What is wrong with the settings is the finding.
    return [{ name, status: 'problem', text: messageOf(fault), next: 'Correct it with `tenon config edit`.' }];
  }
}
