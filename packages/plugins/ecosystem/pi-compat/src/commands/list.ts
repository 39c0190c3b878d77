import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, shellWord } from '@tenon/wording';
import { describePermissions } from '@tenon/pack-host/api';
import { planModules } from '../host/planned-modules.ts';
import type { ExtensionServices } from '../host/services.ts';

/** `tenon extension list`: what there is, and whether it would run. Nothing is started. */
export async function listExtensions(world: ExtensionServices, { flags, io, cwd }: CommandCall): Promise<void> {
  const { planned, problems } = await planModules(world, cwd);
  const trust = await world.trust();
  const projects = [...new Set(planned.flatMap(({ module }) => module.project ?? []))];
  const states = new Map(
    await Promise.all(projects.map(async (folder) => [folder, await trust.stateOf(folder)] as const)),
  );
  const rows = planned.map(({ module, record, permissions, skipped }) => {
    const isHeld = module.project !== undefined && states.get(module.project) !== 'trusted';
    const waits = isHeld
      ? `${module.project} is not trusted (\`tenon trust add ${shellWord(module.project)}\`)`
      : undefined;
    const reason = skipped ?? waits;
    return {
      name: module.name,
      kind: module.kind,
      level: module.level,
      from: module.from,
      file: module.file,
      trust: record?.trust ?? 'isolated',
      permissions: describePermissions(permissions),
      runs: reason === undefined,
      ...(reason !== undefined && { reason }),
    };
  });
  if (flags['json'] === true) return io.json({ extensions: rows, problems: problems.map(({ message }) => message) });
  if (rows.length === 0)
    await io.out(
      'No extensions of pi or oh-my-pi were found. They belong into ~/.omp/agent/extensions or .omp/extensions.\n',
    );
  for (const row of rows) {
    const state = row.runs ? row.trust : `not loaded: ${row.reason}`;
    await io.out(
      `${plainLine(row.name)}  ${row.kind}, ${row.level} (${row.from}), ${state}\n  ${plainLine(row.file)}\n`,
    );
  }
  for (const { message, next } of problems) await io.err(`${plainLine(message)}\n  next: ${next}\n`);
}
