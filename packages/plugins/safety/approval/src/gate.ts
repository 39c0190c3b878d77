/** Asked before every tool call: lets it through, refuses it, or finds somebody who decides. */
import { resolve } from 'node:path';
import { type Folders, isInside, type UserInterface } from '@tenon/host';
import { type GateAnswer, messageOf, TenonError } from '@tenon/kernel';
import type { Profile } from '@tenon/sandbox/api';
import type { PermissionAnswer, PermissionQuestion, SandboxRefusal, ToolCallEvent } from '@tenon/tools/api';
import type { WayOut } from './api.ts';
import { choicesFor, rulesBy } from './choices.ts';
import { type Answer, answerBy, approvalQuestion } from './decision.ts';
import type { HeldRecord, HeldStore } from './held/store.ts';
import { type Finding, reasonsOf, worstTier } from './judge/finding.ts';
import type { Surroundings } from './judge/places.ts';
import { decide, type JudgedCall, type Mode, type Verdict } from './policy/decide.ts';
import type { Policies } from './policy/policies.ts';
import type { Kin } from './kin.ts';
import type { OpenQuestions } from './open-questions.ts';
import type { PreApprovals } from './pre-approvals.ts';
import { questionText, spansOf, wholeText } from './question.ts';
import type { PolicyRule, RuleData } from './policy/rule.ts';
import { denied, refused, refusedText, rewritten } from './refusal.ts';
import { assessCall, type CallHost, digestOf, listedFindings, runsCommand, summaryOf } from './tool-calls.ts';
import type { WaysOut } from './ways-out.ts';
import { type WiderRun, type WiderRunHost, widerRun } from './wider-run.ts';

/** What the gate works with. */
export interface GateHost extends WiderRunHost {
  readonly folders: Folders;
  /** What is known about the machine, with this folder as the workspace. */
  worldOf(cwd: string): Surroundings;
  readonly mode: Mode;
  /** Modes that the user has chosen for single sessions. */
  readonly modes: ReadonlyMap<string, Mode>;
  /** Whether a yes may hold for longer than one call. */
  readonly lastingAnswers: boolean;
  readonly store: HeldStore;
  readonly policies: Policies;
  readonly preApprovals: PreApprovals;
  readonly kin: Kin;
  readonly questions: OpenQuestions;
  /** The profile of the sandbox for a folder; full where there is no sandbox. */
  profileFor(cwd: string): Promise<Profile>;
  /** The folders of skills and plugins that the user has installed. */
  installed(cwd: string): Promise<readonly string[]>;
  userInterface(): Promise<UserInterface | undefined>;
  /** Asks the plugins that decide instead of a person. */
  permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer | undefined>;
  /** Lets calls like this one through from now on. */
  allowAlways(rules: readonly RuleData[]): Promise<void>;
  /** Takes secrets out of what is shown and written down. */
  mask<T>(value: T): Promise<T>;
  readonly waysOut: WaysOut;
}

/** Makes the handler of `tool.call`. */
export function createGate(
  host: GateHost,
): (event: ToolCallEvent, call: { readonly signal: AbortSignal }) => GateAnswer | Promise<GateAnswer> {
  return (event, run) => {
    host.waysOut.forget(event.callId);
    const cwd = event.scope?.cwd ?? host.folders.cwd;
    const call: CallHost = { world: host.worldOf(cwd), cwd, profile: () => host.profileFor(cwd) };
    const line = event.scope === undefined ? [] : host.kin.lineOf(event.scope.session);
    const denies = line.some((session) => host.preApprovals.denies(session));
    if (!denies && readsOnly(event, call) && !mayHavePolicy(host, cwd)) return undefined;
    return judge(host, event, call, run.signal);
  };
}

/** The mode of the session that a call belongs to, or of the one that this works for; else the one that is set. */
function modeFor({ mode, modes, kin }: Pick<GateHost, 'mode' | 'modes' | 'kin'>, { scope }: ToolCallEvent): Mode {
  const line = scope === undefined ? [] : kin.lineOf(scope.session);
  return line.map((session) => modes.get(session)).find((chosen) => chosen !== undefined) ?? mode;
}

/** A policy that cannot be looked at may be there. */
function mayHavePolicy({ policies }: GateHost, cwd: string): boolean {
  try {
    return policies.exist(cwd);
  } catch {
    return true;
  }
}

/** Says whether a call that leaves the sandbox would go through as it is, without a question. */
export function createLeaveTest(host: GateHost): (event: ToolCallEvent) => Promise<boolean> {
  return async (event) => {
    const cwd = event.scope?.cwd ?? host.folders.cwd;
    if (await host.store.isAllowed(digestOf(event, cwd))) return true;
    const rules = await rulesOf(host, event, cwd);
    // Most people have no such rule; then nothing is parsed here.
    if (!rules.some(({ decide: verb, sandbox, call }) => verb === 'allow' && (sandbox ?? call) !== undefined))
      return false;
    const call: CallHost = { world: host.worldOf(cwd), cwd, profile: () => host.profileFor(cwd) };
    const judged = await judgedCall(host, event, call);
    return waysOf(event).some((way) => decide(leavingBy(judged, way), rules, modeFor(host, event)).kind === 'allow');
  };
}

