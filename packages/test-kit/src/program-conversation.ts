/** A model that follows a script, and what came of it. */
import type { Answer } from '@tenon/model-fakes';
import type { Workshop } from './program-workshop.ts';

/** A call that the script makes. */
export interface ScriptedCall {
  readonly tool: string;
  /** Arguments, or how to make them of what the tools have said so far (the newest result last). */
  readonly input: object | ((results: readonly string[]) => object);
  /** What the result must say. */
  readonly says: RegExp;
  /** True where an error is what is wanted. */
  readonly fails?: boolean;
}

/** One answer of the model: what it says, and the calls that it makes at the same time. */
export interface Step {
  readonly say: string;
  readonly calls: readonly ScriptedCall[];
}

/** What a run has shown. */
export interface Outcome {
  readonly code: number | null;
  readonly err: string;
  readonly events: readonly AgentEvent[];
  /** Results of tools, in the order of the calls. */
  readonly results: readonly { readonly tool: string; readonly text: string; readonly isError: boolean }[];
}

/** An event of the agent, as far as it is looked at here. */
export interface AgentEvent {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly result?: { readonly content: readonly { readonly type: string; readonly text?: string }[] };
}

interface WireMessage {
  readonly role: string;
  readonly content: unknown;
}

/** Lets the model follow the steps and then say `last`. Gives what the tools answered. */
export async function converse(
  { model, tenon }: Workshop,
  steps: readonly Step[],
  {
    last,
    prompt,
    flags = [],
    env = {},
  }: { last: string; prompt: string; flags?: string[]; env?: Record<string, string> },
): Promise<Outcome> {
  let count = 0;
  const replies = steps.map(({ say, calls }) => ({ body }: { body: Record<string, unknown> }): Answer => {
    const results = resultsIn(body['messages'] as WireMessage[]);
    const made = calls.map(({ tool, input }) => ({
      type: 'toolCall' as const,
      id: `call_${++count}`,
      name: tool,
      arguments: typeof input === 'function' ? input(results) : input,
    }));
    return { content: [{ type: 'text', text: say }, ...made] };
  });
  model.reply(...replies, { content: [{ type: 'text', text: last }] });
  const { code, out, err } = await tenon(['--model', 'fake/m', '--mode', 'json', ...flags, '-p', prompt], env);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent);
  const ends = events.filter(({ type }) => type === 'tool_execution_end');
  const results = ends
    .map(({ toolCallId = '', toolName = '', isError = false, result }) => ({
      id: Number(toolCallId.replace('call_', '')),
      tool: toolName,
      text: (result?.content ?? []).map(({ text = '' }) => text).join('\n'),
      isError,
    }))
    .sort((a, b) => a.id - b.id);
  return { code, err, events, results };
}

/** What the tools have said, as the model reads it. */
export function resultsIn(messages: readonly WireMessage[]): string[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text = '' }) => text).join('');
}

/** The anchor of the first line that holds `text`, as `read` and `search` show it. */
export function anchorOf(text: string, results: readonly string[]): string {
  for (const result of results.toReversed()) {
    const row = result.split('\n').find((line) => line.includes(text) && /^[* ]?\d+[a-z]{2}\|/.test(line));
    if (row) return row.replace(/^[* ]/, '').split('|')[0] ?? '';
  }
  throw new Error(`no result shows "${text}"`);
}
