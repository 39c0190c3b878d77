/** Drives Tenon in a process of its own, with a tool that runs here, and answers what plugins ask. */
import { pathToFileURL } from 'node:url';
import { RpcClient } from '@tenon/sdk';

export async function main(options = {}, print = (text) => process.stdout.write(text)) {
  const client = await RpcClient.start({ args: ['--no-session'], ...options });
  client.onEvent((event) => {
    if (event.type === 'tool_execution_end') print(`[${event.toolName}] ${event.result.content[0]?.text}\n`);
  });
  client.onUiRequest((request) => (request.method === 'confirm' ? true : undefined));
  await client.setHostTools({
    weather: {
      description: 'Tells the weather in a town.',
      parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
      run: async ({ town }) => `It is raining in ${town}.`,
    },
  });
  print(`${await client.run('call weather {"town": "Bergen"}')}\n`);
  await client.stop();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
