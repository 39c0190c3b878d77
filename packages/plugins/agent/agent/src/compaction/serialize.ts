/** A conversation as text, for a model that is to summarize it and must not take part in it. */
import type { ModelMessage } from '@tenon/models/api';

const MAX_RESULT_CHARS = 2_000;

/** One paragraph per message; long tool results keep their beginning and end. */
export function serialize(messages: readonly ModelMessage[]): string {
  return messages.map(paragraph).filter(Boolean).join('\n\n');
}

function paragraph(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return `[User]: ${textIn(message.content)}`;
    case 'toolResult':
      return `[Result of ${message.toolName}${message.isError ? ', failed' : ''}]: ${shortened(textIn(message.content))}`;
    case 'assistant':
      return message.content
        .map((block) => {
          if (block.type === 'text') return `[Agent]: ${block.text}`;
          if (block.type === 'thinking') return `[Agent's thoughts]: ${shortened(block.thinking)}`;
          return `[Agent calls ${block.name}]: ${shortened(JSON.stringify(block.arguments))}`;
        })
        .join('\n');
  }
}

function textIn(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? (block.text ?? '') : `[${block.type}]`)).join('\n');
}

function shortened(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  const half = MAX_RESULT_CHARS / 2;
  return `${text.slice(0, half)}\n[… ${text.length - MAX_RESULT_CHARS} characters left out …]\n${text.slice(-half)}`;
}
