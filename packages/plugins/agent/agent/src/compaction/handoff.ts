/** Lets the model write down where the work stands, for a session that begins with nothing else. */
import type { CustomMessage } from '@tenon/sessions/api';
import type { LoopSession } from '../agent-session.ts';
import { toModelMessages } from '../convert.ts';
import { errors } from '../errors.ts';
import { render } from '../prompts/index.ts';
import { serialize } from './serialize.ts';
import { askForSummary, askModel, textOf } from './summarizer.ts';

/** The `customType` of the message that a handed-over session begins with. */
export const HANDOFF = 'handoff';

/** What asked for headings and has none is no document. */
const HEADING = /^#{1,6} /m;

/** Below this there is nothing to hand over. */
const LEAST_MESSAGES = 2;

/** Says so when there is nothing to hand over. */
export function checkHandoff(agent: LoopSession): void {
  if (agent.conversation.messages.length < LEAST_MESSAGES) throw errors.create('AGENT_NOTHING_TO_HAND_OFF');
}

/** The document; nothing when the model had nothing to say. The session is not changed. */
export async function writeHandoff(
  agent: LoopSession,
  options: { readonly instructions?: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { host, model, thinking, systemPrompt } = agent;
  const prompt = render('handoff-document', { instructions: options.instructions });
  const history = toModelMessages(await host.changeContext(agent.conversation.messages));
  // Prompt, tools and messages are those of the last turn, so that the provider's cache serves them once more.
  const answer = await askModel(
    agent,
    model,
    {
      systemPrompt,
      messages: [...history, { role: 'user', content: prompt, timestamp: Date.now() }],
      tools: agent.tools.modelTools(),
      thinking,
    },
    options.signal,
  );
  const document = textOf(answer);
  if (document === '' || HEADING.test(document)) return document || undefined;
  // A model that answers something else (one made of rules, or a very small one) may still be able to summarize.
  const conversation = serialize(history);
  return askForSummary(
    agent,
    render('compaction-summary', { conversation, instructions: options.instructions }),
    options.signal,
  );
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
