import type { LiveAgents } from '@tenon/agent/api';
import { agentSign, type Folders } from '@tenon/host';
import { Type } from '@tenon/kernel';
import { explainFailures, textResult, type Tool, type ToolCall } from '@tenon/tools/api';
import { counted } from '@tenon/wording';
import type { FactSource, Kept, Memory, MemoryScope, NewFact } from '../api.ts';
import { MAX_FACT_CHARS } from '../memory-service.ts';
import { prompts } from '../prompts/index.ts';
import { saidIn, sourceOf } from '../provenance.ts';

/** Facts of one call. */
const MAX_ITEMS = 20;

/** What the tools need from the rest of Tenon. */
export interface MemoryToolHost {
  readonly folders: Pick<Folders, 'cwd'>;
  /** Refuses when memory is off. */
  memory(): Memory;
  agents(): Promise<LiveAgents | undefined>;
}

interface Item {
  readonly content: string;
  readonly context?: string;
}

/** Keeps facts. */
export function createRetainTool(host: MemoryToolHost): Tool {
  return explainFailures({
    description: prompts.retain(),
    parameters: Type.Object(
      {
        items: Type.Array(
          Type.Object(
            {
              content: Type.String({ minLength: 1, maxLength: MAX_FACT_CHARS, description: 'The fact' }),
              context: Type.Optional(Type.String({ maxLength: 300, description: 'How you know it' })),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: MAX_ITEMS },
        ),
        scope: Type.Optional(Type.Unsafe<MemoryScope>({ type: 'string', enum: ['project', 'user'] })),
      },
      { additionalProperties: false },
    ),
    // It changes Tenon's own data and no file of the user's.
    touches: () => ({}),
    async execute(input, call) {
      const { items, scope = 'project' } = input as { items: readonly Item[]; scope?: MemoryScope };
      const memory = host.memory();
      const cwd = call.scope?.cwd ?? host.folders.cwd;
      const about = await aboutCall(host, call);
      const kept: Kept[] = [];
      for (const { content, context } of items) {
        const fact: NewFact = {
          text: content,
          source: about.source(content),
          ...(context !== undefined && { context }),
          ...about.place,
        };
        kept.push(await memory.retain(cwd, scope, fact));
        call.signal.throwIfAborted();
      }
      return textResult(summary(kept, scope), {
        count: kept.length,
        facts: kept.map(({ fact: { id, source, scope: bank }, outcome }) => ({ id, source, scope: bank, outcome })),
      });
    },
  });
}

/** Who speaks, and where. */
async function aboutCall(host: MemoryToolHost, { scope }: Pick<ToolCall, 'scope'>) {
  if (!scope) {
    // By hand: a person at a terminal, unless an agent has started this program.
    const source: FactSource = agentSign() === undefined ? 'user' : 'agent';
    return { place: {}, source: () => source };
  }
  const agent = (await host.agents())?.get(scope.session);
  // Without the conversation nobody can tell who said it.
  if (!agent) return { place: { session: scope.session }, source: (): FactSource => 'outside' };
  const said = saidIn(agent);
  const entry = agent.session.leafId;
  return {
    place: { session: scope.session, ...(entry !== null && { entry }) },
    source: (text: string) => sourceOf(text, said),
  };
}

function summary(kept: readonly Kept[], scope: MemoryScope): string {
  const fresh = kept.filter(({ outcome }) => outcome === 'new').length;
  const known = kept.length - fresh;
  const evicted = kept.flatMap((entry) => entry.evicted).length;
  const outside = kept.filter(({ fact }) => fact.source === 'outside');
  return [
    `${counted(fresh, 'fact')} kept.`,
    ...(known > 0
      ? [
          `${known} ${known === 1 ? 'was' : 'were'} known already and ${known === 1 ? 'has' : 'have'} one more mention now.`,
        ]
      : []),
    ...(outside.length > 0
      ? [
          `${counted(outside.length, 'fact')} came from the output of tools: marked as unconfirmed${scope === 'user' ? ', kept for this project only' : ''}, and found by recall alone.`,
        ]
      : []),
    ...(evicted > 0 ? [`${counted(evicted, 'fact')} made room: the least useful ones.`] : []),
  ].join(' ');
}
