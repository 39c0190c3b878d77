/** How many tokens a request takes: what the provider reported as far as it goes, a careful guess for the rest. */
import type { ModelMessage, ModelRequest } from '@tenon/models/api';

/** Bytes of UTF-8 per token, on the safe side: prose and code have more, Chinese and Japanese about as many. */
const BYTES_PER_TOKEN = 3;
const IMAGE_TOKENS = 1600;
const MESSAGE_OVERHEAD = 4;

/** Schemas of tools do not change and are sent with every request. */
const schemaTokens = new WeakMap<object, number>();

/** The conversation is sent again with every request; messages are never changed in place. */
const knownMessages = new WeakMap<ModelMessage, number>();

/** An estimate of what the provider will count. */
export function requestTokens({ model, systemPrompt, tools, messages }: ModelRequest): number {
  let tokens = textTokens(systemPrompt);
  for (const { name, description, parameters } of tools) {
    const size = schemaTokens.get(parameters) ?? textTokens(JSON.stringify(parameters));
    schemaTokens.set(parameters, size);
    tokens += textTokens(name) + textTokens(description) + size;
  }
  for (const message of messages) {
    tokens += messageTokens(message);
    const isOwn = message.role === 'assistant' && message.provider === model.provider && message.model === model.id;
    if (isOwn && isPlausible(message.usage.totalTokens, tokens)) tokens = message.usage.totalTokens;
  }
  return tokens;
}

/** A report that is far off counted another conversation: this one was shortened since, or the provider does not count all of it. */
function isPlausible(reported: number, estimate: number): boolean {
  return reported > estimate / 4 && reported < estimate * 2;
}

function messageTokens(message: ModelMessage): number {
  const size = knownMessages.get(message) ?? countedTokens(message);
  knownMessages.set(message, size);
  return size;
}

function countedTokens({ content }: ModelMessage): number {
  if (typeof content === 'string') return MESSAGE_OVERHEAD + textTokens(content);
  let tokens = MESSAGE_OVERHEAD;
  for (const part of content) {
    if (part.type === 'text') tokens += textTokens(part.text);
    else if (part.type === 'image') tokens += IMAGE_TOKENS;
    else if (part.type === 'thinking') tokens += textTokens(part.thinking);
    else tokens += textTokens(part.name) + textTokens(JSON.stringify(part.arguments));
  }
  return tokens;
}

function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
