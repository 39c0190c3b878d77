import type { Approvals, HeldApproval } from './api.ts';
import { rulesBy } from './choices.ts';
import { errors } from './errors.ts';
import type { HeldRecord, HeldStore } from './held/store.ts';
import type { Kin } from './kin.ts';
import type { PreApprovals } from './pre-approvals.ts';
import { reasonsOf, worstTier } from './judge/finding.ts';
import type { Mode } from './policy/decide.ts';
import type { RuleData } from './policy/rule.ts';
import type { Surroundings } from './judge/places.ts';
import type { WaysOut } from './ways-out.ts';

/** What the service works with. */
export interface ApprovalsHost {
  /** What is known about the machine, with this folder as the workspace. */
  worldOf(cwd: string): Surroundings;
  readonly store: HeldStore;
  readonly preApprovals: PreApprovals;
  readonly kin: Kin;
  readonly waysOut: WaysOut;
  /** What is set, and what the user has chosen for single sessions. */
  readonly mode: Mode;
  readonly modes: Map<string, Mode>;
  readonly mayLeave: Approvals['mayLeave'];
  readonly holdLeaving: Approvals['holdLeaving'];
  allowAlways(rules: readonly RuleData[]): Promise<void>;
}

/** Makes the service. */
export function createApprovals(host: ApprovalsHost): Approvals {
  const { worldOf, store, preApprovals, kin, allowAlways, waysOut, mayLeave, holdLeaving } = host;
  return {
    async judgeCommand(command, { cwd, env = {}, definitions }) {
      const { assessCommand } = await import('./judge/assess.ts');
      const { findings, understood, notUnderstood } = await assessCommand(
        { command, cwd, env, ...(definitions && { definitions }) },
        worldOf(cwd),
      );
      const unclear = notUnderstood.map(({ what }) => what);
      return { tier: worstTier(findings), reasons: reasonsOf(findings), understood, notUnderstood: unclear };
    },
    modeOf: (session) => host.modes.get(session) ?? host.mode,
    setMode: (session, mode) => void (mode === undefined ? host.modes.delete(session) : host.modes.set(session, mode)),
    preApprove: (session, tools) => preApprovals.add(session, tools),
    adopt: (session, kinship) => kin.adopt(session, kinship),
    preDeny: (session, tools) => preApprovals.add(session, tools, 'deny'),
    held: async () => (await store.list()).map(shown),
    watchHeld: (onChange) => store.watch(onChange),
    mayLeave,
    holdLeaving,
    hasWayOut: (callId) => waysOut.has(callId),
    takeWayOut: (event) => waysOut.take(event),
    async answer(id, answer, { extent = 'once', reason, way } = {}) {
      const record = await store.get(id);
      if (way !== undefined && record.ways?.includes(way) !== true)
        throw errors.create('APPROVAL_NO_WAY', { id: record.id, way });
      if (answer === 'deny')
        return shown(await store.answer(record, { state: 'denied', ...(reason !== undefined && { reason }) }));
      if (record.onlyOnce === true && extent !== 'once') throw errors.create('APPROVAL_ONLY_ONCE', { id: record.id });
      const rules = rulesBy(record, way);
      if (extent === 'session') {
        if (record.session === undefined) throw errors.create('APPROVAL_NO_SESSION', { id: record.id });
        await store.grantSession(kin.sharing(record.session).at(-1) ?? record.session, rules);
      }
      if (extent === 'always') await allowAlways(rules);
      return shown(await store.answer(record, { state: 'allowed', extent, ...(way && { way }) }));
    },
  };
}

/** A record without what only this plugin needs. */
function shown({
  version: _version,
  digest: _digest,
  rules: _rules,
  widerRules: _widerRules,
  extent: _extent,
  way: _way,
  ...rest
}: HeldRecord): HeldApproval {
  return rest;
}
