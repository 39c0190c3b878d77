/**
 * The run in the shape of Claude Code's `--output-format`, for programs that read that: `system`, `assistant`, `user` and
 * `result` messages. `stream-json` writes all of them, `json` only the result. What only Tenon knows (`error`, `offline`) is
 * added to the result.
 */
import { randomUUID } from 'node:crypto';
import type { AgentEvent, AgentSession, MadeAgent } from '@tenon/agent/api';
import { messageOf, TenonError } from '@tenon/kernel';
import { type AssistantMessage, NO_USAGE, type ToolResultMessage, type Usage } from '@tenon/models/api';
import type { ModeCall } from '@tenon/modes/api';
import { initFields, type InitHost } from './claude-init.ts';
import { type Answer, has, type Output, problemLines } from './output.ts';

interface ClaudeMessage {
  readonly type: 'system' | 'assistant' | 'user' | 'result';
  readonly [field: string]: unknown;
}

interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** Writes messages as lines of JSON to standard output, and problems to standard error. */
export class ClaudeOutput implements Output {
  readonly #call: Pick<ModeCall, 'io' | 'cwd'>;
  readonly #writer: ReturnType<ModeCall['eventWriter']>;
  readonly #isStream: boolean;
  readonly #host: InitHost;
  #agent: AgentSession | undefined;
  #start = performance.now();
  #usage: Usage = NO_USAGE;
  #turns = 0;
  readonly #inputs = new Map<string, unknown>();
  #denials: Denial[] = [];
  #stopReason: string | null = null;

  constructor(call: Pick<ModeCall, 'io' | 'cwd' | 'eventWriter'>, format: 'json' | 'stream-json', host: InitHost) {
    this.#call = call;
    this.#writer = call.eventWriter();
    this.#isStream = format === 'stream-json';
    this.#host = host;
  }

  async begin({ agent }: MadeAgent): Promise<void> {
    this.#agent = agent;
    this.#usage = agent.usage();
    if (!this.#isStream) return;
    this.#send({ type: 'system', subtype: 'init', cwd: this.#call.cwd, ...(await initFields(agent, this.#host)) });
  }

  event(event: AgentEvent): void {
    switch (event.type) {
      case 'tool_execution_start':
        return void this.#inputs.set(event.toolCallId, event.args);
      case 'tool_execution_end': {
        const refused = (event.result.details as { refused?: unknown } | undefined)?.refused;
        if (refused === undefined) return;
        const { toolName: tool_name, toolCallId: tool_use_id } = event;
        return void this.#denials.push({ tool_name, tool_use_id, tool_input: this.#inputs.get(tool_use_id) });
      }
      case 'message_end':
        return this.#message(event.message);
      case 'turn_end':
        this.#turns++;
        this.#stopReason = stopReason(event.message);
        return;
      default:
        return;
    }
  }

  #message(message: Extract<AgentEvent, { type: 'message_start' | 'message_end' }>['message']): void {
    if (message.role === 'assistant')
      this.#send({ type: 'assistant', message: assistantMessage(message), parent_tool_use_id: null });
    else if (message.role === 'toolResult')
      this.#send({ type: 'user', message: { role: 'user', content: [toolResult(message)] }, parent_tool_use_id: null });
  }

  async answer({ text, structured, report }: Answer): Promise<void> {
    const { problems } = report;
    this.#result({
      subtype: subtypeOf(problems),
      is_error: problems.length > 0,
      result: structured ? JSON.stringify(structured.value) : text,
      ...(structured && { structured_output: structured.value }),
      ...(problems.length > 0 && { errors: problems.map(({ message }) => message), error: problems[0] }),
    });
    // A reader that went away ends the run here, and needs no words.
    await this.#writer.finish();
    await this.#call.io.err(problemLines(report));
  }

  /** Whoever reads this waits for a result. */
  async failed(fault: unknown): Promise<void> {
    const error = fault instanceof TenonError ? { error: fault } : {};
    this.#result({ subtype: 'error_during_execution', is_error: true, errors: [messageOf(fault)], ...error });
  }

  #result(outcome: Readonly<Record<string, unknown>>): void {
    const total = this.#agent?.usage() ?? NO_USAGE;
    const usage = spent(total, this.#usage);
    const model = this.#agent?.state.model;
    this.#send({
      type: 'result',
      ...outcome,
      duration_ms: Math.round(performance.now() - this.#start),
      num_turns: this.#turns,
      stop_reason: this.#stopReason,
      total_cost_usd: usage.cost.total,
      usage: usageOf(usage),
      modelUsage: model ? { [`${model.provider}/${model.id}`]: modelUsage(usage, model.contextWindow) } : {},
      permission_denials: this.#denials,
      ...(model?.isRules && { offline: true }),
    });
    this.#usage = total;
    this.#turns = 0;
    this.#denials = [];
    this.#start = performance.now();
  }

  finish(): Promise<void> {
    return this.#writer.finish();
  }

  #send(frame: ClaudeMessage): void {
    if (!this.#isStream && frame.type !== 'result') return;
    const frameWithIds = { ...frame, session_id: this.#agent?.session.id, uuid: randomUUID() };
    this.#writer.send(frameWithIds);
  }
}

function subtypeOf(problems: Answer['report']['problems']): string {
  if (problems.length === 0) return 'success';
  if (has(problems, 'PRINT_MAX_TURNS')) return 'error_max_turns';
  if (has(problems, 'PRINT_MAX_BUDGET')) return 'error_max_budget_usd';
  if (has(problems, 'PRINT_SCHEMA_MISMATCH')) return 'error_max_structured_output_retries';
  return 'error_during_execution';
}

function stopReason({ stopReason: reason }: AssistantMessage): string | null {
  return { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use', error: null, aborted: null }[reason];
}

function assistantMessage(message: AssistantMessage): object {
  const content = message.content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    if (block.type === 'thinking') return { type: 'thinking', thinking: block.thinking };
    return { type: 'tool_use', id: block.id, name: block.name, input: block.arguments };
  });
  return {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: `${message.provider}/${message.model}`,
    content,
    stop_reason: stopReason(message),
    stop_sequence: null,
    usage: usageOf(message.usage),
  };
}

function toolResult({ toolCallId, content, isError }: ToolResultMessage): object {
  const blocks = content.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } },
  );
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isText = texts.length === content.length;
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    content: isText ? texts.join('\n') : blocks,
    is_error: isError,
  };
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

function modelUsage({ input, output, cacheRead, cacheWrite, cost }: Usage, contextWindow: number): object {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: cacheWrite,
    costUSD: cost.total,
    contextWindow,
  };
}

/** What was used since. */
function spent(now: Usage, before: Usage): Usage {
  return {
    ...now,
    input: now.input - before.input,
    output: now.output - before.output,
    cacheRead: now.cacheRead - before.cacheRead,
    cacheWrite: now.cacheWrite - before.cacheWrite,
    cost: { ...now.cost, total: now.cost.total - before.cost.total },
  };
}
