/** The loop: ask the model, carry out the tools it asks for, ask again, until it has nothing more to do. */
import { messageOf } from '@tenon/kernel';
import {
  type AssistantMessage,
  hangUpWith,
  type ProviderFailure,
  type ToolCallContent,
  type ToolResultMessage,
} from '@tenon/models/api';
import type { ToolResult } from '@tenon/tools/api';
import type { LoopSession } from './agent-session.ts';
import type { CutOff } from './api.ts';
import { toModelMessages } from './convert.ts';
import { runBatch } from './tool-batch.ts';

/** One run: from a prompt until the agent is idle. */
export interface RunOptions {
  readonly systemPrompt: string;
  readonly signal: AbortSignal;
}

/** Runs turns until the model stops, no message waits and no plugin wants it to go on. */
export async function runLoop(agent: LoopSession, options: RunOptions): Promise<void> {
  for (;;) {
    let goesOn = true;
    while (goesOn) {
      goesOn = await runTurn(agent, options);
      if (options.signal.aborted) return;
      const steering = await agent.steering.take();
      for (const message of steering) await agent.say(message);
      goesOn ||= steering.length > 0;
      if (goesOn) await agent.compactor.afterTurn(options.signal);
    }
    const more = await agent.followUps.take();
    if (more.length === 0) more.push(...(await agent.toldToGoOn()));
    if (more.length === 0 || options.signal.aborted) break;
    for (const message of more) await agent.say(message);
  }
  await agent.compactor.afterTurn(options.signal);
}

/** One answer of the model and the tools it asks for. True when the model wants to see results. */
async function runTurn(agent: LoopSession, options: RunOptions): Promise<boolean> {
  agent.emit({ type: 'turn_start' });
  // What the model is about to build on must not be lost when the power fails during its answer.
  await agent.session.flush();
  const { message, failure, cutOff } = await answer(agent, options);
  if (cutOff) {
    agent.emit({ type: 'turn_end', message, toolResults: [] });
    await cutOff.written?.();
    for (const told of cutOff.messages) await agent.say(told);
    return true;
  }
  const calls = message.content.filter((block): block is ToolCallContent => block.type === 'toolCall');
  if (message.stopReason === 'error' || message.stopReason === 'aborted') {
    agent.emit({ type: 'turn_end', message, toolResults: [] });
    return recover(agent, failure, options.signal);
  }
  const toolResults = await runTools(agent, calls, options.signal);
  agent.emit({ type: 'turn_end', message, toolResults });
  return toolResults.length > 0;
}

async function answer(
  agent: LoopSession,
  { systemPrompt, signal }: RunOptions,
): Promise<{ message: AssistantMessage; failure?: ProviderFailure; cutOff?: CutOff }> {
  const { host, model, thinking } = agent;
  const context = await host.changeContext(agent.conversation.messages);
  const request = await host.changeRequest({
    systemPrompt,
    messages: toModelMessages(context),
    tools: agent.tools.modelTools(),
  });
  const toolChoice = agent.toolChoices.shift();
  const { serviceTier } = agent.conversation;
  let retries = 0;
  let cutOff: CutOff | undefined;
  const hangUp = hangUpWith(signal);
  const call = { signal: hangUp.signal, cutOff: (how: CutOff) => ((cutOff ??= how), hangUp.end()) };
  const stream = host.models.stream(
    {
      model,
      thinking,
      sessionId: agent.session.id,
      ...request,
      ...(toolChoice && { toolChoice }),
      ...(serviceTier !== undefined && { serviceTier }),
    },
    {
      signal: call.signal,
      mayWait: () => agent.autoRetry,
      onRetry: (notice, stopWaiting) => {
        retries++;
        agent.stopWaiting = stopWaiting;
        agent.emit({ type: 'auto_retry_start', ...notice });
      },
    },
  );
  try {
    for await (const event of await host.filterStream(stream, call)) {
      if (event.type === 'done' || event.type === 'error') {
        hangUp.settle();
        const message = event.type === 'done' ? event.message : event.error;
        if (retries > 0) agent.emit(retryEnd(message, retries));
        agent.count(message, 'turn');
        await (cutOff?.keepAnswer === false ? agent.conversation.addAside(message) : agent.conversation.add(message));
        agent.emit({ type: 'message_end', message });
        if (cutOff) return { message, cutOff };
        return { message, ...(event.type === 'error' && event.failure && { failure: event.failure }) };
      }
      if (event.type === 'start') agent.emit({ type: 'message_start', message: event.partial });
      else agent.emit({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
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

/** A conversation that has grown too long is summarized and the question asked again; other failures end the run. */
async function recover(
  agent: LoopSession,
  failure: ProviderFailure | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (failure?.kind !== 'context-overflow' || signal.aborted) return false;
  agent.conversation.dropLast();
  return agent.compactor.afterOverflow(signal);
}

async function runTools(
  agent: LoopSession,
  calls: readonly ToolCallContent[],
  signal: AbortSignal,
): Promise<ToolResultMessage[]> {
  return runBatch(calls, {
    isExclusive: (name) => agent.tools.isExclusive(name),
    isInterrupted: () => signal.aborted || agent.cutsIn,
    execute: (call) => execute(agent, call, signal),
    onResult: async (call, message) => {
      const { content, details, isError } = message;
      agent.emit({
        type: 'tool_execution_end',
        toolCallId: call.id,
        toolName: call.name,
        result: { content, details, isError },
        isError,
      });
      await agent.say(message);
    },
  });
}

async function execute(agent: LoopSession, call: ToolCallContent, signal: AbortSignal): Promise<ToolResult> {
  const { id: toolCallId, name: toolName, arguments: args } = call;
  agent.emit({ type: 'tool_execution_start', toolCallId, toolName, args });
  const onUpdate = (partialResult: ToolResult) =>
    agent.emit({ type: 'tool_execution_update', toolCallId, toolName, args, partialResult });
  const result = await attempt(agent, call, signal, onUpdate);
  const repeats = agent.guard.note(toolName, args, result);
  if (repeats === undefined) return result;
  agent.emit({ type: 'loop_suspected', toolName, repeats });
  const note = `You have made this call ${repeats} times with the same result. Try another way, or tell the user what is in the way.`;
  return { ...result, content: [...result.content, { type: 'text', text: note }] };
}

/** Whatever a tool does, the model gets an answer. */
async function attempt(
  agent: LoopSession,
  call: ToolCallContent,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
): Promise<ToolResult> {
  const { id, name, arguments: args } = call;
  if (!agent.tools.has(name)) return failed(agent.tools.missing(name));
  try {
    const tool = agent.tools.hostTool(name);
    return await agent.host.runner.run(name, args, { signal, onUpdate, callId: id, ...(tool && { tool }) });
  } catch (fault) {
    return failed(signal.aborted ? 'This call was stopped by the user.' : `The tool failed: ${messageOf(fault)}`);
  }
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
