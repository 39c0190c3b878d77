/** What the user decides about extensions: what they may touch, whether they run without a sandbox, whether at all. */
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean, plainLine } from '@tenon/wording';
import {
  checkPermissions,
  confirmOnCommandLine,
  decidedNow,
  describePermissions,
  mergePermissions,
  permissionsInFlags,
  revokedDecision,
} from '@tenon/pack-host/api';
import { errors } from '../errors.ts';
import { type PlannedModule, planModules } from '../host/planned-modules.ts';
import { grantProviders } from '../host/provider-choice.ts';
import { findModules } from '../host/modules.ts';
import { changeRecord, type ModuleRecord, readRecords, recordsFile, type Trust } from '../host/records.ts';
import type { ExtensionServices } from '../host/services.ts';

/** The module that is named, or the one at a path. */
export async function requireModule(world: ExtensionServices, call: CommandCall): Promise<PlannedModule> {
  const [module, ...others] = await requireModules(world, call);
  if (!module || others.length > 0) {
    const files = [...(module ? [module] : []), ...others].map(({ module: { file } }) => file);
    throw errors.create('PI_COMPAT_SEVERAL', { path: String(call.args['name'] ?? ''), files });
  }
  return module;
}

/** The same, for what can be done with all extensions of a package. */
export async function requireModules(
  world: ExtensionServices,
  { args, cwd }: CommandCall,
): Promise<readonly PlannedModule[]> {
  const wanted = String(args['name'] ?? '');
  const { planned } = await planModules(world, cwd);
  const match = planned.find(({ module }) => module.name === wanted || module.file === wanted);
  if (match) return [match];
  if (!/[./~:]/.test(wanted)) {
    const names = planned.map(({ module }) => module.name);
    throw errors.create('PI_COMPAT_UNKNOWN', { extension: wanted, hint: didYouMean(wanted, names) });
  }
  const { home, cache, data } = world.folders;
  const asked = { configured: [], named: [wanted], discover: false };
  const { modules, problems } = await findModules(undefined, asked, { cwd, home, cache });
  if (modules.length === 0)
    throw problems[0] ?? errors.create('PI_COMPAT_NOT_FOUND', { path: wanted, reason: 'nothing is there' });
  const records = readRecords(recordsFile(data));
  return modules.map((module) => {
    const record = records[module.file];
    const permissions = mergePermissions(world.config.permissions, record?.granted);
    const own = { module, permissions, ...(record && { record }) };
    return planned.find((candidate) => candidate.module.file === module.file) ?? own;
  });
}

/** `tenon extension allow`: grants what a sandboxed extension needs, and the providers that its virtual models may use. */
export async function allowExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  const { module, record } = await requireModule(world, call);
  const wanted = permissionsInFlags(call.flags);
  const [problem] = checkPermissions(wanted, { plugin: module.name, file: module.file });
  if (problem) throw problem;
  const given = call.flags['provider'];
  const providers = Array.isArray(given) ? given : [];
  const name = plainLine(module.name);
  const words = [...describePermissions(wanted), ...providersWords(providers)];
  if (words.length === 0) {
    const permissions = mergePermissions(world.config.permissions, record?.granted);
    const all = [...describePermissions(permissions), ...providersWords(record?.providers ?? [])];
    return call.io.out(`"${name}" may:\n${all.map((line) => `  ${plainLine(line)}\n`).join('')}`);
  }
  await confirm(call, `Let "${name}" (${plainLine(module.file)}) ${words.join(', ')}?`, `"${name}" may do more`);
  const granted = mergePermissions(record?.granted ?? {}, wanted);
  await decide(world, module.file, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), granted }));
  if (providers.length > 0) await grantProviders(world, module, providers);
  await call.io.out(`"${name}" may now also ${words.join(', ')}.\n`);
}

function providersWords(providers: readonly string[]): string[] {
  return providers.length === 0 ? [] : [`send conversations to ${plainLine(providers.join(', '))} (virtual models)`];
}

/** `tenon extension trust`: without a sandbox, or even inside Tenon. */
export async function trustExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  const { module } = await requireModule(world, call);
  if (module.level === 'project') throw errors.create('PI_COMPAT_PROJECT_TRUST', { extension: module.name });
  const trust: Trust = call.flags['in-process'] === true ? 'in-process' : 'unconfined';
  const meaning =
    trust === 'in-process'
      ? "inside Tenon, where it can do everything that you can, and where its faults are Tenon's"
      : 'without a sandbox, where it can do everything that you can';
  await confirm(call, `Run "${module.name}" (${module.file}) ${meaning}?`, `"${module.name}" runs without a sandbox`);
  await decide(world, module.file, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), trust }));
  await call.io.out(
    `"${plainLine(module.name)}" runs ${trust === 'in-process' ? 'inside Tenon' : 'in a process without a sandbox'} from now on.\n`,
  );
}

/** `tenon extension revoke`: back to the sandbox, with nothing granted. */
export async function revokeExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  const { module } = await requireModule(world, call);
  await decide(world, module.file, (now) => revokedDecision(now, module.name));
  await call.io.out(`"${plainLine(module.name)}" runs in the sandbox again, with nothing granted to it.\n`);
}

/** `tenon extension enable` */
export async function enableExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  await setEnabled(world, call, true);
}

/** `tenon extension disable` */
export async function disableExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  await setEnabled(world, call, false);
}

async function setEnabled(world: ExtensionServices, call: CommandCall, enabled: boolean): Promise<void> {
  const { module } = await requireModule(world, call);
  await decide(world, module.file, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), enabled }));
  await call.io.out(`"${plainLine(module.name)}" is ${enabled ? 'on' : 'off'}.\n`);
}

async function decide(
  world: ExtensionServices,
  file: string,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
): Promise<void> {
  await changeRecord(recordsFile(world.folders.data), file, change);
}

function confirm(call: CommandCall, question: string, done: string): Promise<void> {
  return confirmOnCommandLine(call, question, {
    nobody: () => errors.create('PI_COMPAT_CONFIRM', { done }),
    refused: () => errors.create('PI_COMPAT_NOT_CONFIRMED', { done }),
  });
}
