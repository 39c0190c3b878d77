/** An agent that keeps nothing on disk and can use only what this program gives it: its `read` reads a shop, not files. */
import { createAgentSession } from '@tenon/sdk';

const print = (text) => process.stdout.write(`${text}\n`);

const stock = new Map([
  ['stock/apples', '12 pieces'],
  ['stock/pears', 'sold out'],
]);

const read = {
  description: 'Tells how much of a product is in stock.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  async execute({ path }) {
    const text = stock.get(path);
    // An expected failure is a result, and it says what to do next.
    if (text === undefined) {
      const known = `There is no "${path}". There are: ${[...stock.keys()].join(', ')}.`;
      return { content: [{ type: 'text', text: known }], isError: true };
    }
    return { content: [{ type: 'text', text }] };
  },
};

const { session } = await createAgentSession({
  session: 'memory',
  tools: [],
  customTools: { read },
  systemPrompt: 'You answer questions about the stock of a shop. Look things up before you answer.',
});
session.subscribe((event) => {
  if (event.type === 'tool_execution_end') print(`[${event.toolName}: ${event.result.content[0]?.text}]`);
  if (event.type === 'turn_end') print(event.message.content.map((block) => block.text ?? '').join(''));
});
await session.prompt(process.argv[2] ?? 'Show stock/apples.');
await session.dispose();
