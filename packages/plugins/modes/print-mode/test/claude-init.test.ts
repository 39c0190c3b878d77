/** The first message of `--output-format stream-json`, with all of Tenon behind it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runAgent } from '@tenon/test-kit/command-run';
import { world, type WorldOptions } from '@tenon/test-kit/mcp-world';
import { expect, it, onTestFinished, vi } from 'vitest';

/** Answers what a client asks at the start, and offers one tool. */
const SERVER = `
const tool = { name: 'count', description: 'Counts', inputSchema: { type: 'object', properties: {} } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'stock', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

async function init(options: WorldOptions = {}, flags: Record<string, string | boolean> = {}) {
  const made = await world({ ...options, settings: { 'mcp.startupBudgetMs': 60_000, ...options.settings } });
  const { out, err } = await runAgent(made.kernel, ['go'], {
    flags: { 'output-format': 'stream-json', 'no-session': true, ...flags },
    cwd: made.cwd,
  });
  if (!options.realModels) expect(err).toBe('');
  const [first] = out.split('\n');
  return JSON.parse(first ?? '') as Record<string, unknown>;
}

it('names the MCP servers as they are, and their tools', async () => {
  const stock = { command: process.execPath, args: ['-e', SERVER] };
  const user = { stock, resting: { ...stock, enabled: false }, broken: { command: 'there-is-no-such-program' } };
  const message = await init({ user });
  expect(message).toMatchObject({ type: 'system', subtype: 'init' });
  expect(message['mcp_servers']).toHaveLength(3);
  expect(message['mcp_servers']).toEqual(
    expect.arrayContaining([
      { name: 'stock', status: 'connected' },
      { name: 'resting', status: 'disabled' },
      { name: 'broken', status: 'failed' },
    ]),
  );
  expect(message['tools']).toContain('mcp__stock__count');
});

it('lists the slash commands, built-in ones and those of files', async () => {
  const made = await world();
  mkdirSync(join(made.home, 'config', 'commands'), { recursive: true });
  writeFileSync(join(made.home, 'config', 'commands', 'tidy.md'), 'Tidy up.\n');
  const message = await init({ like: made });
  expect(message['slash_commands']).toEqual(expect.arrayContaining(['help', 'compact', 'tidy']));
});

it.each([
  ['strict', {}, 'default'],
  ['ask', {}, 'acceptEdits'],
  ['yolo', {}, 'bypassPermissions'],
  ['ask', { plan: true }, 'plan'],
])('says what needs approval: %s %o is %s', async (mode, flags, expected) => {
  const message = await init({ settings: { 'approval.mode': mode } }, flags);
  expect(message['permissionMode']).toBe(expected);
});

it('says where the key comes from, and never the key', async () => {
  // It refuses every key: the message has been written by then.
  const server = createServer((_request, response) => void response.writeHead(401).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = { baseUrl, api: 'openai-completions', models: [{ id: 'm' }] };
  const models = {
    providers: { own: { ...provider, apiKey: 'sk-never-shown' }, open: { ...provider, keyOptional: true } },
  };
  const made = await world();
  mkdirSync(join(made.home, 'config'), { recursive: true });
  writeFileSync(join(made.home, 'config', 'models.yml'), JSON.stringify(models));
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-never-shown');
  vi.stubEnv('ANTHROPIC_BASE_URL', baseUrl);
  onTestFinished(() => void vi.unstubAllEnvs());
  const sources: unknown[] = [];
  for (const model of ['own/m', 'open/m', 'anthropic/claude-sonnet-5']) {
    const message = await init({ like: made, realModels: true }, { model });
    sources.push(message['apiKeySource']);
    expect(JSON.stringify(message)).not.toContain('sk-never-shown');
  }
  expect(sources).toEqual(['user', 'none', 'ANTHROPIC_API_KEY']);
});
