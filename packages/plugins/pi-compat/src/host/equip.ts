/** Gives sessions the tools of their extensions, within a budget of their own. */
import type { AgentSession } from '@tenon/agent/api';
import { SEARCH_TOOL } from '@tenon/tools/api';
import type { Extension } from './extension.ts';
import type { World } from './world.ts';

/** Other plugins change the tools of a session too; a change that got lost is made again. */
const ATTEMPTS = 3;

/**
 * Offers what the extensions bring, in the order in which they brought it and as far as `pi-compat.toolTokens` goes; the
 * rest can be found by search. A session whose tools somebody chose by hand keeps to them.
 */
export async function equip(world: World, agent: AgentSession, extensions: readonly Extension[]): Promise<void> {
  const own = extensions.flatMap(({ shape }) =>
    shape.tools.filter(({ inactive }) => !inactive).map(({ name }) => name),
  );
  if (own.length === 0 || !(await isOpen(world, agent))) return;
  const catalogue = await world.catalogue();
  const cost = (name: string) => {
    const tool = world.tools.get(name)?.value;
    return tool ? catalogue.costOf(name, tool) : Infinity;
  };
  let room = world.config.toolTokens;
  const wanted = [...new Set(own)].filter((name) => {
    const fits = cost(name) <= room;
    if (fits) room -= cost(name);
    return fits;
  });
  const hidden = wanted.length < own.length && world.tools.get(SEARCH_TOOL) ? [SEARCH_TOOL] : [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const active = agent.state.tools.map(({ name }) => name);
    const missing = [...wanted, ...hidden].filter((name) => !active.includes(name));
    if (missing.length === 0) return;
    await agent.setTools([...active, ...missing]);
  }
}

async function isOpen(world: World, agent: AgentSession): Promise<boolean> {
  const active = agent.state.tools.map(({ name }) => name);
  // Tools of other sources come and go; those that are always there tell.
  const standard = (await (await world.catalogue()).standard()).names;
  const fixed = standard.filter((name) => !name.startsWith('mcp__') && name !== SEARCH_TOOL);
  return fixed.every((name) => active.includes(name));
}
