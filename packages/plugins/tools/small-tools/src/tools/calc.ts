import { explainFailures, textResult, type Tool } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import { renderPrompt } from '@tenon/prompts';
import { evaluate } from '../calc/evaluate.ts';
import text from '../prompts/calc.md';

interface Calculation {
  readonly expression: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** The tool that calculates. One expression that is wrong fails the whole call. */
export function createTool(): Tool {
  return explainFailures({
    description: renderPrompt(text),
    parameters: Type.Object(
      {
        calculations: Type.Array(
          Type.Object(
            {
              expression: Type.String({ description: 'e.g. (2 ** 64 - 1) / 3' }),
              prefix: Type.Optional(Type.String({ default: '', description: 'Put before the result' })),
              suffix: Type.Optional(Type.String({ default: '', description: 'Put after the result' })),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    execute(input, { signal }) {
      const results = (input['calculations'] as Calculation[]).map(({ expression, prefix, suffix }) => {
        signal.throwIfAborted();
        const value = evaluate(expression);
        const output = `${prefix}${value}${suffix}`;
        // JSON has no integers of this size; as text nothing is lost.
        const isExact =
          typeof value === 'number' || (value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER);
        return { expression, value: isExact ? Number(value) : String(value), output };
      });
      return Promise.resolve(textResult(results.map(({ output }) => output).join('\n'), { results }));
    },
  });
}
