/** Carries out the tool calls of one answer: side by side where that is safe, one by one where a tool changes things. */
import type { ToolCallContent, ToolResultMessage } from '@tenon/models/api';
import type { ToolResult } from '@tenon/tools/api';

/** What a batch needs from the agent. */
export interface BatchHost {
  /** True for tools that must run alone. */
  isExclusive(tool: string): boolean;
  execute(call: ToolCallContent): Promise<ToolResult>;
  /** True once calls that have not started should not start any more. */
  isInterrupted(): boolean;
  /** Told as soon as a result is there, in the order in which they come. */
  onResult(call: ToolCallContent, message: ToolResultMessage): Promise<void>;
}

/** Runs all calls; gives the results in the order of the calls. A failing tool is a result, never an exception. */
export async function runBatch(calls: readonly ToolCallContent[], host: BatchHost): Promise<ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  let running: Promise<void>[] = [];
  for (const [index, call] of calls.entries()) {
    const alone = host.isExclusive(call.name);
    if (alone) {
      await Promise.all(running);
      running = [];
    }
    const result = host.isInterrupted() ? Promise.resolve(SKIPPED) : host.execute(call);
    const done = result.then(async (outcome) => {
      const message = resultMessage(call, outcome);
      results[index] = message;
      await host.onResult(call, message);
    });
    if (alone) await done;
    else running.push(done);
  }
  await Promise.all(running);
  return results;
}

const SKIPPED: ToolResult = {
  content: [{ type: 'text', text: 'This call was skipped because the user sent a new message.' }],
  isError: true,
};

function resultMessage(call: ToolCallContent, result: ToolResult): ToolResultMessage {
  const { content, details, isError = false } = result;
  const { id: toolCallId, name: toolName } = call;
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content,
    ...(details !== undefined && { details }),
    isError,
    timestamp: Date.now(),
  };
}
