/** A conversation, cut into turns: what the user said, and what was called and came back since. */
import type { ModelMessage, ToolCallContent, ToolResultMessage, UserMessage } from '@tenon/models/api';
import type { CallResult } from './plan.ts';

/** Calls that went out together, and what came back. */
export interface Round {
  readonly calls: readonly Pick<ToolCallContent, 'name' | 'arguments'>[];
  readonly results: readonly CallResult[];
}

/** From one request of the user to the next. */
export interface Turn {
  readonly text: string;
  readonly rounds: readonly Round[];
  readonly hasImage: boolean;
  /** What the model said last in it. */
  readonly answer: string;
}

/** Messages in the user's place that were not typed by the user; they stand beside a request and are none. */
const NOT_A_REQUEST =
  /^\s*(?:The user mentioned the file |The user ran this command:|The earlier part of this conversation was summarized|The conversation went another way|This is a preview\.|<system-reminder>|<summary>|<file )/;

/** Cuts a conversation into turns. */
export function turnsOf(messages: readonly ModelMessage[]): Turn[] {
  const turns: { text: string; rounds: Round[]; hasImage: boolean; answer: string }[] = [];
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages) if (message.role === 'toolResult') results.set(message.toolCallId, message);
  for (const message of messages) {
    if (message.role === 'user') {
      const { text, hasImage } = contentOf(message);
      if (!NOT_A_REQUEST.test(text)) turns.push({ text, rounds: [], hasImage, answer: '' });
    } else if (message.role === 'assistant') {
      const calls = message.content.filter((block): block is ToolCallContent => block.type === 'toolCall');
      const turn = turns.at(-1);
      if (!turn) continue;
      turn.answer = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      if (calls.length > 0) turn.rounds.push({ calls, results: calls.map(({ id }) => resultOf(results.get(id))) });
    }
  }
  return turns;
}

function contentOf({ content }: UserMessage): { text: string; hasImage: boolean } {
  if (typeof content === 'string') return { text: content, hasImage: false };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { text: texts.join('\n'), hasImage: content.some(({ type }) => type === 'image') };
}

function resultOf(message: ToolResultMessage | undefined): CallResult {
  if (!message) return { text: 'The call was not carried out.', isError: true };
  const [first, ...notes] = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  // The loop adds a note to repeated calls; it speaks to models that could go astray.
  const said = notes.filter((note) => !note.startsWith('You have made this call '));
  return { text: [first ?? '', ...said].join('\n'), isError: message.isError };
}
