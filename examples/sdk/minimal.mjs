/** The least that is needed: everything is found, the answer is printed as it comes. */
import { pathToFileURL } from 'node:url';
import { createAgentSession } from '@tenon/sdk';

export async function main(options = {}, print = (text) => process.stdout.write(text)) {
  const { session, modelFallbackMessage } = await createAgentSession(options);
  if (modelFallbackMessage) print(`${modelFallbackMessage}\n`);
  const unsubscribe = session.subscribe((event) => {
    if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
      print(event.assistantMessageEvent.delta);
    }
  });
  await session.prompt('Summarize this repository in three bullets.');
  unsubscribe();
  await session.dispose();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
