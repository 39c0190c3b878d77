/** `tenon extension check`: loads one extension as a session would, says what it registers, and ends it. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { inSentences, plainLine, plainText, shellWord } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { Extension, type Surroundings } from '../host/extension.ts';
import type { ExtensionServices } from '../host/services.ts';
import { NestedCalls } from '../host/nested-calls.ts';
import { TOLD_EVENTS } from '../host/told-events.ts';
import { SharedHosts } from '../host/shared-host.ts';
import type { PlannedModule } from '../host/planned-modules.ts';
import { requireModules } from './decide.ts';

/** Loads one extension, or all of a package, each alone. */
export async function checkExtension(world: ExtensionServices, call: CommandCall): Promise<number> {
  const planned = await requireModules(world, call);
  let code: number = EXIT.ok;
  const reports: unknown[] = [];
  for (const one of planned) {
    const { report, isLoaded } = await checkModule(world, call, one);
    reports.push(report);
    if (!isLoaded) code = EXIT.failure;
  }
  if (call.flags['json'] === true) await call.io.json(reports.length === 1 ? reports[0] : reports);
  return code;
}

async function checkModule(
  world: ExtensionServices,
  { io, flags, cwd }: CommandCall,
  { module, record, permissions }: PlannedModule,
): Promise<{ readonly report: unknown; readonly isLoaded: boolean }> {
  const { project, name } = module;
  if (project !== undefined && !(await (await world.trust()).ensure(project, `run its extension ${name}`))) {
    throw errors.create('PI_COMPAT_UNTRUSTED', { extensions: [name], folder: project, folderWord: shellWord(project) });
  }
  const extension = new Extension(
    module,
    { trust: record?.trust ?? 'isolated', permissions },
    outsideOfSessions(world, cwd),
  );
  let problem: string | undefined;
  try {
    await extension.load();
  } catch (fault) {
    problem = fault instanceof TenonError ? inSentences(fault.message, fault.next) : messageOf(fault);
  } finally {
    await extension.stop().catch((fault: unknown) => world.log.warn(`it did not end cleanly: ${messageOf(fault)}`));
  }
  const { shape, refusals } = extension;
  const untold = shape.events.filter((event) => !TOLD_EVENTS.has(event));
  const report = {
    name: module.name,
    file: module.file,
    trust: extension.trust,
    loaded: problem === undefined,
    ...(problem !== undefined && { problem }),
    ...shape,
    providers: shape.providers.map(({ apiKey: _key, ...rest }) => rest),
    mcpServers: shape.mcpServers.map(({ name }) => name),
    refused: refusals,
    untold,
  };
  const isLoaded = problem === undefined;
  if (flags['json'] === true) return { report, isLoaded };
  if (problem === undefined) {
    const parts: [string, readonly string[]][] = [
      ['events', shape.events.filter((event) => event !== 'tool_session')],
      ['tools', shape.tools.map(({ name }) => name)],
      ['commands', shape.commands.map(({ name }) => `/${name}`)],
      ['providers', shape.providers.map(({ name }) => name)],
      ['virtual models', shape.virtualModels.map(({ provider, id }) => `${provider}/${id}`)],
      ['MCP servers', shape.mcpServers.map(({ name }) => name)],
      ['flags', shape.flags.map(({ name }) => `--${name}`)],
      ['shortcuts', shape.shortcuts.map(({ key }) => key)],
      ['messages that it draws', shape.renderers],
      ['entries that it draws', shape.entryRenderers],
      ['tools of others that it draws', shape.toolRenderers],
      ['also draws', shape.drawsThoughts ? ['something below thoughts'] : []],
      ['events that are never told', untold],
      ['not available', refusals],
    ];
    await io.out(`${plainLine(module.name)}: loaded (${extension.trust})\n`);
    for (const [title, names] of parts)
      if (names.length > 0) await io.out(`  ${title}: ${plainLine(names.join(', '))}\n`);
  } else await io.err(`${plainText(problem)}\n`);
  return { report, isLoaded };
}

function outsideOfSessions(world: ExtensionServices, cwd: string): Surroundings {
  return {
    world,
    cwd,
    shared: new SharedHosts(),
    liveAgent: () => undefined,
    knownModels: [],
    canAsk: false,
    screen: undefined,
    statuses: new Map(),
    calls: new NestedCalls(),
    mcpServersBeside: () => [],
    learned: () => undefined,
    changed: async () => undefined,
    places: () => [],
    tellOthers: () => undefined,
    commandNames: () => [],
    reload: () => undefined,
    isOpening: () => false,
    noteSent: () => undefined,
    toolsDecided: () => undefined,
    tellAll: () => undefined,
    noteName: () => undefined,
  };
}
