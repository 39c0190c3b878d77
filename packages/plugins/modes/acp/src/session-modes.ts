/** The modes of a session: what needs approval, or planning. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ApprovalMode, Approvals } from '@tenon/approval/api';
import type { PlanMode } from '@tenon/planning-tools/api';
import { errors } from './errors.ts';

const MODES = [
  { id: 'ask', name: 'Ask', description: 'Network access and commands that are hard to undo need approval' },
  { id: 'strict', name: 'Strict', description: 'Every change needs approval' },
  { id: 'yolo', name: 'Yolo', description: 'Only what destroys something needs approval' },
  { id: 'plan', name: 'Plan', description: 'Looks, changes nothing, and writes a plan for you to approve' },
] as const;

type ModeId = (typeof MODES)[number]['id'];

/** What the modes are made of. */
export interface ModeParts {
  readonly plans: PlanMode;
  /** Absent without the plugin that approves: only planning is left then. */
  readonly approvals: Approvals | undefined;
}

/** The mode that counts for a session now. */
export function currentMode({ plans, approvals }: ModeParts, session: string): ModeId {
  return plans.isOn(session) ? 'plan' : (approvals?.modeOf(session) ?? 'ask');
}

/** The modes as an editor lists them. */
export function modeState(parts: ModeParts, session: string): SessionModeState {
  return { currentModeId: currentMode(parts, session), availableModes: MODES.map((mode) => ({ ...mode })) };
}

/** The same as an option, for editors that show options and no modes. */
export function modeOption(parts: ModeParts, session: string): SessionConfigOption {
  return {
    type: 'select',
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    currentValue: currentMode(parts, session),
    options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
  };
}

/** Changes the mode. What the user chooses counts for this session and its subagents alone. */
export async function setMode({ plans, approvals }: ModeParts, session: string, mode: string): Promise<void> {
  const known = MODES.find(({ id }) => id === mode);
  if (!known) throw errors.create('ACP_MODE_UNKNOWN', { mode, modes: MODES.map(({ id }) => id).join(', ') });
  const isPlan = known.id === 'plan';
  if (plans.isOn(session) !== isPlan) await plans.set(session, isPlan);
  if (!isPlan) approvals?.setMode(session, known.id satisfies ApprovalMode);
}
