/** Another process of the user, with one agent. Arguments: the home of Tenon, the name of the agent. Says its session when it is ready. */
import { start } from './world.ts';

const [home = '', name = '', settings = '{}'] = process.argv.slice(2);
const { agentNamed } = await start(
  (request) => {
    const words = JSON.stringify(request.messages.at(-1));
    return { text: words.includes('Who?') ? `I am ${name}.` : 'Hm.' };
  },
  { home, ircSettings: JSON.parse(settings) as Record<string, unknown> },
);
const agent = await agentNamed(name);
// The first prompt waits for what prepares the session.
await agent.prompt('Begin');
process.stdout.write(`${agent.session.id}\n`);
process.stdin.on('data', () => {
  process.stdout.write(`${JSON.stringify(agent.session.context().messages)}\n`);
});
