/** What users have for other agents, written as those agents document it. Whatever would run writes its name into a file when it does. */
import { createRequire } from 'node:module';

/** The file that everything writes its name into, below the working folder. Its folder is there from the start: a sandbox opens only what is. */
export const MARKS = 'marks/ran';

const require = createRequire(import.meta.url);
const mark = (name: string) => `echo ${name} >> ${MARKS}`;

/** A real MCP server on the protocol's own package, with one tool that only reads. */
export function mcpServer(name: string, tool: string, answer: string): string {
  return `
    const { appendFileSync } = require('node:fs');
    const { McpServer } = require(${JSON.stringify(require.resolve('@modelcontextprotocol/server'))});
    const { StdioServerTransport } = require(${JSON.stringify(require.resolve('@modelcontextprotocol/server/stdio'))});
    const { z } = require(${JSON.stringify(require.resolve('zod'))});
    if (process.env.MARKS) appendFileSync(process.env.MARKS, 'mcp:${name}\\n');
    const server = new McpServer({ name: '${name}', version: '1.0.0' });
    server.registerTool(
      '${tool}',
      { description: 'Looks up ${tool}.', inputSchema: z.object({ of: z.string() }), annotations: { readOnlyHint: true } },
      async ({ of }) => ({ content: [{ type: 'text', text: '${answer} ' + of }] }),
    );
    void server.connect(new StdioServerTransport());
  `;
}

/** A hook that refuses commands with a certain word, with a reason on standard error and exit code 2. */
export function guard(name: string, word: string, reason: string): string {
  return [
    '#!/bin/sh',
    `echo hook:${name} >> "$CLAUDE_PROJECT_DIR/${MARKS}"`,
    `if grep -q '${word}'; then echo '${reason}' >&2; exit 2; fi`,
    '',
  ].join('\n');
}

/** The settings of hooks, one command for each event. */
export function hooks(commands: Readonly<Record<string, { command: string; matcher?: string }>>): string {
  const groups = Object.entries(commands).map(([event, { command, matcher }]) => [
    event,
    [{ ...(matcher && { matcher }), hooks: [{ type: 'command', command }] }],
  ]);
  return JSON.stringify({ hooks: Object.fromEntries(groups) });
}

/** A project of somebody who works with Claude Code, and has an extension of pi in it. */
export function claudeProject(work: string): Record<string, string> {
  return {
    'CLAUDE.md': '# Shop\n\nPrices are whole cents. See @docs/style.md\n',
    'docs/style.md': 'Sentences are short here.\n',
    '.claude/skills/pricing/SKILL.md':
      '---\nname: pricing\ndescription: How prices are changed. Use when a price changes.\n---\nRound half up. Table: skill://pricing/table.md\n',
    '.claude/skills/pricing/table.md': 'apple 200\n',
    '.claude/commands/review.md': [
      '---',
      'description: Review a file',
      'argument-hint: "[file] [what]"',
      '---',
      'Review $1 with an eye on $2. All: $ARGUMENTS.',
      '',
      `!\`${mark('command')}; grep -c export $1\``,
      '',
    ].join('\n'),
    '.claude/commands/git/tidy.md': 'Tidy the history.\n',
    '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews changes.\n---\nYou review.\n',
    '.claude/settings.json': hooks({
      PreToolUse: { matcher: 'Bash', command: 'sh "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh"' },
      UserPromptSubmit: { command: `echo hook:prompt >> "$CLAUDE_PROJECT_DIR/${MARKS}"` },
      SessionStart: { command: `echo hook:start >> "$CLAUDE_PROJECT_DIR/${MARKS}"` },
    }),
    '.claude/hooks/guard.sh': guard('guard', 'publish', 'Nothing is published on a Friday.'),
    '.mcp.json': JSON.stringify({
      mcpServers: { stock: { command: 'node', args: ['tools/stock.cjs'], env: { MARKS: `${work}/${MARKS}` } } },
    }),
    'tools/stock.cjs': mcpServer('stock', 'count', 'There are 12 of'),
    '.pi/extensions/weather/package.json': JSON.stringify({ name: 'weather', pi: { extensions: ['./index.ts'] } }),
    '.pi/extensions/weather/index.ts': `
      import { appendFileSync } from 'node:fs';
      import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
      import { Type } from '@sinclair/typebox';

      appendFileSync(${JSON.stringify(`${work}/${MARKS}`)}, 'extension\\n');
      export default function (pi: ExtensionAPI) {
        pi.registerTool({
          name: 'weather',
          label: 'Weather',
          description: 'Says how the weather is.',
          parameters: Type.Object({ city: Type.String() }),
          async execute(_id, { city }) {
            return { content: [{ type: 'text', text: 'It rains in ' + city }], details: {} };
          },
        });
      }
    `,
  };
}

/** A plugin of a marketplace: a skill, a command, a hook and an MCP server. */
export function marketPlugin(
  work: string,
  { version, more = {} }: { version: string; more?: Readonly<Record<string, { command: string }>> },
): Record<string, string> {
  return {
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'helper', version, description: 'Helps.' }),
    'skills/release/SKILL.md': `---\nname: release\ndescription: How a release is made. Use for releases.\n---\nTag it first (${version}).\n`,
    'commands/greet.md': `---\ndescription: Greets\n---\nSay hello to $1.\n\n!\`${mark('plugin:command')}; echo hello from $1\`\n`,
    'hooks/hooks.json': hooks({
      PreToolUse: { matcher: 'Bash', command: 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"' },
      ...more,
    }),
    'hooks/guard.sh': guard('plugin', 'deploy', 'The helper deploys nothing by hand.'),
    '.mcp.json': JSON.stringify({
      mcpServers: {
        notes: {
          command: 'node',
          args: ['${CLAUDE_PLUGIN_ROOT}/server.cjs'],
          env: { MARKS: `${work}/${MARKS}` },
        },
      },
    }),
    'server.cjs': mcpServer('notes', 'note', 'A note about'),
  };
}

/** The catalogue of a marketplace that has this plugin. */
export const CATALOGUE = JSON.stringify({
  name: 'acme',
  owner: { name: 'Acme' },
  plugins: [{ name: 'helper', source: './plugins/helper', description: 'Helps with releases' }],
});

/** Loaded into Tenon by NODE_OPTIONS: writes down every process that it starts. */
export function spawnCounter(log: string): string {
  return `
    const { appendFileSync } = require('node:fs');
    const processes = require('node:child_process');
    for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
      const start = processes[name];
      processes[name] = (...given) => {
        appendFileSync(${JSON.stringify(log)}, JSON.stringify([given[0], given[1]]) + '\\n');
        return start(...given);
      };
    }
    require('node:module').syncBuiltinESMExports();
  `;
}
