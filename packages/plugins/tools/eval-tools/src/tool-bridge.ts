/** Tools for cells: a call from inside a kernel goes the way of every call, with its checks, gate and approval. */
import { messageOf } from '@tenon/kernel';
import type { ToolCall, ToolRunner } from '@tenon/tools/api';

/** Calls tools for the cells of one call. */
export function createToolBridge(runner: () => Promise<ToolRunner>, call: Pick<ToolCall, 'id' | 'scope'>) {
  let count = 0;
  return async (
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ ok: boolean; text: string }> => {
    // It would wait for the cell that waits for it.
    if (name === 'eval') return { ok: false, text: 'a cell cannot call eval: write the code into the cell itself' };
    try {
      const result = await (
        await runner()
      ).run(name, args, {
        signal,
        callId: `${call.id}:${++count}`,
        ...(call.scope && { scope: call.scope }),
      });
      const parts = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType} picture]`));
      return { ok: result.isError !== true, text: parts.join('\n') };
    } catch (fault) {
      return { ok: false, text: signal.aborted ? 'the cell was stopped' : messageOf(fault) };
    }
  };
}
