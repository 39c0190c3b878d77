/** Planning: while it is on, the agent looks and changes nothing. Kept as entries of the session; the newest on the active branch counts. */
import type { LiveAgents } from '@tenon/agent/api';
import type { Approvals } from '@tenon/approval/api';
import type { Session } from '@tenon/sessions/api';
import type { ToolCallEvent, TouchedCommand } from '@tenon/tools/api';
import { errors } from './errors.ts';
import { writesPlan } from './plan-file.ts';

const ENTRY = 'plan-mode';

/** Which sessions plan. */
export class PlanModes {
  readonly #agents: LiveAgents;
  /** Asked before every tool call, so it is looked up once. */
  readonly #known = new Map<string, boolean>();

  constructor(agents: LiveAgents) {
    this.#agents = agents;
  }

  /** Whoever works for a session that plans only looks, too. */
  isOn(id: string): boolean {
    const { parent } = this.#agents.get(id) ?? {};
    return parent && parent.session !== id ? this.isOn(parent.session) : this.#isSet(id);
  }

  /** Whether the session itself plans, and for nobody else. */
  isOwn(id: string): boolean {
    return this.#agents.get(id)?.parent === undefined && this.#isSet(id);
  }

  #isSet(id: string): boolean {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const session = this.#agents.get(id)?.session;
    if (!session) return false;
    const isOn = newest(session);
    this.#known.set(id, isOn);
    return isOn;
  }

  async set(id: string, isOn: boolean): Promise<void> {
    const session = this.#agents.get(id)?.session;
    if (!session) throw errors.create('PLANNING_TOOLS_NO_SESSION', { tool: 'Planning' });
    await session.append('custom', { customType: ENTRY, data: { isOn } });
    this.#known.set(id, isOn);
  }

  /** The session stands elsewhere, or has ended. */
  forget(id: string): void {
    this.#known.delete(id);
  }
}

function newest(session: Session): boolean {
  const places = session.path().filter(({ type }) => type === 'custom');
  for (const { id } of places.toReversed()) {
    const entry = session.entry(id);
    if (entry?.type === 'custom' && entry.customType === ENTRY)
      return (entry.data as { readonly isOn?: unknown } | undefined)?.isOn === true;
  }
  return false;
}

/** Why a call does not go with planning; nothing for one that only looks. */
export async function whyNotWhilePlanning(
  { touches, risk, input, origin, fingerprint }: ToolCallEvent,
  approvals: () => Promise<Approvals | undefined>,
): Promise<string | undefined> {
  const { writes, commands = [], anything } = touches;
  const isOurs = origin === undefined && fingerprint === undefined;
  const isPlan = isOurs && writes?.length === 0 && !touches.hosts && !anything && writesPlan(input);
  if (writes && !isPlan) return writes.length === 0 ? 'it changes something' : `it changes ${writes.join(', ')}`;
  for (const command of commands) {
    const reason = await whyNotRun(command, approvals);
    if (reason !== undefined) return reason;
  }
  // A click or a form: whoever cannot say where something goes does more than fetch it.
  if (touches.hosts?.length === 0 && risk !== 'read' && risk !== 'net') return 'it may send something to a server';
  // A tool that does not say what it touches may do anything, unless its manifest says that it reads.
  return anything === true && risk !== 'read' ? 'it is not known to only read' : undefined;
}

async function whyNotRun(
  { text, language = 'shell', cwd, env, definitions, unsandboxed }: TouchedCommand,
  approvals: () => Promise<Approvals | undefined>,
): Promise<string | undefined> {
  if (language !== 'shell') return `code in ${language} is not proven to only read`;
  if (unsandboxed !== undefined) return 'it asks to run outside of the sandbox';
  const judge = await approvals();
  if (!judge) return 'nobody here can say whether the command only reads';
  const about = { cwd, ...(env && { env }), ...(definitions && { definitions }) };
  const { tier, understood, reasons, notUnderstood } = await judge.judgeCommand(text, about);
  if (tier > 0) return `the command does not only read: ${reasons.join(', ')}`;
  return understood ? undefined : `the command is not proven to only read: ${notUnderstood.join(', ')}`;
}
