/** `tenon extension check`: loads one extension as a session would, says what it registers, and ends it. */
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { plainLine, plainText, shellWord } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { Extension, type Surroundings } from '../host/extension.ts';
import type { ExtensionServices } from '../host/services.ts';
import { requireModule } from './decide.ts';

/** Events that are accepted and never told, because nothing here corresponds to them. */
const UNTOLD = new Set([
  'before_provider_request',
  'after_provider_response',
  'before_provider_headers',
  'resources_discover',
  'goal_updated',
  'credential_disabled',
  'mcp_notification',
  'tool_approval_requested',
  'tool_approval_resolved',
  'retry_fallback_applied',
  'retry_fallback_succeeded',
  'before_subagent_spawn',
]);

export async function checkExtension(world: ExtensionServices, call: CommandCall): Promise<number> {
  const { io, flags, cwd } = call;
  const planned = await requireModule(world, call);
  const { module, record, permissions } = planned;
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
    problem = fault instanceof TenonError ? `${fault.message} ${fault.next}` : messageOf(fault);
  } finally {
    await extension.stop().catch((fault: unknown) => world.log.warn(`it did not end cleanly: ${messageOf(fault)}`));
  }
  const { shape, refusals } = extension;
  const untold = shape.events.filter((event) => UNTOLD.has(event));
  if (flags['json'] === true) {
    await io.json({
      name: module.name,
      file: module.file,
      trust: extension.trust,
      loaded: problem === undefined,
      ...(problem !== undefined && { problem }),
      ...shape,
      providers: shape.providers.map(({ apiKey: _key, ...rest }) => rest),
      refused: refusals,
      untold,
    });
  } else if (problem === undefined) {
    const parts: [string, readonly string[]][] = [
      ['events', shape.events.filter((event) => event !== 'tool_session')],
      ['tools', shape.tools.map(({ name }) => name)],
      ['commands', shape.commands.map(({ name }) => `/${name}`)],
      ['providers', shape.providers.map(({ name }) => name)],
      ['flags (set them under pi-compat.flags)', shape.flags.map(({ name }) => name)],
      ['shortcuts (no mode has keys yet)', shape.shortcuts.map(({ key }) => key)],
      ['messages that it draws', shape.renderers],
      ['events that are never told', untold],
      ['not available', refusals.filter((what) => !what.startsWith('the shortcut'))],
    ];
    await io.out(`${plainLine(module.name)}: loaded (${extension.trust})\n`);
    for (const [title, names] of parts)
      if (names.length > 0) await io.out(`  ${title}: ${plainLine(names.join(', '))}\n`);
  } else await io.err(`${plainText(problem)}\n`);
  return problem === undefined ? EXIT.ok : EXIT.failure;
}

function outsideOfSessions(world: ExtensionServices, cwd: string): Surroundings {
  return {
    world,
    cwd,
    liveAgent: () => undefined,
    knownModels: [],
    canAsk: false,
    changed: async () => undefined,
    places: () => [],
    tellOthers: () => undefined,
    commandNames: () => [],
    reload: () => undefined,
    isOpening: () => false,
    noteSent: () => undefined,
    toolsDecided: () => undefined,
  };
}
