import { Type } from '@tenon/kernel';
import { ANYTHING, explainFailures, resolvePath, scopeOf, type Tool, type Touches } from '@tenon/tools/api';
import type { LspHost } from '../host.ts';
import { prompts } from '../prompts/index.ts';
import type { ServerDesk } from '../servers/desk.ts';
import type { LspInput } from './call-context.ts';

/** Everything that the tool can do. */
export const ACTIONS = [
  'diagnostics',
  'definition',
  'references',
  'hover',
  'symbols',
  'rename',
  'rename_file',
  'code_actions',
  'type_definition',
  'implementation',
  'status',
  'reload',
  'capabilities',
  'request',
] as const;

/** What a server is asked about documents only reads; a command of a server may do anything. */
const READING = /^(?:textDocument\/|workspace\/symbol$|callHierarchy\/|typeHierarchy\/)/;

/** The tool that asks language servers. */
export function createLspTool(host: LspHost, desk: () => Promise<ServerDesk>): Tool {
  return explainFailures({
    get description() {
      return prompts.lsp();
    },
    parameters: Type.Object(
      {
        // Not a union of literals: some model providers only know `enum`.
        action: Type.Unsafe<(typeof ACTIONS)[number]>({ type: 'string', enum: [...ACTIONS] }),
        file: Type.Optional(Type.String({ description: 'File; for diagnostics also a glob or *' })),
        line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line, from 1' })),
        symbol: Type.Optional(Type.String({ description: 'Text on the line; name#2 for its second occurrence' })),
        query: Type.Optional(Type.String({ description: 'Symbol query, code action, or LSP method' })),
        new_name: Type.Optional(Type.String({ description: 'New name or path' })),
        apply: Type.Optional(Type.Boolean({ description: 'true: change files at once; false: only show' })),
        timeout: Type.Optional(Type.Number({ description: 'Seconds, 5 to 60; default 20' })),
        payload: Type.Optional(Type.String({ description: 'JSON parameters of request' })),
      },
      { additionalProperties: false },
    ),
    touches: (input, call) => touched(input as unknown as LspInput, scopeOf(call, host.folders).cwd),
    async execute(input, call) {
      const { runAction } = await import('./run-action.ts');
      const scope = scopeOf(call, host.folders);
      const asked = { input: input as unknown as LspInput, callId: call.id, scope, signal: call.signal };
      return runAction({ host, desk: await desk(), ...asked });
    },
  });
}

/** Until a server has answered it is only asked; the gate hears of the files that an edit changes before they are written. */
function touched(input: LspInput, cwd: string): Touches {
  if (input.apply === true && input.action === 'code_actions') return ANYTHING;
  if (input.action === 'request' && !READING.test(input.query ?? '')) return ANYTHING;
  const { file } = input;
  if (file === undefined || file === '' || file === '*') return { searches: [cwd] };
  return /[*?[{]/.test(file) ? { searches: [resolvePath(cwd, file)] } : { reads: [resolvePath(cwd, file)] };
}
