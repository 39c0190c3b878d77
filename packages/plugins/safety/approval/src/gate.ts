/** Asked before every tool call: lets it through, refuses it, or finds somebody who decides. */
import type { Folders, UserInterface } from '@tenon/host';
import { type GateAnswer, messageOf, TenonError } from '@tenon/kernel';
import type { Profile } from '@tenon/sandbox/api';
import type { PermissionAnswer, PermissionQuestion, ToolCallEvent } from '@tenon/tools/api';
import type { Extent } from './api.ts';
import type { HeldRecord, HeldStore } from './held/store.ts';
import { worstTier } from './judge/finding.ts';
import type { Surroundings } from './judge/places.ts';
import { decide, type JudgedCall, type Mode, type Verdict } from './policy/decide.ts';
import type { Policies } from './policy/policies.ts';
import type { PreApprovals } from './pre-approvals.ts';
import type { PolicyRule, RuleData } from './policy/rule.ts';
import { assessCall, type CallHost, digestOf, listedFindings, runsCommand, summaryOf } from './tool-calls.ts';

/** What the gate works with. */
export interface GateHost {
  readonly folders: Folders;
  /** What is known about the machine, with this folder as the workspace. */
  worldOf(cwd: string): Surroundings;
  readonly mode: Mode;
  readonly store: HeldStore;
  readonly policies: Policies;
  readonly preApprovals: PreApprovals;
  /** The profile of the sandbox for a folder; full where there is no sandbox. */
  profileFor(cwd: string): Promise<Profile>;
  userInterface(): Promise<UserInterface | undefined>;
  /** Asks the plugins that decide instead of a person. */
  permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer | undefined>;
  /** Lets calls like this one through from now on. */
  allowAlways(rules: readonly RuleData[]): Promise<void>;
}

/** Makes the handler of `tool.call`. */
export function createGate(
  host: GateHost,
): (event: ToolCallEvent, call: { readonly signal: AbortSignal }) => GateAnswer | Promise<GateAnswer> {
  return (event, run) => {
    const cwd = event.scope?.cwd ?? host.folders.cwd;
    const call: CallHost = { world: host.worldOf(cwd), cwd, profile: () => host.profileFor(cwd) };
    if (readsOnly(event, call) && !mayHavePolicy(host, cwd)) return undefined;
    return judge(host, event, call, run.signal);
  };
}

/** A policy that cannot be looked at may be there. */
function mayHavePolicy({ policies }: GateHost, cwd: string): boolean {
  try {
    return policies.exist(cwd);
  } catch {
    return true;
  }
}

async function judge(host: GateHost, event: ToolCallEvent, call: CallHost, signal: AbortSignal): Promise<GateAnswer> {
  const { cwd } = call;
  const findings = await assessCall(event, call);
  const digest = digestOf(event, cwd);
  const confined = findings.some(({ unclear }) => unclear) && (await call.profile()) !== 'full';
  const judged: JudgedCall = { tool: event.tool, findings, digest, workspace: cwd, home: host.folders.home, confined };
  let rules: readonly PolicyRule[];
  try {
    rules = await rulesOf(host, event, cwd);
  } catch (fault) {
    // Reading too: nobody knows which files the policy would have kept closed.
    const next = fault instanceof TenonError ? ` ${fault.next}` : '';
    return { deny: `the policy is invalid, so every call is refused: ${messageOf(fault)}${next}` };
  }
  const verdict = decide(judged, rules, host.mode);
  if (verdict.kind === 'allow') return undefined;
  if (verdict.kind === 'deny') return { deny: `${verdict.reason}. Do not try to reach the same in another way.` };
  return ask(host, event, cwd, judged, verdict, signal);
}

/** Calls that read from ordinary places: they must cost nothing. */
function readsOnly(event: ToolCallEvent, call: CallHost): boolean {
  const { touches, risk } = event;
  if (touches.commands || (touches.anything === true && risk !== 'read')) return false;
  return worstTier(listedFindings(event, call)) === 0;
}

async function rulesOf(
  { policies, store, preApprovals }: GateHost,
  { scope }: ToolCallEvent,
  cwd: string,
): Promise<readonly PolicyRule[]> {
  const loaded = await policies.load(cwd);
  const granted = scope === undefined ? [] : await store.sessionRules(scope.session);
  return [
    ...loaded.flatMap(({ rules }) => rules),
    ...granted.map((rule) => ({ ...rule, file: 'this session', line: 0 })),
    ...(scope ? preApprovals.of(scope.session) : []).map((rule) => ({ ...rule, file: 'allowed-tools', line: 0 })),
  ];
}

