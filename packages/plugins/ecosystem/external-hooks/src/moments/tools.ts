/** Hooks around the call of a tool. */
import { isDeepStrictEqual } from 'node:util';
import type { GateAnswer } from '@tenon/kernel';
import type {
  PermissionAnswer,
  PermissionQuestion,
  ToolCallEvent,
  ToolResult,
  ToolResultEvent,
} from '@tenon/tools/api';
import { changedInput, type HookEngine, type HookAnswer } from '../engine.ts';
import { labelOf } from '../hook-table.ts';
import type { ToolFacts } from '../occasion.ts';
import type { CallVerdict, SessionState } from '../session-state.ts';
import { kindOf } from '../tool-views.ts';
import { cutText } from '@tenon/wording';

const ID = 'external-hooks';
/** Characters of a call that a question shows. */
const MAX_SHOWN = 2_000;

/** What calls that belong to no session are run with. */
export interface ToolMoments {
  readonly engine: HookEngine;
  readonly cwd: string;
}

/** Where a call belongs. A person who reads at the command line is nobody's agent: such calls concern no hook. */
function siteOf({ cwd }: ToolMoments, { scope, risk }: ToolCallEvent): { session: string; cwd: string } | undefined {
  if (!scope) return risk === 'read' ? undefined : { session: '', cwd };
  return { session: scope.session, cwd: scope.cwd };
}

function factsOf({ tool, callId, input, touches, risk }: ToolCallEvent): ToolFacts {
  return { tool, callId, input, touches, ...(risk !== undefined && { risk }) };
}

/** `tool.input`: hooks judge the call, and may change it. */
export async function beforeCall(
  moments: ToolMoments,
  event: ToolCallEvent,
  signal: AbortSignal,
): Promise<ToolCallEvent | undefined> {
  const site = siteOf(moments, event);
  if (!site) return undefined;
  const { engine } = moments;
  const state = await engine.ready(site.session, site.cwd);
  const withEnv = addEnvironment(event, state);
  if (!engine.has(state, 'before-tool')) return withEnv === event ? undefined : withEnv;
  const facts = factsOf(event);
  const answer = await engine.tell({ moment: 'before-tool', ...facts }, site.session, site.cwd, signal);
  const changed = changedInput(facts, answer.runs);
  const problem = changed && 'problem' in changed ? changed.problem : undefined;
  const ready = changed && 'input' in changed ? addEnvironment({ ...event, input: changed.input }, state) : withEnv;
  // What a user's hook allows is what it saw, or what the user's own hooks made of it; not what others made of it meanwhile.
  const own = changedInput(
    facts,
    answer.runs.filter(({ bound }) => bound.level === 'user'),
  );
  const judged = own && 'input' in own ? addEnvironment({ ...event, input: own.input }, state) : withEnv;
  const inputs = { ready: ready.input, judged: judged.input };
  state.decide(event.callId, await decide(engine, site.session, event, answer, { problem, inputs }, signal));
  return ready === event ? undefined : ready;
}

/** The input as it will be, and as the user's own hooks want it. */
interface Inputs {
  readonly ready: Readonly<Record<string, unknown>>;
  readonly judged: Readonly<Record<string, unknown>>;
}

/** Variables that hooks have set at the start of the session. */
function addEnvironment(event: ToolCallEvent, { env }: SessionState): ToolCallEvent {
  if (kindOf(event.tool) !== 'shell' || Object.keys(env).length === 0) return event;
  return { ...event, input: { ...event.input, env: { ...env, ...(event.input['env'] as object | undefined) } } };
}

async function decide(
  engine: HookEngine,
  session: string,
  event: ToolCallEvent,
  answer: HookAnswer,
  { problem, inputs }: { readonly problem: string | undefined; readonly inputs: Inputs },
  signal: AbortSignal,
): Promise<CallVerdict> {
  const { decision, reason, stop } = answer;
  const names = deciders(answer);
  if (stop !== undefined) {
    await engine.stop(session, stop);
    return { outcome: answer, refused: `a hook stopped the agent${stop === '' ? '' : `: ${stop}`}` };
  }
  if (decision === 'deny') return { outcome: answer, refused: reason ?? `${names} refused it and did not say why` };
  if (problem !== undefined) return { outcome: answer, refused: problem };
  if (decision === 'ask' || decision === 'defer')
    return ask(engine, { ...event, input: inputs.ready }, answer, names, signal);
  const isAllowed = decision === 'allow' && engine.host.config.mayAllow;
  return { outcome: answer, ...(isAllowed && { allowed: inputs.judged }) };
}

async function ask(
  engine: HookEngine,
  event: ToolCallEvent,
  answer: HookAnswer,
  names: string,
  signal: AbortSignal,
): Promise<CallVerdict> {
  const why = answer.reason ?? `${names} leaves it to you`;
  const ui = await engine.userInterface();
  if (ui?.canAsk() !== true)
    return {
      outcome: answer,
      refused: `${why}. A hook wants a person to decide, and nobody can answer here`,
    };
  const what = callText(event.input);
  const shown = cutText(what, MAX_SHOWN);
  const yes = await ui.confirm(`A hook asks: run ${event.tool}?`, `${shown}\n${why}`, { signal });
  // To a question of others a yes answers only that question: whether the call is dangerous is asked in Tenon's own words.
  const isOwn = answer.runs.every(
    ({ bound, reading }) => reading.decision !== answer.decision || bound.level === 'user',
  );
  // What was not shown was not agreed to.
  if (yes) return { outcome: answer, ...(isOwn && shown === what && { allowed: event.input }) };
  return { outcome: answer, refused: `the user said no (${why})` };
}

