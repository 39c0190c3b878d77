/** Messages for the commits of isolated tasks. */
import type { Model, ModelRegistry, Usage } from '@tenon/models/api';
import { cutText, plainLine } from '@tenon/wording';
import { prompts } from './prompts/index.ts';

const MAX_DIFF = 20_000;
const MAX_LINE = 100;

/** What the message is made with. */
export interface MessageParts {
  readonly models: Pick<ModelRegistry, 'forRole' | 'stream'>;
  /** The model of the conversation: the small one is of the same provider. */
  readonly beside: Model;
  readonly signal: AbortSignal;
  /** Counts what it cost. */
  used(usage: Usage): void;
}

/** The message by the task's own description. */
export function genericMessage(label: string): string {
  return cutText(plainLine(label).trim(), MAX_LINE) || 'Changes of a subagent';
}

/** The message by a small model; the generic one when it gives none. */
export async function writtenMessage(
  { models, beside, signal, used }: MessageParts,
  label: string,
  diff: string,
): Promise<string> {
  const { model } = await models.forRole('small', { beside });
  const content = prompts.commitMessage({ label, diff: cutText(diff, MAX_DIFF) });
  const request = {
    model,
    systemPrompt: '',
    messages: [{ role: 'user' as const, content, timestamp: Date.now() }],
    tools: [],
  };
  for await (const event of models.stream(request, { signal })) {
    if (event.type === 'error') used(event.error.usage);
    if (event.type === 'error') break;
    if (event.type !== 'done') continue;
    used(event.message.usage);
    const text = event.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
    const line = plainLine(text.trim().split('\n')[0] ?? '').replace(/^["'`]+|["'`]+$/g, '');
    if (line !== '') return cutText(line, MAX_LINE);
  }
  return genericMessage(label);
}