const CHOICES = {
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow (writes a policy rule)',
  deny: 'Deny',
} as const;

type Asked = Extract<Verdict, { kind: 'ask' }>;

async function ask(
  host: GateHost,
  event: ToolCallEvent,
  cwd: string,
  { digest }: JudgedCall,
  verdict: Asked,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const { tier, reasons } = verdict;
  // Inside of a sandbox, for example, Tenon's own folders cannot be used.
  const cannotHold = (fault: unknown): GateAnswer => {
    const problem = `the question cannot be written down (${messageOf(fault)})`;
    return { deny: `it needs approval (tier ${tier}: ${reasons.join('; ')}), and ${problem}` };
  };
  let earlier: HeldRecord | undefined;
  try {
    earlier = await host.store.take(digest);
  } catch (fault) {
    return cannotHold(fault);
  }
  if (earlier?.state === 'allowed') return undefined;
  if (earlier?.state === 'denied') return denied(earlier.reason);
  const decided = await host.permission({ ...event, reasons: verdict.reasons }, signal);
  if (decided) return decided.allow ? undefined : { deny: decided.reason ?? `plugin "${decided.by}" said no` };
  const { rulesFor } = await import('./grants.ts');
  const rules = rulesFor(event.tool, verdict.open, digest, runsCommand(event.touches));
  let held: HeldRecord;
  try {
    held = await host.store.hold({
      tool: event.tool,
      input: event.input,
      folder: cwd,
      ...(event.scope && { session: event.scope.session }),
      summary: summaryOf(event),
      tier,
      reasons,
      digest,
      rules,
    });
  } catch (fault) {
    return cannotHold(fault);
  }
  const ui = await host.userInterface();
  if (ui?.canAsk() !== true) return refused(held, 'Nobody can answer here');
  return answerOf(host, event, held, ui, signal);
}

/** Asks whoever is there, and takes an answer that comes from elsewhere meanwhile. */
async function answerOf(
  host: GateHost,
  event: ToolCallEvent,
  held: HeldRecord,
  ui: UserInterface,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  try {
    const choices = event.scope ? Object.values(CHOICES) : [CHOICES.once, CHOICES.always, CHOICES.deny];
    const outcome = await Promise.race([
      ui.select(questionText(held), choices, { signal: either }).then((choice) => ({ from: 'here' as const, choice })),
      host.store.answered(held.id, either).then((record) => ({ from: 'elsewhere' as const, record })),
    ]);
    if (signal.aborted) {
      await host.store.remove(held.id);
      return { deny: 'the call was cancelled while it waited for an answer' };
    }
    if (outcome.from === 'elsewhere') return await takeAnswer(host, held, outcome.record);
    return await useChoice(host, event, held, outcome.choice);
  } finally {
    done.abort();
  }
}

async function takeAnswer(host: GateHost, held: HeldRecord, record: HeldRecord | undefined): Promise<GateAnswer> {
  const answer = record && (await host.store.take(held.digest));
  if (answer?.state === 'allowed') return undefined;
  return denied(record?.reason ?? (record === undefined ? 'the question was withdrawn' : undefined));
}

async function useChoice(
  host: GateHost,
  event: ToolCallEvent,
  held: HeldRecord,
  choice: string | undefined,
): Promise<GateAnswer> {
  const extent = (Object.keys(CHOICES) as (Extent | 'deny')[]).find((key) => CHOICES[key] === choice);
  // Nobody has decided; the call stays held, so that it can still be allowed.
  if (extent === undefined) return refused(held, 'Nobody has answered');
  await host.store.remove(held.id);
  if (extent === 'deny') return denied(undefined);
  if (extent === 'always') await host.allowAlways(held.rules);
  if (extent === 'session' && event.scope) await host.store.grantSession(event.scope.session, held.rules);
  return undefined;
}

function questionText({ summary, tier, reasons, folder }: HeldRecord): string {
  return `Allow this? ${summary}\nIn ${folder}. Tier ${tier}: ${reasons.join('; ')}.`;
}

function refused({ id, tier, reasons }: HeldRecord, why: string): GateAnswer {
  return {
    deny:
      `it needs approval (tier ${tier}: ${reasons.join('; ')}). ${why}. ` +
      `A person can allow it with \`tenon approval allow ${id}\`; after that, make exactly the same call again.`,
  };
}

function denied(reason: string | undefined): GateAnswer {
  const why = reason === undefined ? '' : `: ${reason}`;
  return { deny: `the user said no${why}. Do not try to reach the same in another way; go on without it, or ask.` };
}
