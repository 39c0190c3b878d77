/** Several agents in one program, and going back to try another way. */
import { pathToFileURL } from 'node:url';
import { createTenon } from '@tenon/sdk';

export async function main(options = {}, print = (text) => process.stdout.write(text)) {
  const { tools, ...rest } = options;
  const tenon = await createTenon(rest);
  const { session } = await tenon.createAgentSession({ session: 'memory', ...(tools && { tools }) });

  await session.prompt('Propose a name for a tool that joins wood.');
  const [question] = session.session.branch();
  const first = session.session.leafId;

  // The first answer stays in the tree; the next one grows from the question.
  await session.branchTo(question.id);
  await session.prompt('Shorter, please.');
  print(`${session.session.children(question.id).length} ways from the question\n`);

  await session.branchTo(first);
  print(`back at ${session.session.context().messages.length} messages\n`);
  print(`${session.usage().totalTokens} tokens\n`);
  await session.dispose();
  await tenon.dispose();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
