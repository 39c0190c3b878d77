/** `tenon hooks list` */
import { type Discovered, discovery, externalHooks } from '@tenon/discovery/api';
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine, shellWord } from '@tenon/wording';
import { workspaceTrust } from '@tenon/trust/api';
import type { HookEngine } from '../engine.ts';
import { actionOf, tableOf } from '../hook-table.ts';
import { folderToTrust } from '../hook-trust.ts';

/** Shows every hook: when it runs, what it runs, where it comes from, and whether it may. */
export async function listHooks(engine: HookEngine, { io, flags, cwd, signal }: CommandCall): Promise<number> {
  const finder = await engine.host.findOptional(discovery);
  const findings = (await finder?.load(externalHooks, cwd, signal)) ?? { items: [], ignored: [], problems: [] };
  const { idle, warnings } = tableOf(findings.items, cwd);
  const trust = await engine.host.findOptional(workspaceTrust);
  const untrusted = new Set<string>();
  for (const folder of new Set(findings.items.map((item) => folderToTrust(item, cwd))))
    if (folder !== undefined && (await trust?.stateOf(folder)) !== 'trusted') untrusted.add(folder);
  const hooks = findings.items.map((item) => {
    const { dialect, event, matcher, condition, type, timeoutMs } = item.value;
    const reason = idle.find((entry) => entry.item === item)?.reason;
    const project = folderToTrust(item, cwd);
    const trusted = project === undefined || !untrusted.has(project);
    return {
      dialect,
      event,
      ...(matcher !== undefined && { matcher }),
      ...(condition !== undefined && { if: condition }),
      type,
      command: actionOf(item.value),
      ...(timeoutMs !== undefined && { timeoutMs }),
      source: item.file,
      level: item.level,
      ...(project !== undefined && { project }),
      ...(item.bundle !== undefined && { bundle: item.bundle }),
      trusted,
      runs: reason === undefined && trusted && engine.host.config.enabled,
      ...(reason !== undefined && { reason }),
    };
  });
  const ignored = findings.ignored.map(({ file, bundle, value, reason }) => ({
    event: value.event,
    source: file,
    ...(bundle !== undefined && { bundle }),
    reason,
  }));
  const problems = [...findings.problems.map(({ message }) => message), ...warnings];
  if (flags['json']) {
    await io.json({ enabled: engine.host.config.enabled, hooks, ignored, problems });
    return 0;
  }
  if (hooks.length === 0)
    await io.err('No hooks here. `tenon read docs://guide/hooks.md` says where Tenon looks for them.\n');
  if (!engine.host.config.enabled && hooks.length > 0)
    await io.err('Hooks are switched off (external-hooks.enabled).\n');
  const width = Math.max(0, ...hooks.map(({ dialect }) => dialect.length));
  for (const { dialect, event, matcher, command, project, trusted, reason, ...from } of hooks) {
    const state =
      reason === undefined
        ? trusted
          ? ''
          : `  (does not run: ${plainLine(project ?? cwd)} is not trusted)`
        : `  (never runs: ${reason})`;
    const when = matcher === undefined || matcher === '' ? event : `${event} [${matcher}]`;
    await io.out(`${dialect.padEnd(width)}  ${plainLine(when).padEnd(28)}  ${plainLine(command)}${state}\n`);
    await io.out(`${' '.repeat(width + 2)}${plainLine(originOf(from))}\n`);
  }
  for (const { event, reason, ...from } of ignored)
    await io.err(`Ignored: ${event} of ${plainLine(originOf(from))}: ${reason}\n`);
  for (const text of problems) await io.err(`${plainLine(text)}\n`);
  for (const folder of untrusted)
    await io.err(
      `Let the hooks of ${plainLine(folder)} run with \`tenon trust add ${shellWord(plainLine(folder))}\`.\n`,
    );
  return 0;
}

/** Where a hook is from, for people: a plugin is kept in a folder whose name says nothing. */
function originOf({ source, bundle }: { readonly source: string } & Pick<Discovered<unknown>, 'bundle'>): string {
  return bundle === undefined ? source : `plugin ${bundle}`;
}
