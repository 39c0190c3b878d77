/** Lets the model write down where the work stands, for a session that begins with nothing else. */
import type { CustomMessage } from '@tenon/sessions/api';
import type { Conversation } from '../conversation.ts';
import { toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import type { LoopContext } from '../loop-config.ts';
import { changeContext } from '../model-hooks.ts';
import { render } from '../prompts/index.ts';
import { serialize } from './serialize.ts';
import { askForSummary, askModel, textOf, type SummaryParts } from './summarizer.ts';

/** The `customType` of the message that a handed-over session begins with. */
export const HANDOFF = 'handoff';

/** What asked for headings and has none is no document. */
const HEADING = /^#{1,6} /m;

/** Below this there is nothing to hand over. */
const LEAST_MESSAGES = 2;

/** Says so when there is nothing to hand over. */
export function checkHandoff({ messages }: Conversation): void {
  if (messages.length < LEAST_MESSAGES) throw errors.create('AGENT_NOTHING_TO_HAND_OFF');
}

/** The document; nothing when the model had nothing to say. The session is not changed. */
export async function writeHandoff(
  parts: SummaryParts,
  { systemPrompt, tools }: Pick<LoopContext, 'systemPrompt' | 'tools'>,
  options: { readonly instructions?: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { model, thinking } = parts.models;
  const prompt = render('handoff-document', { instructions: options.instructions });
  const history = toModelMessages(await changeContext(parts, parts.conversation.messages));
  // Prompt, tools and messages are those of the last turn, so that the provider's cache serves them once more.
  const answer = await askModel(
    parts,
    model,
    {
      systemPrompt,
      messages: [...history, { role: 'user', content: prompt, timestamp: Date.now() }],
      tools: tools.modelTools(),
      thinking,
    },
    options.signal,
  );
  const document = textOf(answer);
  if (document === '' || HEADING.test(document)) return document || undefined;
  // A model that answers something else (one made of rules, or a very small one) may still be able to summarize.
  const { instructions, signal } = options;
  const question = (conversation: string) => render('compaction-summary', { conversation, instructions });
  return askForSummary(parts, { text: serialize(history), question }, signal);
}

/** The document as the first message of the new session. */
export function handoffMessage(document: string): CustomMessage {
  return {
    role: 'custom',
    customType: HANDOFF,
    content: render('handoff-context', { document }),
    display: true,
    attribution: 'agent',
    timestamp: Date.now(),
  };
}
