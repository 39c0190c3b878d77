import type { ModelMessage, UserMessage } from '../messages.ts';

/**
 * The message with an image that the model is asked about now: one of the user's since the last finished answer. Images
 * of earlier questions were answered, and those that tools found are no reason for another model.
 */
export function askedImage(messages: readonly ModelMessage[]): UserMessage | undefined {
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant' && message.stopReason !== 'toolUse') return undefined;
    if (message.role !== 'user' || typeof message.content === 'string') continue;
    if (message.content.some(({ type }) => type === 'image')) return message;
  }
  return undefined;
}
