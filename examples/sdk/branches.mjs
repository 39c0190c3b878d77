/** Several agents in one program, and going back to try another way. */
import { createTenon } from '@tenon/sdk';

const print = (text) => process.stdout.write(`${text}\n`);

const tenon = await createTenon();
const { session } = await tenon.createAgentSession({ session: 'memory' });

await session.prompt('Find all *.mjs files.');
const [question] = session.session.branch();
const first = session.session.leafId;

// Going back to a question gives its text back, to say it in another way; the first answer stays in the tree.
const { text } = await session.branchTo(question.id);
await session.prompt(text.replace('*.mjs', '*.md'));
print(`${session.session.children(question.parentId).length} ways to ask`);

await session.branchTo(first);
print(`back at ${session.session.context().messages.length} messages`);

// The sessions of one Tenon share models, settings and plugins, and nothing else.
const { session: other } = await tenon.createAgentSession({ session: 'memory' });
await other.prompt('Hello!');
print(`${other.session.context().messages.length} messages in the other session`);

await tenon.dispose();
