/** `tenon opencode list` and `check`: what there is, whether it would run, and what it brings. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { describePermissions } from '@tenon/pack-host/api';
import { inSentences, plainLine, plainText, shellWord } from '@tenon/wording';
import { ModuleHost, untrusted } from '../host/module-host.ts';
import { planModules, programOf } from '../host/modules.ts';
import type { Services } from '../host/services.ts';
import { requireModule } from './decide.ts';

/** Lists the modules for a folder. Nothing is started. */
export async function listModules(services: Services, { flags, io, cwd }: CommandCall): Promise<void> {
  const { modules, problems } = await planModules(services, cwd);
  const trust = await services.trust();
  const rows = [];
  for (const module of modules) {
    const { name, kind, level, file, project, permissions, skipped } = module;
    const isHeld = project !== undefined && (await trust.stateOf(project, [programOf(module)])) !== 'trusted';
    const waits = isHeld
      ? `${project} is not trusted, or the file is not what you trusted (\`tenon trust add ${shellWord(project)}\`)`
      : undefined;
    const reason = skipped ?? waits;
    const state = { trust: module.trust, permissions: describePermissions(permissions), runs: reason === undefined };
    rows.push({ name, kind, level, file, ...state, ...(reason !== undefined && { reason }) });
  }
  if (flags['json'] === true) return io.json({ modules: rows, problems: problems.map(({ message }) => message) });
  if (rows.length === 0)
    await io.out('No plugins or tools of OpenCode were found. They belong into .opencode/plugin and .opencode/tool.\n');
  for (const row of rows) {
    const state = row.runs ? row.trust : `not loaded: ${row.reason}`;
    await io.out(`${plainLine(row.name)}  ${row.kind}, ${row.level}, ${plainLine(state)}\n  ${plainLine(row.file)}\n`);
  }
  for (const { message, next } of problems) await io.err(`${plainLine(message)}\n  next: ${plainLine(next)}\n`);
}

/** Loads one module alone, says what it brings and what of it Tenon does not serve, and ends it. */
export async function checkModule(services: Services, call: CommandCall): Promise<number> {
  const { io, flags, cwd } = call;
  const module = await requireModule(services, call);
  const { project, name } = module;
  const isAllowed =
    project === undefined ||
    (await (await services.trust()).ensure(project, `run its OpenCode module ${name}`, [programOf(module)]));
  if (!isAllowed) throw untrusted(project, [module]);
  const host = new ModuleHost({ ...services, report: () => undefined }, cwd, [module]);
  try {
    await host.start();
    const shape = host.shapeOf(module);
    const failure = host.failureOf(module);
    if (flags['json'] === true) {
      await io.json({
        name,
        file: module.file,
        trust: module.trust,
        loaded: shape !== undefined,
        ...shape,
        ...(failure && { problem: failure.message }),
      });
    } else if (shape) {
      await io.out(`${plainLine(name)}: loaded (${module.trust})\n`);
      const parts: [string, readonly string[]][] = [
        ['hooks', shape.hooks],
        ['tools', shape.tools.map((tool) => tool.name)],
        ['not supported', shape.unsupported],
      ];
      for (const [title, names] of parts)
        if (names.length > 0) await io.out(`  ${title}: ${plainLine(names.join(', '))}\n`);
    } else if (failure) await io.err(`${plainText(inSentences(failure.message, failure.next))}\n`);
    return shape ? EXIT.ok : EXIT.failure;
  } finally {
    await host.stop();
  }
}
