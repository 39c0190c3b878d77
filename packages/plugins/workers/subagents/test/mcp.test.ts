import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { world } from '@tenon/test-kit/mcp-world';
import { inCheckout } from '@tenon/test-kit/plugins';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { workspaceTrust } from '@tenon/trust/api';
import { describe, expect, it } from 'vitest';
import { answerBy, delegate, taskOf, yields } from './support/world.ts';

describe('a copy of a trusted project', () => {
  it('asks nobody whether it is trusted, and starts no server of its own', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const program = inCheckout('packages/plugins/ecosystem/mcp/test/servers/plain.mjs');
    const one = { command: process.execPath, args: [program, `--mark=${mark}`, '--tools=greet'] };
    const asked: unknown[] = [];
    const tenon = await world({
      settings: { 'mcp.startupBudgetMs': 20_000, 'subagents.isolation.mode': 'worktree' },
      script: [
        answerBy({
          main: [
            { calls: [{ name: 'search_tool_bm25', arguments: { query: 'subagents in parallel' } }] },
            { calls: [delegate('task', ['a'], { isolated: true })] },
            { text: 'done' },
          ],
          tasks: { a: [{ calls: [{ name: 'mcp__one__greet' }] }, yields('a')] },
        }),
      ],
    });
    putFiles(tenon.cwd, { '.mcp.json': JSON.stringify({ mcpServers: { one } }), 'deep/x.txt': 'x' });
    gitRepository(tenon.cwd);
    await (await tenon.kernel.find(workspaceTrust)).grant(tenon.cwd);
    await tenon.answerWith({
      canAsk: () => true,
      select: async (...words) => void asked.push(words),
      confirm: async (...words) => (asked.push(words), false),
    });
    await tenon.prompt('go');
    expect(asked).toEqual([]);
    const [, second] = tenon.requests.filter((request) => taskOf(request) === 'a');
    expect(JSON.stringify(second?.messages.at(-1)?.content)).toContain('greet!');
    expect(readFileSync(mark, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

describe('MCP servers', () => {
  it('are connected once, for the agent and all its subagents', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const program = inCheckout('packages/plugins/ecosystem/mcp/test/servers/plain.mjs');
    const greet = { calls: [{ name: 'mcp__one__greet' }] };
    const tenon = await world({
      user: { one: { command: process.execPath, args: [program, `--mark=${mark}`, '--tools=greet'] } },
      settings: { 'mcp.startupBudgetMs': 20_000 },
      script: [
        answerBy({
          main: [
            { calls: [{ name: 'search_tool_bm25', arguments: { query: 'subagents in parallel' } }] },
            { calls: [delegate('task', ['a', 'b', 'c'])] },
            { text: 'done' },
          ],
          tasks: Object.fromEntries(
            ['a', 'b', 'c'].map((id) => [
              id,
              [greet, (request) => yields(`${id}: ${JSON.stringify(request.messages.at(-1)?.content)}`)],
            ]),
          ),
        }),
      ],
    });
    const { events } = await tenon.prompt('greet');
    const end = events.findLast((event) => event.type === 'tool_execution_end');
    expect(JSON.stringify(end).match(/greet!/g)?.length).toBeGreaterThanOrEqual(3);
    expect(tenon.requests.filter((request) => taskOf(request) !== undefined)).toHaveLength(6);
    expect(readFileSync(mark, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});
