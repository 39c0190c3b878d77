// A server of the protocol in a few lines, for tests that need a certain behaviour. Started as: node plain.mjs [--flag=value]…
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const flags = Object.fromEntries(
  process.argv.slice(2).map((word) => {
    const [name, value = 'yes'] = word.replace(/^--/, '').split(/=(.*)/s);
    return [name, value];
  }),
);

// Counts starts, so that a test can tell that there was none.
if (flags.mark) appendFileSync(flags.mark, `${process.pid}\n`);
if (flags.stderr) process.stderr.write(`${flags.stderr}\n`);
if (flags.exit) process.exit(Number(flags.exit));
if (flags.startSlow) await new Promise((resolve) => setTimeout(resolve, Number(flags.startSlow)));
if (flags.child) {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  appendFileSync(flags.child, `${process.pid}\n${child.pid}\n`);
}
if (flags.greet) process.stdout.write('Welcome! This is no message.\n');

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const annotations = { readOnlyHint: true };
const schema = { type: 'object', properties: {} };
const names = flags.tools ? flags.tools.split(',') : ['greet'];
let extra = [];

const tools = () => [
  ...names.map((name) => ({ name, description: `Says ${name}`, inputSchema: schema, annotations })),
  ...extra.map((name) => ({ name, description: `Says ${name}`, inputSchema: schema })),
];

const calls = {
  pid: () => text(process.pid),
  env: () => text(JSON.stringify(process.env)),
  cwd: () => text(process.cwd()),
  fail: () => ({ ...text('It did not work.'), isError: true }),
  long: () => text(Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n')),
  structured: () => ({ content: [], structuredContent: { answer: 42 } }),
  audio: () => ({ content: [{ type: 'audio', data: Buffer.from('RIFF').toString('base64'), mimeType: 'audio/wav' }] }),
  blob: () => ({
    content: [{ type: 'resource', resource: { uri: 'x://blob', mimeType: 'application/pdf', blob: 'JVBERg==' } }],
  }),
  die: () => process.exit(3),
  more: () => {
    extra = ['later'];
    setTimeout(() => say({ method: 'notifications/tools/list_changed' }), 10);
    return text('there is more now');
  },
};

function answer({ id, method, params }) {
  if (method === 'initialize') {
    if (flags.hang) return;
    const capabilities = { tools: { listChanged: true } };
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities,
      serverInfo: { name: 'plain', version: '1' },
    };
    const instructions = flags.instructions && { instructions: flags.instructions };
    return void setTimeout(() => say({ id, result: { ...result, ...instructions } }), Number(flags.slow ?? 0));
  }
  if (method === 'tools/list') return say({ id, result: { tools: tools() } });
  if (method === 'ping') return say({ id, result: {} });
  if (method === 'notifications/cancelled' && flags.cancelled) appendFileSync(flags.cancelled, 'cancelled\n');
  if (method !== 'tools/call') return undefined;
  if (params.name === 'wait') return flags.cancelled && appendFileSync(flags.cancelled, 'called\n');
  if (params.name === 'flaky' && flags.flaky) {
    const times = existsSync(flags.flaky) ? readFileSync(flags.flaky, 'utf8').length : 0;
    appendFileSync(flags.flaky, 'x');
    if (times === 0) process.exit(1);
    return say({ id, result: text(`started ${times + 1} times`) });
  }
  const call = calls[params.name];
  return say({ id, result: call ? call() : text(`${params.name}!`) });
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line.trim() !== '') answer(JSON.parse(line));
});
// A program that does not go by itself is ended.
process.stdin.on('end', () => flags.stubborn || process.exit(0));
if (flags.stubborn) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
