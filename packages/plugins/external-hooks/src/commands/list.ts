/** `tenon hooks list` */
import { externalHooks, discovery } from '@tenon/discovery/api';
import { type CommandCall, plainLine } from '@tenon/command-line/api';
import { workspaceTrust } from '@tenon/trust/api';
import type { HookEngine } from '../engine.ts';
import { tableOf } from '../hook-table.ts';

/** Shows every hook: when it runs, what it runs, where it comes from, and whether it may. */
export async function listHooks(engine: HookEngine, { io, flags, cwd, signal }: CommandCall): Promise<number> {
  const finder = await engine.optional(discovery);
  const found = (await finder?.load(externalHooks, cwd, signal)) ?? { items: [], ignored: [], problems: [] };
  const { idle, warnings } = tableOf(found.items, cwd);
  const trust = await (await engine.optional(workspaceTrust))?.stateOf(cwd);
  const hooks = found.items.map((item) => {
    const { dialect, event, matcher, condition, type, command, argv, prompt, timeoutMs } = item.value;
    const reason = idle.find((one) => one.item === item)?.reason;
    const trusted = item.level === 'user' || trust === 'trusted';
    return {
      dialect,
      event,
      ...(matcher !== undefined && { matcher }),
      ...(condition !== undefined && { if: condition }),
      type,
      command: command ?? argv?.join(' ') ?? prompt ?? '',
      ...(timeoutMs !== undefined && { timeoutMs }),
      source: item.file,
      level: item.level,
      ...(item.bundle !== undefined && { bundle: item.bundle }),
      trusted,
      runs: reason === undefined && trusted && engine.host.config.enabled,
      ...(reason !== undefined && { reason }),
    };
  });
  const ignored = found.ignored.map(({ file, value, reason }) => ({ event: value.event, source: file, reason }));
  const problems = [...found.problems.map(({ message }) => message), ...warnings];
  if (flags['json']) {
    await io.json({ enabled: engine.host.config.enabled, hooks, ignored, problems });
    return 0;
  }
  if (hooks.length === 0) await io.err('No hooks here. docs/guide/hooks.md says where Tenon looks for them.\n');
  if (!engine.host.config.enabled && hooks.length > 0)
    await io.err('Hooks are switched off (external-hooks.enabled).\n');
  for (const { dialect, event, matcher, command, source, trusted, reason } of hooks) {
    const state =
      reason === undefined
        ? trusted
          ? ''
          : '  (does not run: this folder is not trusted)'
        : `  (never runs: ${reason})`;
    const when = matcher === undefined || matcher === '' ? event : `${event} [${matcher}]`;
    await io.out(`${dialect.padEnd(6)}  ${plainLine(when).padEnd(28)}  ${plainLine(command)}${state}\n`);
    await io.out(`${' '.repeat(8)}${plainLine(source)}\n`);
  }
  for (const { event, source, reason } of ignored)
    await io.err(`Ignored: ${event} of ${plainLine(source)}: ${reason}\n`);
  for (const text of problems) await io.err(`${plainLine(text)}\n`);
  if (hooks.some(({ trusted }) => !trusted))
    await io.err('Trust this folder with `tenon trust add` to let its hooks run.\n');
  return 0;
}
