import { join } from 'node:path';
import { type CommandCall, cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { folders, userInterface } from '@tenon/host';
import { definePlugin, installedPlugins, Type } from '@tenon/kernel';
import { protectedPlacesOf, sandboxes } from '@tenon/sandbox/api';
import { secretMasks } from '@tenon/secrets/api';
import { toolCall, toolLeave, toolPermission } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { approvals as approvalsService } from './api.ts';
import { createApprovals } from './approvals.ts';
import type { CommandParts } from './commands/parts.ts';
import { createGate, createLeaveOffer, createLeaveTest, type GateHost } from './gate.ts';
import { HeldStore } from './held/store.ts';
import type { Mode } from './policy/decide.ts';
import { Policies, userPolicyFile } from './policy/policies.ts';
import type { RuleData } from './policy/rule.ts';
import { Kin } from './kin.ts';
import { OpenQuestions } from './open-questions.ts';
import { PreApprovals } from './pre-approvals.ts';
import { worldFor } from './tool-calls.ts';
import { WaysOut } from './ways-out.ts';
import type { ApprovalSettings } from './generated/settings.ts';

/** The largest delay that timers know: a person may take their time. */
const NO_DEADLINE_MS = 2_147_483_647;
/** After all others: whoever refuses for free should do so before a person is asked. */
const LAST = -1000;

type Run = (parts: CommandParts, call: CommandCall) => Promise<number | void>;

const commands: Readonly<Record<string, () => Promise<Run>>> = {
  'approval list': async () => (await import('./commands/held.ts')).listHeld,
  'approval show': async () => (await import('./commands/held.ts')).showHeld,
  'approval allow': async () => (await import('./commands/held.ts')).allowHeld,
  'approval deny': async () => (await import('./commands/held.ts')).denyHeld,
  'approval clear': async () => (await import('./commands/held.ts')).clearHeld,
  'approval explain': async () => (await import('./commands/explain.ts')).explainCommand,
  'policy check': async () => (await import('./commands/policy.ts')).checkPolicy,
  'policy list': async () => (await import('./commands/policy.ts')).listPolicy,
};

/** Judges calls before they run, and asks where that is needed. */
export default definePlugin({
  id: 'approval',
  config: Type.Unsafe<ApprovalSettings>({}),
  needs: { folders, installed: installedPlugins },
  defines: [approvalsService],
  activate(ctx) {
    const places = ctx.needs.folders;
    const { mode, keepHours, lastingAnswers } = ctx.config;
    const worldOf = (cwd: string) => worldFor(cwd, places, protectedPlacesOf(ctx.needs.installed.manifests()));
    const store = new HeldStore(join(places.state, 'approvals'), { keepHours, log: ctx.log });
    const policies = new Policies({
      config: places.config,
      workspace: places.cwd,
      home: places.home,
      assess: async (command) => {
        const { assessCommand } = await import('./judge/assess.ts');
        return (await assessCommand({ command, cwd: places.cwd }, worldOf(places.cwd))).findings;
      },
      isTrusted: async (folder) => {
        const trust = await ctx.findOptional(workspaceTrust);
        // Trust holds for the bytes of the policy: one that changed allows nothing until the user has seen it.
        const file = join(folder, '.tenon', 'policy.yml');
        return (await trust?.stateOf(folder, [{ name: 'the policy', file, files: [file] }])) === 'trusted';
      },
    });
    const allowAlways = async (rules: readonly RuleData[]) => {
      const { addRules } = await import('./policy/write-rule.ts');
      await addRules(userPolicyFile(places.config), rules);
    };
    const preApprovals = new PreApprovals();
    const kin = new Kin();
    const modes = new Map<string, Mode>();
    const waysOut = new WaysOut(places.cwd);
    const gateHost: GateHost = {
      preApprovals,
      kin,
      questions: new OpenQuestions(),
      folders: places,
      worldOf,
      mode,
      modes,
      lastingAnswers,
      store,
      policies,
      // A sandbox that is not installed confines nothing.
      profileFor: async (cwd) => (await ctx.findOptional(sandboxes))?.profileFor({ cwd }) ?? 'full',
      installed: async (cwd) => (await (await ctx.findOptional(sandboxes))?.programFolders?.(cwd)) ?? [],
      confinement: async (cwd) => {
        try {
          return await (await ctx.findOptional(sandboxes))?.wrap({ cwd });
        } catch (error) {
          // The question is asked without the offer; the command itself will say what is wrong.
          ctx.log.debug('no sandbox to ask what it would refuse', { error });
          return undefined;
        }
      },
      leaving: async (event, signal) => (await ctx.run(toolLeave, event, signal)) ?? undefined,
      userInterface: () => ctx.findOptional(userInterface),
      permission: (question, signal) => ctx.run(toolPermission, question, signal),
      allowAlways,
      mask: async (value) => (await ctx.findOptional(secretMasks))?.mask(value) ?? value,
      waysOut,
    };
    ctx.on(toolCall, createGate(gateHost), { priority: LAST, deadlineMs: NO_DEADLINE_MS });
    const approvals = createApprovals({
      worldOf,
      store,
      preApprovals,
      kin,
      allowAlways,
      waysOut,
      mode,
      modes,
      mayLeave: createLeaveTest(gateHost),
      holdLeaving: createLeaveOffer(gateHost),
    });
    ctx.provide(approvalsService, approvals);
    const parts: CommandParts = {
      approvals,
      store,
      policies,
      folders: places,
      worldOf,
      mode,
      profileFor: gateHost.profileFor,
    };
    ctx.contribute(doctorChecks, 'grammars', {
      run: async () => (await import('./doctor-check.ts')).grammarFindings(join(places.config, 'grammars')),
    });
    for (const [words, load] of Object.entries(commands)) {
      ctx.contribute(cliCommands, words, { run: async (call) => (await load())(parts, call) });
    }
  },
});
