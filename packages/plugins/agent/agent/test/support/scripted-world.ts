/** The real loop, the real session store and the real tool runner over a model that plays a script. */
import type { Kernel } from '@tenon/kernel';
import { modelRegistry } from '@tenon/models/api';
import { foldersIn, startKernel, tool } from '@tenon/test-kit/kernel';
import { type Answer, MODEL, type Request, scriptedModels } from '@tenon/test-kit/scripted-models';
import type { Tool } from '@tenon/tools/api';
import { SMALL_LIMITS } from '@tenon/test-kit/conversation-world';

/** The plugins of such a world, for built programs. */
export const PLUGINS = ['settings', 'tools', 'sessions', 'agent'];

/** How such a world is made. */
export interface ScriptedWorld {
  readonly home: string;
  readonly contextWindow: number;
  answer(request: Request, turn: number): Answer;
  readonly toolkit: Readonly<Record<string, Tool['execute']>>;
}

/** A kernel with everything that the agent needs, and nothing started yet. */
export function scriptedWorld({ home, contextWindow, answer, toolkit }: ScriptedWorld): Promise<Kernel> {
  let turn = 0;
  // As a provider counts: what the request holds decides when the conversation has to be summarized.
  const tokensOf = ({ messages }: Request) => Math.ceil(JSON.stringify(messages).length / 4);
  const { registry } = scriptedModels([(request) => ({ tokens: tokensOf(request), ...answer(request, turn++) })], {
    models: [{ ...MODEL, contextWindow, reasoning: false }],
    keepsRequests: false,
  });
  return startKernel({
    folders: foldersIn(home),
    services: [[modelRegistry, registry]],
    settings: { agent: SMALL_LIMITS },
    plugins: PLUGINS,
    tools: Object.fromEntries(Object.entries(toolkit).map(([name, execute]) => [name, tool(execute)])),
  });
}
