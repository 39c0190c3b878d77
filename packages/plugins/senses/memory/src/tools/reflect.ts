import { Type } from '@tenon/kernel';
import { explainFailures, textResult, type Tool, type ToolCall } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import { factLines } from '../fact-text.ts';
import { prompts } from '../prompts/index.ts';
import type { MemoryToolHost } from './retain.ts';

const MAX_FACTS = 40;
const MAX_CHARS = 16_000;
const NOTHING = 'No relevant information found to reflect on.';

/** What reflecting needs beside the facts. */
export interface ReflectHost extends MemoryToolHost {
  /** One answer of a model without a conversation; nothing where only rules would answer. */
  askAlone(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Answers a question from the facts. */
export function createReflectTool(host: ReflectHost): Tool {
  return explainFailures({
    description: prompts.reflect(),
    parameters: Type.Object(
      {
        query: Type.String({ minLength: 1, maxLength: 2_000, description: 'The question' }),
        context: Type.Optional(Type.String({ maxLength: 2_000, description: 'What the answer is for' })),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, call) {
      const { query, context = '' } = input as { query: string; context?: string };
      if (query.trim() === '') throw errors.create('MEMORY_EMPTY', { what: 'The question' });
      const cwd = call.scope?.cwd ?? host.folders.cwd;
      const found = await host
        .memory()
        .recall(cwd, `${query} ${context}`, { limit: MAX_FACTS, counts: true, signal: call.signal });
      if (found.length === 0) return textResult(NOTHING, { facts: [] });
      const facts = factLines(
        found.map(({ fact }) => fact),
        { chars: MAX_CHARS, each: 1_000 },
      ).join('\n');
      const details = { facts: found.map(({ fact }) => fact.id) };
      const answer = await ask(host, prompts.reflectQuestion({ query, context, facts }), call);
      if (answer !== undefined) return textResult(answer, details);
      return textResult(`No language model is there to sum these up:\n\n${facts}`, details);
    },
  });
}

/** Asks the provider of the session; a call by hand asks whichever model there is. */
async function ask(host: ReflectHost, question: string, { scope, signal }: ToolCall): Promise<string | undefined> {
  const agent = scope && (await host.agents())?.get(scope.session);
  if (agent?.state.model.isRules) return undefined;
  return agent ? agent.aside(question, { alone: true, signal }) : host.askAlone(question, signal);
}
