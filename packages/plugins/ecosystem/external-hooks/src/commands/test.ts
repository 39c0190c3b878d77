/** `tenon hooks test` and `tenon hooks setup` */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { counted, didYouMean, plainLine, plainText, shellWord } from '@tenon/wording';
import { messageOf } from '@tenon/kernel';
import { discovery } from '@tenon/discovery/api';
import { workspaceTrust } from '@tenon/trust/api';
import { isRecord, type Payload } from '../dialects/dialect.ts';
import { dialects } from '../dialects/index.ts';
import type { HookEngine, HookAnswer } from '../engine.ts';
import { errors } from '../errors.ts';
import { actionOf, type BoundHook, loadHooks } from '../hook-table.ts';
import { byFolder, mayRun } from '../hook-trust.ts';
import type { HookRun } from '../run-hook.ts';
import { sampleFor } from './samples.ts';

/** Fields that matchers are compared with. */
const SUBJECTS = [
  'tool_name',
  'source',
  'trigger',
  'notification_type',
  'agent_type',
  'subagent_type',
  'reason',
] as const;

/** Runs the hooks of an event with an example, and shows what each of them says. */
export async function testHooks(engine: HookEngine, call: CommandCall): Promise<number> {
  const event = String(call.args['event']);
  const events = Object.values(dialects).flatMap((dialect) => Object.keys(dialect.events));
  if (!events.includes(event))
    throw errors.create('EXTERNAL_HOOKS_EVENT_UNKNOWN', { event, hint: didYouMean(event, events) });
  const fields = parseInput(call.flags['input']);
  return runEvent(engine, call, event, fields);
}

/** Runs the hooks for `Setup`, which Claude Code has for preparing a project. */
export function setUp(engine: HookEngine, call: CommandCall): Promise<number> {
  return runEvent(engine, call, 'Setup', { trigger: call.flags['maintenance'] === true ? 'maintenance' : 'init' });
}

async function runEvent(
  engine: HookEngine,
  { io, flags, cwd, signal }: CommandCall,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<number> {
  const finder = await engine.host.findOptional(discovery);
  const table = finder && (await loadHooks(finder, cwd, signal));
  const hooks = (table?.all ?? []).filter(({ hook }) => hook.event === event);
  const what = `run its hooks for ${event}`;
  const groups = byFolder(hooks);
  const trust = groups.size === 0 ? undefined : await engine.host.findOptional(workspaceTrust);
  const trusted = new Set<string>();
  for (const folder of groups.keys()) if (await trust?.ensure(folder, what)) trusted.add(folder);
  const usable = hooks.filter((bound) => mayRun(bound, trusted)).map((bound) => withInput(bound, fields));
  const [first] = usable;
  const folder = await mkdtemp(join(tmpdir(), 'tenon-hooks-'));
  let answer: HookAnswer | undefined;
  try {
    const site = { session: 'test', cwd };
    const options = { signal, envFile: join(folder, 'env.sh') };
    if (first) answer = await engine.runAll(usable, sampleFor(first.spec.moment, event), site, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const skipped = [...groups].filter(([folder]) => !trusted.has(folder));
  if (flags['json']) await io.json(report(event, answer, hooks.length - usable.length));
  else await show(io, event, answer, hooks.length, skipped);
  return answer?.decision === 'deny' || answer?.stop !== undefined ? 1 : 0;
}

/** The same hook with fields of the user's own in its payloads. */
function withInput(bound: BoundHook, fields: Readonly<Record<string, unknown>>): BoundHook {
  if (Object.keys(fields).length === 0) return bound;
  const subject = SUBJECTS.map((key) => fields[key]).find((value) => typeof value === 'string');
  const change = (payload: Payload): Payload => ({
    ...payload,
    fields: { ...payload.fields, ...fields },
    ...(typeof subject === 'string' && payload.subjects && { subjects: [subject] }),
  });
  const { spec } = bound;
  return { ...bound, spec: { ...spec, payloads: (occasion, site) => spec.payloads(occasion, site).map(change) } };
}

function report(event: string, answer: HookAnswer | undefined, skipped: number): unknown {
  const { runs = [], ...outcome } = answer ?? { contexts: [], messages: [], warnings: [], env: {} };
  return {
    event,
    skipped,
    ...outcome,
    runs: runs.map(({ bound, end, reading }) => ({
      dialect: bound.hook.dialect,
      command: actionOf(bound.hook),
      source: bound.file,
      ...end,
      says: reading,
    })),
  };
}

async function show(
  io: CommandCall['io'],
  event: string,
  answer: HookAnswer | undefined,
  count: number,
  skipped: readonly (readonly [string, readonly BoundHook[]])[],
): Promise<void> {
  if (count === 0) return io.err(`There is no hook for ${event} here.\n`);
  for (const [folder, { length }] of skipped) {
    const name = plainLine(folder);
    const what = counted(length, 'hook');
    await io.err(
      `Not run, because ${name} is not trusted: ${what}. Trust it with \`tenon trust add ${shellWord(name)}\`.\n`,
    );
  }
  const runs = answer?.runs ?? [];
  if (runs.length === 0 && skipped.length === 0)
    await io.err(
      `No matcher fits the example. Give one that does with --input, for example '{"tool_name": "Edit"}'.\n`,
    );
  for (const { bound, end, reading } of runs) {
    const { hook, file } = bound;
    await io.out(`${hook.dialect} ${event}: ${plainLine(actionOf(hook))}\n`);
    await io.out(`  from ${plainLine(file)}\n`);
    if (end) await io.out(`  ${endText(end)} after ${end.durationMs} ms\n`);
    const outputs = end && 'stderr' in end ? { stdout: end.stdout, stderr: end.stderr } : { answer: end?.stdout };
    for (const [name, text] of Object.entries(outputs))
      if (text !== undefined && text.trim() !== '') await io.out(`  ${name}: ${plainText(text.trim())}\n`);
    for (const [key, value] of Object.entries(reading))
      await io.out(`  ${key}: ${plainLine(typeof value === 'string' ? value : JSON.stringify(value))}\n`);
  }
  if (answer && runs.length > 0)
    await io.out(`Together: ${answer.decision ?? 'no decision'}${answer.stop === undefined ? '' : ', stop'}\n`);
}

function endText(end: NonNullable<HookRun['end']>): string {
  const code = 'stderr' in end ? end.exitCode : end.status;
  return code === undefined ? end.outcome : `${end.outcome} with ${code}`;
}

function parseInput(flag: unknown): Readonly<Record<string, unknown>> {
  if (typeof flag !== 'string' || flag.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(flag);
  } catch (fault) {
    throw errors.create('EXTERNAL_HOOKS_INPUT_INVALID', { reason: messageOf(fault) }, fault);
  }
  if (!isRecord(value)) throw errors.create('EXTERNAL_HOOKS_INPUT_INVALID', { reason: 'it is something else' });
  return value;
}
