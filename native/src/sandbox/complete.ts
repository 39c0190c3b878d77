/** Defaults of the sandbox policies, in one place for both implementations. */
import type { RawCommandPolicy, RawSelfPolicy } from './addon.ts';
import type { CommandPolicy, SelfPolicy } from './contract.ts';

/** Fills in what a policy leaves out. */
export function completeSelfPolicy(policy: SelfPolicy, dropCapabilities: boolean): RawSelfPolicy {
  const { exec = 'off', net = 'off', limits = {} } = policy;
  return {
    read: policy.read && [...policy.read],
    write: [...(policy.write ?? [])],
    deny: [...(policy.deny ?? [])],
    exec: typeof exec === 'string' ? exec : 'only',
    programs: typeof exec === 'string' ? [] : [...exec],
    net: typeof net === 'string' ? net : 'tcp',
    connect: typeof net === 'string' ? [] : [...(net.connect ?? [])],
    bind: typeof net === 'string' ? [] : [...(net.bind ?? [])],
    unixSockets: policy.unixSockets ?? false,
    dataBytes: limits.dataBytes,
    processes: limits.processes,
    coreBytes: limits.coreBytes,
    fileBytes: limits.fileBytes,
    openFiles: limits.openFiles,
    dieWithParent: policy.dieWithParent ?? false,
    dropCapabilities: policy.dropCapabilities ?? dropCapabilities,
    strict: policy.strict ?? true,
  };
}

/** Fills in what a policy leaves out. */
export function completeCommandPolicy(policy: CommandPolicy): RawCommandPolicy {
  return {
    read: [...(policy.read ?? [])],
    write: [...(policy.write ?? [])],
    deny: [...(policy.deny ?? [])],
    links: (policy.links ?? []).map((link) => ({ ...link })),
    exec: policy.exec && [...policy.exec],
    net: policy.net ?? false,
    env: policy.env && Object.entries(policy.env).flat(),
    cwd: policy.cwd,
    proc: policy.proc ?? true,
    dev: policy.dev ?? true,
    tmp: policy.tmp ?? true,
    dieWithParent: policy.dieWithParent ?? true,
    newSession: policy.newSession ?? true,
    unsharePid: policy.unsharePid ?? true,
  };
}