/** Writes a call down that would leave the sandbox, and asks nobody. */
export function createLeaveOffer(host: GateHost): (event: ToolCallEvent) => Promise<string | undefined> {
  return async (event) => {
    const cwd = event.scope?.cwd ?? host.folders.cwd;
    const call: CallHost = { world: host.worldOf(cwd), cwd, profile: () => host.profileFor(cwd) };
    const judged = await judgedCall(host, event, call);
    const verdict = decide(judged, await rulesOf(host, event, cwd), modeFor(host, event));
    if (verdict.kind !== 'ask') return undefined;
    const open: OpenCall = { event, cwd, judged, verdict, ways: waysOf(event) };
    const held = await hold(host, open, await questionOf(host, open));
    return refusedText(held, 'It ran in the background, so nobody was asked');
  };
}

/** The ways out of the sandbox that would help a call which the sandbox has refused something, the widest first: who allowed that meant it. */
function waysOf({ touches: { commands = [] } }: ToolCallEvent): readonly WayOut[] {
  const refused = commands.filter((command) => command.refused !== undefined);
  if (refused.length === 0) return [];
  return refused.every(({ needsNetworkOnly }) => needsNetworkOnly === true) ? ['outside', 'network'] : ['outside'];
}

/** The same call, as if it took this way out. */
function leavingBy(judged: JudgedCall, way: WayOut): JudgedCall {
  const taken = (finding: Finding): Finding => (finding.leaves === undefined ? finding : { ...finding, leaves: way });
  return { ...judged, findings: judged.findings.map(taken) };
}

/** No installed skill is in the workspace: who reads there need not know where they are, and the sandbox is not loaded for it. */
function onlyReadsBelow({ touches }: ToolCallEvent, cwd: string): boolean {
  const { reads = [], lists = [], searches = [], writes, hosts, commands, anything } = touches;
  if (writes !== undefined || hosts !== undefined || commands !== undefined || anything) return false;
  return [...reads, ...lists, ...searches].every((path) => !path.startsWith('~') && isInside(resolve(cwd, path), cwd));
}

async function judgedCall(host: GateHost, event: ToolCallEvent, call: CallHost): Promise<JudgedCall> {
  const { cwd } = call;
  const world = onlyReadsBelow(event, cwd) ? call.world : { ...call.world, installed: await host.installed(cwd) };
  const findings = await assessCall(event, { ...call, world });
  const confined = findings.some(({ unclear }) => unclear) && (await call.profile()) !== 'full';
  const { home } = host.folders;
  const { tool, fingerprint } = event;
  const said = fingerprint !== undefined && { fingerprint };
  return { tool, findings, digest: digestOf(event, cwd), workspace: cwd, home, confined, ...said };
}

async function judge(host: GateHost, event: ToolCallEvent, call: CallHost, signal: AbortSignal): Promise<GateAnswer> {
  const { cwd } = call;
  const judged = await judgedCall(host, event, call);
  let rules: readonly PolicyRule[];
  try {
    rules = await rulesOf(host, event, cwd);
  } catch (fault) {
    // Reading too: nobody knows which files the policy would have kept closed.
    const next = fault instanceof TenonError ? ` ${fault.next}` : '';
    return { deny: `the policy is invalid, so every call is refused: ${messageOf(fault)}${next}` };
  }
  const ways = waysOf(event);
  const allowed = ways.find((way) => decide(leavingBy(judged, way), rules, modeFor(host, event)).kind === 'allow');
  if (allowed !== undefined) return letOut(host, event, allowed);
  const verdict = decide(judged, rules, modeFor(host, event));
  if (verdict.kind === 'allow') return undefined;
  if (verdict.kind === 'deny') return { deny: `${verdict.reason}. Do not try to get the same effect in another way.` };
  const wider = ways.length > 0 ? undefined : await widerRun(host, event, judged, call, signal);
  if (wider === undefined) return ask(host, { event, cwd, judged, verdict, ways }, call, signal);
  const verdicts = wider.ways.map((way) => ({
    way,
    verdict: decide(leavingBy(wider.judged, way), rules, modeFor(host, event)),
  }));
  const open = verdicts.find((one) => one.verdict.kind === 'allow');
  if (open) return letOut(host, wider.event, open.way);
  const outside = decide(leavingBy(wider.judged, 'outside'), rules, modeFor(host, event));
  // Who may not leave is asked about the run in the sandbox alone.
  if (outside.kind !== 'ask') return ask(host, { event, cwd, judged, verdict, ways }, call, signal);
  return ask(
    host,
    { event, cwd, judged, verdict, ways: wider.ways, wider: { ...wider, verdict: outside } },
    call,
    signal,
  );
}

