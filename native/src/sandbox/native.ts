import type { Addon } from '../addon.ts';
import { callNative, callNativeSync } from '../task.ts';
import { completeCommandPolicy, completeSelfPolicy } from './complete.ts';
import type { RestrictionReport, Sandbox } from './contract.ts';
import { runtimePaths } from './runtime-paths.ts';
import { selfRestrictingCommand } from './self-restricting-command.ts';

/** The sandbox through the addon. */
export function fromAddon(addon: Addon): Sandbox {
  return {
    async probe() {
      const answer = await callNative(addon, (cancel) => addon.sandboxProbe(cancel));
      // Absent options come without their key; the contract has them as undefined. Platforms go by Node's names.
      const { landlockAbi, bubblewrapPath } = answer;
      return { ...answer, platform: process.platform, landlockAbi, bubblewrapPath };
    },

    selfRestriction() {
      return process.platform === 'linux'
        ? { available: true, detail: 'Landlock and seccomp through the addon' }
        : { available: false, detail: `a process cannot restrict itself on ${process.platform}` };
    },

    runtimePaths,

    dryRun(policy, program) {
      const raw = completeSelfPolicy(policy, program !== undefined);
      return report(callNativeSync(() => addon.sandboxDryRun(raw, program)));
    },

    restrictSelf(policy) {
      return report(callNativeSync(() => addon.sandboxRestrictSelf(completeSelfPolicy(policy, false))));
    },

    restrictAndExec(policy, target) {
      const env = Object.entries(target.env).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${value}`],
      );
      const keep = [...(target.keepDescriptors ?? [])];
      const argv = [target.file, ...target.args];
      callNativeSync(() =>
        addon.sandboxRestrictAndExec(completeSelfPolicy(policy, true), target.file, argv, env, keep),
      );
      throw new Error('restrictAndExec returned without replacing the program');
    },

    selfRestrictingCommand: (policy, files) => selfRestrictingCommand(completeSelfPolicy(policy, true), files),

    bubblewrap(policy, command) {
      return callNativeSync(() => addon.sandboxBubblewrap(completeCommandPolicy(policy), [...command]));
    },

    seatbelt(policy, command) {
      return callNativeSync(() => addon.sandboxSeatbelt(completeCommandPolicy(policy), [...command]));
    },
  };
}

function report(answer: RestrictionReport): RestrictionReport {
  return { ...answer, landlockAbi: answer.landlockAbi };
}
