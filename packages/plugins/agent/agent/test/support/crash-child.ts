/**
 * Works without end until it is killed: `crash-child HOME FILE`, where FILE is a session to go on with, or empty.
 * Prints one line for each entry that the session has acknowledged: its id and a digest of what was said.
 */
import { writeSync } from 'node:fs';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { agentFactory } from '../../src/api.ts';
import { digest } from './entry-digest.ts';
import { scriptedWorld } from './scripted-world.ts';

const [home = '', file = ''] = process.argv.slice(2);
const print = (line: string) => void writeSync(1, `${line}\n`);

let round = 0;
const kernel = await scriptedWorld({
  home,
  contextWindow: 20_000,
  answer: ({ tools = [] }, turn) => {
    // Summaries are asked for without tools.
    if (tools.length === 0) return { text: 'Much was done.' };
    return turn % 4 === 3 ? { text: `Done, ${'äöü'.repeat(turn % 50)}.` } : { calls: [toolCall(turn)] };
  },
  toolkit: {
    // From a few bytes to more than a page, and now and then a text that goes into a blob.
    read: async ({ size }) => ({ content: [{ type: 'text', text: `${round++} ${'x'.repeat(Number(size))}` }] }),
  },
});

function toolCall(turn: number) {
  const size = turn % 40 === 6 ? 600_000 : turn % 5 === 0 ? 30_000 : turn % 97;
  return { name: 'read', arguments: { size, turn } };
}

const store = await kernel.find(sessionStore);
const session = file === '' ? await store.create({ cwd: home }) : await store.open(file);
announceAppends(session);
const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd: home });
print(`file ${session.file}`);
for (let prompt = 0; ; prompt++) {
  await agent.prompt(`Step ${prompt}`);
  await session.setTitle(`After step ${prompt}`, 'auto');
}

/** Tells about an entry when, and only when, the session says that it is kept. */
function announceAppends(target: Session): void {
  const append = target.append.bind(target);
  target.append = async (type, body) => {
    const id = await append(type, body);
    print(`kept ${id} ${digest(body)}`);
    return id;
  };
}
