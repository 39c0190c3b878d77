/** Flags of the agent that people know from other agents, in the built program. */
import { join } from 'node:path';
import { ended } from '@tenon/test-kit/program';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mcpServer } from './ecosystem-e2e/things.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await openWorkshop();
});
afterEach(() => shop.close());

const base = ['--model', 'fake/m', '--no-session'];

describe('--mcp-config', () => {
  const asked = async (config: string) => {
    const call = { tool: 'mcp__stock__count', input: { of: 'pears' }, says: /There are 12 of pears/ };
    const { results, err } = await converse(shop, [{ say: 'Looking.', calls: [call] }], {
      prompt: 'How many?',
      last: 'Twelve.',
      // A tool that is named is waited for.
      flags: ['--no-session', '--mcp-config', config, '--tools', call.tool, '--allowed-tools', call.tool],
    });
    expect(results, err).toMatchObject([{ isError: false, text: expect.stringMatching(call.says) }]);
  };

  it('brings servers for this run, from a file and as JSON, without a question about the folder', async () => {
    shop.home.put('work/tools/stock.cjs', mcpServer('stock', 'count', 'There are 12 of'));
    const stock = {
      command: process.execPath,
      args: [join(shop.home.work, 'tools/stock.cjs')],
      env: { MARKS: '/dev/null' },
    };
    const config = JSON.stringify({ mcpServers: { stock } });
    shop.home.put('work/servers.json', config);
    await asked('servers.json');
    await asked(config);
    expect((await shop.tenon(['mcp', 'list'])).out).not.toContain('stock');
  });

  it.each([
    ['gone.json', /ENOENT/],
    ['{"mcpServers": ', /JSON/],
    ['{"servers": {}}', /no object "mcpServers"/],
  ])('that names no servers is wrong usage: %s', async (config, reason) => {
    const { code, err } = await shop.tenon([...base, '--mcp-config', config, '-p', 'hi']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(reason) });
    expect(err).toContain('MODES_MCP_CONFIG');
  });
});

describe('--input-format stream-json', () => {
  const message = (content: unknown) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
  const start = () => {
    const words = [...base, '-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
    const env = shop.home.environment({ TENON_SET: 'providers.probeLocal=false' });
    return shop.home.start(words, { env });
  };

  it('answers each message when it comes, and ends with the input', async () => {
    shop.model.reply({ content: [{ type: 'text', text: 'One.' }] }, { content: [{ type: 'text', text: 'Two.' }] });
    const child = start();
    let out = '';
    child.stdout?.on('data', (part: Buffer) => (out += part.toString()));
    const finished = ended(child);
    child.stdin?.write(message('first'));
    // The second is written by somebody who has read the first answer.
    await until(() => out.includes('"result":"One."'));
    child.stdin?.end(message([{ type: 'text', text: 'second' }]));
    expect(await finished).toMatchObject({ code: 0 });
    expect(out).toContain('"result":"Two."');
    expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages'])).toMatch(/first.*One\..*second/);
  });

  it.each([
    ['nothing', '', 'PRINT_NO_PROMPT'],
    ['no JSON', 'hello\n', 'MODES_STREAM_INPUT'],
    ['another type', '{"type":"control_request"}\n', 'MODES_STREAM_INPUT'],
    ['no text', message([]), 'MODES_STREAM_INPUT'],
  ])('is wrong usage with %s', async (_, input, code) => {
    const child = start();
    child.stdin?.end(input);
    const finished = await ended(child);
    expect(finished.code).toBe(2);
    expect(finished.out + finished.err).toContain(code);
  });
});
