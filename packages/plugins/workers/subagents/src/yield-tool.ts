/** The tool with which a subagent hands over its result. Only subagents have it. */
import type { JsonSchema } from '@tenon/kernel';
import { textResult, type Tool } from '@tenon/tools/api';
import { prompts } from './prompts/index.ts';
import type { Yielded } from './run-types.ts';

/** The name of the tool. */
export const YIELD = 'yield';

/** Makes the tool; `take` gets the first thing that is handed over. */
export function createYieldTool(schema: JsonSchema | undefined, take: (yielded: Yielded) => void): Tool {
  let isTaken = false;
  return {
    description: prompts.yield(),
    parameters: parametersFor(schema),
    touches: () => ({}),
    async execute(input) {
      if (isTaken) return textResult('Your result was taken already.');
      const aborted = typeof input['aborted'] === 'string' ? input['aborted'].trim() : '';
      const hasResult = 'result' in input && input['result'] !== null;
      if (!hasResult && aborted === '') {
        return {
          ...textResult('Nothing was handed over. Give `result`, or `aborted` with the reason.'),
          isError: true,
        };
      }
      isTaken = true;
      take(aborted === '' ? { data: input['result'] } : { aborted });
      return textResult('Taken.');
    },
  };
}

function parametersFor(schema: JsonSchema | undefined): JsonSchema {
  // References within the schema start at its root, which is now that of the tool's input.
  const { $defs, definitions, ...rest } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  const result = schema ? rest : { type: 'string', description: 'All that the agent needs to know, in Markdown' };
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      result,
      aborted: { type: 'string', description: 'Why the task cannot be done, in place of a result' },
    },
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}
