/** What the user decides about OpenCode modules: what they may touch, whether they run without a sandbox, whether at all. */
import type { CommandCall } from '@tenon/command-line/api';
import {
  checkPermissions,
  confirmOnCommandLine,
  decidedNow,
  describePermissions,
  mergePermissions,
  permissionsInFlags,
  revokedDecision,
} from '@tenon/pack-host/api';
import { didYouMean, plainLine } from '@tenon/wording';
import { errors } from '../errors.ts';
import { type PlannedModule, planModules } from '../host/modules.ts';
import { changeRecord, type ModuleRecord, readRecords } from '../host/records.ts';
import type { Services } from '../host/services.ts';

/** The module that is named, by its name or its file. */
export async function requireModule(services: Services, { args, cwd }: CommandCall): Promise<PlannedModule> {
  const wanted = String(args['name'] ?? '');
  const { modules } = await planModules(services, cwd);
  const match = modules.find(({ name, file }) => name === wanted || file === wanted);
  if (match) return match;
  const names = modules.map(({ name }) => name);
  throw errors.create('OPENCODE_UNKNOWN', { module: wanted, hint: didYouMean(wanted, names) });
}

/** `tenon opencode allow`: grants what a sandboxed module needs. */
export async function allowModule(services: Services, call: CommandCall): Promise<void> {
  const module = await requireModule(services, call);
  const wanted = permissionsInFlags(call.flags);
  const [problem] = checkPermissions(wanted, { plugin: module.name, file: module.file });
  if (problem) throw problem;
  const words = describePermissions(wanted);
  const name = plainLine(module.name);
  if (words.length === 0) {
    const all = describePermissions(module.permissions);
    return call.io.out(`"${name}" may:\n${all.map((line) => `  ${plainLine(line)}\n`).join('')}`);
  }
  await confirm(call, `Let "${name}" (${plainLine(module.file)}) ${words.join(', ')}?`, `"${name}" may do more`);
  const granted = mergePermissions(readRecords(services.folders.data)[module.file]?.granted ?? {}, wanted);
  await decide(services, module, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), granted }));
  await call.io.out(`"${name}" may now also ${words.join(', ')}.\n`);
}

/** `tenon opencode trust`: without a sandbox. */
export async function trustModule(services: Services, call: CommandCall): Promise<void> {
  const module = await requireModule(services, call);
  if (module.level === 'project') throw errors.create('OPENCODE_PROJECT_TRUST', { module: module.name });
  const name = plainLine(module.name);
  const question = `Run "${name}" (${plainLine(module.file)}) without a sandbox, where it can do everything that you can?`;
  await confirm(call, question, `"${name}" runs without a sandbox`);
  await decide(services, module, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), trust: 'unconfined' }));
  await call.io.out(`"${name}" runs in a process without a sandbox from now on.\n`);
}

/** `tenon opencode revoke`: back to the sandbox, with nothing granted. */
export async function revokeModule(services: Services, call: CommandCall): Promise<void> {
  const module = await requireModule(services, call);
  await decide(services, module, (now) => revokedDecision(now, module.name));
  await call.io.out(`"${plainLine(module.name)}" runs in the sandbox again, with nothing granted to it.\n`);
}

/** `tenon opencode enable` */
export async function enableModule(services: Services, call: CommandCall): Promise<void> {
  await setEnabled(services, call, true);
}

/** `tenon opencode disable` */
export async function disableModule(services: Services, call: CommandCall): Promise<void> {
  await setEnabled(services, call, false);
}

async function setEnabled(services: Services, call: CommandCall, enabled: boolean): Promise<void> {
  const module = await requireModule(services, call);
  await decide(services, module, (now) => ({ ...decidedNow<ModuleRecord>(now, module.name), enabled }));
  await call.io.out(`"${plainLine(module.name)}" is ${enabled ? 'on' : 'off'}.\n`);
}

async function decide(
  services: Services,
  { file }: PlannedModule,
  change: (record: ModuleRecord | undefined) => ModuleRecord | undefined,
): Promise<void> {
  await changeRecord(services.folders.data, file, change);
}

function confirm(call: CommandCall, question: string, done: string): Promise<void> {
  return confirmOnCommandLine(call, question, {
    nobody: () => errors.create('OPENCODE_CONFIRM', { done }),
    refused: () => errors.create('OPENCODE_NOT_CONFIRMED', {}),
  });
}
