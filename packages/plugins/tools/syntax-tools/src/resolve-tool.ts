import {
  ANYTHING,
  explainFailures,
  scopeOf,
  textResult,
  type Tool,
  type ToolResult,
  type Touches,
} from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import type { PendingAction } from './api.ts';
import { errors } from './errors.ts';
import type { SyntaxToolsHost } from './host.ts';
import { prompts } from './prompts/index.ts';

/** The tool that carries out or drops what another tool previewed. */
export function createResolveTool(host: Pick<SyntaxToolsHost, 'folders' | 'pending'>): Tool {
  return explainFailures({
    description: prompts.resolve(),
    parameters: Type.Object(
      {
        // Not a union of literals: some model providers only know `enum`.
        action: Type.Unsafe<'apply' | 'discard'>({ type: 'string', enum: ['apply', 'discard'] }),
        reason: Type.String({ description: 'Why, in a few words' }),
      },
      { additionalProperties: false },
    ),
    touches(input, call) {
      if (input['action'] !== 'apply') return {};
      const { writes } = host.pending.newest(scopeOf(call, host.folders).session) ?? { writes: [] };
      return writes ? { writes } : ANYTHING;
    },
    async execute(input, call) {
      const { session } = scopeOf(call, host.folders);
      const [action, reason] = [input['action'] === 'apply' ? 'apply' : 'discard', String(input['reason'])] as const;
      call.signal.throwIfAborted();
      const newest = host.pending.newest(session);
      if (!newest) throw errors.create('SYNTAX_TOOLS_NOTHING_PENDING');
      if (action === 'apply' && call.touches && !isApproved(newest, call.touches))
        throw errors.create('SYNTAX_TOOLS_NOT_APPROVED', { label: newest.label });
      const pending = host.pending.take(session) ?? newest;
      const result = action === 'apply' ? await pending.apply(reason) : await discard(pending, reason);
      const waiting = host.pending.count(session);
      const { label, sourceToolName } = pending;
      return {
        ...result,
        content:
          waiting > 0
            ? [...result.content, { type: 'text', text: `${waiting} older preview(s) still wait for resolve.` }]
            : result.content,
        details: {
          action,
          reason,
          sourceToolName,
          label,
          ...(result.details != null && { sourceResultDetails: result.details }),
        },
      };
    },
  });
}

/** Whether the preview is one that was there when the call was judged. */
function isApproved({ writes }: PendingAction, touches: Touches): boolean {
  return writes ? writes.every((path) => touches.writes?.includes(path)) : touches.anything === true;
}

async function discard({ label, reject }: PendingAction, reason: string): Promise<ToolResult> {
  return (await reject?.(reason)) ?? textResult(`Discarded: ${label}. Reason: ${reason}`);
}
