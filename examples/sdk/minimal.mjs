/** The least that is needed: everything is found, the answer is printed as it comes. */
import { createAgentSession } from '@tenon/sdk';

const { session, modelFallbackMessage } = await createAgentSession();
if (modelFallbackMessage) process.stderr.write(`${modelFallbackMessage}\n`);
session.subscribe((event) => {
  if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === 'turn_end') process.stdout.write('\n');
});
await session.prompt(process.argv[2] ?? 'List all files.');
await session.dispose();
