/**
 * Takes many turns in one session and prints its memory as it goes: `soak-child HOME TURNS LEAK`. LEAK bytes are kept
 * per turn on purpose, to see whether the measure notices. Needs `--expose-gc`.
 */
import { sessionStore } from '@tenon/sessions/api';
import { agentFactory } from '../../src/api.ts';
import { scriptedWorld } from './scripted-world.ts';

const [home = '', turns = '', leak = '0'] = process.argv.slice(2);
const SAMPLE_EVERY = 10;

let turn = 0;
const leaked: Buffer[] = [];
const kernel = await scriptedWorld({
  home,
  contextWindow: 30_000,
  answer: ({ tools = [] }) => {
    // Summaries are asked for without tools, and are no turns of the conversation.
    if (tools.length === 0) return { text: 'Much was done.' };
    turn++;
    if (Number(leak) > 0) leaked.push(Buffer.alloc(Number(leak), turn));
    return turn % 4 === 0
      ? { text: `Step done. ${'word '.repeat(40)}` }
      : { calls: [{ name: 'read', arguments: { turn } }] };
  },
  toolkit: {
    read: async ({ turn: at }) => ({
      content: [{ type: 'text', text: `${String(at)} ${'line of a file\n'.repeat(150)}` }],
    }),
  },
});
const session = await (await kernel.find(sessionStore)).create({ cwd: home });
const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd: home });
let events = 0;
agent.subscribe(() => events++);
let sampledAt = 0;
while (turn < Number(turns)) {
  await agent.prompt(`Go on with step ${turn}`);
  if (turn - sampledAt < SAMPLE_EVERY) continue;
  sampledAt = turn;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ turn, rss, heapUsed, external, ms: performance.now() })}\n`);
}
const compactions = [...session.entries()].filter(({ type }) => type === 'compaction').length;
process.stdout.write(`${JSON.stringify({ done: turn, events, compactions, leaked: leaked.length })}\n`);
await agent.dispose();
await kernel.dispose();
