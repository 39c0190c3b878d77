/**
 * Tenon's MCP server under the official conformance suite. The suite uses tools, prompts and resources of certain names; a plugin
 * contributes them to slots like any other (tools, slash commands, a URL scheme), and `tenon mcp serve` offers them as they are. The
 * suite knows nothing of tokens: a door in front adds ours.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { type FieldForm, userInterface } from '@tenon/host';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type SlashCommandProvider, slashCommandProviders, type SlashOutcome } from '@tenon/slash-commands/api';
import { type Tool, type ToolResult, tools } from '@tenon/tools/api';
import { createTenon } from '@tenon/sdk';
import { type UrlScheme, urlSchemes } from '@tenon/urls/api';

const TOKEN = 'conformance';
/** One red dot. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** No sound at all. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] });
const tool = (execute: Tool['execute'], parameters: Tool['parameters'] = { type: 'object', properties: {} }): Tool => ({
  description: 'For the conformance suite',
  parameters,
  execute,
});

const titled = (word: string) => [
  { const: 'value1', title: `First ${word}` },
  { const: 'value2', title: `Second ${word}` },
];

/** Asks the user of the client, as tools and the MCP servers behind Tenon do. */
async function askForm(properties: FieldForm['properties']): Promise<ToolResult> {
  const ui = await tenon.kernel.find(userInterface);
  const answer = await ui.askForm?.({ message: 'Please fill this in.', properties });
  return text(`Elicitation completed: ${JSON.stringify(answer)}`);
}

const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: tool(async () => text('This is a simple text response for testing.')),
  test_image_content: tool(async () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })),
  test_multiple_content_types: tool(async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ],
    attachments: [
      {
        type: 'resource',
        resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      },
    ],
  })),
  test_audio_content: tool(async () => ({
    ...text('A sound.'),
    attachments: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  })),
  test_embedded_resource: tool(async () => ({
    ...text('A document.'),
    attachments: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
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
  test_tool_with_logging: tool(async (_input, { update }) => {
    for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await update(text(step));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return text('done');
  }),
  test_elicitation: tool(async ({ message }) => {
    const ui = await tenon.kernel.find(userInterface);
    if (!ui.canAsk()) return { ...text('The client cannot ask its user.'), isError: true };
    return text(`User response: ${(await ui.input(String(message))) ?? 'none'}`);
  }),
  test_elicitation_sep1034_defaults: tool(() =>
    askForm({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  test_elicitation_sep1330_enums: tool(() =>
    askForm({
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  ),
  json_schema_2020_12_tool: tool(async () => text('ok'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  } as Tool['parameters']),
};

/** What the slash commands come to. */
const PROMPTS: Readonly<Record<string, { readonly hint?: string; run(args: readonly string[]): SlashOutcome }>> = {
  test_simple_prompt: { run: () => ({ kind: 'prompt', text: 'This is a simple prompt for testing.' }) },
  test_prompt_with_arguments: {
    hint: '<arg1> <arg2>',
    run: ([one = '', two = '']) => ({ kind: 'prompt', text: `Prompt with arguments: arg1='${one}', arg2='${two}'` }),
  },
  test_prompt_with_embedded_resource: {
    hint: '<resourceUri>',
    run: () => ({ kind: 'prompt', text: 'Please process the embedded resource above.' }),
  },
  test_prompt_with_image: {
    run: () => ({
      kind: 'prompt',
      text: 'Please analyze the image above.',
      images: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    }),
  },
};

const COMMANDS: SlashCommandProvider = {
  list: async () =>
    Object.entries(PROMPTS).map(([name, { hint }]) => ({
      name,
      kind: 'command',
      description: 'For the conformance suite',
      ...(hint !== undefined && { argumentHint: hint }),
    })),
  run: async (name, args) => PROMPTS[name]?.run(args.split(' ').filter(Boolean)),
};

const RESOURCES: UrlScheme = {
  async read(url) {
    if (url === 'test://static-binary') {
      return { content: 'a red dot', bytes: Buffer.from(PNG, 'base64'), contentType: 'image/png' };
    }
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(url) ?? [];
    if (id !== undefined) {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { content: JSON.stringify(data), contentType: 'application/json' };
    }
    return { content: 'This is the content of the static text resource.', contentType: 'text/plain' };
  },
};

const home = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
const tenon = await createTenon({
  home,
  cwd: home,
  packs: false,
  environment: { HOME: home, PATH: process.env['PATH'] },
  settings: { 'mcp-server.resources': ['test'] },
});
process.env['TENON_MCP_TOKEN'] = TOKEN;
tenon.kernel.install(
  inlineCandidate(
    {
      id: 'conformance-tools',
      activate(ctx) {
        for (const [name, value] of Object.entries(TOOLS)) ctx.contribute(tools, name, value);
        ctx.contribute(slashCommandProviders, 'conformance', COMMANDS);
        ctx.contribute(urlSchemes, 'test', RESOURCES);
      },
    },
    {
      contributes: {
        'slash-command-providers': { conformance: {} },
        'url-schemes': { test: { description: 'For the conformance suite' } },
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
