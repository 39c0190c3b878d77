/** Drives Tenon in a process of its own, with a tool and a URL scheme that live here, and answers what plugins ask. */
import { RpcClient } from '@tenon/sdk';

const print = (text) => process.stdout.write(`${text}\n`);

const client = await RpcClient.start({ args: ['--no-session'] });
client.onEvent((event) => {
  if (event.type === 'tool_execution_end') print(`[${event.toolName}]`);
});
client.onUiRequest((request) => (request.method === 'confirm' ? true : undefined));

// The agent reads weather://TOWN as it reads files.
await client.setHostUriSchemes({
  weather: { read: async (url) => `It is raining in ${new URL(url).host}.` },
});
print(await client.run('Show weather://bergen'));

// Commands run where this program wants: here on a robot.
await client.setHostTools({
  bash: {
    description: 'Runs a command on the robot.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    run: async ({ command }) => `robot: did ${command}`,
  },
});
print(await client.run('Run `date`.'));
await client.stop();
