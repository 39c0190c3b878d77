/** The files of a new pack: a tool, a hook, a command and a test, small enough to be read in one go. */
export function packFiles(name: string): Readonly<Record<string, string>> {
  const tool = name.replaceAll('-', '_');
  return {
    'package.json': `${JSON.stringify(manifestOf(name, tool), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    'src/plugin.ts': plugin(name, tool),
    'test/plugin.test.ts': test(name, tool),
    'README.md': readme(name, tool),
    '.gitignore': 'node_modules/\n',
  };
}

/** For editors and `tsc`; Tenon itself runs the TypeScript as it is. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    types: ['node', '@tenon/pack-types'],
  },
  include: ['src', 'test'],
};

function manifestOf(name: string, tool: string): unknown {
  return {
    name,
    version: '0.1.0',
    description: 'A pack for Tenon.',
    type: 'module',
    files: ['src', 'README.md'],
    scripts: { test: 'tenon plugin test .', types: 'tsc' },
    devDependencies: { '@tenon/pack-types': '^0.1.0', '@types/node': '>=20', typescript: '>=5.9' },
    tenon: {
      id: name,
      kernel: '^1',
      description: 'Counts words.',
      entry: 'src/plugin.ts',
      contributes: {
        tools: { [`${tool}_count`]: { summary: 'Count the words of a text', risk: 'read' } },
        'cli-commands': {
          [name]: {
            summary: 'Count words',
            arguments: [{ name: 'text', summary: 'The text', required: true, variadic: true }],
          },
        },
      },
      handles: ['tool.call'],
      permissions: {},
    },
  };
}

function plugin(name: string, tool: string): string {
  return `import { cliCommands } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { toolCall, tools } from '@tenon/tools/api';

const countWords = (text: string) => text.split(/\\s+/).filter((word) => word !== '').length;

export default definePlugin({
  id: '${name}',
  activate(ctx) {
    ctx.contribute(tools, '${tool}_count', {
      description: 'Counts the words of a text. Use it instead of counting yourself.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      // Files, addresses and commands that a call touches: none.
      touches: () => ({}),
      async execute(input, call) {
        await call.update({ content: [{ type: 'text', text: 'counting…' }] });
        const words = countWords(String(input['text']));
        return { content: [{ type: 'text', text: \`\${words} words\` }], details: { words } };
      },
    });

    ctx.contribute(cliCommands, '${name}', {
      async run({ args, io }) {
        await io.out(\`\${countWords([args['text']].flat().join(' '))} words\\n\`);
      },
    });

    // A gate sees every tool call before it happens; what it refuses does not happen.
    ctx.on(toolCall, ({ tool, input }) => {
      if (tool === '${tool}_count' && String(input['text']).length > 100_000) return { deny: 'the text is too long to count' };
    });
  },
});
`;
}

function test(name: string, tool: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPack } from '@tenon/pack-host/testing';
import { toolCall } from '@tenon/tools/api';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

test('the tool counts words', async () => {
  const pack = await startPack(source, plugin);
  const { result, updates } = await pack.runTool('${tool}_count', { text: 'one two  three' });
  assert.deepEqual(result.details, { words: 3 });
  assert.equal(updates.length, 1);
  await pack.stop();
});

test('the command counts words', async () => {
  const pack = await startPack(source, plugin);
  assert.equal((await pack.runCommand('${name}', { args: { text: 'one two' } })).out, '2 words\\n');
  await pack.stop();
});

test('the gate refuses texts that are too long', async () => {
  const pack = await startPack(source, plugin);
  const call = { tool: '${tool}_count', callId: '1', touches: {}, input: { text: 'x'.repeat(100_001) } };
  assert.equal((await pack.kernel.run(toolCall, call)).allowed, false);
  await pack.stop();
});
`;
}

function readme(name: string, tool: string): string {
  return `# ${name}

A pack for Tenon: the tool \`${tool}_count\`, the command \`tenon ${name}\` and a gate on tool calls.

\`\`\`sh
npm install                  # types for the editor and \`npm run types\`; nothing of it is needed to run the pack
tenon plugin test .          # or: npm test
tenon plugin link .
tenon ${name} some words
tenon tool run ${tool}_count --input '{"text": "some words"}'
\`\`\`

The pack runs in a process of its own. What it may touch (files, hosts, programs, environment variables) stands in
\`package.json\` under \`tenon.permissions\`; everything else is refused by the operating system.
`;
}