/** A call as a person reads it: the command, and whatever else it is given. */
function callText(input: Readonly<Record<string, unknown>>): string {
  const { command, ...others } = input;
  if (typeof command !== 'string') return JSON.stringify(input);
  // Numbers and switches, such as a time limit, change nothing about what runs.
  const rest = Object.entries(others).filter(([, value]) => typeof value === 'string' || typeof value === 'object');
  return rest.length === 0 ? command : `${command}\n${JSON.stringify(Object.fromEntries(rest))}`;
}

function deciders({ decision, runs }: HookAnswer): string {
  const names = runs.filter(({ reading }) => reading.decision === decision).map(({ bound }) => labelOf(bound));
  return [...new Set(names)].join(', ') || 'a hook';
}

/** `tool.call`: refuses what hooks have refused. */
export async function gate(moments: ToolMoments, event: ToolCallEvent, signal: AbortSignal): Promise<GateAnswer> {
  const site = siteOf(moments, event);
  if (!site) return undefined;
  const state = await moments.engine.ready(site.session, site.cwd);
  state.callsBegan.set(event.callId, Date.now());
  if (!moments.engine.has(state, 'before-tool')) return undefined;
  // Whoever runs a tool without making its input ready must not get around the hooks.
  if (!state.verdicts.has(event.callId)) await beforeCall(moments, event, signal);
  const verdict = state.verdicts.get(event.callId);
  if (verdict?.refused !== undefined) {
    state.verdicts.delete(event.callId);
    return { deny: verdict.refused };
  }
  if (!verdict) return { deny: 'its hooks could not be asked' };
  state.pending.push(...verdict.outcome.contexts);
  return undefined;
}

/** `tool.permission`: hooks answer instead of a person. */
export async function permission(
  moments: ToolMoments,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  const site = siteOf(moments, question);
  if (!site) return undefined;
  const { engine } = moments;
  const state = await engine.ready(site.session, site.cwd);
  const allowed = state.verdicts.get(question.callId)?.allowed;
  if (allowed && isDeepStrictEqual(question.input, allowed)) return { allow: true, by: ID };
  const { reasons } = question;
  if (engine.has(state, 'permission')) {
    const facts = factsOf(question);
    const answer = await engine.tell({ moment: 'permission', ...facts, reasons }, site.session, site.cwd, signal);
    if (answer.stop !== undefined) await engine.stop(site.session, answer.stop);
    const changed = changedInput(facts, answer.runs);
    const refused = answer.decision === 'deny' || answer.stop !== undefined;
    if (refused) return { allow: false, by: ID, reason: answer.reason ?? 'a hook refused the permission' };
    // It was judged as it is; changed, it would have to be judged again.
    if (changed)
      return {
        allow: false,
        by: ID,
        reason: 'a hook wants another input than the one that was judged; make the call with it',
      };
    if (answer.decision === 'allow' && engine.host.config.mayAllow) return { allow: true, by: ID };
  }
  const message = `Tenon needs your permission to use ${question.tool}: ${reasons.join('; ')}`;
  const details = { tool_name: question.tool, tool_input: question.input };
  const notification = { kind: 'permission_prompt', title: 'Permission needed', message, details };
  engine.fire({ moment: 'notification', ...notification }, site.session, site.cwd);
  return undefined;
}

/** `tool.result`: hooks see the result, and may add to it or replace it. */
export async function afterCall(
  moments: ToolMoments,
  event: ToolResultEvent,
  signal: AbortSignal,
): Promise<ToolResultEvent | undefined> {
  const site = siteOf(moments, event);
  if (!site) return undefined;
  const { engine } = moments;
  const state = await engine.ready(site.session, site.cwd);
  const durationMs = Date.now() - (state.callsBegan.get(event.callId) ?? Date.now());
  state.callsBegan.delete(event.callId);
  state.verdicts.delete(event.callId);
  const facts = { ...factsOf(event), result: event.result };
  const answer = engine.has(state, 'after-tool')
    ? await engine.tell({ moment: 'after-tool', ...facts, durationMs }, site.session, site.cwd, signal)
    : undefined;
  const result = answer ? withFeedback(event.result, answer) : event.result;
  if (engine.has(state, 'tool-batch')) state.batch.push({ ...facts, result });
  if (answer?.stop !== undefined) await engine.stop(site.session, answer.stop);
  return result === event.result ? undefined : { ...event, result };
}

function withFeedback(result: ToolResult, { decision, reason, contexts, updatedOutput }: HookAnswer): ToolResult {
  const refusal = decision === 'deny' ? [`A hook objects to this: ${reason ?? 'it did not say why'}`] : [];
  const notes = [...refusal, ...contexts].map((text) => ({ type: 'text' as const, text }));
  if (updatedOutput !== undefined) return { ...result, content: [{ type: 'text', text: updatedOutput }, ...notes] };
  return notes.length === 0 ? result : { ...result, content: [...result.content, ...notes] };
}
