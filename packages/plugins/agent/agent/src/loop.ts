/**
 * The loop: ask the model, carry out the tools it asks for, ask again, until it has nothing more to do. A function over what
 * is talked about (context), how (config), and who hears of it (emit). It knows no session, no kernel and no plugin.
 */
import { messageOf } from '@tenon/kernel';
import {
  type AssistantMessage,
  hangUpWith,
  type ProviderFailure,
  type RetryNotice,
  type ToolCallContent,
  type ToolResultMessage,
} from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';
import type { CutOff } from './api.ts';
import { toModelMessages } from './convert.ts';
import type { Emit, LoopConfig, LoopContext, LoopConversation } from './loop-config.ts';
import { runBatch } from './tool-batch.ts';

/** Says `opening` and runs turns until the model stops, no message waits and no plugin wants it to go on. */
export async function runLoop(
  opening: readonly AgentMessage[],
  context: LoopContext,
  config: LoopConfig,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const run: Run = { context, config, emit, signal };
  const { queues, room } = config;
  await beginTurn(run, opening);
  await room.beforeRun(context, signal);
  for (;;) {
    for (;;) {
      const wantsMore = await runTurn(run);
      if (signal.aborted) return;
      const steering = await queues.steering();
      if (!wantsMore && steering.length === 0) break;
      // What was taken from the queue is kept before anything else can fail.
      if (steering.length > 0) await beginTurn(run, steering);
      await room.afterTurn(signal);
      if (steering.length === 0) await beginTurn(run, []);
    }
    const more = await queues.followUps();
    if (more.length === 0 || signal.aborted) break;
    await beginTurn(run, more);
  }
  await room.afterTurn(signal);
}

/** A turn begins with what is said to the model. */
async function beginTurn({ context, emit }: Run, messages: readonly AgentMessage[]): Promise<void> {
  emit({ type: 'turn_start' });
  for (const message of messages) await say(message, context.conversation, emit);
}

/** Adds a message to a conversation and tells about it. */
export async function say(
  message: AgentMessage,
  conversation: Pick<LoopConversation, 'add'>,
  emit: Emit,
): Promise<void> {
  emit({ type: 'message_start', message });
  await conversation.add(message);
  emit({ type: 'message_end', message });
}

interface Run {
  readonly context: LoopContext;
  readonly config: LoopConfig;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** The rest of a turn: one answer of the model and the tools it asks for. True when the model wants to see results. */
async function runTurn(run: Run): Promise<boolean> {
  const { context, config, emit, signal } = run;
  const { conversation } = context;
  // What the model is about to build on must not be lost when the power fails during its answer.
  await conversation.flush();
  const { message, failure, cutOff } = await answer(run);
  if (cutOff) {
    emit({ type: 'turn_end', message, toolResults: [] });
    await cutOff.written?.();
    for (const advice of cutOff.messages) await say(advice, conversation, emit);
    return true;
  }
  if (message.stopReason === 'error' || message.stopReason === 'aborted') {
    emit({ type: 'turn_end', message, toolResults: [] });
    // A conversation that has grown too long is made shorter and the question asked again; other failures end the run.
    if (failure?.kind !== 'context-overflow' || signal.aborted) return false;
    conversation.dropLast();
    if (await config.room.afterOverflow(failure, signal)) return true;
    // What did not fit would not fit with the next question either, and every question after it would fail.
    if (!signal.aborted) await conversation.setRunAside();
    return false;
  }
  const calls = message.content.filter((block): block is ToolCallContent => block.type === 'toolCall');
  const toolResults = await runTools(run, calls);
  emit({ type: 'turn_end', message, toolResults });
  return toolResults.length > 0;
}

async function answer({
  context: { systemPrompt, conversation, tools },
  config: { model, hooks },
  emit,
  signal,
}: Run): Promise<{ message: AssistantMessage; failure?: ProviderFailure; cutOff?: CutOff }> {
  const current = model.current();
  const messages = toModelMessages(await hooks.context(conversation.messages));
  const request = await hooks.request({ systemPrompt, messages, tools: tools.modelTools() });
  let retries = 0;
  let cutOff: CutOff | undefined;
  const hangUp = hangUpWith(signal);
  const call = { signal: hangUp.signal, cutOff: (how: CutOff) => ((cutOff ??= how), hangUp.end()) };
  const onRetry = (notice: RetryNotice) => {
    retries++;
    emit({ type: 'auto_retry_start', ...notice });
  };
  const stream = model.stream({ ...current, ...request }, { signal: call.signal, onRetry });
  try {
    for await (const event of await hooks.filter(stream, call)) {
      if (event.type === 'done' || event.type === 'error') {
        hangUp.settle();
        const message = event.type === 'done' ? event.message : event.error;
        if (retries > 0) emit(retryEnd(message, retries));
        model.used(message);
        await (cutOff?.keepAnswer === false ? conversation.addAside(message) : conversation.add(message));
        emit({ type: 'message_end', message });
        if (cutOff) return { message, cutOff };
        return { message, ...(event.type === 'error' && event.failure && { failure: event.failure }) };
      }
      if (event.type === 'start') emit({ type: 'message_start', message: event.partial });
      else emit({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
    }
  } finally {
    hangUp.end();
  }
  throw new Error('the provider ended its stream without saying how');
}

function retryEnd({ stopReason, errorMessage }: AssistantMessage, attempt: number) {
  const success = stopReason !== 'error' && stopReason !== 'aborted';
  return {
    type: 'auto_retry_end' as const,
    success,
    attempt,
    ...(errorMessage !== undefined && { finalError: errorMessage }),
  };
}

function runTools(run: Run, calls: readonly ToolCallContent[]): Promise<ToolResultMessage[]> {
  const { context, config, emit, signal } = run;
  return runBatch(calls, {
    isExclusive: (name) => context.tools.isExclusive(name),
    isInterrupted: () => signal.aborted || config.queues.cutsIn(),
    execute: (call) => execute(run, call),
    onResult: async (call, message) => {
      const { content, details, isError } = message;
      const result = { content, details, isError };
      emit({ type: 'tool_execution_end', toolCallId: call.id, toolName: call.name, result, isError });
      await say(message, context.conversation, emit);
    },
  });
}

async function execute(run: Run, call: ToolCallContent): Promise<ToolResult> {
  const { config, emit } = run;
  const { id: toolCallId, name: toolName, arguments: args } = call;
  emit({ type: 'tool_execution_start', toolCallId, toolName, args });
  const result = await attempt(run, call);
  const repeats = config.repeats.note(toolName, args, result);
  if (repeats === undefined) return result;
  emit({ type: 'loop_suspected', toolName, repeats });
  const note = `You have made this call ${repeats} times with the same result. Try another way, or tell the user what is in the way.`;
  return { ...result, content: [...result.content, { type: 'text', text: note }] };
}

/** Whatever a tool does, the model gets an answer. */
async function attempt({ context, emit, signal }: Run, call: ToolCallContent): Promise<ToolResult> {
  const { id: toolCallId, name: toolName, arguments: args } = call;
  const onUpdate = (partialResult: ToolResult) =>
    emit({ type: 'tool_execution_update', toolCallId, toolName, args, partialResult });
  try {
    return await context.tools.run(call, { signal, onUpdate });
  } catch (fault) {
    const text = signal.aborted ? 'This call was stopped by the user.' : `The tool failed: ${messageOf(fault)}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}
