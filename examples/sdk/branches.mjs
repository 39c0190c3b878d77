/** Several agents in one program, and going back to try another way. */
import { createTenon } from '@tenon/sdk';

const print = (text) => process.stdout.write(`${text}\n`);

const tenon = await createTenon();
const { session } = await tenon.createAgentSession({ session: 'memory' });

await session.prompt('Find all *.mjs files.');
const [question] = session.session.branch();
const first = session.session.leafId;

// The first answer stays in the tree; the next one grows from the question.
await session.branchTo(question.id);
await session.prompt('Find all *.md files.');
print(`${session.session.children(question.id).length} ways from the question`);

await session.branchTo(first);
print(`back at ${session.session.context().messages.length} messages`);

// The sessions of one Tenon share models, settings and plugins, and nothing else.
const { session: other } = await tenon.createAgentSession({ session: 'memory' });
await other.prompt('Hello!');
print(`${other.session.context().messages.length} messages in the other session`);

await tenon.dispose();
