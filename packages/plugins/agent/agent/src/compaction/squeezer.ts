/** Leaves out what a server refuses to take, and writes down in the session what was left out. */
import { PRUNED_OUTPUT } from '@tenon/sessions/api';
import { counted } from '@tenon/wording';
import { compacted } from '../api.ts';
import { toModelMessages } from '../convert.ts';
import type { AgentParts } from '../host.ts';
import type { ModelUse } from '../model-use.ts';
import { activePart } from './active-part.ts';
import { isUsers, messageIn } from './cut-point.ts';
import { fileOperations } from './file-operations.ts';
import { reserveFor } from './policy.ts';
import { digest, squeeze, type SqueezeLevel } from './squeeze.ts';
import { promptBefore } from './summary-writing.ts';
import { rawSize } from './token-gauge.ts';

type Parts = AgentParts & { readonly models: ModelUse };

/** The room is never thought to be smaller than this part of the window: what the overhead takes is a guess. */
const LEAST_ROOM = 0.15;
/** So much bigger than the window must the prompt be for a shorter conversation to be no help. */
const HOPELESS = 1.3;

/** Squeezes the conversation; true when it is shorter now. */
export async function squeezeConversation(parts: Parts, { part, digest: share }: SqueezeLevel): Promise<boolean> {
  const { host, conversation, tools, emit } = parts;
  const { session, place } = conversation;
  const sentSize = () => rawSize(toModelMessages(conversation.messages));
  const before = { tokens: conversation.tokens(), size: sentSize() };
  const { previous, entries } = activePart(session);
  const room = roomFor(parts) * part;
  const plan = squeeze(entries, room * (1 - share));
  const [firstKept] = plan?.kept ?? [];
  if (!plan || !firstKept) return false;
  const messages = plan.dropped.flatMap((entry) => messageIn(entry) ?? []);
  const earlier = previous?.type === 'compaction' ? previous : undefined;
  const prompt = promptBefore(parts, plan.kept);
  const summary = digest(plan.dropped, { previousSummary: earlier?.summary ?? '', prompt, room: room * share });
  const isShorter = messages.length > 0 || summary.length < (earlier?.summary.length ?? 0);
  if (plan.pruned.length === 0 && !isShorter) return false;
  if (plan.pruned.length > 0)
    await session.append('custom', { customType: PRUNED_OUTPUT, data: { results: plan.pruned } });
  if (isShorter) {
    const details = await fileOperations(messages, earlier?.details, { cwd: place.cwd, tools });
    const entryId = await session.append('compaction', {
      summary,
      details,
      firstKeptEntryId: firstKept.id,
      tokensBefore: before.tokens,
    });
    void host.run(compacted, { session: place.session, entryId, fromPlugin: false });
  }
  conversation.reload();
  emit({ type: 'notice', level: 'warning', text: leftOutText(messages.length, plan.pruned.length) });
  return sentSize() < before.size;
}

/** True when the prompt alone is too big by far, so that nothing that came before it matters. */
export function isHopeless({ conversation, models }: Parts): boolean {
  const { gauge, messages } = conversation;
  const prompt = messages.findLast(isUsers);
  return prompt !== undefined && gauge.request(rawSize([prompt])) > models.window * HOPELESS;
}

/** How many tokens, as they are estimated, messages may have after a refusal. */
function roomFor({ host, conversation, models }: Parts): number {
  const { window } = models;
  const { gauge } = conversation;
  const free = gauge.room(window - reserveFor(window, host.config.compaction));
  return Math.max(free, (window * LEAST_ROOM) / gauge.ratio);
}

function leftOutText(messages: number, results: number): string {
  const parts = [
    ...(messages > 0 ? [counted(messages, 'earlier message')] : []),
    ...(results > 0 ? [`the output of ${counted(results, 'tool call')}`] : []),
  ];
  const what = parts.length === 0 ? 'A part of the summary' : parts.join(' and ');
  return `The model did not take so much at once. Left out: ${what}. The session keeps everything.`;
}
