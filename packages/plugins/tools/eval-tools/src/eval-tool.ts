/** What models see of the tool. Its work is loaded when it is called. */
import type { Folders } from '@tenon/host';
import { explainFailures, scopeOf, type Tool } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import type { CellLanguage } from './api.ts';
import { evalPrompt } from './prompts/index.ts';

/** Makes the tool. */
export function createEvalTool(
  { languages, timeoutSeconds }: { readonly languages: readonly CellLanguage[]; readonly timeoutSeconds: number },
  folders: Pick<Folders, 'cwd'>,
  execute: Tool['execute'],
): Tool {
  return explainFailures({
    description: evalPrompt(languages, timeoutSeconds),
    parameters: Type.Object(
      { input: Type.String({ description: 'The cells, each after a header line *** Cell' }) },
      { additionalProperties: false },
    ),
    touches: (input, call) => ({
      commands: [{ text: String(input['input']), language: 'cells', cwd: scopeOf(call, folders).cwd }],
    }),
    execute,
  });
}
