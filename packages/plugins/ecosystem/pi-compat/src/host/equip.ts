/** Gives sessions the tools of their extensions, within a budget of their own. */
import type { AgentSession } from '@tenon/agent/api';
import type { Extension } from './extension.ts';

/** Offers what the extensions bring, in the order in which they brought it and as far as `pi-compat.toolTokens` goes. */
export async function equip(agent: AgentSession, extensions: readonly Extension[], toolTokens: number): Promise<void> {
  const own = extensions.flatMap(({ shape }) =>
    shape.tools.filter(({ inactive }) => !inactive).map(({ name }) => name),
  );
  if (own.length > 0) await agent.addTools(own, { budget: toolTokens });
}
