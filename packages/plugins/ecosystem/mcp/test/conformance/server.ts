/**
 * Tenon's MCP server under the official conformance suite. The suite calls tools of certain names; they are contributed to the slot
 * `tools` like any other, and offered by `tenon mcp serve` as they are. The suite knows nothing of tokens: a door in front adds ours.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type Tool, type ToolResult, tools } from '@tenon/tools/api';
import { createTenon } from '@tenon/sdk';

const TOKEN = 'conformance';
/** One red dot. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] });
const tool = (execute: Tool['execute'], parameters: Tool['parameters'] = { type: 'object', properties: {} }): Tool => ({
  description: 'For the conformance suite',
  parameters,
  execute,
});

const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: tool(async () => text('This is a simple text response for testing.')),
  test_image_content: tool(async () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })),
  test_multiple_content_types: tool(async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ],
  })),
  test_error_handling: tool(async () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  test_tool_with_progress: tool(async (_input, { update }) => {
    for (const progress of [0, 50, 100]) {
      await update({ ...text(`at ${progress}`), details: { progress, total: 100 } });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return text('done');
  }),
  json_schema_2020_12_tool: tool(async () => text('ok'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  } as Tool['parameters']),
};

const home = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
const tenon = await createTenon({
  home,
  cwd: home,
  packs: false,
  environment: { HOME: home, PATH: process.env['PATH'] },
});
process.env['TENON_MCP_TOKEN'] = TOKEN;
tenon.kernel.install(
  inlineCandidate(
    {
      id: 'conformance-tools',
      activate: (ctx) => Object.entries(TOOLS).forEach(([name, value]) => void ctx.contribute(tools, name, value)),
    },
    {
      contributes: {
        tools: Object.fromEntries(Object.keys(TOOLS).map((name) => [name, { summary: name, risk: 'read' }])),
      },
    },
  ),
);

let port = 0;
const stop = new AbortController();
const command = await tenon.kernel.read(cliCommands).resolve('mcp serve');
const ready = new Promise<void>((resolve, reject) => {
  const io = {
    out: async () => undefined,
    err: async () => undefined,
    json: async (value: unknown) => {
      port = Number(new URL((value as { url: string }).url).port);
      resolve();
    },
    color: false,
    interactive: false,
    width: 80,
  };
  command
    .run({ args: {}, flags: { http: '0', json: true }, io, cwd: home, signal: stop.signal })
    .then(undefined, reject);
});
await ready;

const door = createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${TOKEN}` };
  const sent = forward({ port, host: '127.0.0.1', path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  request.pipe(sent);
});
door.listen(0, '127.0.0.1');
await once(door, 'listening');
process.stdout.write(`http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp\n`);

process.stdin.resume();
await once(process.stdin, 'end');
stop.abort();
door.close();
door.closeAllConnections();
await tenon.dispose();
rmSync(home, { recursive: true, force: true });
process.exit(0);
