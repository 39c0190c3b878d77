/** Carries out one call of the tool. */
import { TenonError } from '@tenon/kernel';
import { fitLines, textResult, type ToolResult } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import { type ActionResult, type LspCall, secondsOf } from './call-context.ts';
import { codeActions } from './code-actions.ts';
import { diagnostics } from './diagnostics.ts';
import { hover, jump, JUMPS, references } from './navigate.ts';
import { rename, renameFile } from './rename.ts';
import { capabilities, reload, request, status } from './server-actions.ts';
import { symbols } from './symbols.ts';

type Action = (call: LspCall) => Promise<ActionResult>;

const ACTIONS: Readonly<Record<string, Action>> = {
  diagnostics,
  references,
  hover,
  symbols,
  rename,
  rename_file: renameFile,
  code_actions: codeActions,
  status,
  reload,
  capabilities,
  request,
  ...Object.fromEntries(Object.entries(JUMPS).map(([name, way]) => [name, (call: LspCall) => jump(call, way)])),
};

/** Runs the action within its time; what servers say is bounded. */
export async function runAction(call: Omit<LspCall, 'place'>): Promise<ToolResult> {
  const { input, desk, scope } = call;
  const action = ACTIONS[input.action];
  if (!action) throw errors.create('LSP_INPUT_MISSING', { action: input.action, field: 'action', hint: '' });
  const seconds = secondsOf(input);
  const limit = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([call.signal, limit]);
  const place = await desk.workplace(scope.cwd);
  try {
    const { text, server, details } = await action({ ...call, place, signal });
    const { lines, isCut } = fitLines(text.split('\n'));
    const shown = [...lines, ...(isCut ? ['[The rest is not shown; ask for less.]'] : [])].join('\n');
    return textResult(shown, { action: input.action, ...(server && { serverName: server }), ...details });
  } catch (fault) {
    call.signal.throwIfAborted();
    if (limit.aborted && !(fault instanceof TenonError))
      throw errors.create('LSP_TIMEOUT', { server: 'for this', method: input.action, seconds }, fault);
    throw fault;
  }
}