/** Calls that read from ordinary places: they must cost nothing. */
function readsOnly(event: ToolCallEvent, call: CallHost): boolean {
  const { touches, risk } = event;
  if (touches.commands || (touches.anything === true && risk !== 'read')) return false;
  return worstTier(listedFindings(event, call)) === 0;
}

async function rulesOf(
  { policies, store, preApprovals, kin }: GateHost,
  { scope }: ToolCallEvent,
  cwd: string,
): Promise<readonly PolicyRule[]> {
  const loaded = await policies.load(cwd);
  const sharing = scope === undefined ? [] : kin.sharing(scope.session);
  const granted = (await Promise.all(sharing.map((session) => store.sessionRules(session)))).flat();
  const listed = (scope === undefined ? [] : kin.lineOf(scope.session)).flatMap((session) =>
    // What the user has ruled out for a session is ruled out for all who work for it.
    preApprovals.of(session).filter(({ decide: verb }) => verb === 'deny' || sharing.includes(session)),
  );
  return [
    ...loaded.flatMap(({ rules }) => rules),
    ...granted.map((rule) => ({ ...rule, file: 'this session', line: 0 })),
    ...listed.map((rule) => ({
      ...rule,
      file: `${rule.decide === 'deny' ? 'disallowed' : 'allowed'}-tools`,
      line: 0,
    })),
  ];
}

/** Lets a call through, as far out of the sandbox as was said. */
function letOut({ waysOut }: GateHost, event: ToolCallEvent, way: WayOut | 'sandbox' | undefined): undefined {
  if (way !== undefined) waysOut.letOut(event, way);
}

type Asked = Extract<Verdict, { kind: 'ask' }>;

/** A call that somebody has to decide about. */
interface OpenCall {
  readonly event: ToolCallEvent;
  readonly cwd: string;
  readonly judged: JudgedCall;
  readonly verdict: Asked;
  /** The ways out of the sandbox to choose from. */
  readonly ways: readonly WayOut[];
  /** The same with less confinement, for a call that the sandbox would stop. */
  readonly wider?: WiderRun & { readonly verdict: Asked };
}

/** What a yes without a word about the way means: a call that has failed in its sandbox needs another place. */
function usualWay({ event, wider }: OpenCall): WayOut | 'sandbox' | undefined {
  if (waysOf(event).length > 0) return 'outside';
  return wider && 'sandbox';
}

/** Lets a call through that was asked about. */
function allow(host: GateHost, open: OpenCall, way: WayOut | undefined): undefined {
  return letOut(host, open.wider?.event ?? open.event, way ?? usualWay(open));
}

function ask(host: GateHost, open: OpenCall, call: CallHost, signal: AbortSignal): Promise<GateAnswer> {
  const digest = open.wider?.digest ?? open.judged.digest;
  return host.questions.ask(digest, signal, {
    ask: () => askPerson(host, open, digest, signal),
    again: () => judge(host, open.event, call, signal),
  });
}

async function askPerson(host: GateHost, open: OpenCall, digest: string, signal: AbortSignal): Promise<GateAnswer> {
  const { event, ways, verdict } = open;
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
  if (earlier?.state === 'allowed') return allow(host, open, earlier.way);
  if (earlier?.state === 'denied') return denied(earlier.reason);
  const about = await questionOf(host, open);
  const { text, spans, reasons: shownReasons } = about;
  const offered = ways.length > 0 && { ways };
  const question = questionText(about);
  const decided = await host.permission({ ...event, reasons: shownReasons, text, spans, question, ...offered }, signal);
  if (decided?.allow === false) return { deny: decided.reason ?? `plugin "${decided.by}" said no` };
  if (decided)
    return allow(
      host,
      open,
      ways.find((way) => way === decided.way),
    );
  let held: HeldRecord;
  try {
    held = await hold(host, open, about);
  } catch (fault) {
    return cannotHold(fault);
  }
  const ui = await host.userInterface();
  if (ui?.canAsk() !== true) return refused(held, 'Nobody can answer here');
  return answerOf(host, open, held, ui, signal);
}

/** Writes a question down. */
async function hold(
  host: GateHost,
  open: OpenCall,
  about: Awaited<ReturnType<typeof questionOf>>,
): Promise<HeldRecord> {
  const { event, judged, verdict, wider } = open;
  const { rulesFor } = await import('./grants.ts');
  const isCommand = runsCommand(event.touches);
  return host.store.hold({
    ...about,
    ...(event.scope && { session: event.scope.session }),
    summary: await host.mask(summaryOf(event)),
    digest: wider?.digest ?? judged.digest,
    rules: rulesFor(event, verdict.open, judged.digest, isCommand),
    ...(wider && { widerRules: rulesFor(wider.event, wider.verdict.open, wider.judged.digest, isCommand) }),
  });
}

