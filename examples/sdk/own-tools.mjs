/** An agent that keeps nothing on disk and can use only what this program gives it. */
import { pathToFileURL } from 'node:url';
import { createAgentSession } from '@tenon/sdk';

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
]);

const lookUp = {
  description: 'Tells how many pieces of a product are in stock.',
  parameters: { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] },
  async execute({ product }) {
    const count = stock.get(product);
    // An expected failure is a result, and it says what to do next.
    if (count === undefined) {
      const text = `There is no product "${product}". Products: ${[...stock.keys()].join(', ')}.`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    return { content: [{ type: 'text', text: String(count) }] };
  },
};

export async function main(options = {}, print = (text) => process.stdout.write(text)) {
  const { session } = await createAgentSession({
    session: 'memory',
    tools: [],
    customTools: { look_up: lookUp },
    systemPrompt: 'You answer questions about the stock of a shop. Look things up before you answer.',
    ...options,
  });
  session.subscribe((event) => {
    if (event.type === 'tool_execution_end') print(`[${event.toolName}: ${event.result.content[0]?.text}]\n`);
    if (event.type === 'turn_end') print(`${event.message.content.map((block) => block.text ?? '').join('')}\n`);
  });
  await session.prompt('How many apples are left?');
  await session.dispose();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
