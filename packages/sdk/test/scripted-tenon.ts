/** The command line of Tenon over the SDK, with a model that does what the prompt spells out. */
import { commandLine } from '@tenon/command-line/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { userInterface } from '@tenon/host';
import { createTenon } from '@tenon/sdk';
import { tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { type Answer, scriptedModels } from '@tenon/test-kit/scripted-models';

/** `call NAME {json}` calls a tool, `fail` fails, `slow` waits; everything else is repeated. */
function answerTo(prompt: string, isFirst: boolean): Answer {
  const call = /^call (\w+) (\{.*\})$/.exec(prompt);
  if (call && isFirst)
    return { calls: [{ name: call[1] ?? '', arguments: JSON.parse(call[2] ?? '{}') as Record<string, unknown> }] };
  if (prompt === 'fail') return { fail: { kind: 'server', message: 'the server is on fire' } };
  if (prompt === 'slow') return { text: 'thinking…', hold: new Promise(() => undefined) };
  return { text: call ? 'The tool has answered.' : `You said: ${prompt}` };
}

const { registry } = scriptedModels([
  ({ messages }) => {
    const last = messages.at(-1);
    const asked = messages.findLast(({ role }) => role === 'user');
    const text = typeof asked?.content === 'string' ? asked.content : '';
    return answerTo(text, last?.role === 'user');
  },
]);
const helper = inlineCandidate(
  {
    id: 'helper',
    activate(ctx) {
      const tool = (run: (input: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<string>) => ({
        description: 'for a test',
        parameters: { type: 'object' },
        execute: async (input: Readonly<Record<string, unknown>>, { signal }: { signal: AbortSignal }) => ({
          content: [{ type: 'text' as const, text: await run(input, signal) }],
        }),
      });
      ctx.contribute(
        tools,
        'inquire',
        tool(
          async ({ question }) =>
            `answer: ${await (await ctx.find(userInterface)).confirm('Question', String(question))}`,
        ),
      );
      ctx.contribute(
        tools,
        'get',
        tool(async ({ url }, signal) => (await (await ctx.find(urlRouter)).read(String(url), { signal })).content),
      );
    },
  },
  { contributes: { tools: { inquire: { summary: 'asks' }, get: { summary: 'gets' } } } },
);

const tenon = await createTenon({ modelRegistry: registry, plugins: [helper], packs: false });
const write = (stream: NodeJS.WriteStream) => (text: string) =>
  new Promise<void>((resolve) => stream.write(text, () => resolve()));
const out = write(process.stdout);
const io = {
  out,
  err: write(process.stderr),
  json: (value: unknown) => out(`${JSON.stringify(value)}\n`),
  color: false,
  interactive: false,
  width: 80,
};
const line = await tenon.kernel.find(commandLine);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const words = process.argv.slice(2);
const code = await line.run(words, { io, cwd: process.cwd(), signal: stop.signal, help: words.includes('--help') });
await tenon.dispose();
process.exit(code);