/** What a person is shown. */
async function questionOf(host: GateHost, { event, cwd, verdict, ways, wider }: OpenCall) {
  // Leaving the sandbox is offered, so it is no reason against the call.
  const further = (wider?.verdict.open ?? []).filter(({ leaves }) => leaves === undefined);
  const open = [...verdict.open, ...further];
  const whole = wholeText(event);
  const text = await host.mask(whole);
  // Places in a text hold for that text only.
  const located = text === whole && (event.touches.commands ?? []).length < 2;
  const findings = located ? open : open.map(({ span: _span, ...finding }) => finding);
  const variables = wider?.event.touches.commands?.[0]?.env ?? {};
  return {
    tool: event.tool,
    ...subagentOf(host, event),
    ...(!host.lastingAnswers && { onlyOnce: true as const }),
    input: await host.mask(event.input),
    folder: cwd,
    text,
    spans: spansOf(text, findings),
    tier: worstTier([...open, { tier: verdict.tier, reason: '' }]),
    reasons: await host.mask([...new Set([...verdict.reasons, ...reasonsOf(further)])]),
    ...(ways.length > 0 && { ways }),
    ...(waysOf(event).length > 0 && { refused: refusedIn(event) }),
    ...(wider && { expected: wider.expected, needy: await host.mask(wider.needy) }),
    ...(Object.keys(variables).length > 0 && { variables: await host.mask(variables) }),
  };
}

/** Whoever is asked must see that it is not the agent that they talk to. */
function subagentOf({ kin }: GateHost, { scope }: ToolCallEvent): { readonly subagent?: string } {
  const subagent = scope && kin.labelOf(scope.session);
  return subagent === undefined ? {} : { subagent };
}

/** Asks whoever is there, and takes an answer that comes from elsewhere meanwhile. */
async function answerOf(
  host: GateHost,
  open: OpenCall,
  held: HeldRecord,
  ui: UserInterface,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  try {
    const outcome = await Promise.race([
      shownAnswer(ui, held, open.event.scope !== undefined, either).then((answer) => ({
        from: 'here' as const,
        answer,
      })),
      host.store.answered(held.id, either).then((record) => ({ from: 'elsewhere' as const, record })),
    ]);
    if (signal.aborted) {
      await host.store.remove(held.id);
      return { deny: 'the call was cancelled while it waited for an answer' };
    }
    if (outcome.from === 'elsewhere') return await takeAnswer(host, open, held, outcome.record);
    return await useAnswer(host, open, held, outcome.answer);
  } finally {
    done.abort();
  }
}

/** Asks the person who is there, in the richest way that the interface has. */
async function shownAnswer(
  ui: UserInterface,
  held: HeldRecord,
  hasSession: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  if (ui.decide) return answerBy(await ui.decide(approvalQuestion(held, hasSession), { signal }), held, hasSession);
  const choices = choicesFor(held, hasSession);
  const label = await ui.select(questionText(held), [...choices.keys()], { signal });
  return { choice: choices.get(label ?? '') };
}

async function takeAnswer(
  host: GateHost,
  open: OpenCall,
  held: HeldRecord,
  record: HeldRecord | undefined,
): Promise<GateAnswer> {
  const answer = record && (await host.store.take(held.digest));
  if (answer?.state === 'allowed') return allow(host, open, answer.way);
  return denied(record?.reason ?? (record === undefined ? 'the question was withdrawn' : undefined));
}

async function useAnswer(
  host: GateHost,
  open: OpenCall,
  held: HeldRecord,
  { choice, reason, instead }: Answer,
): Promise<GateAnswer> {
  // Nobody has decided; the call stays held, so that it can still be allowed.
  if (choice === undefined) return refused(held, 'Nobody has answered');
  await host.store.remove(held.id);
  if (choice === 'deny') return instead === undefined ? denied(reason) : rewritten(instead);
  const { scope } = open.event;
  const rules = rulesBy(held, choice.way);
  if (choice.extent === 'always') await host.allowAlways(rules);
  if (choice.extent === 'session' && scope) await host.store.grantSession(topOf(host.kin, scope.session), rules);
  return allow(host, open, choice.way);
}

/** The session that the person means by "this session": the one that they talk to, where it works in the same folder. */
function topOf(kin: Kin, session: string): string {
  return kin.sharing(session).at(-1) ?? session;
}

function refusedIn({ touches: { commands = [] } }: ToolCallEvent): SandboxRefusal[] {
  return commands.flatMap((command) => command.refused ?? []);
}
