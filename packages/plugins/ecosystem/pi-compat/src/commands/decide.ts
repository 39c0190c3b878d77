/** What the user decides about extensions: what they may touch, whether they run without a sandbox, whether at all. */
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean, plainLine } from '@tenon/wording';
import type { Permissions } from '@tenon/kernel';
import { checkPermissions, describePermissions } from '@tenon/pack-host/api';
import { errors } from '../errors.ts';
import { mergePermissions, type PlannedModule, planModules } from '../host/planned-modules.ts';
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

/** `tenon extension allow`: grants what a sandboxed extension needs. */
export async function allowExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  const { module, record } = await requireModule(world, call);
  const list = (flag: string) => (Array.isArray(call.flags[flag]) ? call.flags[flag] : []);
  const wanted: Permissions = {
    fs: { read: list('read'), write: list('write') },
    net: list('net'),
    exec: list('exec'),
    env: list('env'),
  };
  const [problem] = checkPermissions(wanted, { plugin: module.name, file: module.file });
  if (problem) throw problem;
  const granted = mergePermissions(record?.granted ?? {}, wanted);
  const words = describePermissions(wanted);
  if (words.length === 0) {
    const all = describePermissions(mergePermissions(world.config.permissions, record?.granted));
    return call.io.out(`"${plainLine(module.name)}" may:\n${all.map((line) => `  ${line}\n`).join('')}`);
  }
  await confirm(call, `Let "${module.name}" (${module.file}) ${words.join(', ')}?`, `"${module.name}" may do more`);
  await decide(world, module.file, (now) => ({ ...base(now, module.name), granted }));
  await call.io.out(`"${plainLine(module.name)}" may now also ${words.join(', ')}.\n`);
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
  await decide(world, module.file, (now) => ({ ...base(now, module.name), trust }));
  await call.io.out(
    `"${plainLine(module.name)}" runs ${trust === 'in-process' ? 'inside Tenon' : 'in a process without a sandbox'} from now on.\n`,
  );
}

/** `tenon extension revoke`: back to the sandbox, with nothing granted. */
export async function revokeExtension(world: ExtensionServices, call: CommandCall): Promise<void> {
  const { module } = await requireModule(world, call);
  await decide(
    world,
    module.file,
    (now) => (now?.enabled === false ? { ...base(now, module.name), trust: 'isolated' } : undefined),
    true,
  );
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
  await decide(world, module.file, (now) => ({ ...base(now, module.name), enabled }));
  await call.io.out(`"${plainLine(module.name)}" is ${enabled ? 'on' : 'off'}.\n`);
}

function base(record: ModuleRecord | undefined, name: string): ModuleRecord {
  return { name, enabled: true, trust: 'isolated', ...record, since: new Date().toISOString() };
}

async function decide(
  world: ExtensionServices,
  file: string,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
  forgetsGrants = false,
): Promise<void> {
  await changeRecord(recordsFile(world.folders.data), file, (record) => {
    const changed = change(record);
    if (!changed || !forgetsGrants) return changed;
    const { granted: _granted, ...rest } = changed;
    return rest;
  });
}

async function confirm(call: CommandCall, question: string, done: string): Promise<void> {
  if (call.flags['yes'] === true) return;
  if (!call.io.interactive || !call.io.ask) throw errors.create('PI_COMPAT_CONFIRM', { done });
  const answer = await call.io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw errors.create('PI_COMPAT_NOT_CONFIRMED', { done });
}
