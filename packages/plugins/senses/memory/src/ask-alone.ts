/** One question to whichever model there is, for calls by hand: no conversation is behind it. */
import { failureText, type ModelRegistry } from '@tenon/models/api';
import { errors } from './errors.ts';

/** The answer; nothing when only rules would answer. */
export async function askAlone(
  models: ModelRegistry,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { model } = await models.forRole('small');
  if (model.isRules) return undefined;
  const messages = [{ role: 'user' as const, content: question, timestamp: Date.now() }];
  const request = { model, systemPrompt: '', messages, tools: [], toolChoice: 'none' as const };
  for await (const event of models.stream(request, { signal })) {
    if (event.type === 'error') {
      signal.throwIfAborted();
      throw errors.create('MEMORY_NO_ANSWER', { reason: failureText(event.error) });
    }
    if (event.type !== 'done') continue;
    return event.message.content
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n')
      .trim();
  }
  throw errors.create('MEMORY_NO_ANSWER', { reason: 'it ended without one' });
}
