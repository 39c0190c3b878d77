// A server of the protocol in a few lines: its tool `look` says what the server can see. Started as: node notes.mjs [FILE]
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file = ''] = process.argv;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function look() {
  let content = 'nothing';
  try {
    content = existsSync(file) ? readFileSync(file, 'utf8') : 'nothing';
  } catch (fault) {
    content = String(fault.code);
  }
  const sees = { file: content, home: process.env.HOME, token: process.env.TOKEN, secret: process.env.SECRET };
  return { content: [{ type: 'text', text: JSON.stringify(sees) }] };
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }] }),
  'tools/call': look,
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  if (answer) say({ id, result: answer(params) });
  else say({ id, error: { code: -32_601, message: 'unknown method' } });
}
