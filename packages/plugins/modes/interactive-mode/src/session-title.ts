/** A title for a session that has none: a small model is shown the first prompt. */
import type { AgentSession } from '@tenon/agent/api';
import type { ModelRegistry } from '@tenon/models/api';
import type { Session } from '@tenon/sessions/api';
import { cutText, plainLine } from '@tenon/wording';
import { userText } from './pickers/entry-texts.ts';
import { prompts } from './prompts/index.ts';

/** A title says what a conversation is about; its first words are enough for that. */
const MOST_SHOWN = 2_000;
const LONGEST = 60;

/** What a title is made with. */
export interface TitleParts {
  readonly agent: Pick<AgentSession, 'session' | 'state' | 'aside'>;
  readonly models: Pick<ModelRegistry, 'forRole'>;
}

/**
 * Gives the session a title, and gives it back; nothing where the session has one already, or where no model is smaller than
 * the session's own: a title is not worth a call of that one, and lists show the first prompt instead.
 */
export async function giveTitle({ agent, models }: TitleParts): Promise<string | undefined> {
  const { session, state } = agent;
  const message = firstPrompt(session);
  if (message === undefined || session.header.title !== undefined || state.model.isRules) return undefined;
  const { model: small } = await models.forRole('small', { beside: state.model });
  if (small.isRules || (small.provider === state.model.provider && small.id === state.model.id)) return undefined;
  const answer = await agent.aside(prompts.sessionTitle({ message }), { alone: true });
  const title = cleanTitle(answer);
  // The user, or an extension, may have named it meanwhile.
  if (title === '' || session.header.title !== undefined) return undefined;
  await session.setTitle(title, 'auto');
  return title;
}

function firstPrompt(session: Session): string | undefined {
  for (const { id, type } of session.path()) {
    const text = (type === 'message' && userText(session.entry(id))?.trim()) || '';
    if (text !== '') return cutText(text, MOST_SHOWN);
  }
  return undefined;
}

/** One line, without what models like to put around a title. */
function cleanTitle(answer: string): string {
  const line = answer.split('\n').find((part) => part.trim() !== '') ?? '';
  const bare = plainLine(line)
    .replace(/^#*\s*(?:title\s*:)?\s*/i, '')
    .replace(/^["'“”„*`_\s]+|["'“”„*`_.\s]+$/g, '');
  return cutText(bare, LONGEST);
}
